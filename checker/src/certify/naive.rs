//! The naive product: for each step, copy and node of the circuit a variable of its own.

use hyperkill_core::aig::Node;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};

use super::memory::Memory;
use super::{constant, reset_value};
use crate::induction::Fact;
use crate::question::{Composed, Family, Goal, Pair, Question, StateBit, Steered};
use crate::sat::{Batsat, Lit as SatLit, Solver};

/// Which steps of a run are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// Those from the first on: step 0 starts in an initial state.
    First,
    /// Some in the middle: step 0 is not the first. In a question about a strategy it is preceded by a step of which
    /// only the circuit is known.
    Later,
}

/// Copies of a model, unrolled step by step into a fresh solver.
pub(super) struct Naive<'a> {
    pub(super) model: &'a ConditionalMutant,
    question: &'a Question,
    variants: Vec<Variant>,
    pub(super) start: Start,
    pub(super) solver: Batsat,
    pub(super) truth: SatLit,
    /// Step, copy, node; the preceding step, if there is one, comes first.
    steps: Vec<Vec<Vec<SatLit>>>,
    /// What is known of steps in a question about a strategy.
    pub(super) plays: Vec<super::strategy::Play>,
}

impl<'a> Naive<'a> {
    pub(super) fn new(
        model: &'a ConditionalMutant,
        question: &'a Question,
        start: Start,
    ) -> Naive<'a> {
        let mut solver = Batsat::new();
        let truth = solver.new_lit();
        solver.add_clause(&[truth]);
        let variants = match question {
            Question::Pair(pair) | Question::Family(Family { pair, .. }) => pair.variants.to_vec(),
            Question::Steered(steered) => {
                let mut variants = steered.variants().to_vec();
                variants.extend(&steered.witnesses);
                variants
            }
            Question::Composed(composed) => {
                composed.copies.iter().map(|spec| spec.variant).collect()
            }
        };
        let mut naive = Naive {
            model,
            question,
            variants,
            start,
            solver,
            truth,
            steps: Vec::new(),
            plays: Vec::new(),
        };
        naive.steps.extend((0..naive.lead()).map(|_| Vec::new()));
        for preceding in 0..naive.steps.len() {
            naive.steps[preceding] = naive.fresh_step(None);
        }
        naive
    }

    /// How many steps precede step 0.
    fn lead(&self) -> usize {
        match (self.question, self.start) {
            (Question::Steered(_), Start::Later) => 1,
            (Question::Steered(_), Start::First)
            | (Question::Pair(_) | Question::Composed(_) | Question::Family(_), _) => 0,
        }
    }

    /// One more step; its latches are tied to the step before, if there is one, or to their resets.
    pub(super) fn push_step(&mut self) {
        let before = self.steps.pop();
        let step = self.fresh_step(before.as_ref());
        if before.is_none() && self.start == Start::First {
            self.assume_reset(&step);
        }
        self.steps.extend(before);
        self.steps.push(step);
    }

    fn fresh_step(&mut self, before: Option<&Vec<Vec<SatLit>>>) -> Vec<Vec<SatLit>> {
        let aig = &self.model.aig;
        let mut copies: Vec<Vec<SatLit>> = Vec::new();
        for copy in 0..self.variants.len() {
            let mut nodes = Vec::new();
            for (var, _) in aig.nodes() {
                let lit = self.solver.new_lit();
                debug_assert_eq!(nodes.len(), var.index());
                nodes.push(lit);
            }
            // What is fixed first: the solver drops clauses that are satisfied when they are added.
            self.fix_selectors(copy, &nodes);
            if let Some(before) = before {
                let before = &before[copy];
                for latch in aig.latches() {
                    let next = signed(before[latch.next.var().index()], latch.next);
                    equal(&mut self.solver, nodes[latch.var.index()], next);
                }
            }
            self.tie_gates(&nodes);
            copies.push(nodes);
        }
        if let Question::Composed(composed) = self.question {
            self.share(composed, &copies);
        } else if let Some((first, others)) = copies.split_first() {
            for other in others {
                for bit in self.model.input_bits() {
                    let node = aig.inputs()[bit].var.index();
                    equal(&mut self.solver, first[node], other[node]);
                }
            }
        }
        match self.question {
            Question::Pair(pair) | Question::Family(Family { pair, .. }) if pair.shared_choices => {
                for bit in self.model.choice_bits() {
                    let node = aig.inputs()[bit].var.index();
                    equal(&mut self.solver, copies[0][node], copies[1][node]);
                }
            }
            Question::Pair(_) | Question::Composed(_) | Question::Family(_) => {}
            Question::Steered(steered) => self.leave_choices(steered, &copies),
        }
        copies
    }

    /// Inputs and choices are those of the copies that have them.
    fn share(&mut self, composed: &Composed, copies: &[Vec<SatLit>]) {
        let inputs = self.model.aig.inputs();
        for (spec, nodes) in composed.copies.iter().zip(copies) {
            let model = self.model;
            let shared = [
                (spec.inputs_of, model.input_bits().collect::<Vec<usize>>()),
                (spec.choices_of, model.choice_bits().collect()),
            ];
            for (of, bits) in shared {
                for bit in of
                    .into_iter()
                    .flat_map(|of| bits.iter().map(move |bit| (of, bit)))
                {
                    let node = inputs[*bit.1].var.index();
                    equal(&mut self.solver, copies[bit.0][node], nodes[node]);
                }
            }
        }
    }

    /// Choices that a strategy may not make are 0.
    fn leave_choices(&mut self, steered: &Steered, copies: &[Vec<SatLit>]) {
        for (options, nodes) in steered.options.iter().zip(copies) {
            for bit in self.model.choice_bits() {
                if !options.early.contains(&bit) && !options.late.contains(&bit) {
                    let node = self.model.aig.inputs()[bit].var.index();
                    self.solver.add_clause(&[!nodes[node]]);
                }
            }
        }
    }

    fn tie_gates(&mut self, nodes: &[SatLit]) {
        for (var, node) in self.model.aig.nodes() {
            let out = nodes[var.index()];
            match node {
                Node::False => self.solver.add_clause(&[!out]),
                Node::And(a, b) => {
                    let a = signed(nodes[a.var().index()], a);
                    let b = signed(nodes[b.var().index()], b);
                    self.tie_and(out, a, b);
                }
                Node::Input(_) | Node::Latch(_) => {}
            }
        }
    }

    pub(super) fn tie_and(&mut self, out: SatLit, a: SatLit, b: SatLit) {
        self.solver.add_clause(&[!out, a]);
        self.solver.add_clause(&[!out, b]);
        self.solver.add_clause(&[out, !a, !b]);
    }

    fn fix_selectors(&mut self, copy: usize, nodes: &[SatLit]) {
        if let (Question::Family(family), 1) = (self.question, copy) {
            self.choose_member(&family.members, nodes);
            return;
        }
        for (i, selector) in self.model.selectors.iter().enumerate() {
            if let Question::Composed(composed) = self.question
                && composed.may_be_either(copy)
                && i == composed.mutant
            {
                continue;
            }
            let lit = nodes[self.model.aig.latches()[selector.latch].var.index()];
            let on = self.variants[copy] == Variant::Mutant(i);
            self.solver.add_clause(&[if on { lit } else { !lit }]);
        }
    }

    /// Exactly one of a family's selectors is on.
    fn choose_member(&mut self, members: &[usize], nodes: &[SatLit]) {
        let mut chosen = Vec::new();
        for (i, selector) in self.model.selectors.iter().enumerate() {
            let lit = nodes[self.model.aig.latches()[selector.latch].var.index()];
            if members.contains(&i) {
                chosen.push(lit);
            } else {
                self.solver.add_clause(&[!lit]);
            }
        }
        self.solver.add_clause(&chosen);
        for (i, &one) in chosen.iter().enumerate() {
            for &other in &chosen[..i] {
                self.solver.add_clause(&[!one, !other]);
            }
        }
    }

    /// The step starts in an initial state of all copies.
    fn assume_reset(&mut self, copies: &[Vec<SatLit>]) {
        let selectors = self.model.selector_of_latch();
        for (i, latch) in self.model.aig.latches().iter().enumerate() {
            if selectors[i].is_some() {
                continue;
            }
            let node = latch.var.index();
            for (copy, nodes) in copies.iter().enumerate() {
                match (reset_value(latch.reset, nodes[node]), self.question) {
                    (Some(required), _) => self.solver.add_clause(&[required]),
                    (None, Question::Pair(pair) | Question::Family(Family { pair, .. }))
                        if pair.shared_choices =>
                    {
                        equal(&mut self.solver, copies[0][node], nodes[node]);
                    }
                    (None, Question::Pair(_) | Question::Family(_)) => {}
                    (None, Question::Composed(composed)) => {
                        if let Some(of) = composed.copies[copy].choices_of {
                            equal(&mut self.solver, copies[of][node], nodes[node]);
                        }
                    }
                    (None, Question::Steered(steered)) => {
                        let options = steered.options.get(copy);
                        if options.is_some_and(|options| !options.initial.contains(&i)) {
                            self.solver.add_clause(&[!nodes[node]]);
                        }
                    }
                }
            }
        }
    }

    /// The variables of a copy's nodes at a step.
    pub(super) fn nodes(&self, step: usize, copy: usize) -> &[SatLit] {
        &self.steps[step + self.lead()][copy]
    }

    /// The variables of a copy's nodes at the step before, which must exist.
    pub(super) fn nodes_before(&self, step: usize, copy: usize) -> &[SatLit] {
        &self.steps[step + self.lead() - 1][copy]
    }

    /// The value of a circuit literal, given those of the nodes.
    pub(super) fn value(&self, nodes: &[SatLit], lit: Lit) -> SatLit {
        match constant(lit) {
            Some(true) => self.truth,
            Some(false) => !self.truth,
            None => signed(nodes[lit.var().index()], lit),
        }
    }

    pub(super) fn lit(&self, step: usize, copy: usize, lit: Lit) -> SatLit {
        self.value(self.nodes(step, copy), lit)
    }

    /// The constraints of the assumed copies hold at this step.
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

    /// What a step before the goal must be: the strategy has found a choice, and takes it. Nothing in other questions.
    pub(super) fn assume_before(&mut self, step: usize) {
        if let Question::Steered(steered) = self.question {
            let matched = self.play(steered, step).matched;
            self.solver.add_clause(&[matched]);
        }
    }

    /// A literal that is true only if the question's goal holds at this step, and can be true whenever it does.
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

    /// A literal equivalent to `a ↔ b`.
    pub(super) fn same(&mut self, a: SatLit, b: SatLit) -> SatLit {
        let same = self.solver.new_lit();
        self.solver.add_clause(&[!same, a, !b]);
        self.solver.add_clause(&[!same, !a, b]);
        self.solver.add_clause(&[same, a, b]);
        self.solver.add_clause(&[same, !a, !b]);
        same
    }

    /// A literal equivalent to the conjunction.
    pub(super) fn all(&mut self, lits: &[SatLit]) -> SatLit {
        let all = self.solver.new_lit();
        let mut some_fails = vec![all];
        for &lit in lits {
            self.solver.add_clause(&[!all, lit]);
            some_fails.push(!lit);
        }
        self.solver.add_clause(&some_fails);
        all
    }

    /// A literal equivalent to the fact at this step.
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

    /// A literal equivalent to the clause at this step; in a question about a strategy it says nothing of the first step.
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
                StateBit::Before { copy, lit } => self.value(self.nodes_before(step, copy), lit),
                StateBit::First => !self.truth,
            };
            all_fail.push(if value { !positive } else { positive });
        }
        !self.all(&all_fail)
    }

    /// What decides, together with the choices to come, how runs can go on from a step that is not the first.
    pub(super) fn state(&self, step: usize, memory: &Memory) -> Vec<SatLit> {
        let mut state = Vec::new();
        for copy in 0..self.variants.len() {
            let steered = memory.steered.get(copy);
            let known = steered.map_or(&memory.latches, |memory| &memory.latches);
            for &latch in known {
                let lit = self.model.aig.latches()[latch].var.lit();
                state.push(self.lit(step, copy, lit));
            }
            if let Some(memory) = steered {
                let frontier = memory.frontier.iter();
                state.extend(frontier.map(|var| self.nodes_before(step, copy)[var.index()]));
            }
        }
        if let Question::Steered(steered) = self.question
            && steered.remembers_choices()
        {
            for &bit in &steered.options[0].late {
                let node = self.model.aig.inputs()[bit].var.index();
                state.push(self.nodes_before(step, 1)[node]);
            }
        }
        state
    }

    /// The states at two steps differ in something.
    pub(super) fn assume_different_states(&mut self, i: usize, j: usize, memory: &Memory) {
        let pairs = self.state(i, memory).into_iter().zip(self.state(j, memory));
        let differ: Vec<SatLit> = pairs.map(|(a, b)| !self.same(a, b)).collect();
        self.solver.add_clause(&differ);
    }
}

pub(super) fn signed(positive: SatLit, lit: Lit) -> SatLit {
    if lit.is_negated() {
        !positive
    } else {
        positive
    }
}

pub(super) fn equal(solver: &mut Batsat, a: SatLit, b: SatLit) {
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[a, !b]);
}
