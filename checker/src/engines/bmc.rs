//! Bounded model checking, incremental over depth: shortest runs first.
//!
//! Goals are assumptions; refuted goals become clauses; learned clauses persist between depths. Bounded search finds runs or raises the
//! refuted length; it never proves.

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::{Encoder, Start, Unroller};
use crate::question::{Found, Reachability};
use crate::schedule::efforts::Effort;

/// The answer of a bounded search for one length of runs, or for several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Depth {
    /// A run of this many steps reaches the goal.
    Reached(Found),
    /// No run of these lengths reaches the goal.
    Refuted,
    /// A limit of conflicts or the budget ended the search.
    Undecided(Stop),
}

/// Divisor of the refuted length: one solver call decides at most this part (1/8) of it, and one more, of further depths.
const STRIDES: usize = 8;

/// An incremental bounded search for runs that reach a question's goal.
pub struct Bmc<'a> {
    question: &'a Reachability,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
    /// For each step a literal of the unrolling: a run exists up to this step, with all assumptions.
    exists: Vec<Lit>,
    refuted: usize,
}

impl<'a> Bmc<'a> {
    /// Returns a bounded search that has not refuted any length.
    #[must_use]
    pub fn new(question: &'a Reachability) -> Bmc<'a> {
        Bmc::knowing(question, 0)
    }

    /// Returns a search that has not started, for which all runs of at most `refuted` steps are known not to reach the goal.
    #[must_use]
    pub fn knowing(question: &'a Reachability, refuted: usize) -> Bmc<'a> {
        Bmc {
            question,
            unroller: Unroller::new(&question.product, &question.roots(), Start::Reset),
            encoder: Encoder::new(Cadical::growing()),
            exists: Vec::new(),
            refuted,
        }
    }

    /// Returns the reachability question that the search decides.
    #[must_use]
    pub fn question(&self) -> &'a Reachability {
        self.question
    }

    /// Returns the largest n found so far such that no run of at most n steps reaches the goal.
    #[must_use]
    pub fn refuted(&self) -> usize {
        self.refuted
    }

    /// Returns the size of the unrolling in gates, which determines the cost of the next depths.
    #[must_use]
    pub fn size(&self) -> usize {
        self.unroller.graph.len()
    }

    /// Decides by one solver call whether a run of `refuted() + 1` steps reaches the goal. `conflicts` limits the call.
    pub fn deepen(&mut self, conflicts: Option<u32>, budget: &Budget) -> Depth {
        self.jump_to(self.refuted + 1, conflicts, budget)
    }

    /// Decides by one solver call whether a run of `refuted() + 1` to `last` steps reaches the goal. A run that it finds need not be a
    /// shortest one.
    pub fn jump_to(&mut self, last: usize, conflicts: Option<u32>, budget: &Budget) -> Depth {
        let first = self.refuted;
        if last <= first {
            return Depth::Refuted;
        }
        if let Err(stop) = self.extend_to(last - 1, budget) {
            return Depth::Undecided(stop);
        }
        // All runs in question have this length. Assumptions about later steps are part of the goal, since runs may end where they reach
        // it.
        let longest = if fault::planted(Fault::JumpedPastDeadEnds) {
            last - 1
        } else {
            first
        };
        self.encoder
            .require(&self.unroller.graph, &[self.exists[longest]]);
        let mut goals = Vec::new();
        let mut any = Lit::FALSE;
        for step in first..last {
            if let Some(stop) = budget.stopped() {
                return Depth::Undecided(stop);
            }
            let mut goal = self.unroller.at(step, self.question.goal);
            if fault::planted(Fault::OffByOneFrame) && step > 1 {
                goal = self.unroller.at(step - 1, self.question.goal);
            }
            let goal = self.unroller.graph.and(goal, self.exists[step]);
            goals.push(self.encoder.lit(&self.unroller.graph, goal));
            any = self.unroller.graph.or(any, goal);
        }
        if any == Lit::FALSE {
            self.refuted = last;
            return Depth::Refuted;
        }
        let assumption = self.encoder.lit(&self.unroller.graph, any);
        match self.encoder.solve(&[assumption], conflicts, budget) {
            Answer::Possible => {
                let reached = goals.iter().position(|&goal| self.encoder.value(goal));
                let steps = reached.map_or(last, |ahead| first + ahead + 1);
                Depth::Reached(self.read_runs(steps))
            }
            Answer::Impossible => {
                self.encoder.add_clause(&[!assumption]);
                self.refuted = last;
                Depth::Refuted
            }
            Answer::Undecided(stop) => Depth::Undecided(stop),
        }
    }

    /// Searches greater and greater depths until the effort is spent or a run is found; `None` if none is found. The run is a shortest one
    /// if all smaller depths are refuted, which a limit may have prevented.
    ///
    /// At greater depth one solver call is about several depths; about fewer if such calls are too hard.
    pub fn search(&mut self, effort: &Effort, budget: &Budget) -> Option<Found> {
        let mut until = effort.steps;
        let mut shortest_yet: Option<Found> = None;
        let mut stride = 1;
        let most = effort.conflicts_in_all.unwrap_or(u64::MAX);
        let until_conflict = self.encoder.solver().conflicts().saturating_add(most);
        while self.refuted < until && self.size() < effort.gates {
            let next = (self.refuted + stride).min(until);
            match self.jump_to(next, Some(effort.conflicts), budget) {
                Depth::Reached(found) => {
                    until = found.steps - 1;
                    shortest_yet = Some(found);
                }
                Depth::Refuted => stride = (2 * stride).min(1 + self.refuted / STRIDES),
                Depth::Undecided(stop) if stride == 1 || stop != Stop::Bound => break,
                Depth::Undecided(_) => stride /= 2,
            }
            if budget.stopped().is_some() || self.encoder.solver().conflicts() >= until_conflict {
                break;
            }
        }
        shortest_yet
    }

    /// Excludes runs on which this literal of the product is false in the first step.
    pub fn require_initially(&mut self, lit: Lit) {
        // One step is small, so no limit is needed.
        let _ = self.extend_to(0, &Budget::unlimited());
        let lit = self.unroller.at(0, lit);
        self.encoder.require(&self.unroller.graph, &[lit]);
    }

    /// Extends the unrolling and the literals `exists` to the step with index `last`.
    fn extend_to(&mut self, last: usize, budget: &Budget) -> Result<(), Stop> {
        for step in self.unroller.len()..=last {
            self.unroller.extend_within(step + 1, budget)?;
            let mut exists = self.exists.last().copied().unwrap_or(Lit::TRUE);
            for &lit in &self.question.always {
                if fault::planted(Fault::ForgottenConstraint) && step == 1 {
                    continue;
                }
                let lit = self.unroller.at(step, lit);
                exists = self.unroller.graph.and(exists, lit);
            }
            for &lit in self.question.before.iter().filter(|_| step > 0) {
                let lit = self.unroller.at(step - 1, lit);
                exists = self.unroller.graph.and(exists, lit);
            }
            self.exists.push(exists);
        }
        Ok(())
    }

    fn read_runs(&mut self, steps: usize) -> Found {
        let product = &self.question.product;
        let runs = product.copies.iter();
        let runs =
            runs.map(|copy| read_run(product, copy, &self.unroller, &mut self.encoder, steps));
        Found {
            steps,
            runs: runs.collect(),
        }
    }
}

/// Returns the run of a copy, `steps` steps long, from the solver's assignment to an unrolling; unread inputs are 0.
pub(crate) fn read_run(
    product: &Product,
    copy: &Copy,
    unroller: &Unroller<'_>,
    encoder: &mut Encoder<Cadical>,
    steps: usize,
) -> Stimulus {
    let mut bit = |lit: Option<Lit>, step: usize| {
        lit.filter(|lit| unroller.contains(lit.var()))
            .is_some_and(|lit| encoder.gate_value(unroller.at(step, lit)))
    };
    let latches = product.aig.latches();
    let mut state: Vec<bool> = latches
        .iter()
        .map(|latch| bit(Some(latch.var.lit()), 0))
        .collect();
    product.share_first_values(&mut state, |latch| unroller.contains(latches[latch].var));
    let initial = copy.latches.iter();
    let initial = initial.map(|latch| latch.is_some_and(|latch| state[latch]));
    let inputs = (0..steps).map(|step| copy.inputs.iter().map(|&lit| bit(lit, step)).collect());
    Stimulus {
        initial: initial.collect(),
        steps: inputs.collect(),
    }
}
