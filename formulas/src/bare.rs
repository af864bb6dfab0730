//! Traces of a formula as copies of the model without monitors, for searches up to a length that evaluate the body on each position.

use hyperkill_core::product::{CopySpec, Product};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

use crate::ast::Formula;
use crate::error::ComposeError;
use crate::joint::Joint;
use crate::monitor::Temporal;
use crate::semantics::Traces;

/// Existential traces of a formula as copies of the model, and its body over their literals.
#[derive(Clone, Debug)]
pub struct Bare {
    /// The copies, one per trace variable.
    pub product: Product,
    /// The specification of each copy.
    pub specs: Vec<CopySpec>,
    /// The body, over literals of the product. Operators about the past are kept.
    pub body: Temporal,
    /// Literals that hold at every step of the traces.
    pub always: Vec<Lit>,
    /// For finite traces: the literal that the present step belongs to them. It is a latch, which is true at the first step.
    pub alive: Option<Lit>,
}

impl Bare {
    /// Returns copies for the traces of a formula whose quantifiers are all existential; `mut` in it means this mutant.
    ///
    /// # Errors
    /// If some trace is universal, or the formula mentions names that the model does not have.
    pub fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
        traces: Traces,
    ) -> Result<Bare, ComposeError> {
        let mut question = Joint::existential(model, mutant, formula)?;
        if traces == Traces::Finite {
            question.end_by_input();
        }
        let body = question.unwatched(&formula.body)?;
        let copies = question.product.copies.iter();
        let valid: Vec<Lit> = copies.map(|copy| copy.valid).collect();
        let always = question.while_alive(&valid);
        Ok(Bare {
            specs: Joint::specifications(model, mutant, formula)?,
            body,
            always,
            alive: question.alive(),
            product: question.product,
        })
    }
}
