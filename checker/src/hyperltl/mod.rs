//! Decides whether the model satisfies a user's formula, over finite or infinite traces (semantics.md §2).
//!
//! A formula is asked as ∃*∀*: itself, or its negation if it begins with ∀. The question is one value (`subject`), computed once. The steps
//! to an answer are data (`crate::schedule::formulas`), and `work` takes them:
//!
//! - no alternation and a bound (`bounded`): a search of all traces up to the bound;
//! - no alternation (`general`): a search for an infinite run of the traces beside a monitor of the body (`fair`), which is complete;
//! - one alternation (`responses`): existential traces against responses of universal ones, for systems of any size;
//! - one alternation on small systems (`inclusion`): both sides are listed and compared as automata, which is complete;
//! - bodies of the killing shape □A ∧ (□B → ◇C) (`killing`): existential traces by expansion, and proofs that universal traces refute them
//!   all by copying them.
//!
//! A formula of the killing shape holds on infinite traces iff it holds on finite ones of some length whose existential traces can be
//! continued to infinite ones with A. If no length sufficed, the universal traces that do not yet fulfil the formula would form an infinite
//! tree of finite branching. Such a tree has an infinite branch (König). So finite traces are extended to lassos (`infinite`). If
//! existential traces with A have bounded length, the formula fails on infinite traces.

mod answer;
mod bounded;
pub mod fair;
mod general;
mod inclusion;
mod infinite;
mod killing;
mod recheck;
pub mod responses;
mod subject;
mod work;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::ast::Quantifier;
use hyperkill_formulas::joint::Size;
use hyperkill_formulas::{Formula, Joint, Traces};

use crate::schedule::formulas::{Kind, Options};
pub use answer::{Decided, FormulaError, Truth};
pub use hyperkill_evidence::answer::{Beyond, Exclusion, Refutation, Shown, Way, Witness};
pub use hyperkill_formulas::Response;
pub use recheck::recheck;
pub use responses::{Played, StrategyFailure, decide_by_strategy};
use subject::Subject;

/// Decides `formula` over these traces; `mut` in it means this mutant.
///
/// # Errors
/// If the formula has none of the shapes above, mentions names that the model does not have, or evidence does not check.
pub fn decide_formula(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    traces: Traces,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let asked = Subject::new(model, mutant, formula, traces)?;
    let decided = work::decide(&asked, options, budget)?;
    let negated = formula.begins_with_forall();
    let truth = match (decided.truth, negated) {
        (Truth::Holds, true) => Truth::Fails,
        (Truth::Fails, true) => Truth::Holds,
        (truth, _) => truth,
    };
    Ok(Decided { truth, ..decided })
}

/// The question that [`decide_formula`] asks about a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The formula that is asked, or its negation if it begins with ∀.
    pub formula: Formula,
    /// The variant (original or mutant) of each trace of the prefix.
    pub variants: Vec<Variant>,
    /// The size of the monitor of the body, unless the body has the killing shape.
    pub monitor: Option<Size>,
    /// The kind of formula, on which the schedule depends.
    pub kind: Kind,
}

/// Returns what [`decide_formula`] would decide, without deciding: the formula or its negation, its kind, and the size of its monitor.
/// `mut` in the formula means the mutant with this selector.
///
/// # Errors
/// If the formula cannot be composed with the model, or no method decides formulas of its kind.
pub fn asked(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    traces: Traces,
) -> Result<Asked, FormulaError> {
    let Subject { formula, kind, .. } = Subject::new(model, mutant, formula, traces)?;
    let specs = Joint::specifications(model, mutant, &formula)?;
    let monitor = match kind.has_killing_shape {
        false => {
            // All traces are composed as existential ones: responses drive the universal ones.
            let prefix = formula.prefix.iter();
            let existential = prefix.map(|(_, trace)| (Quantifier::Exists, trace.clone()));
            let alone = Formula {
                prefix: existential.collect(),
                body: formula.body.clone(),
            };
            let joint = match traces {
                Traces::Finite => Joint::finite(model, mutant, &alone)?,
                Traces::Infinite => Joint::new(model, mutant, &alone)?,
            };
            Some(joint.size())
        }
        true => None,
    };
    Ok(Asked {
        variants: specs.iter().map(|spec| spec.variant).collect(),
        monitor,
        kind,
        formula,
    })
}

/// Whether the formula quantifies over traces of a mutant, so that its truth depends on the mutant.
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

/// Returns the formula, or its negation if it begins with ∀.
#[must_use]
pub fn existential(formula: &Formula) -> Formula {
    formula.as_asked()
}
