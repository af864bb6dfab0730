//! The names of files and folders in the folder of a plan.

/// The name of the document in the folder of a plan.
pub const PLAN: &str = "plan.json";
/// The folder of the run that made the plan, inside.
pub const BASE: &str = "base";
/// The folder of the files of shards, inside.
pub const SHARDS: &str = "shards";
/// The name of the document of a finished shard in its folder.
pub const DONE: &str = "done.json";
/// The beginning of the names of folders of attempts.
pub const ATTEMPT: &str = "attempt-";

/// The folder of the attempts of a shard, in the folder of a plan.
#[must_use]
pub fn shard_folder(shard: usize) -> String {
    format!("shard-{shard}")
}
