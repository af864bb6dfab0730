//! Do model and mutant accept the same inputs? ("Equally input-enabled" in \[3\], which assumes it.)

use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};

use crate::budget::Budget;
use crate::certify::certify_proof;
use crate::judge::{Judgement, accepts};
use crate::question::Question;
use crate::solve::{Limits, Solved, solve};
use crate::verdict::InputEnabled;

/// Compares the accepted inputs of original and mutant within a modest effort.
///
/// With common choices, one copy never refusing what the other takes is sufficient for inclusion. A refusal found
/// there counts only if no other choice would have been accepted.
#[must_use]
pub fn input_enabled(model: &ConditionalMutant, mutant: usize, budget: &Budget) -> InputEnabled {
    if unconstrained(model) {
        return InputEnabled::Equally;
    }
    let mut settled = true;
    for (who, variant) in [(1, Variant::Mutant(mutant)), (0, Variant::Original)] {
        let question = Question::refusal(mutant, who);
        let posed = question.pose(model);
        if posed.always.contains(&!posed.goal) {
            continue;
        }
        match solve(&posed, &Limits::modest(), budget) {
            Solved::Unreachable(proof) => {
                settled &= certify_proof(model, &question, &proof, budget).is_ok();
            }
            Solved::Reached(found) => {
                let run = found.runs[1 - who].clone();
                match accepts(model, variant, &run.steps, budget) {
                    Judgement::Never => {
                        return InputEnabled::Differently {
                            mutant_refuses: who == 1,
                            run,
                        };
                    }
                    Judgement::Exists | Judgement::Unsettled(_) => settled = false,
                }
            }
            Solved::Open { .. } => settled = false,
        }
    }
    if settled {
        InputEnabled::Equally
    } else {
        InputEnabled::Unsettled
    }
}

/// Whether the circuit has no constraints that could fail.
#[must_use]
pub fn unconstrained(model: &ConditionalMutant) -> bool {
    let mut constraints = model.aig.constraints.iter();
    constraints.all(|constraint| constraint.lit == Lit::TRUE)
}
