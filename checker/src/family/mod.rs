//! Many mutants at once: one proof for all that behave alike, and runs of whichever member has one (semantics.md §6.4).
//!
//! Live mutants are grouped by the latches in which random runs show them to differ from the original ([`groups`]); a group is
//! asked about as one family, and halved where that gives no answer. A proof about a family is one about each
//! of its members. Whoever is left is decided alone.

mod divergence;
mod shortest;
mod speculation;

use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Family;

use crate::engines::random_simulation::drop_onto;
use crate::question::Found;
use crate::question::{Pose, member};
use crate::schedule::efforts;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, corresponds, solve};

pub use divergence::{Group, groups};
pub use shortest::{MEMBERS, search};
pub use speculation::{Speculated, speculate};

/// Which question is asked of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// φ1, with common choices or not: a run is a kill.
    Phi1 {
        /// Whether the copies have their choices in common.
        shared_choices: bool,
    },
    /// The identity strategy: a run only says that this strategy fails, not that the mutant is killed.
    Identity,
}

impl Kind {
    fn of(self, members: Vec<SelectorId>) -> Family {
        match self {
            Kind::Phi1 { shared_choices } => Family::phi1(members, shared_choices),
            Kind::Identity => Family::identity(members),
        }
    }
}

/// What is decided about the members of a family.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Families whose goal is unreachable. Not yet certified.
    pub proved: Vec<(Family, Proof)>,
    /// Members with runs that reach the goal.
    pub reached: Vec<(SelectorId, Found)>,
}

/// At most so many runs are looked for one after the other; each costs a search of its own.
const REACHED: usize = 8;
/// How often a family is halved at most where that gives no answer.
const HALVINGS: u32 = 1;

/// A proof about all of these mutants, or about one alone, that signal correspondence gives at once. Not yet certified.
#[must_use]
pub fn corresponding(
    model: &ConditionalMutant,
    kind: Kind,
    members: Vec<SelectorId>,
    budget: &Budget,
) -> Option<(Family, Proof)> {
    let family = kind.of(members);
    let proof = corresponds(&family.pose(model), budget)?;
    Some((family, proof))
}

/// Asks about these mutants as a family, then about halves of it.
#[must_use]
pub fn settle(
    model: &ConditionalMutant,
    kind: Kind,
    members: Vec<SelectorId>,
    options: &Options,
    budget: &Budget,
) -> Settled {
    let mut settled = Settled {
        proved: Vec::new(),
        reached: Vec::new(),
    };
    let options = Options {
        turns: Some(efforts::FAMILY_TURNS),
        ..*options
    };
    let mut searches = 0;
    let mut open = vec![(members, 0)];
    while let Some((members, halved)) = open.pop() {
        // One mutant is no family.
        if members.len() < 2 || budget.stopped().is_some() {
            continue;
        }
        let family = kind.of(members);
        match solve(&family.pose(model), &options, budget) {
            Solved::Unreachable(proof) => settled.proved.push((family, proof)),
            Solved::Reached { found, .. } => {
                let Some(member) = member(&family, model, &found) else {
                    continue;
                };
                let mut members = family.members;
                // Whoever the run kills as well need not be asked about again.
                let also = match kind {
                    Kind::Phi1 { .. } => drop_onto(model, &members, &found.runs[..1], budget),
                    Kind::Identity => Vec::new(),
                };
                let also = also.into_iter().filter(|(other, _)| *other != member);
                let reached: Vec<(SelectorId, Found)> = also.chain([(member, found)]).collect();
                members.retain(|member| reached.iter().all(|(other, _)| other != member));
                settled.reached.extend(reached);
                searches += 1;
                if searches < REACHED {
                    open.push((members, halved));
                }
            }
            Solved::Open { .. } if halved < HALVINGS => {
                let mut first = family.members;
                let second = first.split_off(first.len() / 2);
                open.push((second, halved + 1));
                open.push((first, halved + 1));
            }
            Solved::Open { .. } => {}
        }
    }
    settled
}
