//! The question of a run as a document. `resume` reads it, and shards of one run are recognised by it.
//!
//! [`Options`] are the words of the question, typed. The binary reads command lines by them, too.

mod command;
mod document;
mod options;
mod said;
mod values;

pub use command::ExternalCommand;
pub use document::{VERSION, asks_the_same, document, is_same_reading, sealed, without_shard};
pub use options::{Misread, Options, with_question};
pub use said::{Said, is_so};
pub use values::{EngineList, Limit, Memory, Percent, Spelled};
