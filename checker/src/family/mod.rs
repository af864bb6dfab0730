//! Families of mutants: one proof for all members of similar behaviour, and a run for each member that has one (semantics.md §6.4).
//!
//! Live mutants are grouped by the latches in which random runs differ from the original ([`groups`]). A group is one family; if the
//! question about it has no answer, it is halved. A proof about a family proves each member. Mutants that are left are decided alone.

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
use crate::schedule::engine_efforts::{FAMILY_HALVINGS, FAMILY_RUNS};
use crate::schedule::reachability::Options;
use crate::solve::{Solved, corresponds, solve};

pub use divergence::{Group, groups};
pub use shortest::{MEMBERS, search};
pub use speculation::{Speculated, speculate};

/// The kind of question that is asked about a family of mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whether a pair of runs has different outputs (φ1): a run of the family is a kill of one member.
    Phi1 {
        /// Whether original and mutant have their choices in common.
        shared_choices: bool,
    },
    /// The identity strategy. A run refutes this strategy, but need not kill the mutant.
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

/// The results of questions about families: proved families, and members with runs.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Families with a proof that no member's run reaches the goal. Not yet certified.
    pub proved: Vec<(Family, Proof)>,
    /// Members with runs that reach the goal of the question.
    pub reached: Vec<(SelectorId, Found)>,
}

/// Returns these mutants as a family with a proof by signal correspondence alone; `None` if there is none. Not yet certified.
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

/// Asks about these mutants as one family. A member with a run leaves it; a family without any result is halved, and then its halves are
/// tried. Mutants alone are not tried.
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
        // A single mutant is left to be decided alone.
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
                // Other members that the run kills too need not be asked about.
                let also = match kind {
                    Kind::Phi1 { .. } => drop_onto(model, &members, &found.runs[..1], budget),
                    Kind::Identity => Vec::new(),
                };
                let also = also.into_iter().filter(|(other, _)| *other != member);
                let reached: Vec<(SelectorId, Found)> = also.chain([(member, found)]).collect();
                members.retain(|member| reached.iter().all(|(other, _)| other != member));
                settled.reached.extend(reached);
                searches += 1;
                if searches < FAMILY_RUNS {
                    open.push((members, halved));
                }
            }
            Solved::Open { .. } if halved < FAMILY_HALVINGS => {
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
