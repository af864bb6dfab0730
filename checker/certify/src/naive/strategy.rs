//! A step of a strategy in the naive product: each assignment of choices is encoded with its own variables.

use std::collections::BTreeMap;

use hyperkill_core::Lit;
use hyperkill_core::aig::Node;
use hyperkill_evidence::question::{Assignment, Preference, Steered, When};
use hyperkill_sat::{Lit as SatLit, Solver};

use super::play::Play;
use super::{Naive, Start, signed};

/// A tentative step of one copy: the literals of its nodes under an assignment of choices.
struct Try(Vec<SatLit>);

impl Naive<'_> {
    /// Returns the strategy's step, which is encoded at the first request. Steps must be requested in order.
    pub(crate) fn play(&mut self, question: &Steered, step: usize) -> Play {
        while self.plays.len() <= step {
            let play = self.encode_play(question, self.plays.len());
            self.plays.push(play);
        }
        self.plays[step]
    }

    fn encode_play(&mut self, question: &Steered, step: usize) -> Play {
        let when = if step == 0 && self.start == Start::First {
            When::First
        } else {
            When::Later
        };
        let sizes = question.bits(when);
        let own = self.chosen(question, step, when);
        let mut stuck = self.truth;
        let mut tries: BTreeMap<(usize, Vec<bool>), Try> = BTreeMap::new();
        for way in question.ways(when) {
            let (bits, holds) = match way.choice {
                Assignment::Copied => {
                    let bits = self.copied(question, step, when);
                    let tried = self.attempt(question, 0, step, when, &bits);
                    let holds = self.agreement(&[&tried], step);
                    let alike = self.alike(question, &[&tried], step, when, way.alike);
                    (bits, self.all(&[holds, alike]))
                }
                Assignment::Constant(values) => {
                    let mut rest = values.iter().copied();
                    let mut keys: Vec<(usize, Vec<bool>)> = Vec::new();
                    for (copy, &size) in sizes.iter().enumerate() {
                        let key = (copy, rest.by_ref().take(size).collect::<Vec<bool>>());
                        if !tries.contains_key(&key) {
                            let bits = key.1.iter().map(|&value| self.constant(value));
                            let bits: Vec<SatLit> = bits.collect();
                            let tried = self.attempt(question, copy, step, when, &bits);
                            tries.insert(key.clone(), tried);
                        }
                        keys.push(key);
                    }
                    let taken: Vec<&Try> = keys.iter().filter_map(|key| tries.get(key)).collect();
                    let holds = self.agreement(&taken, step);
                    let alike = self.alike(question, &taken, step, when, way.alike);
                    let bits = values.iter().map(|&value| self.constant(value));
                    (bits.collect::<Vec<_>>(), self.all(&[holds, alike]))
                }
            };
            if question.preference != Preference::Any {
                let taken = self.all(&[stuck, holds]);
                for (&own, &bit) in own.iter().zip(&bits) {
                    self.solver.add_clause(&[!taken, !own, bit]);
                    self.solver.add_clause(&[!taken, own, !bit]);
                }
            }
            stuck = self.all(&[stuck, !holds]);
        }
        let matched = if question.preference == Preference::Any {
            let taken: Vec<Try> = (0..sizes.len())
                .map(|copy| self.own_try(copy, step))
                .collect();
            self.agreement(&taken.iter().collect::<Vec<_>>(), step)
        } else {
            !stuck
        };
        Play { stuck, matched }
    }

    fn constant(&self, value: bool) -> SatLit {
        if value { self.truth } else { !self.truth }
    }

    /// Returns the literals of the choices that the strategy makes: for each steered copy the initial or late ones, then the early ones.
    fn chosen(&mut self, question: &Steered, step: usize, when: When) -> Vec<SatLit> {
        let mut bits = Vec::new();
        for copy in 0..question.options.len() {
            bits.extend(self.choices_of(question, copy, copy, step, when));
        }
        bits
    }

    /// Returns the literals of the choices of copy 1, in the order of the choices of copy 0.
    fn copied(&mut self, question: &Steered, step: usize, when: When) -> Vec<SatLit> {
        self.choices_of(question, 0, 1, step, when)
    }

    /// Returns the literals of the choices of copy `of` for the latches and inputs where copy `like` may choose.
    fn choices_of(
        &mut self,
        question: &Steered,
        like: usize,
        of: usize,
        step: usize,
        when: When,
    ) -> Vec<SatLit> {
        let aig = &self.model.aig;
        let options = &question.options[like];
        let mut bits: Vec<SatLit> = match when {
            When::First => {
                let latches = options.initial.iter();
                latches
                    .map(|&i| self.node(step, of, aig.latches()[i].var))
                    .collect()
            }
            When::Later => {
                let late = options.late.iter();
                late.map(|&i| self.node_before(step, of, aig.inputs()[i].var))
                    .collect()
            }
        };
        let early = options.early.iter();
        bits.extend(early.map(|&i| self.node(step, of, aig.inputs()[i].var)));
        bits
    }

    /// Returns the nodes of a step of a copy that makes the choices in `bits` instead of its own.
    fn attempt(
        &mut self,
        question: &Steered,
        copy: usize,
        step: usize,
        when: When,
        bits: &[SatLit],
    ) -> Try {
        let model = self.model;
        let options = &question.options[copy];
        let own = self.nodes(step, copy);
        let mut changed = own.clone();
        let mut bits = bits.iter();
        match when {
            When::First => {
                for (&latch, &bit) in options.initial.iter().zip(bits.by_ref()) {
                    changed[model.aig.latches()[latch].var.index()] = bit;
                }
            }
            When::Later => {
                let own_before = self.nodes_before(step, copy);
                let mut before = own_before.clone();
                for (&input, &bit) in options.late.iter().zip(bits.by_ref()) {
                    before[model.aig.inputs()[input].var.index()] = bit;
                }
                self.recompute(&own_before, &mut before);
                for latch in model.aig.latches() {
                    let next = latch.next.var().index();
                    if before[next] != own_before[next] {
                        changed[latch.var.index()] = signed(before[next], latch.next);
                    }
                }
            }
        }
        for (&input, &bit) in options.early.iter().zip(bits) {
            changed[model.aig.inputs()[input].var.index()] = bit;
        }
        self.recompute(&own, &mut changed);
        Try(changed)
    }

    /// Gives new literals in `changed` to the gates that depend on nodes where it differs from `own`.
    fn recompute(&mut self, own: &[SatLit], changed: &mut [SatLit]) {
        for (var, node) in self.model.aig.nodes() {
            if let Node::And(a, b) = node {
                let (x, y) = (a.var().index(), b.var().index());
                if changed[x] != own[x] || changed[y] != own[y] {
                    let out = self.solver.new_lit();
                    self.tie_and(out, signed(changed[x], a), signed(changed[y], b));
                    changed[var.index()] = out;
                }
            }
        }
    }

    fn own_try(&mut self, copy: usize, step: usize) -> Try {
        Try(self.nodes(step, copy))
    }

    /// Returns the steps of copies 0 and 1: the tentative one of a steered copy, and else the copy's own step.
    fn both(&mut self, tries: &[&Try], step: usize) -> [Try; 2] {
        [0, 1].map(|copy| match tries.get(copy) {
            Some(Try(nodes)) => Try(nodes.clone()),
            None => self.own_try(copy, step),
        })
    }

    /// Returns the literal that is true iff the constraints of the steered copies hold and the outputs of copies 0 and 1 are equal.
    fn agreement(&mut self, tries: &[&Try], step: usize) -> SatLit {
        let aig = &self.model.aig;
        let mut holds: Vec<SatLit> = Vec::new();
        for Try(nodes) in tries {
            let constraints = aig.constraints.iter();
            holds.extend(constraints.map(|c| self.value(nodes, c.lit)));
        }
        let [a, b] = self.both(tries, step);
        for output in &aig.outputs {
            let (a, b) = (self.value(&a.0, output.lit), self.value(&b.0, output.lit));
            let same = self.same(a, b);
            holds.push(same);
        }
        self.all(&holds)
    }

    /// Returns the literal that is true iff the latches that the strategy compares are equal in copies 0 and 1; always true without `must`.
    fn alike(
        &mut self,
        question: &Steered,
        tries: &[&Try],
        step: usize,
        when: When,
        must: bool,
    ) -> SatLit {
        if !must {
            return self.truth;
        }
        let aig = &self.model.aig;
        let now = question.shaped.now(when).iter();
        let next = question.shaped.next.iter();
        let mut compared: Vec<Lit> = now.map(|&i| aig.latches()[i].var.lit()).collect();
        compared.extend(next.map(|&i| aig.latches()[i].next));
        let [a, b] = self.both(tries, step);
        let mut holds: Vec<SatLit> = Vec::new();
        for lit in compared {
            let (a, b) = (self.value(&a.0, lit), self.value(&b.0, lit));
            let same = self.same(a, b);
            holds.push(same);
        }
        self.all(&holds)
    }
}
