//! Questions about many mutants at once: selectors are free, constant, quantified outermost, and exactly one is on (semantics.md §6.4).

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;

use super::{Goal, Pair};

/// A question about two copies; the second one is any of these mutants. If its goal is unreachable, it is unreachable for each member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// The question about each member, for which copy 1 stands.
    pub pair: Pair,
    /// The mutants of the family, ascending.
    pub members: Vec<SelectorId>,
}

impl Family {
    /// Returns the question φ1 for all of them.
    #[must_use]
    pub fn phi1(members: Vec<SelectorId>, shared_choices: bool) -> Family {
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

    /// Returns the question of the identity strategy for all of them (semantics.md §5).
    #[must_use]
    pub fn identity(members: Vec<SelectorId>) -> Family {
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
}

/// Returns the variant in the specification of the second copy.
fn representative(members: &[SelectorId]) -> Variant {
    Variant::Mutant(members.first().copied().unwrap_or(SelectorId(0)))
}
