//! A model with some of its mutants: what those cost that nobody asks for is saved in everything that follows.
//!
//! Which were taken is kept with what was read, so that whoever reads the model again has the same circuit.

use std::collections::BTreeSet;

use crate::args::{SelectionArgs, Taken};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::model::Draft;
use crate::selection::select_listed;

/// The model with the mutants that are asked for, and the list of them; none if these are all.
///
/// # Errors
/// If the selection does not fit the model, or the list is of another one.
pub(super) fn taken(
    draft: Draft,
    asked: Option<&Taken>,
) -> Result<(Draft, Option<String>), Failure> {
    let selected = match asked {
        None => return Ok((draft, None)),
        Some(Taken::Selected(selection, seed)) => select_listed(&draft, selection, *seed)?,
        Some(Taken::Listed(list)) => listed(&draft, list)?,
    };
    if selected.len() == draft.listed.len() {
        return Ok((draft, None));
    }
    let draft = draft.only(&selected);
    let list = draft.listed.iter();
    let list = list.map(|listed| format!("{}\n", listed.id)).collect();
    Ok((draft, Some(list)))
}

/// The places of what was written.
fn listed(draft: &Draft, list: &str) -> Result<Vec<usize>, Failure> {
    let ids: BTreeSet<&str> = list.lines().collect();
    let places = draft.listed.iter().enumerate();
    let places = places.filter(|(_, listed)| ids.contains(listed.id.0.as_str()));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    match places.len() == ids.len() {
        true => Ok(places),
        false => {
            let text = "the list of mutants that the run took is not of this model";
            Err(Failure::message(ExitCode::Evidence, anyhow::anyhow!(text)))
        }
    }
}

impl Taken {
    /// Those that a selection means; `None` if that is all.
    pub(crate) fn of(selection: &SelectionArgs, seed: u64) -> Option<Taken> {
        let SelectionArgs {
            mutant,
            operator,
            lines,
            in_diff: _,
            exclude,
            sample,
            shard: _,
        } = selection;
        let is_all = mutant.is_empty()
            && operator.is_empty()
            && lines.is_empty()
            && exclude.is_empty()
            && sample.is_none();
        (!is_all).then(|| Taken::Selected(selection.clone(), seed))
    }
}
