//! Does the model satisfy a formula that the user wrote, over finite or infinite traces (semantics.md §2)?
//!
//! Formulas of any body over infinite traces are decided by monitors and liveness (`general`, and `responses` for one alternation;
//! semantics.md §6.10), those of the killing shape first by what follows.
//!
//! Decides ∃*∀* formulas of the shape □A ∧ (□B → ◇C), and through their negations ∀*∃* formulas of the shape □A → □D; ∃* and ∀* among
//! them. Finite traces have one common length: there is one for which ∃*∀* holds, and ∀*∃* holds for all, so that negations are
//! opposites in this reading too.
//!
//! A formula holds of infinite traces iff it holds of finite ones of some length whose existential traces go on
//! for ever with A: if no length sufficed, the universal traces on which the formula is not yet fulfilled would form an infinite tree of
//! finite branching, which has an infinite branch (König). Hence two ways to an answer:
//!
//! - traces of some length (`search`), led on into lassos (`infinite`) if they are to be infinite: the formula holds;
//! - universal traces that copy existential ones and refute them at every length, proved by induction: it fails, for finite and for
//!   infinite traces;
//! - a number of steps that no existential traces have with what is asserted of them: it fails for infinite traces, of which there are
//!   none.
//!
//! They are not complete: where only universal traces that are no copies refute the existential ones, that is shown up to a bound only, and
//! the answer is unknown.

pub mod fair;
mod general;
mod inclusion;
mod infinite;
mod recheck;
pub mod responses;
mod search;

use hyperkill_certify::{CertifyError, certify_end, certify_proof, certify_witness};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::question::Question;
use hyperkill_evidence::verdict::Reason;
use hyperkill_formulas::ast::Quantifier;
use hyperkill_formulas::compose::{ComposeError, Sharing, self_compose};
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::joint::Size;
use hyperkill_formulas::{Formula, Joint, Traces};

use crate::safety::SafetyError;
use crate::schedule::efforts::{Effort, FIRST_LOOK};
use crate::schedule::formula_efforts::TURNS_OF_KILLING_SHAPE;
use crate::schedule::formulas::Options;
use crate::schedule::reachability;
pub use hyperkill_evidence::answer::{Beyond, Exclusion, Refutation, Shown, Way, Witness};
pub use hyperkill_formulas::Response;
pub use recheck::recheck;
pub use responses::{Played, StrategyFailure, decide_by_strategy};
use search::Searched;

/// Whether the model satisfies a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// The formula is true of the model, with evidence.
    Holds,
    /// The formula is false of the model, with evidence.
    Fails,
    /// Neither was shown within the limits.
    Unknown {
        /// No existential traces decide it within so many steps.
        known_to: usize,
        /// What ended the search.
        reason: Reason,
    },
}

/// What is known of a formula, with what shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Whether the model satisfies the formula.
    pub truth: Truth,
    /// The evidence for the answer; `None` if it is unknown.
    pub shown: Option<Shown>,
}

/// Why a formula was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// It has no circuit, or its prefix alternates more than once.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// Evidence did not check: a bug in hyperkill.
    #[error("the evidence did not check: {0}")]
    Evidence(CertifyError),
    /// An invariant or a run did not check: a bug in hyperkill.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// It is a formula, and nothing here decides formulas like it.
    #[error("{0}")]
    Undecided(&'static str),
}

/// Decides `formula` over these traces; `mut` in it means this mutant.
///
/// # Errors
/// If the formula is of none of the shapes above, speaks of what the model does not have, or evidence does not check.
pub fn decide_formula(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    traces: Traces,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let asked = existential(formula);
    let negated = formula.begins_with_forall();
    let decided = match Fragment::of(&asked) {
        Fragment::Exists | Fragment::ExistsForall => {
            decide_asked(model, mutant, &asked, traces, options, budget)?
        }
        Fragment::Empty => return Err(FormulaError::Undecided("the formula is about no trace")),
        _ => {
            return Err(FormulaError::Undecided(
                "its quantifiers alternate more than once, and only one alternation is decided",
            ));
        }
    };
    let truth = match (decided.truth, negated) {
        (Truth::Holds, true) => Truth::Fails,
        (Truth::Fails, true) => Truth::Holds,
        (truth, _) => truth,
    };
    Ok(Decided { truth, ..decided })
}

