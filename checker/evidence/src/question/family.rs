//! Questions about many mutants at once: selectors are free, constant, quantified outermost, and exactly one is on (semantics.md §6.4).

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;

use super::{Goal, Pair};

/// A question about two copies of a model; the second one is any of these mutants. If its goal is unreachable, it is so for each member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// The question about each member, for which copy 1 stands.
    pub pair: Pair,
    /// The mutants of the family, ascending.
    pub members: Vec<SelectorId>,
}

impl Family {
    /// Returns the question φ1 for these mutants: can the outputs of the model and of any of them differ? With `shared_choices`, both runs
    /// have the same choices.
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

    /// Returns the question of the identity strategy for these mutants (semantics.md §5): the model copies the mutant's choices; can the
    /// outputs then differ, or the model break a constraint?
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

/// Returns the variant that stands for all members in the second copy: the first member, or selector 0 if there are none.
fn representative(members: &[SelectorId]) -> Variant {
    Variant::Mutant(members.first().copied().unwrap_or(SelectorId(0)))
}
