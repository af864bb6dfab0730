//! Reachability questions over products, which the engines of this package decide.
//!
//! A [`Question`] names the copies, the copies that are assumed to exist at every step, and the goal that must not be reachable.
//! [`Reachability`] is its form over a product graph, the engines' input.

mod ambiguity;
mod export;
mod family;
mod formula;
mod options;
mod product_run;
mod reachability;
mod retiming;
mod strategy;
mod strategy_product;

use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::{Product, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::question::{Aim, Goal, Pair, Preference, Question, StateBit};
use hyperkill_formulas::compose::{ComposeError, Sharing, self_compose};
use hyperkill_formulas::{Formula, killing};

pub use family::member;
pub use formula::composed;
pub use options::options;
pub(crate) use product_run::ProductRun;
pub use reachability::Reachability;
pub use strategy::{TooManyChoices, steered};

/// A run of each copy of the product, found by a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Number of steps up to and including the one at which the goal holds.
    pub steps: usize,
    /// For each copy its initial values and inputs.
    pub runs: Vec<Stimulus>,
}

/// A question that can be turned into a reachability question for engines.
pub trait Pose {
    /// Returns the reachability question over a product of copies of the model.
    fn pose(&self, model: &ConditionalMutant) -> Reachability;
}

impl Pose for Question {
    fn pose(&self, model: &ConditionalMutant) -> Reachability {
        match self {
            Question::Pair(pair) => pair.pose(model),
            Question::Steered(steered) => steered.pose(model),
            Question::Composed(composed) => composed.pose(model),
            Question::Family(family) => family.pose(model),
        }
    }
}

/// Returns the question whether the model, whose strategy must give the outputs of the mutant, can be forced to a step where no choice
/// gives them. Unreachable: the mutant is equivalent. Reached: a candidate for a potential kill, and a certain kill if the preference is
/// [`Preference::Any`] and the model observable.
///
/// # Errors
/// If the model has too many choices.
pub fn tracked(
    model: &ConditionalMutant,
    mutant: SelectorId,
    preference: Preference,
) -> Result<Question, TooManyChoices> {
    steered(model, mutant, Aim::Track, preference).map(Question::Steered)
}

/// Returns the question whether model and mutant, whose common strategy must give equal outputs, can be forced to a step where no choices
/// do, on inputs that both accept. Unreachable: no test kills the mutant definitely. Reached: a candidate for a definite kill.
///
/// # Errors
/// If there are too many choices.
pub fn agreeing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    preference: Preference,
) -> Result<Question, TooManyChoices> {
    steered(model, mutant, Aim::Agree, preference).map(Question::Steered)
}

/// Returns a run of the model and a run of the mutant with the same test inputs, from the runs found for this question. In a question about
/// a strategy, the model's run only shows that the model accepts the inputs; so does the mutant's if they were to agree. `None` if the runs
/// do not fit the question, or it is a formula's.
#[must_use]
pub fn runs(
    question: &Question,
    model: &ConditionalMutant,
    found: &Found,
) -> Option<[Stimulus; 2]> {
    let run = |copy: usize| found.runs.get(copy).cloned();
    match question {
        Question::Pair(_) | Question::Family(_) => Some([run(0)?, run(1)?]),
        Question::Composed(_) => None,
        Question::Steered(steered) => {
            let accepted = |variant: Variant| {
                let witness = steered.witnesses.iter().position(|&w| w == variant);
                match witness {
                    Some(i) => run(i + 2),
                    // The model accepts everything.
                    None => run(0).map(|run| without_choices(model, run)),
                }
            };
            let [original, mutant] = steered.variants();
            match steered.aim {
                Aim::Track => Some([accepted(original)?, run(1)?]),
                Aim::Agree => Some([accepted(original)?, accepted(mutant)?]),
            }
        }
    }
}

/// Returns the run with the same test inputs, and with choices and initial values 0.
fn without_choices(model: &ConditionalMutant, mut run: Stimulus) -> Stimulus {
    run.initial = FirstValues::zeros(run.initial.len());
    for step in &mut run.steps {
        for bit in model.choice_bits() {
            if let Some(value) = step.get_mut(bit) {
                *value = false;
            }
        }
    }
    run
}

impl Pose for Pair {
    fn pose(&self, model: &ConditionalMutant) -> Reachability {
        pose_over(self, Product::new(model, &self.specs()))
    }
}

