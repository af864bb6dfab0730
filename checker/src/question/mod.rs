//! Reachability questions over products: what every engine here decides.
//!
//! A [`Question`] names copies, which of them are assumed to exist at every step, and what must not be
//! reachable. It is small, so that the certifier can rebuild the same question from scratch. [`Reachability`] is its
//! form over a product graph, the engines' input.

mod ambiguity;
mod composed;
mod export;
mod family;
mod options;
mod posing;
mod retimed;
mod simulation;
mod steered;

use std::fmt;

use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_formulas::compose::{ComposeError, Sharing, self_compose};
use hyperkill_formulas::{Formula, killing};

use crate::bmc::Found;
use crate::fault::{self, Fault};

pub use composed::Composed;
pub use family::Family;
pub use options::Options;
pub(crate) use simulation::Simulation;
pub use steered::{Aim, Assignment, Preference, Shaped, Steered, TooManyChoices, Way, When};

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

/// A question about copies of a model: can its goal be reached?
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Two copies whose choices nobody makes for a purpose.
    Pair(Pair),
    /// Copies whose choices a strategy makes.
    Steered(Steered),
    /// The traces of a formula, of which some copy others.
    Composed(Composed),
    /// Two copies, of which one is of any of many mutants.
    Family(Family),
}

/// A question about two copies: can `goal` hold at some step, if the constraints of the assumed copies
/// hold at all steps up to then, and the goal held at none before?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
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
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        })
    }

    /// The identity strategy (semantics.md §5): the model copies the mutant's choices; its constraints are
    /// obligations. Unreachable: the mutant is equivalent, whatever the choices.
    #[must_use]
    pub fn identity(mutant: usize) -> Question {
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [false, true],
            goal: Goal::OutputsDifferOrBreaks(0),
        })
    }

    /// Whether `who` can refuse a step that the other copy of the pair (original, mutant) takes, with common
    /// choices.
    #[must_use]
    pub fn refusal(mutant: usize, who: usize) -> Question {
        Question::Pair(Pair {
            variants: [Variant::Original, Variant::Mutant(mutant)],
            shared_choices: true,
            assumed: [who == 1, who == 0],
            goal: Goal::Breaks(who),
        })
    }

    /// Whether two runs of one variant with the same inputs can give different outputs.
    #[must_use]
    pub fn nondeterminism(variant: Variant) -> Question {
        Question::Pair(Pair {
            variants: [variant, variant],
            shared_choices: false,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        })
    }

    /// Whether the model, following the outputs of the mutant, can be brought to a step where it cannot.
    /// Unreachable: the mutant is equivalent. Reached: a candidate for a potential kill, and one for certain if the
    /// preference is [`Preference::Any`] and the model observable.
    ///
    /// # Errors
    /// If the model has too many choices.
    pub fn tracked(
        model: &ConditionalMutant,
        mutant: usize,
        preference: Preference,
    ) -> Result<Question, TooManyChoices> {
        Steered::new(model, mutant, Aim::Track, preference).map(Question::Steered)
    }

    /// Whether model and mutant, trying to agree, can be brought to a step where they cannot, on inputs that both
    /// accept. Unreachable: no test kills the mutant definitely. Reached: a candidate for a definite kill.
    ///
    /// # Errors
    /// If there are too many choices.
    pub fn agreeing(
        model: &ConditionalMutant,
        mutant: usize,
        preference: Preference,
    ) -> Result<Question, TooManyChoices> {
        Steered::new(model, mutant, Aim::Agree, preference).map(Question::Steered)
    }

    /// The question over a product of the model.
    #[must_use]
    pub fn pose(&self, model: &ConditionalMutant) -> Reachability {
        match self {
            Question::Pair(pair) => pair.pose(model),
            Question::Steered(steered) => steered.pose(model),
            Question::Composed(composed) => composed.pose(model),
            Question::Family(family) => family.pose(model),
        }
    }

    /// Of what was found for this question about a model and a mutant: a run of the model and a run of the mutant
    /// with the same test inputs. In a question about a strategy the run of the model only shows that the model accepts
    /// the inputs, and so does the mutant's if they were to agree. `None` if the runs are of another question.
    #[must_use]
    pub fn runs(&self, model: &ConditionalMutant, found: &Found) -> Option<[Stimulus; 2]> {
        let run = |copy: usize| found.runs.get(copy).cloned();
        match self {
            Question::Pair(_) | Question::Family(_) => Some([run(0)?, run(1)?]),
            Question::Composed(_) => None,
            Question::Steered(steered) => {
                let accepted = |variant: Variant| {
                    let witness = steered.witnesses.iter().position(|&w| w == variant);
                    match witness {
                        Some(i) => run(i + 2),
                        // It accepts everything.
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
}

/// What the evidence is of, in the words of documents.
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

/// The same test inputs, all choices 0.
fn without_choices(model: &ConditionalMutant, mut run: Stimulus) -> Stimulus {
    run.initial.fill(false);
    for step in &mut run.steps {
        for bit in model.choice_bits() {
            if let Some(value) = step.get_mut(bit) {
                *value = false;
            }
        }
    }
    run
}

impl Pair {
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

    /// What it asks, in the words of documents.
    fn name(&self) -> &'static str {
        match (self.goal, self.shared_choices) {
            (Goal::OutputsDifferOrBreaks(_) | Goal::Breaks(_), _) => "identity",
            (Goal::OutputsDiffer, true) => "phi1-controllable",
            (Goal::OutputsDiffer, false) => "phi1",
        }
    }

    /// The question over a product of the model.
    #[must_use]
    pub fn pose(&self, model: &ConditionalMutant) -> Reachability {
        self.pose_over(Product::new(model, &self.specs()))
    }

    /// The question over a product of two copies like this pair's.
    fn pose_over(&self, mut product: Product) -> Reachability {
        let differ = outputs_differ(&mut product);
        let broken = |product: &Product, who: usize| !product.copies[who].valid;
        let goal = match self.goal {
            Goal::OutputsDiffer => differ,
            Goal::Breaks(who) => broken(&product, who),
            Goal::OutputsDifferOrBreaks(who) => {
                let broken = broken(&product, who);
                product.aig.or(differ, broken)
            }
        };
        let owing = matches!(self.goal, Goal::OutputsDifferOrBreaks(_));
        let assuming = owing && fault::planted(Fault::AssumedObligation);
        let always = (0..2)
            .filter(|&copy| self.assumed[copy] || assuming)
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
}

/// Whether outputs of copies 0 and 1 differ.
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

/// What a latch of a product remembers, in terms of the model's circuit: a certifier can read it without the product.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StateBit {
    /// The value of a latch, by index.
    Latch {
        /// Index of the copy.
        copy: usize,
        /// Which latch of the circuit.
        latch: usize,
    },
    /// The value that a literal of the circuit had in the step before; of steps that are not the first.
    Before {
        /// Index of the copy.
        copy: usize,
        /// A literal of the circuit.
        lit: Lit,
    },
    /// Whether the step is the first.
    First,
}

/// Can `goal` hold at some step while each of `always` holds at every step up to and including it, and each of
/// `before` at every step before it?
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The graph and its copies.
    pub product: Product,
    /// Assumed at every step.
    pub always: Vec<Lit>,
    /// Assumed at every step but the goal's.
    pub before: Vec<Lit>,
    /// Can it hold?
    pub goal: Lit,
    /// Pairs of copies, the earlier first, whose corresponding nodes may well be equal.
    pub related: Vec<[usize; 2]>,
    /// What latches of the product (by index) remember that are no latch of a copy.
    pub remembers: Vec<(usize, StateBit)>,
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

    /// Whether two choices of the model in one state and under one input can give equal outputs and lead to different
    /// states: whether the model is *not* observable (semantics.md §6.8). A state is what [`Question::tracked`] tracks:
    /// late choices are not yet made in it. In the first step the choices are those of the initial values too.
    #[must_use]
    pub fn ambiguity(model: &ConditionalMutant) -> Reachability {
        ambiguity::pose(model)
    }

    /// For each latch of the product what it remembers; `None` if it is nothing that a certifier knows of.
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

    /// All literals that the question mentions.
    #[must_use]
    pub fn roots(&self) -> Vec<Lit> {
        let mut roots = self.always.clone();
        roots.extend(&self.before);
        roots.push(self.goal);
        roots
    }
}
