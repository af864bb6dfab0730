//! Other model checkers as programs: which there are, and how they are run. What they answer is judged by
//! `hyperkill_checker::external`.

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
