//! Expectations for the mutants of the Verilog designs under `tests/models`, with the source of each.
//!
//! The oracle gives the verdict wherever it can list the states. Otherwise the manifest records an earlier verdict of the checker, whose
//! evidence was checked. Such a record confirms nothing, but it reveals changes. Refusals of the front end are recorded likewise.

use hyperkill_core::SelectorId;
use rayon::prelude::*;

use crate::manifest::{Basis, Expected, Manifest, Options, Strength, Verdict};
use crate::models::Model;
use crate::oracle::explicit::{self, shortest_kill, shortest_nondeterminism};
use crate::oracle::subsets::{BLINDLY, definite_kill, potential_kill};

/// The largest number of product states that the oracle visits. Larger products would take longer than a test may.
const STATES: usize = 1 << 16;
/// Designs for which the oracle would need many minutes.
const TOO_LARGE: [&str; 2] = ["sha1-round", "stack"];
/// The number of turns of growing effort per mutant, for the checker.
const TURNS: u32 = 4;

/// The result for a mutant: the verdict; for a killed mutant, the number of steps of a shortest test and the strength of the kill.
pub type Fate = (Verdict, Option<usize>, Option<Strength>);

/// The oracle for one design.
pub struct Oracle<'a> {
    model: &'a Model,
    /// Whether the design is deterministic. `None` if the state space is too large to determine it.
    deterministic: Option<bool>,
}

impl Oracle<'_> {
    /// Returns the oracle for a design, after it has determined whether the design is deterministic.
    #[must_use]
    pub fn of(model: &Model) -> Oracle<'_> {
        let too_large = TOO_LARGE.contains(&model.name.as_str());
        let shown = (!too_large).then(|| shortest_nondeterminism(&model.system, None, STATES));
        let deterministic = match shown {
            Some(explicit::Verdict::Equivalent) => Some(true),
            Some(explicit::Verdict::Killed(_)) => Some(false),
            Some(explicit::Verdict::TooBig) | None => None,
        };
        Oracle {
            model,
            deterministic,
        }
    }

    /// Returns the result for the mutant behind this selector; `None` if there are too many states.
    #[must_use]
    pub fn fate(&self, selector: SelectorId) -> Option<Fate> {
        let system = &self.model.system;
        let steps = match self.deterministic? {
            true => match shortest_kill(system, selector, false, STATES) {
                explicit::Verdict::Killed(steps) => Some(steps),
                explicit::Verdict::Equivalent => None,
                explicit::Verdict::TooBig => return None,
            },
            false => potential_kill(system, selector, BLINDLY).ok()?,
        };
        if steps.is_none() {
            return Some((Verdict::Equivalent, None, None));
        }
        let certain = self.deterministic == Some(true)
            && shortest_nondeterminism(system, Some(selector), STATES)
                == explicit::Verdict::Equivalent;
        let definite = certain || definite_kill(system, selector, BLINDLY).ok()?.is_some();
        let strength = match definite {
            true => Strength::Definite,
            false => Strength::Potential,
        };
        Some((Verdict::Killed, steps, Some(strength)))
    }
}

/// Returns the manifest of a design: the oracle's results, and recorded results where the oracle has none.
#[must_use]
pub fn manifest(model: &Model, recorded: impl Fn(&str) -> Option<Fate> + Sync) -> Manifest {
    let oracle = Oracle::of(model);
    let expected = model.catalogue.par_iter().map(|(mutant, refused)| {
        let mut selectors = model.system.selectors.iter();
        let selector = selectors.position(|selector| selector.id == mutant.id);
        let nobody = (Verdict::Unknown, None, None);
        let (fate, basis) = match (refused, selector) {
            (None, Some(selector)) => match oracle.fate(SelectorId(selector)) {
                Some(fate) => (fate, Basis::ExplicitState),
                None => (recorded(&mutant.id.0).unwrap_or(nobody), Basis::Checker),
            },
            _ => ((Verdict::Invalid, None, None), Basis::FrontEnd),
        };
        let (verdict, steps, strength) = fate;
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, after) = (words(&mutant.original), words(&mutant.replacement));
        Expected {
            id: mutant.id.to_string(),
            line: mutant.place.line,
            change: format!("{}: {before} ⇒ {after}", mutant.operator),
            verdict,
            steps,
            strength,
            phi2: None,
            phi3: None,
            basis,
        }
    });
    Manifest {
        schema: "hyperkill.expected/1".to_owned(),
        options: Options {
            controllable_nd: false,
            turns: TURNS,
        },
        highlights: Vec::new(),
        mutants: expected.collect(),
    }
}
