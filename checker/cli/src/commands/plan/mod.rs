//! Plans: `hyperkill plan`, `run --plan`, `merge` and `status` of a plan, `submit`.

pub(super) mod folder;
pub(super) mod make;
pub(super) mod merged;
pub(super) mod shard;
pub(super) mod state;
pub(super) mod submit;
