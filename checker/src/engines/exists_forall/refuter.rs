//! The inner solver: universal runs that refute given existential ones.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_core::{Aig, Lit};
use hyperkill_sat::{Answer, Lit as SatLit};
use hyperkill_sat_cadical::Cadical;

use super::play::Candidate;
use super::sides::Sides;
use super::strategy::Counterexample;
use crate::engines::encode::{Encoder, Start, Unroller};

/// The answer to a candidate.
pub(super) enum Answered {
    /// Universal runs that survive all steps and keep the goal false exist: these.
    Refuted(Refutation),
    /// No universal runs refute the candidate: it is a witness.
    Confirmed,
    /// A limit of conflicts or the budget ended the search.
    Undecided(Stop),
}

/// Universal runs that refute a candidate.
pub(super) struct Refutation {
    /// The choices of all universal copies in these runs.
    pub all: Counterexample,
    /// The choices that matter: with these fixed, the others may have any value.
    pub blamed: Counterexample,
}

/// Two solvers over one unrolling of all copies. `search` looks for universal runs that refute a candidate. `blame` shows, by the
/// contradiction with "no runs refute it", which choices of these runs matter.
pub(super) struct Refuter<'a> {
    product: &'a Product,
    sides: &'a Sides,
    unroller: Unroller<'a>,
    search: Encoder<Cadical>,
    blame: Encoder<Cadical>,
    /// For each number of steps a literal that is true iff the universal runs break a constraint or reach the goal within them.
    harmless: Vec<Lit>,
    bits: Bits,
}

/// The existential and universal bits of the product, by index.
struct Bits {
    /// Product inputs in the cone with their literals, existential ones first.
    exist_inputs: Vec<(usize, Lit)>,
    universal_inputs: Vec<(usize, Lit)>,
    /// Latches in the cone with free initial values, with their literals, existential ones first.
    exist_latches: Vec<(usize, Lit)>,
    universal_latches: Vec<(usize, Lit)>,
}

impl Bits {
    fn of(aig: &Aig, cone: &Cone, sides: &Sides) -> Bits {
        let mut bits = Bits {
            exist_inputs: Vec::new(),
            universal_inputs: Vec::new(),
            exist_latches: Vec::new(),
            universal_latches: Vec::new(),
        };
        for (var, node) in aig.nodes().filter(|(var, _)| cone.contains(*var)) {
            match node {
                Node::Input(i) if sides.universal_input[i as usize] => {
                    bits.universal_inputs.push((i as usize, var.lit()));
                }
                Node::Input(i) => bits.exist_inputs.push((i as usize, var.lit())),
                Node::Latch(i) if sides.universal_latch[i as usize] => {
                    bits.universal_latches.push((i as usize, var.lit()));
                }
                Node::Latch(i) => bits.exist_latches.push((i as usize, var.lit())),
                Node::False | Node::And(..) => {}
            }
        }
        bits.exist_latches
            .retain(|&(i, _)| aig.latches()[i].reset == hyperkill_core::Reset::Free);
        bits
    }
}

