//! Which states of the model agree with the inputs and outputs seen so far.
//!
//! A set of states that is listed, as long as states and choices are few; else all that was seen, as clauses of a solver. A system
//! shows values, and a value may have two codes, so answers are patterns of bits.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_sat_cadical::Cadical;

use crate::acceptance::unconstrained;
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::judge::Judgement;
use crate::stepping::{Move, State, Stepper};
use crate::testgen::allowed_outputs::SIMULATED;

/// A model that systems are compared with.
pub struct Reference<'m> {
    model: &'m ConditionalMutant,
    product: Product,
    unconstrained: bool,
    /// Steps (state and choice) that may be listed for one answer.
    listed: usize,
}

impl<'m> Reference<'m> {
    /// The original of this conditional mutant.
    #[must_use]
    pub fn new(model: &'m ConditionalMutant) -> Reference<'m> {
        Reference::listing_at_most(model, SIMULATED)
    }

    /// As [`Reference::new`], with another limit of the steps that are listed for one answer before a solver is asked.
    #[must_use]
    pub fn listing_at_most(model: &'m ConditionalMutant, listed: usize) -> Reference<'m> {
        Reference {
            model,
            product: Product::new(model, &[CopySpec::alone(Variant::Original)]),
            unconstrained: unconstrained(model),
            listed,
        }
    }

    /// The circuit.
    #[must_use]
    pub fn model(&self) -> &'m ConditionalMutant {
        self.model
    }

    /// Nothing has been seen yet.
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

/// One bool per circuit input, and what was seen then: one entry per circuit output, `None` for what was not observed.
type Step = (Vec<bool>, Vec<Option<bool>>);

/// All that can be known of a system that has shown these answers, if it is the model.
pub struct Follower<'r> {
    reference: &'r Reference<'r>,
    stepper: Stepper<'r>,
    /// All states that agree, as long as they are few.
    listed: Option<Vec<State>>,
    /// What a run must meet, once they are not.
    solved: Option<Box<Solved<'r>>>,
    seen: Vec<Step>,
}

impl<'r> Follower<'r> {
    /// Whether some run of the model with all that was seen accepts these inputs next (one bool per circuit input).
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

    /// Whether some run of the model with all that was seen before gives this answer. If one does, it is part of what was seen.
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

    /// All answers that the model can give to these inputs next, ascending; `None` if that is too much to list.
    pub fn outputs(&mut self, inputs: &[bool]) -> Option<BTreeSet<Vec<bool>>> {
        let moves = self.moves(inputs)?;
        Some(moves.into_iter().map(|step| step.outputs).collect())
    }

    /// All that the model can do next; `None` if that is too much to list.
    fn moves(&mut self, inputs: &[bool]) -> Option<Vec<Move>> {
        let moves = self.stepper.moves(self.listed.as_deref()?, inputs);
        if moves.is_none() {
            self.listed = None;
        }
        moves
    }

    /// A solver that knows all that was seen.
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

/// The model unrolled as far as it was seen, in a solver.
struct Solved<'r> {
    reference: &'r Reference<'r>,
    unroller: Unroller<'r>,
    encoder: Encoder<Cadical>,
    /// Steps that are asserted.
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

    /// What it means that the next step exists and has these inputs.
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

    /// What it means that the next step has this answer.
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
