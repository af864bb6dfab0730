//! A translated model, before it is decided which of its mutants are models.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_certify::Obligations;
use hyperkill_core::aig::Signal;
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::system::Obligation;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::validity::Validity;
use hyperkill_frontend::Diagnostic;

use super::Loaded;
use crate::catalogue::{Entry, Standing};
use crate::certificates::written_validity;
use crate::documents::ModelDescription;

/// The error that the translation lacks a mutant of the catalogue, by a bug of the front end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the front end lost mutant {0}")]
pub struct LostMutant(pub MutantId);

/// A model with all mutants of the translation, before it is known which of them are models.
#[derive(Debug)]
pub struct Draft {
    /// The model as it was read. Its circuit has all mutants, and its catalogue is empty.
    pub loaded: Loaded,
    /// All mutants, in the order of the catalogue.
    pub listed: Vec<Listed>,
    /// Conditions that a mutant must satisfy to be a model of the language. `None` for circuits.
    pub checks: Option<Checks>,
    /// Warnings about the model, if it can be used.
    pub warnings: Vec<Diagnostic>,
}

/// A mutant of the translation, of which it is not yet known whether it is a model.
#[derive(Debug)]
pub struct Listed {
    /// Id of the mutant.
    pub id: MutantId,
    /// The edit of the source that makes the mutant, if known.
    pub mutant: Option<Mutant>,
    /// The reason why the mutant has no circuit, if it has none.
    pub problem: Option<String>,
}

/// Conditions of a language that must hold for all values, if a mutant is to be a model.
#[derive(Debug)]
pub struct Checks {
    /// A circuit of the conditions alone, with the selectors of the model, or without any.
    pub circuit: ConditionalMutant,
    /// The conditions, as literals of this circuit.
    pub conditions: Vec<Lit>,
    /// The description of each condition, in the order of `conditions`.
    pub obligations: Vec<Obligation>,
}

impl Checks {
    /// Returns the conditions with their circuit changed by `map`. They are passed to `map` as bad states, so that they change with the
    /// circuit.
    #[must_use]
    pub fn mapped(self, map: impl FnOnce(&ConditionalMutant) -> ConditionalMutant) -> Checks {
        let mut circuit = self.circuit;
        let conditions = self.conditions.iter();
        let conditions = conditions.map(|&lit| Signal { lit, name: None });
        let own = std::mem::replace(&mut circuit.aig.bad, conditions.collect());
        let count = circuit.aig.bad.len();
        circuit.aig.bad.extend(own);
        let mut circuit = map(&circuit);
        let conditions = circuit.aig.bad.drain(..count);
        let conditions = conditions.map(|signal| signal.lit).collect();
        Checks {
            circuit,
            conditions,
            obligations: self.obligations,
        }
    }

    /// Returns the circuit and the literals of the conditions in the form that the certifier takes.
    pub fn obligations(&self) -> Obligations<'_> {
        Obligations {
            circuit: &self.circuit,
            conditions: &self.conditions,
        }
    }
}

impl Draft {
    /// Returns the circuit with all mutants.
    pub fn model(&self) -> &ConditionalMutant {
        &self.loaded.model
    }

    /// Returns the model with some of the mutants only: those with these ascending indices in `listed`. Others are removed from the
    /// circuit.
    #[must_use]
    pub fn only(self, taken: &[usize]) -> Draft {
        let mut taken = taken.iter().copied().peekable();
        let listed = self.listed.into_iter().enumerate();
        let listed = listed.filter(|(place, _)| taken.next_if_eq(place).is_some());
        let listed: Vec<Listed> = listed.map(|(_, listed)| listed).collect();
        let ids: BTreeSet<&MutantId> = listed.iter().map(|listed| &listed.id).collect();
        let keep = |model: &ConditionalMutant| {
            let mutants = model.selector_ids();
            let mutants = mutants.filter(|mutant| ids.contains(&model.selectors[mutant.0].id));
            keep_mutants(model, &mutants.collect::<Vec<_>>())
        };
        let model = keep(&self.loaded.model);
        let checks = self
            .checks
            .map(|checks| match checks.circuit.selectors.is_empty() {
                true => checks,
                false => checks.mapped(keep),
            });
        Draft {
            loaded: Loaded {
                model,
                ..self.loaded
            },
            checks,
            listed,
            warnings: self.warnings,
        }
    }

    /// Returns the description of the model: its files and its language.
    pub fn description(&self) -> &ModelDescription {
        &self.loaded.listing.description
    }

