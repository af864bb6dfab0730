//! The outer solver: existential runs that no known strategy of the universal copies refutes.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_core::{Aig, Lit};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::Lit as SatLit;
use hyperkill_sat_cadical::Cadical;

use super::answer::{Answer, existential_input};
use super::play::Candidate;
use super::sides::Sides;
use super::strategy::Strategy;
use crate::engines::encode::{Encoder, Unrolling};

/// The answer of the solver that proposes existential runs (the outer solver), for runs of one length.
pub(super) enum Proposed {
    /// Runs that no known strategy refutes.
    Candidate(Candidate),
    /// Every run is refuted by a known strategy: there is no test of this length.
    None,
    /// No existential runs of this length exist, and so no longer ones.
    Over,
    /// A limit of conflicts or the budget ended the search.
    Undecided(Stop),
}

/// The steps of the universal copies under one strategy, as gates, for all existential runs.
struct Expansion<'a> {
    strategy: Strategy,
    unrolling: Unrolling<'a>,
    /// For each number of steps a literal that is true iff the universal runs break a constraint or reach the goal within them.
    harmless: Vec<Lit>,
}

/// The solver for existential runs that no expanded strategy refutes. Lengths and strategies are added to it incrementally.
pub(super) struct Candidates<'a> {
    product: &'a Product,
    sides: &'a Sides,
    graph: Aig,
    encoder: Encoder<Cadical>,
    exist: Unrolling<'a>,
    /// For each product latch the literal of its free initial value, if it is existential and read.
    initial: Vec<Option<Lit>>,
    /// For each step and product input its literal in the graph, if the input is existential and has been read.
    inputs: Vec<Vec<Option<Lit>>>,
    expansions: Vec<Expansion<'a>>,
    /// The current length of runs, and the literal that activates its clauses.
    asked: Option<(usize, SatLit)>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(product: &'a Product, sides: &'a Sides) -> Candidates<'a> {
        Candidates {
            product,
            sides,
            graph: Aig::new(),
            encoder: Encoder::new(Cadical::new()),
            exist: Unrolling::new(&product.aig, sides.exist.iter().copied()),
            initial: vec![None; product.aig.latches().len()],
            inputs: Vec::new(),
            expansions: Vec::new(),
            asked: None,
        }
    }

    /// Returns the number of gates of all expanded strategies and existential runs.
    pub(super) fn size(&self) -> usize {
        self.graph.len()
    }

    /// Whether the strategy has been expanded.
    pub(super) fn knows(&self, strategy: &Strategy) -> bool {
        self.expansions
            .iter()
            .any(|known| known.strategy == *strategy)
    }

    /// Adds a strategy as gates; further candidates must not be refuted by it.
    pub(super) fn expand(&mut self, strategy: Strategy, budget: &Budget) -> Result<(), Stop> {
        let roots: Vec<Lit> = self
            .sides
            .universal_roots()
            .chain(strategy.reads())
            .collect();
        self.expansions.push(Expansion {
            strategy,
            unrolling: Unrolling::new(&self.product.aig, roots),
            harmless: vec![Lit::FALSE],
        });
        if let Some((steps, active)) = self.asked {
            let last = self.expansions.len() - 1;
            self.withstand(last, steps, active, budget)?;
        }
        Ok(())
    }

    /// Asks the solver for runs of exactly `steps` steps that no expanded strategy refutes. `steps` must not be smaller than in earlier
    /// calls.
    pub(super) fn propose(
        &mut self,
        steps: usize,
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Proposed {
        let active = match self.asked {
            Some((asked, active)) if asked == steps => active,
            _ => match self.ask(steps, budget) {
                Ok(active) => active,
                Err(stop) => return Proposed::Undecided(stop),
            },
        };
        match self.encoder.solve(&[active], conflicts, budget) {
            hyperkill_sat::Answer::Possible => Proposed::Candidate(self.read(steps)),
            hyperkill_sat::Answer::Impossible if self.encoder.is_blamed(active) => Proposed::None,
            hyperkill_sat::Answer::Impossible => Proposed::Over,
            hyperkill_sat::Answer::Undecided(stop) => Proposed::Undecided(stop),
        }
    }

    /// Whether the solver shows that no existential runs of the last length exist, whatever the universal ones do.
    pub(super) fn are_over(&mut self, conflicts: Option<u32>, budget: &Budget) -> bool {
        // Without an activation literal, only the clauses about existential runs apply.
        let answer = self.encoder.solve(&[], conflicts, budget);
        answer == hyperkill_sat::Answer::Impossible
    }

    /// Changes the length of runs, deactivates the clauses of the last length, and returns the literal that activates the new ones.
    fn ask(&mut self, steps: usize, budget: &Budget) -> Result<SatLit, Stop> {
        if let Some((_, old)) = self.asked.take() {
            self.encoder.add_clause(&[!old]);
        }
        let active = self.encoder.fresh();
        self.inputs
            .resize(steps, vec![None; self.sides.universal_input.len()]);
        while self.exist.len() < steps {
            self.exist.check(budget)?;
            self.push_existential();
        }
        for index in 0..self.expansions.len() {
            self.withstand(index, steps, active, budget)?;
        }
        // Set only after all clauses of the depth have been added.
        self.asked = Some((steps, active));
        Ok(active)
    }

    fn push_existential(&mut self) {
        let step = self.exist.len();
        let state = match self.exist.next_state() {
            Some(state) => state,
            None => (0..self.initial.len())
                .map(|latch| self.first(latch))
                .collect(),
        };
        let inputs = &mut self.inputs;
        self.exist.push(&mut self.graph, &state, |graph, _, i| {
            existential_input(graph, inputs, step, i)
        });
        for &lit in &self.sides.exist {
            let lit = self.exist.at(step, lit);
            self.encoder.require(&self.graph, &[lit]);
        }
    }

    /// Returns the literal of the initial value of an existential latch.
    fn first(&mut self, latch: usize) -> Lit {
        match self.product.aig.latches()[latch].reset {
            Reset::Zero => Lit::FALSE,
            Reset::One => Lit::TRUE,
            Reset::Free => *self.initial[latch].get_or_insert_with(|| self.graph.add_input(None)),
        }
    }

    /// Adds a clause for this length: under the strategy of an expansion (by index), the universal runs break a constraint or reach the
    /// goal.
    fn withstand(
        &mut self,
        index: usize,
        steps: usize,
        active: SatLit,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let expansion = &mut self.expansions[index];
        if expansion.strategy.greedy && (1..steps).contains(&expansion.unrolling.len()) {
            // The last step of the expansion did not look ahead, so it is rebuilt.
            expansion.unrolling.pop();
            expansion.harmless.pop();
        }
        while self.expansions[index].unrolling.len() < steps {
            self.expansions[index].unrolling.check(budget)?;
            self.push_universal(index, steps);
        }
        let early = usize::from(fault::planted(Fault::OffByOneDepth));
        let harmless = self.expansions[index].harmless[steps - early];
        let harmless = self.encoder.lit(&self.graph, harmless);
        self.encoder.add_clause(&[!active, harmless]);
        Ok(())
    }

    fn push_universal(&mut self, index: usize, last: usize) {
        let state = match self.expansions[index].unrolling.next_state() {
            Some(state) => state,
            None => self.first_state(index),
        };
        let Candidates {
            graph,
            inputs,
            sides,
            ..
        } = self;
        let expansion = &mut self.expansions[index];
        let step = expansion.unrolling.len();
        let mut answer = Answer {
            strategy: &expansion.strategy,
            unrolling: &expansion.unrolling,
            graph,
            inputs,
            sides,
        };
        let nodes = if expansion.strategy.greedy {
            answer.greedily(&state, step, step + 1 < last)
        } else {
            answer.plainly(&state, step)
        };
        let fine = answer.fine(&nodes);
        if fault::planted(Fault::AssertedCounterexample) {
            for &lit in &sides.assumed {
                let lit = nodes.of(lit);
                self.encoder.require(graph, &[lit]);
            }
        }
        expansion.unrolling.push_nodes(nodes);
        // A run that breaks a constraint refutes no candidate, since its constraints are never asserted.
        let harmless = graph.or(expansion.harmless[step], !fine);
        expansion.harmless.push(harmless);
    }

    fn first_state(&mut self, index: usize) -> Vec<Lit> {
        let latches = self.product.aig.latches().len();
        let mut state: Vec<Lit> = (0..latches)
            .map(|latch| {
                if self.sides.universal_latch[latch] {
                    Lit::FALSE
                } else {
                    self.first(latch)
                }
            })
            .collect();
        for latch in 0..latches {
            if self.sides.universal_latch[latch] {
                let function = &self.expansions[index].strategy.initial[latch];
                let of = |lit: Lit| match self.product.aig.node(lit.var()) {
                    Node::Latch(i) => state[i as usize] ^ lit.is_negated(),
                    _ => Lit::FALSE,
                };
                state[latch] = function.image(&of);
            }
        }
        state
    }

    fn read(&mut self, steps: usize) -> Candidate {
        let mut value = |lit: Option<Lit>| lit.is_some_and(|lit| self.encoder.gate_value(lit));
        Candidate {
            initial: self.initial.iter().map(|&lit| value(lit)).collect(),
            inputs: self.inputs[..steps]
                .iter()
                .map(|row| row.iter().map(|&lit| value(lit)).collect())
                .collect(),
        }
    }
}