impl<'a> Refuter<'a> {
    pub(super) fn new(product: &'a Product, sides: &'a Sides) -> Refuter<'a> {
        let roots: Vec<Lit> = sides.universal_roots().collect();
        let cone = Cone::sequential(&product.aig, roots.iter().copied());
        Refuter {
            product,
            sides,
            unroller: Unroller::new(product, &roots, Start::Reset),
            search: Encoder::new(Cadical::new()),
            blame: Encoder::new(Cadical::new()),
            harmless: vec![Lit::FALSE],
            bits: Bits::of(&product.aig, &cone, sides),
        }
    }

    /// Returns the number of gates in the unrolling of all copies.
    pub(super) fn size(&self) -> usize {
        self.unroller.graph.len()
    }

    /// Extends the unrolling to `steps` steps. Steps are never removed.
    fn extend_to(&mut self, steps: usize, budget: &Budget) -> Result<(), Stop> {
        while self.harmless.len() <= steps {
            budget.check()?;
            let step = self.harmless.len() - 1;
            self.unroller.extend_within(step + 1, budget)?;
            let mut harmless = self.harmless[step];
            for &lit in &self.sides.assumed {
                let lit = self.unroller.at(step, lit);
                self.search.require(&self.unroller.graph, &[lit]);
                harmless = self.unroller.graph.or(harmless, !lit);
            }
            let goal = self.unroller.at(step, self.sides.goal);
            self.search.require(&self.unroller.graph, &[!goal]);
            let harmless = self.unroller.graph.or(harmless, goal);
            self.harmless.push(harmless);
        }
        Ok(())
    }

    /// Asks whether universal runs refute a candidate. They must survive all of its steps and keep the goal false.
    pub(super) fn answer(
        &mut self,
        candidate: &Candidate,
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Answered {
        let steps = candidate.inputs.len();
        if let Err(stop) = self.extend_to(steps, budget) {
            return Answered::Undecided(stop);
        }
        if self.unroller.len() > steps {
            // Impossible, since depths only grow.
            return Answered::Undecided(Stop::Bound);
        }
        let mut given = Vec::new();
        for &(latch, lit) in &self.bits.exist_latches {
            given.push(self.unroller.at(0, lit) ^ !candidate.initial[latch]);
        }
        for (step, row) in candidate.inputs.iter().enumerate() {
            for &(input, lit) in &self.bits.exist_inputs {
                given.push(self.unroller.at(step, lit) ^ !row[input]);
            }
        }
        let assumptions = lits(&mut self.search, &self.unroller.graph, &given);
        match self.search.solve(&assumptions, conflicts, budget) {
            Answer::Impossible => Answered::Confirmed,
            Answer::Undecided(stop) => Answered::Undecided(stop),
            Answer::Possible => {
                Answered::Refuted(self.refutation(steps, &given, conflicts, budget))
            }
        }
    }

    /// Returns the universal runs that the solver has just found, of `steps` steps, all choices and those that matter against this
    /// candidate. `given` are the candidate's literals.
    fn refutation(
        &mut self,
        steps: usize,
        given: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Refutation {
        let mut chosen = Vec::new();
        for &(latch, lit) in &self.bits.universal_latches {
            chosen.push((Place::Initial(latch), self.unroller.at(0, lit)));
        }
        for step in 0..steps {
            for &(input, lit) in &self.bits.universal_inputs {
                chosen.push((Place::Input(step, input), self.unroller.at(step, lit)));
            }
        }
        let own: Vec<Lit> = chosen
            .iter()
            .map(|&(_, lit)| lit ^ !self.search.gate_value(lit))
            .collect();
        let chosen: Vec<(Place, bool)> = chosen
            .iter()
            .map(|&(place, lit)| (place, self.search.gate_value(lit)))
            .collect();
        // With these choices the runs survive and avoid the goal. The blamed assumptions of the contradiction are the choices that matter.
        let graph = &self.unroller.graph;
        let mut assumptions = lits(&mut self.blame, graph, given);
        let choices = lits(&mut self.blame, graph, &own);
        assumptions.extend(&choices);
        assumptions.push(self.blame.lit(graph, self.harmless[steps]));
        let answer = self.blame.solve(&assumptions, conflicts, budget);
        let nothing = Counterexample {
            initial: vec![None; self.product.aig.latches().len()],
            inputs: vec![vec![None; self.product.aig.inputs().len()]; steps],
        };
        let (mut all, mut blamed) = (nothing.clone(), nothing);
        for ((place, value), choice) in chosen.into_iter().zip(choices) {
            let matters = answer != Answer::Impossible || self.blame.is_blamed(choice);
            all.set(place, value);
            if matters {
                blamed.set(place, value);
            }
        }
        Refutation { all, blamed }
    }
}

/// A bit that a universal copy chooses: the initial value of a latch, or an input (step, index).
#[derive(Clone, Copy)]
enum Place {
    Initial(usize),
    Input(usize, usize),
}

impl Counterexample {
    fn set(&mut self, place: Place, value: bool) {
        match place {
            Place::Initial(latch) => self.initial[latch] = Some(value),
            Place::Input(step, input) => self.inputs[step][input] = Some(value),
        }
    }
}

fn lits(encoder: &mut Encoder<Cadical>, graph: &Aig, gates: &[Lit]) -> Vec<SatLit> {
    gates.iter().map(|&gate| encoder.lit(graph, gate)).collect()
}