    /// Returns the conditions that mutants must satisfy, in the form that the certifier takes; `None` if there are none.
    pub fn obligations(&self) -> Option<Obligations<'_>> {
        self.checks.as_ref().map(Checks::obligations)
    }

    /// Whether a mutant could be no model: there are conditions, or constraints that could fail.
    pub fn can_fail(&self) -> bool {
        let mut conditions = self.checks.iter().flat_map(|checks| &checks.conditions);
        let asked = self.checks.is_some() || !self.model().selectors.is_empty();
        conditions.any(|condition| *condition != Lit::TRUE)
            || (asked && !self.model().is_unconstrained())
    }

    /// Returns the mutants that are models, ascending, and for each other mutant the reason why it is none. `shown` is the evidence;
    /// without it all are models.
    #[must_use]
    pub fn models(
        &self,
        shown: Option<&Validity>,
    ) -> (Vec<SelectorId>, BTreeMap<SelectorId, String>) {
        let mutants = self.model().selectors.len();
        let broken = shown.map_or_else(Vec::new, |shown| shown.broken(mutants));
        let reason = |selector: SelectorId| {
            let broken = broken.get(selector.0).copied().flatten();
            let without = || shown?.without.binary_search(&selector).ok();
            match (broken, &self.checks) {
                (Some(obligation), Some(checks)) => {
                    Some(checks.obligations[obligation].message.clone())
                }
                _ => without().map(|_| "it has no initial state".to_owned()),
            }
        };
        let reasons = self.model().selector_ids();
        let reasons: BTreeMap<SelectorId, String> = reasons
            .filter_map(|selector| Some((selector, reason(selector)?)))
            .collect();
        let live = self.model().selector_ids();
        let live = live.filter(|selector| !reasons.contains_key(selector));
        (live.collect(), reasons)
    }

    /// Returns the model with only its valid mutants in the circuit and all others listed as invalid, and the warnings. `shown` is the
    /// evidence; without it all mutants are models.
    ///
    /// # Errors
    /// If the translation has lost a mutant.
    pub fn settle(self, shown: Option<&Validity>) -> Result<(Loaded, Vec<Diagnostic>), LostMutant> {
        let circuit = self.checks.as_ref().map(|checks| &checks.circuit);
        let validity = shown.map(|shown| written_validity(self.model(), circuit, shown));
        let mutants = self.model().selectors.len();
        let (live, reasons) = self.models(shown);
        let reason = |selector: SelectorId| reasons.get(&selector).cloned();
        let catalogue = catalogue(&self.listed, &self.loaded.model, &live, reason)?;
        let mut loaded = self.loaded;
        if live.len() < mutants {
            loaded.model = keep_mutants(&loaded.model, &live);
        }
        if self.checks.is_some() {
            loaded.model.mutants = catalogue
                .iter()
                .filter(|entry| matches!(entry.standing, Standing::Live(_)))
                .filter_map(|entry| entry.mutant.clone())
                .collect();
        }
        loaded.listing.catalogue = catalogue;
        loaded.validity = validity;
        Ok((loaded, self.warnings))
    }
}

/// Returns the catalogue of all mutants of `listed`, each with whether it is a model. `live` are the selectors of the models in `model`,
/// ascending; the index of a selector there is its new number. `reason` returns why another mutant is no model.
///
/// # Errors
/// If a mutant has no selector in `model`, and no problem is listed.
fn catalogue(
    listed: &[Listed],
    model: &ConditionalMutant,
    live: &[SelectorId],
    reason: impl Fn(SelectorId) -> Option<String>,
) -> Result<Vec<Entry>, LostMutant> {
    let selectors = model.selectors.iter().zip(model.selector_ids());
    let index: BTreeMap<&MutantId, SelectorId> = selectors.map(|(s, i)| (&s.id, i)).collect();
    let standing = |id: &MutantId| {
        let old = *index.get(id)?;
        Some(match live.binary_search(&old) {
            Ok(new) => Standing::Live(SelectorId(new)),
            Err(_) => Standing::Invalid(reason(old).unwrap_or_default()),
        })
    };
    let entries = listed.iter().map(|listed| {
        let standing = match &listed.problem {
            Some(problem) => Some(Standing::Invalid(problem.clone())),
            None => standing(&listed.id),
        };
        let standing = standing.ok_or_else(|| LostMutant(listed.id.clone()))?;
        Ok(Entry {
            id: listed.id.clone(),
            mutant: listed.mutant.clone(),
            standing,
        })
    });
    entries.collect()
}
