//! The state estimate of the model after the inputs and outputs seen so far.
//!
//! While states and choices are few, the estimate is a list of states; otherwise it is given by a solver's clauses. Systems show values,
//! and a value may have two codes, so answers are patterns of bits.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_sat_cadical::Cadical;

use crate::acceptance::unconstrained;
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::judge::Judgement;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{Move, State, Stepper};

/// A model with which systems are compared.
pub struct Reference<'m> {
    model: &'m ConditionalMutant,
    product: Product,
    unconstrained: bool,
    /// Limit on the steps (state and choice) that are listed for one answer.
    listed: usize,
}

impl<'m> Reference<'m> {
    /// Returns a reference for the original of this conditional mutant.
    #[must_use]
    pub fn new(model: &'m ConditionalMutant) -> Reference<'m> {
        Reference::listing_at_most(model, ALLOWED_OUTPUT_STEPS)
    }

    /// Returns a reference like [`Reference::new`], with another limit of steps listed for one answer before a solver is asked.
    #[must_use]
    pub fn listing_at_most(model: &'m ConditionalMutant, listed: usize) -> Reference<'m> {
        Reference {
            model,
            product: Product::new(model, &[CopySpec::alone(Variant::Original)]),
            unconstrained: unconstrained(model),
            listed,
        }
    }

    /// Returns the circuit.
    #[must_use]
    pub fn model(&self) -> &'m ConditionalMutant {
        self.model
    }

    /// Returns the state estimate before the first input: the initial states of the model.
    #[must_use]
    pub fn follower(&self) -> Follower<'_> {
        let stepper = Stepper::new(self.model, Variant::Original, self.listed);
        Follower {
            reference: self,
            listed: stepper.initial(),
            stepper,
            solved: None,
            seen: Vec::new(),
        }
    }
}

/// The inputs of a step (one bool per circuit input), and the answer: for each circuit output its value, `None` if not observed.
type PatternStep = (Vec<bool>, Vec<Option<bool>>);

/// The states in which the model can be after the inputs and answers of a system so far (state estimate).
pub struct Follower<'r> {
    reference: &'r Reference<'r>,
    stepper: Stepper<'r>,
    /// All states that agree with the answers; `None` once they are too many.
    listed: Option<Vec<State>>,
    /// A solver with constraints on the run, after the states have become too many.
    solved: Option<Box<Solved<'r>>>,
    seen: Vec<PatternStep>,
}

impl<'r> Follower<'r> {
    /// Whether some run of the model with the answers so far accepts these inputs next (one bool per circuit input).
    pub fn accepts(&mut self, inputs: &[bool], budget: &Budget) -> Judgement {
        if self.reference.unconstrained {
            return Judgement::Exists;
        }
        match self.moves(inputs) {
            Some(moves) if moves.is_empty() => Judgement::Never,
            Some(_) => Judgement::Exists,
            None => self.solved().accepts(inputs, budget),
        }
    }

    /// Whether some run of the model with the answers so far gives this answer to these inputs next. If so, the answer is recorded.
    pub fn sees(&mut self, inputs: &[bool], answer: &[Option<bool>], budget: &Budget) -> Judgement {
        let judgement = match self.moves(inputs) {
            Some(moves) => {
                let agreeing = moves.into_iter().filter(|step| fits(answer, &step.outputs));
                let mut states: Vec<State> = agreeing.map(|step| step.next).collect();
                states.sort_unstable();
                states.dedup();
                match states.is_empty() {
                    true => Judgement::Never,
                    false => {
                        self.listed = Some(states);
                        Judgement::Exists
                    }
                }
            }
            None => self.solved().sees(inputs, answer, budget),
        };
        if judgement == Judgement::Exists {
            self.seen.push((inputs.to_vec(), answer.to_vec()));
        }
        judgement
    }

    /// Returns all answers that the model can give to these inputs next, ascending; `None` if there are too many to list.
    pub fn outputs(&mut self, inputs: &[bool]) -> Option<BTreeSet<Vec<bool>>> {
        let moves = self.moves(inputs)?;
        Some(moves.into_iter().map(|step| step.outputs).collect())
    }