/// Returns the question about a pair of copies as a reachability question over their product.
fn pose_over(pair: &Pair, mut product: Product) -> Reachability {
    let differ = outputs_differ(&mut product);
    let broken = |product: &Product, who: usize| !product.copies[who].valid;
    let goal = match pair.goal {
        Goal::OutputsDiffer => differ,
        Goal::Breaks(who) => broken(&product, who),
        Goal::OutputsDifferOrBreaks(who) => {
            let broken = broken(&product, who);
            product.aig.or(differ, broken)
        }
    };
    let owing = matches!(pair.goal, Goal::OutputsDifferOrBreaks(_));
    let assuming = owing && fault::planted(Fault::AssumedObligation);
    let always = (0..2)
        .filter(|&copy| pair.assumed[copy] || assuming)
        .map(|copy| product.copies[copy].valid)
        .collect();
    Reachability {
        product,
        always,
        before: Vec::new(),
        goal,
        related: vec![[0, 1]],
        remembers: Vec::new(),
    }
}

/// Returns a literal that is true iff the outputs of copies 0 and 1 differ.
fn outputs_differ(product: &mut Product) -> Lit {
    let forgotten = usize::from(fault::planted(Fault::ForgottenOutput));
    let outputs = product.copies[0].outputs.len().saturating_sub(forgotten);
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

/// The reason why a formula is no reachability question.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// The formula cannot be composed with the model.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// The formula has universal traces, which reachability would treat as existential.
    #[error(
        "the formula has universal trace quantifiers; this engine decides existential ones only"
    )]
    Universal,
}

impl Reachability {
    /// Returns the question of a killing formula of the fragment ∃∃ □ ∧ ◇ (φ1 and formulas like it), composed for one mutant.
    ///
    /// # Errors
    /// If the formula has another shape or universal traces.
    pub fn from_formula(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
        sharing: Sharing,
    ) -> Result<Reachability, QuestionError> {
        let mut composition = self_compose(model, mutant, formula, sharing)?;
        if !composition.is_reachability() {
            return Err(QuestionError::Universal);
        }
        if fault::planted(Fault::ForgottenOutput) {
            composition.goal = outputs_differ(&mut composition.product);
        }
        let mut always = composition.always;
        always.extend(composition.product.copies.iter().map(|copy| copy.valid));
        let related = match composition.product.copies.len() {
            0 | 1 => Vec::new(),
            _ => vec![[0, 1]],
        };
        Ok(Reachability {
            product: composition.product,
            always,
            before: Vec::new(),
            goal: composition.goal,
            related,
            remembers: Vec::new(),
        })
    }

    /// Returns the question of φ1 for one mutant, from the formula itself.
    ///
    /// # Errors
    /// Never for φ1 as `formulas` writes it.
    pub fn phi1(
        model: &ConditionalMutant,
        mutant: SelectorId,
        sharing: Sharing,
    ) -> Result<Reachability, QuestionError> {
        Reachability::from_formula(model, mutant, &killing::phi1(), sharing)
    }

    /// Returns the question whether two choices of the model in one state and under one input can give equal outputs and lead to different
    /// states, so that the model is *not* observable (semantics.md §6.8). A state is the one that [`tracked`] tracks, in which late choices
    /// are not yet made. In the first step the choices include the initial values.
    #[must_use]
    pub fn ambiguity(model: &ConditionalMutant) -> Reachability {
        ambiguity::pose(model)
    }

    /// Returns for each latch of the product its meaning in the model: a latch of a copy, say; `None` if the certifier has no name for it.
    #[must_use]
    pub fn state_bits(&self) -> Vec<Option<StateBit>> {
        let mut bits = vec![None; self.product.aig.latches().len()];
        for (copy, parts) in self.product.copies.iter().enumerate().rev() {
            for (latch, index) in parts.latches.iter().enumerate() {
                if let Some(index) = *index {
                    bits[index] = Some(StateBit::Latch { copy, latch });
                }
            }
        }
        for &(index, bit) in &self.remembers {
            bits[index] = Some(bit);
        }
        bits
    }

    /// Returns all literals that the question mentions: assumptions and goal.
    #[must_use]
    pub fn roots(&self) -> Vec<Lit> {
        let mut roots = self.always.clone();
        roots.extend(&self.before);
        roots.push(self.goal);
        roots
    }
}
