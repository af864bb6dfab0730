//! A model with some of its mutants only. The circuit of the other mutants is removed, so that no later step pays for them.
//!
//! The list of the selected mutants is kept with the sources. Reading the model again gives the same circuit.

use std::collections::BTreeSet;

use hyperkill_audit::model::{Draft, Listing};

use super::error::LoadError;
use crate::reading::Taken;

/// Returns the draft with the selected mutants only, and the list of their ids. There is no list if all mutants are selected.
///
/// # Errors
/// If the selection does not fit the model, or the list belongs to another model.
pub fn taken(draft: Draft, asked: Option<&Taken>) -> Result<(Draft, Option<String>), LoadError> {
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

/// Returns the indices, among the mutants of the draft, of the ids in a list.
fn listed(draft: &Draft, list: &str) -> Result<Vec<usize>, LoadError> {
    let all = draft.listed.iter();
    places(all.map(|listed| listed.id.0.as_str()), list)
}

/// Keeps only the mutants of a list in a catalogue.
///
/// # Errors
/// If the list belongs to another model.
pub fn keep_listed(listing: &mut Listing, list: &str) -> Result<(), LoadError> {
    let all = listing.catalogue.iter();
    let places = places(all.map(|entry| entry.id.0.as_str()), list)?;
    let mut places = places.into_iter().peekable();
    let mut place = 0;
    listing.catalogue.retain(|_| {
        let is_listed = places.next_if_eq(&place).is_some();
        place += 1;
        is_listed
    });
    Ok(())
}

/// Returns the indices in `all` of the ids in a list.
///
/// # Errors
/// If an id of the list is not in `all`.
fn places<'a>(all: impl Iterator<Item = &'a str>, list: &str) -> Result<Vec<usize>, LoadError> {
    let ids: BTreeSet<&str> = list.lines().collect();
    let places = all.enumerate().filter(|(_, id)| ids.contains(id));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    match places.len() == ids.len() {
        true => Ok(places),
        false => Err(LoadError::Strange(
            "the list of mutants that the run took is not of this model",
        )),
    }
}
