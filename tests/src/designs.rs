//! What is expected of the mutants of the Verilog designs under `tests/models`, and who says so.
//!
//! The oracle says it wherever it can list the states. What it is silent on is a record of what the checker once said, with
//! evidence that was checked: no confirmation, but a change does not go unseen. What the front end refuses is recorded likewise.

use hyperkill_core::SelectorId;
use rayon::prelude::*;

use crate::manifest::{Basis, Expected, Manifest, Options, Strength, Verdict};
use crate::models::Model;
use crate::oracle::explicit::{self, shortest_kill, shortest_nondeterminism};
use crate::oracle::subsets::{BLINDLY, definite_kill, potential_kill};

/// How many states of a product the oracle may visit: more take longer than a test may.
const STATES: usize = 1 << 16;
/// Designs of which the oracle would say something after many minutes only.
const TOO_LARGE: [&str; 2] = ["sha1-round", "stack"];
/// Turns of growing effort that the checker may take per mutant.
const TURNS: u32 = 4;

/// What becomes of a mutant: the verdict, the steps of a shortest test, what a kill guarantees.
pub type Fate = (Verdict, Option<usize>, Option<Strength>);

/// The oracle, asked about one design.
pub struct Oracle<'a> {
    model: &'a Model,
    /// `None` if there are too many states to tell.
    deterministic: Option<bool>,
}

impl Oracle<'_> {
    /// Finds out whether the design is deterministic.
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

    /// What becomes of the mutant behind this selector; `None` if there are too many states.
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

/// The manifest of a design: what the oracle says, and where it is silent what is recorded.
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
