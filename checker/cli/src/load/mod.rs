//! From files to a conditional mutant with its catalogue: read, translate, validate.
//!
//! Whatever goes wrong here goes wrong before any folder is touched.

mod aiger;
mod combined;
mod files;
mod include;
mod judgement;
mod language;
mod listed;
mod model;
mod origin;
mod own;
mod plugin;
mod prepared;
mod record;
mod roles;
mod source;
mod sources;
mod system;
mod taken;
mod yosys;

pub use crate::model::Loaded;
pub(crate) use combined::parts as combinations;
pub use files::{is_stdin, read_bytes};
pub(crate) use listed::{Shown, listed};
pub use model::{aiger_from_bytes, load};
pub(crate) use model::{
    circuit_from, draft, judged, keep_circuit, model_from, model_seen, of_circuit, own, settle,
};
pub(crate) use origin::{Origin, must_say_something};
pub(crate) use own::decider;
pub(crate) use prepared::{Prepared, prepared};
pub(crate) use record::{Recorded, rebased, seen_from};
pub use roles::CompiledRoles;
pub(crate) use system::system_from;
pub use system::{invariants_have_values, system, system_of};
