//! A model with some of its mutants: what those cost that nobody asks for is saved in everything that follows.
//!
//! Which were taken is kept with what was read, so that whoever reads the model again has the same circuit.

use std::collections::BTreeSet;

use hyperkill_run::selection::Selection;

use crate::args::Taken;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::model::Draft;

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
        Some(Taken::Selected(selection)) => selection.of_draft(&draft)?,
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
    /// The mutants that a selection means; `None` if these are all.
    pub(crate) fn of(selection: Selection) -> Option<Taken> {
        match selection.is_everything() {
            true => None,
            false => Some(Taken::Selected(selection)),
        }
    }
}
