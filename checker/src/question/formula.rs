//! The reachability question of an ∃*∀* formula of the killing shape (`hyperkill_formulas::shape`). Each universal trace copies the choices
//! of an existential one: the identity strategy of semantics.md §5, for all formulas of this shape.
//!
//! Can the existential traces reach a step at which the formula's goal holds, or at which a copying trace breaks a constraint? If not, the
//! copying traces refute all existential ones at every length, and the formula fails. If they can, nothing follows: universal traces that
//! are no copies might refute them. Without universal traces a reached goal satisfies the formula on finite traces; infinite traces must
//! also continue.

use hyperkill_core::product::{CopySpec, Product};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::question::Composed;
use hyperkill_formulas::Formula;
use hyperkill_formulas::compose::{ComposeError, compose_following};

use super::{Pose, Reachability};

/// Returns the question of a formula in which universal traces copy others. `whose` gives for each trace, in prefix order, the earlier
/// trace whose choices it copies; `None` for existential traces.
///
/// # Errors
/// If the formula does not have the killing shape, or mentions names that the model does not have.
pub fn composed(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    whose: &[Option<usize>],
) -> Result<Composed, ComposeError> {
    let composition = compose_following(model, mutant, formula, whose)?;
    let copies = composition.product.copies.iter().map(|copy| copy.spec);
    Ok(Composed {
        formula: formula.clone(),
        mutant,
        copies: copies.collect(),
    })
}

impl Pose for Composed {
    /// Returns the question over a product of the model with a copy for each trace. If the formula has no circuit over this model, the goal
    /// holds at once, so that nothing is proved.
    fn pose(&self, model: &ConditionalMutant) -> Reachability {
        let whose: Vec<Option<usize>> = self.copies.iter().map(|spec| spec.choices_of).collect();
        let Ok(composition) = compose_following(model, self.mutant, &self.formula, &whose) else {
            return Reachability {
                product: Product::new(model, &[]),
                always: Vec::new(),
                before: Vec::new(),
                goal: Lit::TRUE,
                related: Vec::new(),
                remembers: Vec::new(),
            };
        };
        let mut always = composition.always.clone();
        let valid = |copy: usize| composition.product.copies[copy].valid;
        always.extend(composition.existential().map(valid));
        let mut goals: Vec<Lit> = composition.universal().map(|copy| !valid(copy)).collect();
        goals.push(composition.goal);
        let mut product = composition.product;
        let goal = product.aig.or_all(&goals);
        Reachability {
            related: related(&self.copies),
            product,
            always,
            before: Vec::new(),
            goal,
            remembers: Vec::new(),
        }
    }
}

/// Returns the pairs of copies (earlier, later) whose nodes are often equal: all pairs of fewer than `ALL_PAIRS_BELOW` copies, else those
/// of which one has the choices or inputs of the other.
fn related(copies: &[CopySpec]) -> Vec<[usize; 2]> {
    const ALL_PAIRS_BELOW: usize = 5;
    let pairs = (0..copies.len()).flat_map(|later| (0..later).map(move |earlier| [earlier, later]));
    pairs
        .filter(|&[earlier, later]| {
            let spec = copies[later];
            copies.len() < ALL_PAIRS_BELOW
                || spec.choices_of == Some(earlier)
                || spec.inputs_of == Some(earlier)
        })
        .collect()
}
