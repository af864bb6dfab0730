//! A run whose joint methods have ended, for division into shards.

use hyperkill_audit::model::Listing;
use hyperkill_audit::names::{digest, stays_inside};
use hyperkill_evidence::verdict::Reason;
use sha2::{Digest, Sha256};

use super::costs::{Costs, Sized};
use super::cut::{Shares, cut};
use super::layout::{PLAN, SHARDS};
use crate::asked::VERSION;
use crate::decided::Decided;
use crate::documents::{self, Asked, MutantResult, Plan, PlannedShard, VerdictWord};
use crate::folder::Unwritable;
use crate::procedure::{Division, RunError, Task};
use crate::unfit::Unfit;

/// A run whose methods for all mutants together have ended.
pub struct Begun<'a> {
    /// The question of the run.
    pub asked: &'a Asked,
    /// The task.
    pub task: &'a Task,
    /// The model.
    pub listing: &'a Listing,
    /// The results of the run.
    pub decided: &'a Decided,
    /// Divides the mutants among shards.
    pub division: &'a dyn Division,
}

impl Begun<'_> {
    /// Divides the mutants without a verdict into shards. `write` receives the file of each shard with its name in the folder of the plan.
    ///
    /// # Errors
    /// If every mutant has a verdict, or a file cannot be written.
    pub fn cut(
        &self,
        shares: Shares,
        costs: &Costs,
        mut write: impl FnMut(&str, &[u8]) -> Result<(), Unwritable>,
    ) -> Result<Plan, RunError> {
        let results = self.task.selected.iter().zip(&self.decided.results);
        let of = |open: bool| -> Vec<usize> {
            let results = results.clone();
            let some = results.filter(|(_, result)| is_missing(result) == open);
            some.map(|(&place, _)| place).collect()
        };
        let (open, decided) = (of(true), of(false));
        let (mutants, others) = (self.sized(&open), self.sized(&decided));
        let (seconds, estimate) = costs.of(&mutants, &others);
        let entries = mutants.iter().map(|mutant| mutant.entry);
        let entries: Vec<_> = entries.collect();
        let paths = entries.iter().map(|entry| {
            let mutant = entry.mutant.as_ref();
            mutant.map_or(entry.id.0.as_str(), |mutant| mutant.path.as_str())
        });
        let paths: Vec<&str> = paths.collect();
        let mut shards = Vec::new();
        for members in cut(&seconds, &paths, shares) {
            let mutants: Vec<usize> = members.iter().map(|&member| open[member]).collect();
            let file = self.division.file(&mutants);
            let name = format!("{SHARDS}/{}.{}", shards.len(), file.extension);
            write(&name, &file.bytes)?;
            shards.push(PlannedShard {
                file: name,
                digest: digest(Sha256::new_with_prefix(&file.bytes)),
                circuit: file.circuit,
                mutants: mutants.len(),
                seconds: seconds_of(&members, &seconds),
            });
        }
        let mut plan = Plan {
            schema: Plan::SCHEMA.to_owned(),
            version: VERSION.to_owned(),
            model: self.listing.description.clone(),
            options: self.asked.options.clone(),
            whole: self.asked.whole.clone(),
            mutants: self.task.selected.len(),
            decided: self.task.selected.len() - open.len(),
            estimate,
            shards,
            hash: String::new(),
        };
        plan.hash = hash(&plan)?;
        Ok(plan)
    }
}

impl<'a> Begun<'a> {
    /// Returns for each of these mutants its entry in the catalogue, with its size.
    fn sized(&self, mutants: &[usize]) -> Vec<Sized<'a>> {
        let sizes = self.division.sizes(mutants).into_iter();
        let sized = mutants.iter().zip(sizes).map(|(&place, size)| Sized {
            entry: &self.listing.catalogue[place],
            size,
        });
        sized.collect()
    }
}

/// Returns the sum of the seconds of these mutants, rounded to milliseconds.
fn seconds_of(members: &[usize], seconds: &[f64]) -> f64 {
    let sum: f64 = members.iter().map(|&member| seconds[member]).sum();
    (sum * 1e3).round() / 1e3
}

/// Whether a mutant is left to a part of the run that has not ended.
#[must_use]
pub fn is_missing(result: &MutantResult) -> bool {
    let missing = Reason::Missing.to_string();
    result.verdict == VerdictWord::Unknown && result.reason.as_ref() == Some(&missing)
}

fn hash(plan: &Plan) -> Result<String, serde_json::Error> {
    let plan = Plan {
        hash: String::new(),
        ..plan.clone()
    };
    let text = documents::to_line(&plan)?;
    Ok(digest(Sha256::new_with_prefix(text)))
}

/// Checks that this version wrote the plan and that it is unchanged.
///
/// # Errors
/// If the plan was changed, or another version wrote it.
pub fn check(plan: &Plan) -> Result<(), Unfit> {
    if plan.version != VERSION {
        let by = &plan.version;
        let text = format!("the plan was made by hyperkill {by}, and this is {VERSION}");
        return Err(Unfit::new(text).with_help("use that version, or make the plan again"));
    }
    let are_inside = plan.shards.iter().all(|shard| stays_inside(&shard.file));
    match hash(plan) {
        Ok(hash) if hash == plan.hash && are_inside => Ok(()),
        _ => Err(
            Unfit::new(format!("{PLAN} is not as `hyperkill plan` wrote it"))
                .with_help("make the plan again"),
        ),
    }
}
