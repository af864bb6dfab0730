//! Questions about many mutants at once: selectors free, rigid, outermost, exactly one on (semantics.md §6.4).

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::{Product, Variant};

use super::{Goal, Pair, Reachability};
use crate::bmc::Found;
use crate::fault::{self, Fault};

/// A question about two copies, the second one of any of these mutants: unreachable for the family is unreachable for each member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// What is asked of each member; copy 1 stands for it.
    pub pair: Pair,
    /// The mutants, by selector index, ascending.
    pub members: Vec<usize>,
}

impl Family {
    /// φ1 for all of them.
    #[must_use]
    pub fn phi1(members: Vec<usize>, shared_choices: bool) -> Family {
        Family {
            pair: Pair {
                variants: [Variant::Original, representative(&members)],
                shared_choices,
                assumed: [true, true],
                goal: Goal::OutputsDiffer,
            },
            members,
        }
    }

    /// The identity strategy for all of them (semantics.md §5).
    #[must_use]
    pub fn identity(members: Vec<usize>) -> Family {
        Family {
            pair: Pair {
                variants: [Variant::Original, representative(&members)],
                shared_choices: true,
                assumed: [false, true],
                goal: Goal::OutputsDifferOrBreaks(0),
            },
            members,
        }
    }

    /// The question over a product of the model.
    #[must_use]
    pub fn pose(&self, model: &ConditionalMutant) -> Reachability {
        let meant = if fault::planted(Fault::OneMemberForAll) {
            &self.members[..1]
        } else {
            &self.members
        };
        let product = Product::family(model, meant, self.pair.shared_choices);
        let one_member = product.one_member;
        let mut posed = self.pair.pose_over(product);
        posed.always.push(one_member);
        posed
    }

    /// Which member a run of the family is of.
    #[must_use]
    pub fn member(&self, model: &ConditionalMutant, found: &Found) -> Option<usize> {
        if let [only] = self.members[..] {
            return Some(only);
        }
        let run = found.runs.get(1)?;
        let is_on = |&member: &usize| run.initial[model.selectors[member].latch];
        self.members.iter().copied().find(is_on)
    }
}

/// The variant that the second copy's specification names.
fn representative(members: &[usize]) -> Variant {
    Variant::Mutant(members.first().copied().unwrap_or(0))
}