    /// Returns all steps that the model can take next under these inputs; `None` if there are too many to list.
    fn moves(&mut self, inputs: &[bool]) -> Option<Vec<Move>> {
        let moves = self.stepper.moves(self.listed.as_deref()?, inputs);
        if moves.is_none() {
            self.listed = None;
        }
        moves
    }

    /// Returns the solver with constraints for the answers so far; it is made on the first call.
    fn solved(&mut self) -> &mut Solved<'r> {
        let (reference, seen) = (self.reference, &self.seen);
        self.solved.get_or_insert_with(|| {
            let mut solved = Solved::new(reference);
            for (inputs, answer) in seen {
                solved.assert(inputs, answer);
            }
            Box::new(solved)
        })
    }
}

fn fits(answer: &[Option<bool>], outputs: &[bool]) -> bool {
    let mut pairs = answer.iter().zip(outputs);
    pairs.all(|(wanted, shown)| wanted.is_none_or(|wanted| wanted == *shown))
}

/// The model, unrolled in a solver for the steps seen so far.
struct Solved<'r> {
    reference: &'r Reference<'r>,
    unroller: Unroller<'r>,
    encoder: Encoder<Cadical>,
    /// The number of steps that the solver's clauses describe.
    steps: usize,
}

impl<'r> Solved<'r> {
    fn new(reference: &'r Reference<'r>) -> Solved<'r> {
        let copy = &reference.product.copies[0];
        let mut roots = copy.outputs.clone();
        roots.push(copy.valid);
        Solved {
            reference,
            unroller: Unroller::new(&reference.product, &roots, Start::Reset),
            encoder: Encoder::new(Cadical::new()),
            steps: 0,
        }
    }

    fn accepts(&mut self, inputs: &[bool], budget: &Budget) -> Judgement {
        let conditions = self.taken(inputs);
        self.ask(&conditions, budget)
    }

    fn sees(&mut self, inputs: &[bool], answer: &[Option<bool>], budget: &Budget) -> Judgement {
        let mut conditions = self.taken(inputs);
        conditions.extend(self.given(answer));
        let judgement = self.ask(&conditions, budget);
        if judgement == Judgement::Exists {
            self.assert(inputs, answer);
        }
        judgement
    }

    /// Returns literals that together state that the next step exists and has these inputs.
    fn taken(&mut self, inputs: &[bool]) -> Vec<Lit> {
        self.unroller.extend_to(self.steps + 1);
        let copy = &self.reference.product.copies[0];
        let mut facts = vec![self.unroller.at(self.steps, copy.valid)];
        for bit in self.reference.model.input_bits() {
            if let Some(lit) = copy.inputs[bit]
                && self.unroller.contains(lit.var())
            {
                facts.push(self.unroller.at(self.steps, lit) ^ !inputs[bit]);
            }
        }
        facts
    }

    /// Returns literals that together state that the next step has this answer.
    fn given(&self, answer: &[Option<bool>]) -> Vec<Lit> {
        let outputs = self.reference.product.copies[0].outputs.iter();
        let pairs = outputs.zip(answer);
        pairs
            .filter_map(|(&lit, wanted)| Some(self.unroller.at(self.steps, lit) ^ !(*wanted)?))
            .collect()
    }

    fn ask(&mut self, conditions: &[Lit], budget: &Budget) -> Judgement {
        let mut assumptions = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            assumptions.push(self.encoder.lit(&self.unroller.graph, condition));
        }
        self.encoder.solve(&assumptions, None, budget).into()
    }

    fn assert(&mut self, inputs: &[bool], answer: &[Option<bool>]) {
        let mut facts = self.taken(inputs);
        facts.extend(self.given(answer));
        for fact in facts {
            self.encoder.require(&self.unroller.graph, &[fact]);
        }
        self.steps += 1;
    }
}
