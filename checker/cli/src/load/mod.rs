//! From files to a conditional mutant with its catalogue: reads, translates, validates.
//!
//! All failures of this module occur before a run folder is touched.

mod files;
mod include;
mod language;
mod listed;
mod model;
mod origin;
mod plugin;
mod prepared;
mod record;
mod sources;
mod system;
mod yosys;

pub use crate::model::Loaded;
pub use files::{is_stdin, read_bytes};
pub(crate) use listed::{Shown, listed};
pub use model::{aiger_from_bytes, load};
pub(crate) use model::{
    circuit_from, decider, draft, judged, keep_circuit, model_from, model_seen, of_circuit, own,
    settle,
};
pub(crate) use origin::Origin;
pub(crate) use prepared::{Prepared, prepared};
pub(crate) use record::{Recorded, rebased, seen_from};
pub(crate) use system::system_from;
pub use system::{invariants_have_values, system, system_of};
