//! Proofs as safety problems with witness circuits, in the format of the hardware model checking competition.
//!
//! Certifaiger defines the format (Yu, Biere, Heljanko, "Progress in certifying hardware model checking results", CAV 2021). The witness
//! has the inputs and latches of the problem in their places. Its property is the problem's property and all facts of the proof, and is
//! inductive. Proofs by more than one step of induction, and proofs about strategies, have no such form.

use crate::question::Pose;
use hyperkill_core::aig::Signal;
use hyperkill_core::product::Product;
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_evidence::proof::{Fact, Proof};
use hyperkill_evidence::question::{Question, StateBit};

/// A safety problem that holds, with a witness circuit whose property is inductive.
#[derive(Clone, Debug)]
pub struct Witnessed {
    /// The safety problem, whose bad state is never reached.
    pub problem: Aig,
    /// The same circuit; its bad state is reached where a fact or the property fails.
    pub witness: Aig,
}

/// Returns a proof about a question as a safety problem with a witness circuit; `None` if the proof has no such form.
#[must_use]
pub fn witness_circuit(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
) -> Option<Witnessed> {
    if proof.k != 1 || proof.facts_depth != 1 || proof.simple_path {
        return None;
    }
    let posed = question.pose(model);
    let mut problem = posed.safety_problem()?;
    // A name could be taken for a position in another circuit.
    for input in 0..problem.inputs().len() {
        problem.set_input_name(input, None);
    }
    for latch in 0..problem.latches().len() {
        problem.set_latch_name(latch, None);
    }
    let mut witness = problem.clone();
    let mut reasons: Vec<Lit> = problem.bad.iter().map(|bad| bad.lit).collect();
    for fact in &proof.facts {
        reasons.push(!holds(&mut witness, model, &posed.product, fact)?);
    }
    let lit = witness.or_all(&reasons);
    witness.bad = vec![Signal { lit, name: None }];
    Some(Witnessed { problem, witness })
}

/// Returns a literal of `aig`, the product's graph or an extension of it, that is true iff the fact holds; `None` if the fact has no such
/// form.
fn holds(aig: &mut Aig, model: &ConditionalMutant, product: &Product, fact: &Fact) -> Option<Lit> {
    let node = |copy: usize, lit: Lit| match lit.as_constant() {
        Some(value) => Some(Lit::constant(value)),
        None => product.copies.get(copy)?.lit(lit),
    };
    match fact {
        Fact::Equal([a, b]) => {
            let (a, b) = (node(a.copy, a.lit)?, node(b.copy, b.lit)?);
            Some(aig.iff(a, b))
        }
        Fact::SameUnless(copies, var, unless) => {
            let same = holds(aig, model, product, &Fact::same(*copies, *var))?;
            let unless = node(0, *unless)?;
            Some(aig.or(same, unless))
        }
        Fact::Clause(clause) => {
            let mut lits = Vec::new();
            for &(bit, value) in clause {
                let StateBit::Latch { copy, latch } = bit else {
                    return None;
                };
                lits.push(node(copy, model.aig.latches()[latch].var.lit())? ^ !value);
            }
            Some(aig.or_all(&lits))
        }
    }
}
