//! External model checkers: finds and runs the programs. `hyperkill_checker::external` checks their answers.

mod abc;
mod command;
mod frontend;
mod icarus;
mod path;
mod programs;
mod workshop;
mod yosys;

pub(crate) use abc::Abc;
pub(crate) use frontend::{FrontendProgram, Refusal, names as frontend_names};
pub(crate) use icarus::iverilog;
pub(crate) use path::{MEMORY, on_path};
pub(crate) use programs::programs;
pub(crate) use yosys::Yosys;
