//! Questions about copies of a model, which engines decide and proofs answer.
//!
//! A [`Question`] lists copies, the copies whose constraints are assumed at every step, and a goal that must be unreachable. It is small,
//! so that the certifier can build the same question from the circuit independently.

mod family;
mod formula;
pub mod strategy;

use std::fmt;

use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::{Lit, SelectorId};

pub use family::Family;
pub use formula::Composed;
pub use strategy::{Aim, Assignment, Options, Preference, Shaped, Steered, Way, When};

/// The goal of a question: a proof shows that it is unreachable, and a run that reaches it is a kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The outputs of the two copies differ.
    OutputsDiffer,
    /// The constraints of copy 0 or copy 1 are broken.
    Breaks(usize),
    /// The outputs differ or the constraints of this copy are broken: obligations instead of assumptions (semantics.md §5).
    OutputsDifferOrBreaks(usize),
}

/// A question about copies of a model: whether its goal is reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Two copies with unconstrained choices.
    Pair(Pair),
    /// Copies whose choices a strategy resolves.
    Steered(Steered),
    /// The traces of a formula, some of which copy others.
    Composed(Composed),
    /// Two copies, one of which is any of several mutants.
    Family(Family),
}

/// A question about two copies: whether `goal` can hold at some step, if the constraints of the assumed copies hold at all steps up to
/// then, and the goal at none before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The variants (original or mutant) of the two copies. Copy 1 has the inputs of copy 0.
    pub variants: [Variant; 2],
    /// Whether they also have common choices.
    pub shared_choices: bool,
    /// For each copy, whether its constraints are assumed to hold.
    pub assumed: [bool; 2],
    /// The goal, which a run may reach.
    pub goal: Goal,
}

impl Question {
    /// Returns the question φ1 for one mutant: can both runs exist and their outputs differ? With `shared_choices`, they have the same
    /// choices.
    #[must_use]
    pub fn phi1(mutant: SelectorId, shared_choices: bool) -> Question {
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        })
    }

    /// Returns the question of the identity strategy (semantics.md §5): the model copies the mutant's choices, and its constraints are
    /// obligations. If the goal is unreachable, the mutant is equivalent under all choices.
    #[must_use]
    pub fn identity(mutant: SelectorId) -> Question {
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [false, true],
            goal: Goal::OutputsDifferOrBreaks(0),
        })
    }

    /// Returns the question whether copy `who` (0: the original, 1: the mutant) can refuse a step that the other one takes, with common
    /// choices.
    #[must_use]
    pub fn refusal(mutant: SelectorId, who: usize) -> Question {
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [who == 1, who == 0],
            goal: Goal::Breaks(who),
        })
    }

    /// Returns the question whether two runs of one variant with the same inputs can have different outputs.
    #[must_use]
    pub fn nondeterminism(variant: Variant) -> Question {
        Question::Pair(Pair {
            variants: [variant, variant],
            shared_choices: false,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        })
    }
}

/// Writes the question as documents name it.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Pair(pair) => f.write_str(pair.name()),
            Question::Family(family) => write!(f, "{} of a family", family.pair.name()),
            Question::Steered(steered) => {
                let aim = match steered.aim {
                    Aim::Track => "tracked",
                    Aim::Agree => "agreeing",
                };
                write!(f, "{aim}-{}", steered.preference)
            }
            Question::Composed(composed) => write!(f, "{}", composed.formula),
        }
    }
}

impl Pair {
    /// Returns the specifications of the two copies: copy 1 shares the inputs of copy 0, and its choices if the question says so.
    #[must_use]
    pub fn specs(&self) -> [CopySpec; 2] {
        [
            CopySpec::alone(self.variants[0]),
            CopySpec {
                variant: self.variants[1],
                inputs_of: Some(0),
                choices_of: self.shared_choices.then_some(0),
            },
        ]
    }

    /// Returns the name of the question in documents.
    fn name(&self) -> &'static str {
        match (self.goal, self.shared_choices) {
            (Goal::OutputsDifferOrBreaks(_) | Goal::Breaks(_), _) => "identity",
            (Goal::OutputsDiffer, true) => "phi1-controllable",
            (Goal::OutputsDiffer, false) => "phi1",
        }
    }
}

/// The value that a latch of a product stores, in terms of the model's circuit, so that a certifier can read it without the product.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StateBit {
    /// The value of a latch, by index.
    Latch {
        /// Index of the copy, from 0.
        copy: usize,
        /// The index of the latch.
        latch: usize,
    },
    /// The value of a literal of the circuit in the step before. Only for steps that are not the first.
    Before {
        /// Index of the copy, from 0.
        copy: usize,
        /// A literal of the model's circuit.
        lit: Lit,
    },
    /// Whether the step is the first.
    First,
}
