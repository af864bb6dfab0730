//! The naive product: for each step, copy and node of the circuit a variable of its own.

use hyperkill_core::aig::Node;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};

use super::{constant, reset_value};
use crate::induction::Fact;
use crate::question::{Goal, Question};
use crate::sat::{Cadical, Lit as SatLit, Solver};

/// Two copies of a model, unrolled step by step into a fresh solver.
pub(super) struct Naive<'a> {
    model: &'a ConditionalMutant,
    question: &'a Question,
    pub(super) solver: Cadical,
    truth: SatLit,
    /// Step, copy, node.
    steps: Vec<[Vec<SatLit>; 2]>,
}

impl<'a> Naive<'a> {
    pub(super) fn new(model: &'a ConditionalMutant, question: &'a Question) -> Naive<'a> {
        let mut solver = Cadical::new();
        let truth = solver.new_lit();
        solver.add_clause(&[truth]);
        Naive {
            model,
            question,
            solver,
            truth,
            steps: Vec::new(),
        }
    }

    /// One more step; its latches are tied to the step before, if there is one.
    pub(super) fn push_step(&mut self) {
        let aig = &self.model.aig;
        let mut copies: [Vec<SatLit>; 2] = [Vec::new(), Vec::new()];
        for (copy, nodes) in copies.iter_mut().enumerate() {
            for (var, _) in aig.nodes() {
                let lit = self.solver.new_lit();
                debug_assert_eq!(nodes.len(), var.index());
                nodes.push(lit);
            }
            self.tie_gates(nodes);
            self.fix_selectors(copy, nodes);
            if let Some(before) = self.steps.last() {
                let before = &before[copy];
                for latch in aig.latches() {
                    let next = signed(before[latch.next.var().index()], latch.next);
                    equal(&mut self.solver, nodes[latch.var.index()], next);
                }
            }
        }
        let [first, second] = &copies;
        let test_inputs = self.model.input_bits();
        let choices = self.model.choice_bits();
        for bit in test_inputs {
            let node = aig.inputs()[bit].var.index();
            equal(&mut self.solver, first[node], second[node]);
        }
        if self.question.shared_choices {
            for bit in choices {
                let node = aig.inputs()[bit].var.index();
                equal(&mut self.solver, first[node], second[node]);
            }
        }
        self.steps.push(copies);
    }

    fn tie_gates(&mut self, nodes: &[SatLit]) {
        for (var, node) in self.model.aig.nodes() {
            let out = nodes[var.index()];
            match node {
                Node::False => self.solver.add_clause(&[!out]),
                Node::And(a, b) => {
                    let a = signed(nodes[a.var().index()], a);
                    let b = signed(nodes[b.var().index()], b);
                    self.solver.add_clause(&[!out, a]);
                    self.solver.add_clause(&[!out, b]);
                    self.solver.add_clause(&[out, !a, !b]);
                }
                Node::Input(_) | Node::Latch(_) => {}
            }
        }
    }

    fn fix_selectors(&mut self, copy: usize, nodes: &[SatLit]) {
        for (i, selector) in self.model.selectors.iter().enumerate() {
            let lit = nodes[self.model.aig.latches()[selector.latch].var.index()];
            let on = self.question.variants[copy] == Variant::Mutant(i);
            self.solver.add_clause(&[if on { lit } else { !lit }]);
        }
    }

    /// Step 0 is an initial state of both copies.
    pub(super) fn assume_reset(&mut self) {
        let selectors = self.model.selector_of_latch();
        for (i, latch) in self.model.aig.latches().iter().enumerate() {
            if selectors[i].is_some() {
                continue;
            }
            let node = latch.var.index();
            let firsts = [self.steps[0][0][node], self.steps[0][1][node]];
            for first in firsts {
                match reset_value(latch.reset, first) {
                    Some(required) => self.solver.add_clause(&[required]),
                    None if self.question.shared_choices => {
                        equal(&mut self.solver, firsts[0], firsts[1]);
                    }
                    None => {}
                }
            }
        }
    }

    fn lit(&self, step: usize, copy: usize, lit: Lit) -> SatLit {
        match constant(lit) {
            Some(true) => self.truth,
            Some(false) => !self.truth,
            None => signed(self.steps[step][copy][lit.var().index()], lit),
        }
    }

    /// The constraints of the assumed copies hold at this step.
    pub(super) fn assume_existence(&mut self, step: usize) {
        for copy in 0..2 {
            if self.question.assumed[copy] {
                for constraint in &self.model.aig.constraints {
                    let lit = self.lit(step, copy, constraint.lit);
                    self.solver.add_clause(&[lit]);
                }
            }
        }
    }

    /// A literal that is true only if the question's goal holds at this step, and can be true whenever it does.
    pub(super) fn goal(&mut self, step: usize) -> SatLit {
        let mut reasons = Vec::new();
        if matches!(
            self.question.goal,
            Goal::OutputsDiffer | Goal::OutputsDifferOrBreaks(_)
        ) {
            for output in &self.model.aig.outputs {
                let a = self.lit(step, 0, output.lit);
                let b = self.lit(step, 1, output.lit);
                let differ = self.solver.new_lit();
                self.solver.add_clause(&[!differ, a, b]);
                self.solver.add_clause(&[!differ, !a, !b]);
                self.solver.add_clause(&[differ, !a, b]);
                self.solver.add_clause(&[differ, a, !b]);
                reasons.push(differ);
            }
        }
        if let Goal::Breaks(who) | Goal::OutputsDifferOrBreaks(who) = self.question.goal {
            for constraint in &self.model.aig.constraints {
                reasons.push(!self.lit(step, who, constraint.lit));
            }
        }
        let goal = self.solver.new_lit();
        for &reason in &reasons {
            self.solver.add_clause(&[goal, !reason]);
        }
        reasons.push(!goal);
        self.solver.add_clause(&reasons);
        goal
    }

    /// A literal equivalent to the fact at this step.
    pub(super) fn fact(&mut self, fact: &Fact, step: usize) -> SatLit {
        let holds = self.solver.new_lit();
        match fact {
            Fact::Same(var) => {
                let a = self.lit(step, 0, var.lit());
                let b = self.lit(step, 1, var.lit());
                self.solver.add_clause(&[!holds, a, !b]);
                self.solver.add_clause(&[!holds, !a, b]);
                self.solver.add_clause(&[holds, a, b]);
                self.solver.add_clause(&[holds, !a, !b]);
            }
            Fact::SameUnless(var, unless) => {
                let same = self.fact(&Fact::Same(*var), step);
                let unless = self.lit(step, 0, *unless);
                self.solver.add_clause(&[holds, !same]);
                self.solver.add_clause(&[holds, !unless]);
                self.solver.add_clause(&[!holds, same, unless]);
            }
        }
        holds
    }

    /// The states at two steps differ in some latch of some copy.
    pub(super) fn assume_different_states(&mut self, i: usize, j: usize, latches: &[usize]) {
        let mut clause = Vec::new();
        for copy in 0..2 {
            for &latch in latches {
                let lit = self.model.aig.latches()[latch].var.lit();
                let (a, b) = (self.lit(i, copy, lit), self.lit(j, copy, lit));
                let differ = self.solver.new_lit();
                self.solver.add_clause(&[!differ, a, b]);
                self.solver.add_clause(&[!differ, !a, !b]);
                clause.push(differ);
            }
        }
        self.solver.add_clause(&clause);
    }
}

fn signed(positive: SatLit, lit: Lit) -> SatLit {
    if lit.is_negated() {
        !positive
    } else {
        positive
    }
}

fn equal(solver: &mut Cadical, a: SatLit, b: SatLit) {
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[a, !b]);
}
