//! The naive product: a variable for each step, copy and node of the circuit. Nodes share a variable only if they are gates with identical
//! operands, or if a fact says that they are equal.

mod lemmas;
mod play;
mod strategy;

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::proof::{Fact, Site};
use hyperkill_evidence::question::{Family, Question};
use hyperkill_sat::{Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;
use rustc_hash::FxHashMap;

use play::Play;

use super::meaning::{meanings_of, variants_of};

/// The part of a run that a check covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// Step 0 is the first step of a run: it starts in an initial state.
    First,
    /// Step 0 is not the first step of a run. In a question about a strategy it is preceded by a step of which only the circuit is known.
    Later,
}

/// Copies of a model, unrolled step by step into a fresh solver. A node gets its variable and its defining clauses when it is first read.
pub(super) struct Naive<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) question: &'a Question,
    pub(super) variants: Vec<Variant>,
    pub(super) start: Start,
    pub(super) solver: Batsat,
    pub(super) truth: SatLit,
    /// Per circuit input, whether it is a choice; per latch, whether it is a selector.
    is_choice: Vec<bool>,
    is_selector: Vec<bool>,
    /// For each copy and node the literal that the node is equal to under the copy's selectors.
    meanings: Vec<Vec<Lit>>,
    /// By step, copy and node, the literal of an encoded node. The step before step 0, if there is one, comes first.
    steps: Vec<Vec<Vec<Option<SatLit>>>>,
    /// The literals of the encoded gates, by their two operands.
    gates: FxHashMap<(SatLit, SatLit), SatLit>,
    /// The steps of the strategy, in a question about one.
    pub(super) plays: Vec<Play>,
    /// The limit on conflicts of hard checks; unlimited if `None`.
    pub(super) conflicts: Option<u32>,
}

/// A node of a copy in a step.
#[derive(Clone, Copy)]
struct Place {
    /// The step, counted from the step before step 0 if there is one.
    step: usize,
    copy: usize,
    node: Var,
}

