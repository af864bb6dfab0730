//! The program `hyperkill`: everything is in the library.

use mimalloc::MiMalloc;

/// Listed states and diagrams are many small allocations, which it serves faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::process::ExitCode {
    hyperkill::main_of_process().into()
}
