//! The question and its proof, encoded over the steps of a naive product: existence of copies, goals, facts and states.

use hyperkill_evidence::proof::Fact;
use hyperkill_evidence::question::{Family, Goal, Pair, Question, StateBit};
use hyperkill_sat::{Lit as SatLit, Solver};

use super::naive::{Naive, Start, signed};
use super::path_state::PathState;

impl Naive<'_> {
    /// Asserts at a step the constraints of the copies that the question assumes to exist.
    pub(super) fn assume_existence(&mut self, step: usize) {
        for copy in 0..self.variants.len() {
            let assumed = match self.question {
                Question::Pair(pair) | Question::Family(Family { pair, .. }) => pair.assumed[copy],
                Question::Steered(steered) => copy >= steered.options.len(),
                Question::Composed(composed) => !composed.is_universal(copy),
            };
            if assumed {
                for constraint in &self.model.aig.constraints {
                    let lit = self.lit(step, copy, constraint.lit);
                    self.solver.add_clause(&[lit]);
                }
            }
        }
        if let Question::Composed(composed) = self.question {
            for asserted in super::formula::asserted(self, composed, step) {
                self.solver.add_clause(&[asserted]);
            }
        }
    }

    /// Asserts that the strategy finds a matching choice in this step and takes it; only for steps before the goal. Other questions get no
    /// clause.
    pub(super) fn assume_before(&mut self, step: usize) {
        if let Question::Steered(steered) = self.question {
            let matched = self.play(steered, step).matched;
            self.solver.add_clause(&[matched]);
        }
    }

    /// Returns a literal that implies the question's goal at this step, and can be true whenever the goal holds.
    pub(super) fn goal(&mut self, step: usize) -> SatLit {
        match self.question {
            Question::Pair(pair) | Question::Family(Family { pair, .. }) => {
                self.pair_goal(pair, step)
            }
            Question::Steered(steered) => self.play(steered, step).stuck,
            Question::Composed(composed) => super::formula::goal(self, composed, step),
        }
    }

    fn pair_goal(&mut self, pair: &Pair, step: usize) -> SatLit {
        let mut reasons = Vec::new();
        if matches!(
            pair.goal,
            Goal::OutputsDiffer | Goal::OutputsDifferOrBreaks(_)
        ) {
            for output in &self.model.aig.outputs {
                let a = self.lit(step, 0, output.lit);
                let b = self.lit(step, 1, output.lit);
                reasons.push(!self.same(a, b));
            }
        }
        if let Goal::Breaks(who) | Goal::OutputsDifferOrBreaks(who) = pair.goal {
            for constraint in &self.model.aig.constraints {
                reasons.push(!self.lit(step, who, constraint.lit));
            }
        }
        let none: Vec<SatLit> = reasons.into_iter().map(|reason| !reason).collect();
        !self.all(&none)
    }

    /// Returns a literal that is equivalent to the fact at this step.
    pub(super) fn fact(&mut self, fact: &Fact, step: usize) -> SatLit {
        match fact {
            Fact::Equal([a, b]) => {
                let (a, b) = (self.lit(step, a.copy, a.lit), self.lit(step, b.copy, b.lit));
                self.same(a, b)
            }
            Fact::SameUnless(copies, var, unless) => {
                let same = self.fact(&Fact::same(*copies, *var), step);
                let unless = self.lit(step, 0, *unless);
                !self.all(&[!same, !unless])
            }
            Fact::Clause(clause) => self.clause(clause, step),
        }
    }

    /// Returns a literal that is equivalent to the clause at this step. In a question about a strategy the clause does not apply to the
    /// first step.
    fn clause(&mut self, clause: &[(StateBit, bool)], step: usize) -> SatLit {
        let steered = matches!(self.question, Question::Steered(_));
        if steered && step == 0 && self.start == Start::First {
            return self.truth;
        }
        let mut all_fail = Vec::new();
        for &(bit, value) in clause {
            let positive = match bit {
                StateBit::Latch { copy, latch } => {
                    let lit = self.model.aig.latches()[latch].var.lit();
                    self.lit(step, copy, lit)
                }
                StateBit::Before { copy, lit } => {
                    signed(self.node_before(step, copy, lit.var()), lit)
                }
                StateBit::First => !self.truth,
            };
            all_fail.push(if value { !positive } else { positive });
        }
        !self.all(&all_fail)
    }

    /// Returns the values that make up the state before a step, which is not the first: with later choices they determine how runs
    /// continue.
    pub(super) fn state(&mut self, step: usize, path_state: &PathState) -> Vec<SatLit> {
        let mut state = Vec::new();
        for copy in 0..self.variants.len() {
            let steered = path_state.steered.get(copy);
            let known = steered.map_or(&path_state.latches[copy], |path_state| &path_state.latches);
            for &latch in known {
                let lit = self.model.aig.latches()[latch].var.lit();
                state.push(self.lit(step, copy, lit));
            }
            if let Some(path_state) = steered {
                for &var in &path_state.frontier {
                    state.push(self.node_before(step, copy, var));
                }
            }
        }
        if let Question::Steered(steered) = self.question
            && steered.remembers_choices()
        {
            for &bit in &steered.options[0].late {
                let node = self.model.aig.inputs()[bit].var;
                state.push(self.node_before(step, 1, node));
            }
        }
        state
    }

    /// Asserts that the states before the steps `i` and `j` differ.
    pub(super) fn assume_different_states(&mut self, i: usize, j: usize, path_state: &PathState) {
        let (one, other) = (self.state(i, path_state), self.state(j, path_state));
        let pairs = one.into_iter().zip(other);
        let differ: Vec<SatLit> = pairs.map(|(a, b)| !self.same(a, b)).collect();
        self.solver.add_clause(&differ);
    }
}
