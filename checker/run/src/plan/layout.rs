//! The names of files and folders in the folder of a plan.

/// The document of a plan in its folder.
pub const PLAN: &str = "plan.json";
/// The folder of the run that made the plan, inside the folder of the plan.
pub const BASE: &str = "base";
/// The folder of the shards' files, inside the folder of the plan.
pub const SHARDS: &str = "shards";
/// The document of a finished shard, in the folder of the shard.
pub const DONE: &str = "done.json";
/// The prefix of the names of attempts' folders.
pub const ATTEMPT: &str = "attempt-";

/// Returns the folder of a shard's attempts, inside the folder of a plan.
#[must_use]
pub fn shard_folder(shard: usize) -> String {
    format!("shard-{shard}")
}
