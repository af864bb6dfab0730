//! Reachability questions over products: what every engine here decides.
//!
//! A [`Question`] names copies, which of them are assumed to exist at every step, and what must not be
//! reachable. It is small and model-independent, so that the certifier can rebuild the same question
//! from scratch. [`Reachability`] is its form over a product graph, the engines' input.

use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_formulas::compose::{ComposeError, Sharing, self_compose};
use hyperkill_formulas::{Formula, killing};

use crate::fault::{self, Fault};

/// What must be unreachable for a proof, and is looked for as a kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The outputs of the two copies differ.
    OutputsDiffer,
    /// The constraints of copy 0 or copy 1 are broken.
    Breaks(usize),
    /// The outputs differ or the constraints of this copy are broken: obligations instead of assumptions (semantics.md §5).
    OutputsDifferOrBreaks(usize),
}

/// A question about two copies: can `goal` hold at some step, if the constraints of the assumed copies
/// hold at all steps up to then, and the goal held at none before?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// What the two copies are. Copy 1 has copy 0's inputs.
    pub variants: [Variant; 2],
    /// Whether they also have common choices.
    pub shared_choices: bool,
    /// Whose constraints are assumed.
    pub assumed: [bool; 2],
    /// What is looked for.
    pub goal: Goal,
}

impl Question {
    /// φ1 for one mutant: both runs exist and their outputs differ.
    #[must_use]
    pub fn phi1(mutant: usize, shared_choices: bool) -> Question {
        Question {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        }
    }

    /// The identity strategy (semantics.md §5): the model copies the mutant's choices; its constraints are
    /// obligations. Unreachable: the mutant is equivalent, whatever the choices.
    #[must_use]
    pub fn identity(mutant: usize) -> Question {
        Question {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [false, true],
            goal: Goal::OutputsDifferOrBreaks(0),
        }
    }

    /// Whether `who` can refuse a step that the other copy of the pair (original, mutant) takes, with common
    /// choices.
    #[must_use]
    pub fn refusal(mutant: usize, who: usize) -> Question {
        Question {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [who == 1, who == 0],
            goal: Goal::Breaks(who),
        }
    }

    /// Whether two runs of one variant with the same inputs can give different outputs.
    #[must_use]
    pub fn nondeterminism(variant: Variant) -> Question {
        Question {
            variants: [variant, variant],
            shared_choices: false,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        }
    }

    /// The two copies' specifications.
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

    /// The question over a product of the model.
    #[must_use]
    pub fn pose(&self, model: &ConditionalMutant) -> Reachability {
        let mut product = Product::new(model, &self.specs());
        let differ = outputs_differ(&mut product, model.aig.outputs.len());
        let broken = |product: &Product, who: usize| !product.copies[who].valid;
        let goal = match self.goal {
            Goal::OutputsDiffer => differ,
            Goal::Breaks(who) => broken(&product, who),
            Goal::OutputsDifferOrBreaks(who) => {
                let broken = broken(&product, who);
                product.aig.or(differ, broken)
            }
        };
        let always = (0..2)
            .filter(|&copy| self.assumed[copy])
            .map(|copy| product.copies[copy].valid)
            .collect();
        Reachability {
            product,
            always,
            goal,
        }
    }
}

/// Whether any of the first `outputs` outputs of copies 0 and 1 differ.
fn outputs_differ(product: &mut Product, outputs: usize) -> Lit {
    let pairs: Vec<(Lit, Lit)> = product.copies[0]
        .outputs
        .iter()
        .copied()
        .zip(product.copies[1].outputs.iter().copied())
        .take(outputs)
        .collect();
    let differences: Vec<Lit> = pairs
        .into_iter()
        .map(|(a, b)| product.aig.xor(a, b))
        .collect();
    product.aig.or_all(&differences)
}

/// Why a formula is no reachability question.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// It has no circuit.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// It has universal traces; reachability would misread it.
    #[error(
        "the formula has universal trace quantifiers; this engine decides existential ones only"
    )]
    Universal,
}

/// Can `goal` hold at some step while each of `always` holds at every step up to and including it?
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The graph and its copies.
    pub product: Product,
    /// Assumed at every step.
    pub always: Vec<Lit>,
    /// Looked for.
    pub goal: Lit,
}

impl Reachability {
    /// A killing formula of the fragment ∃∃ □ ∧ ◇ (φ1 and formulas like it), composed for one mutant.
    ///
    /// # Errors
    /// If the formula has another shape or universal traces.
    pub fn from_formula(
        model: &ConditionalMutant,
        mutant: usize,
        formula: &Formula,
        sharing: Sharing,
    ) -> Result<Reachability, QuestionError> {
        let mut composition = self_compose(model, mutant, formula, sharing)?;
        if !composition.is_reachability() {
            return Err(QuestionError::Universal);
        }
        if fault::planted(Fault::ForgottenOutput) {
            let outputs = model.aig.outputs.len().saturating_sub(1);
            composition.goal = outputs_differ(&mut composition.product, outputs);
        }
        let mut always = composition.always;
        always.extend(composition.product.copies.iter().map(|copy| copy.valid));
        Ok(Reachability {
            product: composition.product,
            always,
            goal: composition.goal,
        })
    }

    /// φ1 for one mutant, from the formula itself.
    ///
    /// # Errors
    /// Never for φ1 as `formulas` writes it.
    pub fn phi1(
        model: &ConditionalMutant,
        mutant: usize,
        sharing: Sharing,
    ) -> Result<Reachability, QuestionError> {
        Reachability::from_formula(model, mutant, &killing::phi1(), sharing)
    }

    /// All literals that the question mentions.
    #[must_use]
    pub fn roots(&self) -> Vec<Lit> {
        let mut roots = self.always.clone();
        roots.push(self.goal);
        roots
    }
}