/// The definition of a node in terms of others.
enum Definition {
    Constant(bool),
    Same(Place, bool),
    And([(Place, bool); 2]),
    /// Not determined by other nodes, so both values are possible.
    Free,
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
        let variants = variants_of(question);
        let meanings = meanings_of(model, question, |_, _| None);
        let mut is_choice = vec![false; model.aig.inputs().len()];
        for bit in model.choice_bits() {
            is_choice[bit] = true;
        }
        let selectors = model.selector_of_latch();
        let is_selector = selectors.iter().map(Option::is_some).collect();
        let mut naive = Naive {
            model,
            question,
            variants,
            start,
            solver,
            truth,
            is_choice,
            is_selector,
            meanings,
            steps: Vec::new(),
            gates: FxHashMap::default(),
            plays: Vec::new(),
            conflicts: None,
        };
        for _ in 0..naive.lead() {
            naive.push_step();
        }
        naive
    }

    /// Returns the number of steps that are encoded before step 0: one in a later step of a strategy, else none.
    fn lead(&self) -> usize {
        match (self.question, self.start) {
            (Question::Steered(_), Start::Later) => 1,
            (Question::Steered(_), Start::First)
            | (Question::Pair(_) | Question::Composed(_) | Question::Family(_), _) => 0,
        }
    }

    /// Adds a step to the product. Its latches have the next values of the step before, or their resets in the first one.
    pub(super) fn push_step(&mut self) {
        let nodes = vec![None; self.model.aig.len()];
        self.steps.push(vec![nodes; self.variants.len()]);
        if let (Question::Family(family), 1) = (self.question, self.steps.len()) {
            self.choose_member(&family.members);
        }
    }

    /// Asserts that exactly one of a family's selectors is on. Selectors never change.
    fn choose_member(&mut self, members: &[SelectorId]) {
        let selectors = members.iter().map(|&member| {
            let selector = &self.model.selectors[member.0];
            self.model.aig.latches()[selector.latch].var
        });
        let selectors: Vec<Var> = selectors.collect();
        let chosen: Vec<SatLit> = selectors.iter().map(|&var| self.node(0, 1, var)).collect();
        self.solver.add_clause(&chosen);
        for (i, &one) in chosen.iter().enumerate() {
            for &other in &chosen[..i] {
                self.solver.add_clause(&[!one, !other]);
            }
        }
    }

    /// Returns the literal of a copy's node at a step, which is encoded if necessary.
    pub(super) fn node(&mut self, step: usize, copy: usize, node: Var) -> SatLit {
        let step = step + self.lead();
        self.write_down(Place { step, copy, node })
    }

    /// Returns the literal of a copy's node at the step before this one, which must exist.
    pub(super) fn node_before(&mut self, step: usize, copy: usize, node: Var) -> SatLit {
        let step = step + self.lead() - 1;
        self.write_down(Place { step, copy, node })
    }

    /// Whether a node of a copy at a step is undetermined and not encoded yet.
    fn is_free(&self, place: Place) -> bool {
        self.known(place).is_none() && matches!(self.definition(place), Definition::Free)
    }

    /// Merges latches and inputs of a new step that these facts say are equal and that nothing determines: both get the same variable.
    /// Nodes that are built alike on them are then shared.
    pub(super) fn merge_leaves(&mut self, facts: &[Fact], step: usize) {
        for fact in facts {
            let Fact::Equal([kept, gone]) = fact else {
                continue;
            };
            let at = |site: &Site| Place {
                step: step + self.lead(),
                copy: site.copy,
                node: site.lit.var(),
            };
            let (place, other) = (at(gone), at(kept));
            let is_leaf =
                kept.lit.is_constant() || self.known(other).is_some() || self.is_free(other);
            if place.copy == other.copy && place.node == other.node
                || !is_leaf
                || !self.is_free(place)
            {
                continue;
            }
            self.replace(step, *gone, *kept);
        }
    }

    /// Replaces a literal of a step by an equal one in everything that is encoded later.
    pub(super) fn replace(&mut self, step: usize, gone: Site, kept: Site) {
        let lit = self.lit(step, kept.copy, kept.lit);
        let lit = if gone.lit.is_negated() { !lit } else { lit };
        let step = step + self.lead();
        self.steps[step][gone.copy][gone.lit.var().index()] = Some(lit);
    }

    /// Returns the literals of all nodes of a copy at a step, by index.
    pub(super) fn nodes(&mut self, step: usize, copy: usize) -> Vec<SatLit> {
        let aig = &self.model.aig;
        aig.nodes()
            .map(|(var, _)| self.node(step, copy, var))
            .collect()
    }

    /// Returns the literals of all nodes of a copy at the step before this one, which must exist.
    pub(super) fn nodes_before(&mut self, step: usize, copy: usize) -> Vec<SatLit> {
        let aig = &self.model.aig;
        let nodes = aig.nodes();
        nodes
            .map(|(var, _)| self.node_before(step, copy, var))
            .collect()
    }

    fn known(&self, place: Place) -> Option<SatLit> {
        self.steps[place.step][place.copy][place.node.index()]
    }

    /// Encodes a node and the nodes that it depends on, and returns its literal.
    fn write_down(&mut self, wanted: Place) -> SatLit {
        let mut due = vec![wanted];
        loop {
            let Some(&place) = due.last() else {
                return self.known(wanted).unwrap_or(self.truth);
            };
            if self.known(place).is_some() {
                due.pop();
                continue;
            }
            let lit = match self.definition(place) {
                Definition::Constant(value) => Some(if value { self.truth } else { !self.truth }),
                Definition::Free => Some(self.solver.new_lit()),
                Definition::Same(other, negated) => {
                    let lit = self.operand(other, negated);
                    due.extend(lit.is_none().then_some(other));
                    lit
                }
                Definition::And([a, b]) => match (self.operand(a.0, a.1), self.operand(b.0, b.1)) {
                    (Some(a), Some(b)) => Some(self.and(a, b)),
                    (first, second) => {
                        due.extend(first.is_none().then_some(a.0));
                        due.extend(second.is_none().then_some(b.0));
                        None
                    }
                },
            };
            if let Some(lit) = lit {
                self.steps[place.step][place.copy][place.node.index()] = Some(lit);
                due.pop();
            }
        }
    }

    /// Returns the conjunction of two literals. A gate with these operands that is encoded already is shared.
    fn and(&mut self, a: SatLit, b: SatLit) -> SatLit {
        if a == b || b == self.truth {
            return a;
        }
        if a == self.truth {
            return b;
        }
        if a == !b || a == !self.truth || b == !self.truth {
            return !self.truth;
        }
        let operands = if a < b { (a, b) } else { (b, a) };
        if let Some(&out) = self.gates.get(&operands) {
            return out;
        }
        let out = self.solver.new_lit();
        self.tie_and(out, a, b);
        self.gates.insert(operands, out);
        out
    }

    fn operand(&self, place: Place, negated: bool) -> Option<SatLit> {
        let lit = self.known(place)?;
        Some(if negated { !lit } else { lit })
    }

    fn definition(&self, place: Place) -> Definition {
        let aig = &self.model.aig;
        let meaning = self.meanings[place.copy][place.node.index()];
        if let Some(value) = meaning.as_constant() {
            return Definition::Constant(value);
        }
        let beside = |lit: Lit| {
            let node = lit.var();
            (Place { node, ..place }, lit.is_negated())
        };
        if meaning != place.node.lit() {
            let (other, negated) = beside(meaning);
            return Definition::Same(other, negated);
        }
        match aig.node(place.node) {
            Node::False => Definition::Constant(false),
            Node::And(a, b) => Definition::And([beside(a), beside(b)]),
            Node::Input(input) => self.input(place, input as usize),
            Node::Latch(latch) if place.step > 0 => {
                let (next, negated) = beside(aig.latches()[latch as usize].next);
                let step = place.step - 1;
                Definition::Same(Place { step, ..next }, negated)
            }
            Node::Latch(latch) if self.start == Start::First => self.reset(place, latch as usize),
            Node::Latch(_) => Definition::Free,
        }
    }

    /// Returns the definition of an input or choice of a copy. If the copy shares it with another copy, it is that copy's. Choices that a
    /// strategy may not make are 0.
    fn input(&self, place: Place, input: usize) -> Definition {
        let is_choice = self.is_choice[input];
        let of = match self.question {
            Question::Pair(pair) | Question::Family(Family { pair, .. }) => {
                (!is_choice || pair.shared_choices).then_some(0)
            }
            Question::Steered(steered) => {
                let options = steered.options.get(place.copy);
                let may_choose = options.is_none_or(|options| {
                    options.early.contains(&input) || options.late.contains(&input)
                });
                if is_choice && !may_choose {
                    return Definition::Constant(false);
                }
                (!is_choice).then_some(0)
            }
            Question::Composed(composed) => {
                let spec = &composed.copies[place.copy];
                if is_choice {
                    spec.choices_of
                } else {
                    spec.inputs_of
                }
            }
        };
        self.shared(place, of)
    }

    /// Returns the definition of a latch's first value: its reset value, or the free value of the copy that it is shared with.
    fn reset(&self, place: Place, latch: usize) -> Definition {
        let of = match (self.model.aig.latches()[latch].reset, self.question) {
            _ if self.is_selector[latch] => None,
            (Reset::Zero, _) => return Definition::Constant(false),
            (Reset::One, _) => return Definition::Constant(true),
            (Reset::Free, Question::Pair(pair) | Question::Family(Family { pair, .. })) => {
                pair.shared_choices.then_some(0)
            }
            (Reset::Free, Question::Composed(composed)) => composed.copies[place.copy].choices_of,
            (Reset::Free, Question::Steered(steered)) => {
                let options = steered.options.get(place.copy);
                if options.is_some_and(|options| !options.initial.contains(&latch)) {
                    return Definition::Constant(false);
                }
                None
            }
        };
        self.shared(place, of)
    }

    fn shared(&self, place: Place, of: Option<usize>) -> Definition {
        match of {
            Some(copy) if copy != place.copy => Definition::Same(Place { copy, ..place }, false),
            _ => Definition::Free,
        }
    }

    pub(super) fn tie_and(&mut self, out: SatLit, a: SatLit, b: SatLit) {
        self.solver.add_clause(&[!out, a]);
        self.solver.add_clause(&[!out, b]);
        self.solver.add_clause(&[out, !a, !b]);
    }

    /// Returns the solver literal of a circuit literal, given the literals of the nodes.
    pub(super) fn value(&self, nodes: &[SatLit], lit: Lit) -> SatLit {
        match lit.as_constant() {
            Some(true) => self.truth,
            Some(false) => !self.truth,
            None => signed(nodes[lit.var().index()], lit),
        }
    }

    /// Returns the value of a circuit literal of a copy at a step.
    pub(super) fn lit(&mut self, step: usize, copy: usize, lit: Lit) -> SatLit {
        signed(self.node(step, copy, lit.var()), lit)
    }

    /// Returns a literal that is equivalent to `a ↔ b`.
    pub(super) fn same(&mut self, a: SatLit, b: SatLit) -> SatLit {
        if a == b || a == !b {
            return if a == b { self.truth } else { !self.truth };
        }
        let same = self.solver.new_lit();
        self.solver.add_clause(&[!same, a, !b]);
        self.solver.add_clause(&[!same, !a, b]);
        self.solver.add_clause(&[same, a, b]);
        self.solver.add_clause(&[same, !a, !b]);
        same
    }

    /// Returns a literal that is equivalent to the conjunction.
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
