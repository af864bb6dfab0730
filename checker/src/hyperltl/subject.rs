//! The question about a formula: one value, computed once, which all steps read.

use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::question::Composed;
use hyperkill_formulas::compose::{ComposeError, Composition, Sharing, self_compose};
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::{Formula, Traces};

use super::FormulaError;
use crate::engines::exists_forall::Sides;
use crate::question;
use crate::schedule::formula_efforts::WAYS_TO_COPY;
use crate::schedule::formulas::Kind;

/// The question about a formula: the formula as ∃*∀*, its traces and the model.
pub(super) struct Subject<'a> {
    pub model: &'a ConditionalMutant,
    /// The mutant to which `mut` in the formula refers.
    pub mutant: SelectorId,
    /// The formula that is asked, or its negation if it begins with ∀.
    pub formula: Formula,
    pub kind: Kind,
    /// The product of the formula, if its body has the killing shape.
    pub killing: Option<Killing>,
}

/// A formula with a body of the killing shape, as a product with its two sides.
pub(super) struct Killing {
    pub composition: Composition,
    pub sides: Sides,
    /// The question for each assignment of universal traces to existential ones to copy; one question if there are no universal traces.
    pub ways: Vec<Composed>,
}

impl<'a> Subject<'a> {
    /// Returns the question about a formula: about itself, or about its negation if it begins with ∀.
    ///
    /// # Errors
    /// If quantifiers alternate more than once, or the formula mentions names that the model does not have.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
        traces: Traces,
    ) -> Result<Subject<'a>, FormulaError> {
        let formula = formula.as_asked();
        let alternates = match Fragment::of(&formula) {
            Fragment::Exists => false,
            Fragment::ExistsForall => true,
            Fragment::Empty => {
                return Err(FormulaError::Undecided("the formula is about no trace"));
            }
            _ => {
                return Err(FormulaError::Undecided(
                    "its quantifiers alternate more than once, and only one alternation is decided",
                ));
            }
        };
        let killing = match self_compose(model, mutant, &formula, Sharing::Independent) {
            Ok(composition) => Some(Killing::new(model, mutant, &formula, composition)?),
            Err(ComposeError::UnsupportedShape { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let kind = Kind {
            traces,
            alternates,
            has_killing_shape: killing.is_some(),
        };
        Ok(Subject {
            model,
            mutant,
            formula,
            kind,
            killing,
        })
    }
}

impl Killing {
    fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
        composition: Composition,
    ) -> Result<Killing, ComposeError> {
        let mut ways = Vec::new();
        for whose in ways_to_copy(&composition) {
            ways.push(question::composed(model, mutant, formula, &whose)?);
        }
        Ok(Killing {
            sides: Sides::of(&composition),
            composition,
            ways,
        })
    }
}

/// Returns the assignments of traces to copy: each gives for every trace the existential one that it copies, `None` for existential traces.
/// Those of the same variant come first. Without universal traces there is one assignment.
fn ways_to_copy(composition: &Composition) -> Vec<Vec<Option<usize>>> {
    let existential: Vec<usize> = composition.existential().collect();
    let variant = |copy: usize| composition.product.copies[copy].spec.variant;
    let mut ways = vec![vec![None; existential.len()]];
    for universal in composition.universal() {
        let mut models = existential.clone();
        models.sort_by_key(|&copy| variant(copy) != variant(universal));
        let longer = models.iter().flat_map(|&model| {
            ways.iter().map(move |way| {
                let mut way = way.clone();
                way.push(Some(model));
                way
            })
        });
        ways = longer.take(WAYS_TO_COPY).collect();
    }
    ways
}