/// Decides a formula ∃*∀*: by the search for the killing shape, if it has it and that soon finds something, else as any formula.
fn decide_asked(
    model: &ConditionalMutant,
    mutant: SelectorId,
    asked: &Formula,
    traces: Traces,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let shape = match self_compose(model, mutant, asked, Sharing::Independent) {
        Ok(_) => true,
        Err(ComposeError::UnsupportedShape { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    if traces == Traces::Finite {
        return decide_over_finite((model, mutant, asked), shape, options, budget);
    }
    let engines = options.reachability.engines;
    let mut known_before = 0;
    if shape {
        let most = options.reachability.turns.unwrap_or(u32::MAX);
        let first = |turns: u32| Options {
            reachability: reachability::Options {
                turns: Some(most.min(turns)),
                ..options.reachability
            },
        };
        // What a first look does not show may cost more than all states of a small model.
        let look = Some(FIRST_LOOK);
        let about = (model, mutant, asked);
        let mut decided = decide_killing_shape(about, traces, &first(1), look, budget)?;
        if let Truth::Unknown { .. } = decided.truth
            && Fragment::of(asked) == Fragment::ExistsForall
            && let Some(listed) = responses::decide_by_listing(
                model,
                mutant,
                asked,
                &general_options(options),
                budget,
            )?
        {
            return Ok(listed);
        }
        if let Truth::Unknown { .. } = decided.truth {
            let first = first(TURNS_OF_KILLING_SHAPE);
            decided = decide_killing_shape(about, traces, &first, None, budget)?;
        }
        let Truth::Unknown { known_to, .. } = decided.truth else {
            return Ok(decided);
        };
        // What was asked for by name is all that works.
        if !engines.bmc || !engines.pdr {
            return decide_killing_shape(about, traces, options, None, budget);
        }
        if budget.stopped().is_some() {
            return Ok(decided);
        }
        known_before = known_to;
    }
    let general = general_options(options);
    let mut decided = match Fragment::of(asked) {
        Fragment::Exists => general::decide_existential(model, mutant, asked, &general, budget)?,
        _ => responses::decide_alternating(model, mutant, asked, &general, budget)?,
    };
    // That no lasso is short says nothing about the first steps of longer ones.
    if let Truth::Unknown { known_to, .. } = &mut decided.truth {
        *known_to = known_before;
    }
    Ok(decided)
}

/// Decides a formula ∃*∀* over finite traces: by the search for the killing shape, if it has it, and else if no trace is universal.
fn decide_over_finite(
    about: (&ConditionalMutant, SelectorId, &Formula),
    shape: bool,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let (model, mutant, asked) = about;
    let alone = Fragment::of(asked) == Fragment::Exists;
    let engines = options.reachability.engines;
    let mut known_before = 0;
    if shape {
        let most = options.reachability.turns.unwrap_or(u32::MAX);
        let turns = match alone && engines.bmc && engines.pdr {
            true => Some(most.min(TURNS_OF_KILLING_SHAPE)),
            false => options.reachability.turns,
        };
        let options = Options {
            reachability: reachability::Options {
                turns,
                ..options.reachability
            },
        };
        let decided = decide_killing_shape(about, Traces::Finite, &options, None, budget)?;
        let Truth::Unknown { known_to, .. } = decided.truth else {
            return Ok(decided);
        };
        if !(alone && engines.bmc && engines.pdr) || budget.stopped().is_some() {
            return Ok(decided);
        }
        known_before = known_to;
    }
    if !alone {
        return Err(FormulaError::Undecided(
            "over finite traces formulas with an alternation are decided only if their bodies, or the negations of these, have the shape \
            `G a & (G b -> F c)`",
        ));
    }
    let general = general_options(options);
    let mut decided = general::decide_finite(model, mutant, asked, &general, budget)?;
    if let Truth::Unknown { known_to, .. } = &mut decided.truth {
        *known_to = known_before;
    }
    Ok(decided)
}

/// Options of what decides formulas of any body.
fn general_options(options: &Options) -> reachability::Options {
    reachability::Options {
        bound: options.reachability.bound,
        turns: options.reachability.turns,
        engines: options.reachability.engines,
        merging: &[],
        ..reachability::Options::SAFETY
    }
}

/// Decides a formula ∃*∀* of the shape □A ∧ (□B → ◇C).
fn decide_killing_shape(
    (model, mutant, asked): (&ConditionalMutant, SelectorId, &Formula),
    traces: Traces,
    options: &Options,
    most: Option<Effort>,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let searched = search::search(model, mutant, asked, traces, options, most, budget)?;
    let (satisfied, shown) = match searched {
        Searched::Open { known_to, reason } => {
            return Ok(Decided {
                truth: Truth::Unknown { known_to, reason },
                shown: None,
            });
        }
        Searched::Found(witness) => {
            let checked = certify_witness(model, mutant, asked, traces, &witness, budget);
            if let Some(open) = stopped(checked, witness.decided - 1)? {
                return Ok(open);
            }
            (true, Shown::Traces(witness))
        }
        Searched::Excluded(composed, proof) => {
            let question = Question::Composed(composed.clone());
            let checked = certify_proof(model, &question, &proof, budget);
            if let Some(open) = stopped(checked, proof.k)? {
                return Ok(open);
            }
            (false, Shown::Proof(Box::new((composed, proof))))
        }
        Searched::Over(steps) => {
            let checked = certify_end(model, mutant, asked, steps, budget);
            if let Some(open) = stopped(checked, steps - 1)? {
                return Ok(open);
            }
            (false, Shown::End(steps))
        }
    };
    Ok(Decided {
        truth: if satisfied {
            Truth::Holds
        } else {
            Truth::Fails
        },
        shown: Some(shown),
    })
}

/// The unknown answer to report where a limit stopped the check of the evidence; `None` if the check failed for another reason.
fn stopped(
    checked: Result<(), CertifyError>,
    known_to: usize,
) -> Result<Option<Decided>, FormulaError> {
    match checked {
        Ok(()) => Ok(None),
        Err(CertifyError::Stopped(stop)) => Ok(Some(Decided {
            truth: Truth::Unknown {
                known_to,
                reason: stop.into(),
            },
            shown: None,
        })),
        Err(error) => Err(FormulaError::Evidence(error)),
    }
}

/// What is asked in the place of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The formula, or its negation if it begins with ∀.
    pub formula: Formula,
    /// What each trace of its prefix is a trace of.
    pub variants: Vec<Variant>,
    /// The size of the monitor of its body, where it is not of the killing shape.
    pub monitor: Option<Size>,
}

/// What is asked in the place of a formula, in which `mut` means the selector with index `mutant`.
///
/// # Errors
/// If the formula cannot be composed.
pub fn asked(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
) -> Result<Asked, FormulaError> {
    let formula = existential(formula);
    let specs = Joint::specifications(model, mutant, &formula)?;
    let monitor = match self_compose(model, mutant, &formula, Sharing::Independent) {
        Err(ComposeError::UnsupportedShape { .. }) => {
            // As if all traces were existential: the universal ones are driven by responses.
            let prefix = formula.prefix.iter();
            let existential = prefix.map(|(_, trace)| (Quantifier::Exists, trace.clone()));
            let alone = Formula {
                prefix: existential.collect(),
                body: formula.body.clone(),
            };
            Some(Joint::new(model, mutant, &alone)?.size())
        }
        _ => None,
    };
    Ok(Asked {
        variants: specs.iter().map(|spec| spec.variant).collect(),
        monitor,
        formula,
    })
}

/// Whether the formula quantifies over traces of a mutant: whether its truth depends on which mutant is in question.
///
/// # Errors
/// If the formula cannot be composed.
pub fn is_about_a_mutant(
    model: &ConditionalMutant,
    formula: &Formula,
) -> Result<bool, FormulaError> {
    let formula = existential(formula);
    let specs = Joint::specifications(model, SelectorId(0), &formula)?;
    Ok(specs.iter().any(|spec| spec.variant != Variant::Original))
}

/// The formula, or its negation if it begins with ∀.
#[must_use]
pub fn existential(formula: &Formula) -> Formula {
    formula.as_asked()
}

/// The variant that each trace of a composition is a trace of.
fn variants(composition: &hyperkill_formulas::Composition) -> Vec<Variant> {
    let copies = composition.existential();
    copies
        .map(|copy| composition.product.copies[copy].spec.variant)
        .collect()
}
