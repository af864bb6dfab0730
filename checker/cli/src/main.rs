//! The program `hyperkill`: everything is in the library.

fn main() -> std::process::ExitCode {
    hyperkill::main_of_process().into()
}
