//! The program `hyperkill`. All code is in the library.

use mimalloc::MiMalloc;

/// Lists of states and decision diagrams make many small allocations. This allocator is faster for them than the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::process::ExitCode {
    hyperkill::main_of_process().into()
}
