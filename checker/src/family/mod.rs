//! Many mutants at once: one proof for all that behave alike, and runs of whichever member has one (semantics.md §6.4).
//!
//! Live mutants are grouped by the latches in which random runs show them to differ from the original ([`groups`]); a group is
//! asked about as one family, and halved where that gives no answer. A proof about a family is one about each
//! of its members. Whoever is left is decided alone.

mod divergence;
mod shortest;

use hyperkill_core::ConditionalMutant;

use crate::bmc::Found;
use crate::budget::Budget;
use crate::induction::Proof;
use crate::question::Family;
use crate::solve::{Limits, Solved, solve};

pub use divergence::groups;
pub use shortest::{MEMBERS, search};

/// Which question is asked of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// φ1, with common choices or not: a run is a kill.
    Phi1 {
        /// Whether the copies have their choices in common.
        shared_choices: bool,
    },
    /// The identity strategy: a run only says that it does not do.
    Identity,
}

impl Kind {
    fn of(self, members: Vec<usize>) -> Family {
        match self {
            Kind::Phi1 { shared_choices } => Family::phi1(members, shared_choices),
            Kind::Identity => Family::identity(members),
        }
    }
}

/// What became of the members of a family.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Families whose goal is unreachable. Not yet certified.
    pub proved: Vec<(Family, Proof)>,
    /// Members with runs that reach the goal.
    pub reached: Vec<(usize, Found)>,
}

/// Runs of members that are looked for one after the other, at most; each costs a search of its own.
const REACHED: usize = 16;
/// Turns of a question.
const TURNS: u32 = 1;
/// Halvings of a family without an answer.
const HALVINGS: u32 = 2;

/// Asks about these mutants as a family, then about halves of it.
#[must_use]
pub fn settle(
    model: &ConditionalMutant,
    kind: Kind,
    members: Vec<usize>,
    limits: &Limits,
    budget: &Budget,
) -> Settled {
    let mut settled = Settled {
        proved: Vec::new(),
        reached: Vec::new(),
    };
    let limits = Limits {
        turns: Some(TURNS),
        // Programs are asked about single mutants.
        external: None,
        ..limits.clone()
    };
    let mut open = vec![(members, 0)];
    while let Some((members, halved)) = open.pop() {
        // One mutant is no family.
        if members.len() < 2 || budget.stopped().is_some() {
            continue;
        }
        let family = kind.of(members);
        match solve(&family.pose(model), &limits, budget) {
            Solved::Unreachable(proof) => settled.proved.push((family, proof)),
            Solved::Reached { found, .. } => {
                let Some(member) = family.member(model, &found) else {
                    continue;
                };
                settled.reached.push((member, found));
                let mut members = family.members;
                members.retain(|&other| other != member);
                if settled.reached.len() < REACHED {
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
