//! Model and mutants as diagrams, made anew from the circuit as it is: next values, outputs and constraints of both sides.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_evidence::multiplexers::{Look, Source};

use super::order::Order;
use super::store::{DiagramLimits, Function, Level, Store};
use super::{CertifyError, Wrong};
use crate::meaning::meanings;
use crate::multiplexers::{Circuit, MODEL, MUTANT};

/// The functions of one side: of the model or of the mutants.
pub(super) struct Side {
    /// Each latch that the check reads, without selectors, with its next value.
    pub(super) next: Vec<(usize, Function)>,
    pub(super) outputs: Vec<Function>,
    pub(super) constraints: Vec<Function>,
    /// For each node its meaning under known selectors (a constant or another node), and whether it is read.
    meaning: Vec<Lit>,
    read: Vec<bool>,
}

/// The subject of a check: a circuit, its mutants, and the parts of the evidence that the check reads.
pub(super) struct Subject<'a> {
    pub(super) circuit: &'a Circuit<'a>,
    /// The selectors of the mutants, ascending.
    pub(super) members: &'a [SelectorId],
    /// The variables as the evidence orders them.
    pub(super) order: &'a [Look],
    /// The sources in the evidence's circuit of multiplexers whose functions the check reads.
    pub(super) sources: Vec<Source>,
    /// The number of bits of an estimate's number.
    pub(super) bits: usize,
    /// The kind of error for evidence that proves nothing.
    pub(super) wrong: Wrong,
}

/// The functions of both sides, of the model and of the mutants, over the variables of one order.
pub(super) struct System<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) order: Order,
    pub(super) store: Store,
    pub(super) sides: [Side; 2],
    /// The condition that exactly one of the members' selectors is on.
    pub(super) one_member: Function,
    /// The function of each multiplexer that is used.
    multiplexers: Vec<Function>,
}

impl<'a> System<'a> {
    /// Returns the functions of both sides and of the multiplexers.
    ///
    /// # Errors
    /// If the order is not valid; if a selector may change; if the limits or the budget end it.
    pub(super) fn new(
        subject: Subject<'a>,
        limits: DiagramLimits,
        budget: &Budget,
    ) -> Result<System<'a>, CertifyError> {
        let Subject {
            circuit,
            members,
            wrong,
            ..
        } = subject;
        let model = circuit.model;
        for member in members {
            let latch = &model.aig.latches()[model.selectors[member.0].latch];
            if latch.next != latch.var.lit() {
                return Err(wrong("a selector changes its value"));
            }
        }
        let used = circuit.used(&subject.sources).map_err(wrong)?;
        let multiplexers = used
            .iter()
            .filter_map(|&number| circuit.multiplexer(number));
        let looks: Vec<Look> = multiplexers.map(|multiplexer| multiplexer.on).collect();
        let sides = [MODEL, MUTANT].map(|side| Side::read_by(&subject, side, &looks));
        let needed = needed(&subject, &sides, &looks);
        let order = Order::new(circuit, subject.order, &needed, subject.bits)?;
        let mut system = System {
            store: Store::new(order.count, limits, budget)?,
            order,
            sides,
            one_member: Function::TRUE,
            multiplexers: Vec::new(),
            subject,
        };
        for side in [MODEL, MUTANT] {
            system.build(side)?;
        }
        system.one_member = system.exactly_one()?;
        system.store.pin([system.one_member]);
        system.import(&used)?;
        Ok(system)
    }

    fn model(&self) -> &'a ConditionalMutant {
        self.subject.circuit.model
    }

    /// Builds the functions of a side: outputs, constraints and next values.
    fn build(&mut self, side: usize) -> Result<(), CertifyError> {
        let aig = &self.model().aig;
        let mut values = vec![Function::FALSE; aig.len()];
        for (var, node) in aig.nodes() {
            let of = &self.sides[side];
            if !of.read[var.index()] {
                continue;
            }
            values[var.index()] = match node {
                Node::False => Function::FALSE,
                Node::Input(input) => {
                    self.variable(input_look(self.model(), side, input as usize))?
                }
                Node::Latch(latch) => self.look(latch_look(side, latch as usize))?,
                Node::And(a, b) => {
                    let [a, b] = [a, b].map(|lit| of.value(&values, lit));
                    self.store.and(a, b)?
                }
            };
        }
        let of = &mut self.sides[side];
        let value = |lit: Lit| of.value(&values, lit);
        let outputs = aig.outputs.iter().map(|output| value(output.lit)).collect();
        let constraints = aig.constraints.iter().map(|c| value(c.lit)).collect();
        let selectors = self.subject.circuit.model.selector_of_latch();
        let latches = aig.latches().iter().enumerate();
        let latches = latches.filter(|(latch, of_latch)| {
            of.read[of_latch.var.index()] && selectors[*latch].is_none()
        });
        let next = latches.map(|(latch, of_latch)| (latch, value(of_latch.next)));
        (of.next, of.outputs, of.constraints) = (next.collect(), outputs, constraints);
        let next = of.next.iter().map(|&(_, function)| function);
        let all = next.chain(of.outputs.iter().chain(&of.constraints).copied());
        self.store.pin(all);
        Ok(())
    }

    /// Returns the condition that exactly one member is on. It is always true for a single member, which is on anyway.
    fn exactly_one(&mut self) -> Result<Function, CertifyError> {
        let selectors = &self.model().selectors;
        if let [_] = self.subject.members {
            return Ok(Function::TRUE);
        }
        let (mut none, mut one) = (Function::TRUE, Function::FALSE);
        for member in self.subject.members {
            let on = self.look(Look::Mutant(selectors[member.0].latch))?;
            one = self.store.ite(on, none, one)?;
            none = self.store.and(none, !on)?;
        }
        Ok(one)
    }

    /// Builds the functions of the multiplexers with the ascending numbers `used`, and pins those of the sources.
    fn import(&mut self, used: &[usize]) -> Result<(), CertifyError> {
        let circuit = self.subject.circuit;
        // Multiplexer 0 is the constant true.
        self.multiplexers = vec![Function::TRUE; circuit.multiplexers.len() + 1];
        for &number in used {
            let Some(multiplexer) = circuit.multiplexer(number) else {
                continue;
            };
            let on = match constant_look(&self.subject, multiplexer.on) {
                Some(value) => Function::constant(value),
                None => {
                    let level = self.order.looked_at(kept(self.model(), multiplexer.on));
                    let level = level.ok_or(CertifyError::Order("a variable is missing"))?;
                    self.store.variable(level)
                }
            };
            let [high, low] =
                [multiplexer.high, multiplexer.low].map(|source| self.function(source));
            self.multiplexers[number] = self.store.ite(on, high, low)?;
        }
        let sources = self.subject.sources.iter();
        let functions: Vec<Function> = sources.map(|&source| self.function(source)).collect();
        self.store.pin(functions);
        Ok(())
    }

    /// Returns the function of a source in the evidence's circuit of multiplexers.
    pub(super) fn function(&self, source: Source) -> Function {
        self.multiplexers[source.multiplexer].negated_if(source.complemented)
    }

    /// Returns the function of a value that a multiplexer reads: a variable, or a constant if the value is a known selector.
    pub(super) fn look(&self, look: Look) -> Result<Function, CertifyError> {
        match constant_look(&self.subject, look) {
            Some(value) => Ok(Function::constant(value)),
            None => self.variable(kept(self.model(), look)),
        }
    }

    fn variable(&self, look: Look) -> Result<Function, CertifyError> {
        let level = self.order.level(look);
        let level = level.ok_or(CertifyError::Order("a variable is missing"))?;
        Ok(self.store.variable(level))
    }

    /// Returns the condition that the latches of a side have their initial values.
    pub(super) fn initial(&mut self, side: usize) -> Result<Function, CertifyError> {
        let latches: Vec<usize> = self.sides[side]
            .next
            .iter()
            .map(|&(latch, _)| latch)
            .collect();
        let mut initial = Function::TRUE;
        for latch in latches {
            let is_reset = self.is_reset(side, latch)?;
            initial = self.store.and(initial, is_reset)?;
        }
        Ok(initial)
    }

    /// Returns the condition that a latch of a side has its initial value; always true if the initial value is free.
    pub(super) fn is_reset(&self, side: usize, latch: usize) -> Result<Function, CertifyError> {
        let value = match self.model().aig.latches()[latch].reset {
            Reset::Free => return Ok(Function::TRUE),
            Reset::Zero => false,
            Reset::One => true,
        };
        let now = self.look(latch_look(side, latch))?;
        Ok(now.negated_if(!value))
    }

    /// Returns one condition for each output of a side: it equals the output that the mutant shows.
    pub(super) fn shown(&mut self, side: usize) -> Result<Vec<Function>, CertifyError> {
        let outputs = self.sides[side].outputs.clone();
        let mut shown = Vec::new();
        for (number, output) in outputs.into_iter().enumerate() {
            let value = self.look(Look::Shown(number))?;
            shown.push(self.store.iff(value, output)?);
        }
        if planted(Fault::ForgottenPart) && side == MODEL {
            shown.pop();
        }
        Ok(shown)
    }

    /// Returns one condition for each latch of a side for which `is_wanted` is true: its variable after the step has its next value.
    pub(super) fn steps(
        &mut self,
        side: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Function>, CertifyError> {
        let mut next = self.sides[side].next.clone();
        next.retain(|&(latch, _)| is_wanted(latch));
        let mut steps = Vec::new();
        for (latch, function) in next {
            let value = self.look(next_look(side, latch))?;
            steps.push(self.store.iff(value, function)?);
        }
        Ok(steps)
    }

    /// Returns the latches of a side whose values after the step one of the functions reads.
    pub(super) fn latches_read(&self, side: usize, functions: &[Function]) -> Vec<usize> {
        let mut levels: Vec<Level> = Vec::new();
        for &function in functions {
            levels.extend(self.store.support(function));
        }
        let next = self.sides[side].next.iter().map(|&(latch, _)| latch);
        let is_read = |latch: &usize| {
            let level = self.order.level(next_look(side, *latch));
            level.is_some_and(|level| levels.contains(&level))
        };
        next.filter(is_read).collect()
    }

    /// Returns the constraints that a step of this side must meet, as the evidence claims.
    pub(super) fn owed(&self, side: usize) -> Vec<Function> {
        match planted(Fault::UnpaidConstraints) {
            true => Vec::new(),
            false => self.sides[side].constraints.clone(),
        }
    }

    /// Returns a function of states and numbers before a step, rewritten to states and numbers after the step.
    pub(super) fn after(&mut self, function: Function) -> Result<Function, CertifyError> {
        if planted(Fault::PresentForNext) {
            return Ok(function);
        }
        let selectors = self.model().selector_of_latch();
        let pairs = self.order.after(|latch| selectors[latch].is_some());
        let renaming = self.store.renaming(pairs);
        Ok(self.store.rename(function, &renaming)?)
    }

    /// Returns the conjunction `start ∧ parts`, made in the order of the variables: parts that read the lowest ones come first.
    pub(super) fn conjoin(
        &mut self,
        start: Function,
        mut parts: Vec<Function>,
    ) -> Result<Function, CertifyError> {
        let pins = self.store.pins();
        self.store.pin(parts.iter().copied());
        parts.sort_by_key(|&part| self.store.support(part).last().copied());
        let mut all = start;
        for part in parts.into_iter().rev() {
            all = self.store.and(all, part)?;
            self.store.pin([all]);
            self.store.collect();
            self.store.unpin(self.store.pins() - 1);
        }
        self.store.unpin(pins);
        Ok(all)
    }

    /// Returns the condition with each chosen variable replaced by the function that the evidence chooses. A choice reads those before it,
    /// so the last one is replaced first.
    pub(super) fn choose(
        &mut self,
        condition: Function,
        choices: &[(Look, Source)],
    ) -> Result<Function, CertifyError> {
        let mut condition = condition;
        for &(look, source) in choices.iter().rev() {
            // A variable without a level is not read.
            let Some(level) = self.order.level(look) else {
                continue;
            };
            let value = self.function(source);
            condition = self.store.compose(condition, level, value)?;
            self.store.pin([condition]);
            self.store.collect();
            self.store.unpin(self.store.pins() - 1);
        }
        Ok(condition)
    }

    /// Checks that no valuation satisfies both `condition` and `violation`.
    ///
    /// # Errors
    /// If one does: `wrong` names the claim that the evidence does not prove.
    pub(super) fn exclude(
        &mut self,
        condition: Function,
        violation: Function,
        wrong: &'static str,
    ) -> Result<(), CertifyError> {
        match self.store.are_disjoint(condition, violation)? {
            true => Ok(()),
            false => Err((self.subject.wrong)(wrong)),
        }
    }
}

impl Side {
    /// Returns a side with the nodes that the check reads: those under outputs, constraints and the latches in `looks`. Their functions are
    /// still missing.
    fn read_by(subject: &Subject<'_>, side: usize, looks: &[Look]) -> Side {
        let model = subject.circuit.model;
        let aig = &model.aig;
        let meaning = meanings(model, |selector| match (side, subject.members) {
            (MODEL, _) => Some(false),
            (_, [only]) => Some(selector == *only),
            (_, members) => (!members.contains(&selector)).then_some(false),
        });
        let looked_at = looks.iter().filter_map(|&look| match (side, look) {
            (MODEL, Look::Model(latch) | Look::ModelNext(latch)) => Some(latch),
            (MUTANT, Look::Mutant(latch) | Look::Next(latch)) => Some(latch),
            _ => None,
        });
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let mut open: Vec<Lit> = signals.map(|signal| signal.lit).collect();
        open.extend(looked_at.map(|latch| aig.latches()[latch].var.lit()));
        let mut read = vec![false; aig.len()];
        while let Some(lit) = open.pop() {
            let var = meaning[lit.var().index()].var();
            if std::mem::replace(&mut read[var.index()], true) {
                continue;
            }
            match aig.node(var) {
                Node::And(a, b) => open.extend([a, b]),
                Node::Latch(latch) => open.push(aig.latches()[latch as usize].next),
                Node::False | Node::Input(_) => {}
            }
        }
        Side {
            next: Vec::new(),
            outputs: Vec::new(),
            constraints: Vec::new(),
            meaning,
            read,
        }
    }

    /// Returns the function of a literal. `values` are the functions of the nodes, by index.
    fn value(&self, values: &[Function], lit: Lit) -> Function {
        let meaning = self.meaning[lit.var().index()] ^ lit.is_negated();
        match meaning.as_constant() {
            Some(value) => Function::constant(value),
            None => values[meaning.var().index()].negated_if(meaning.is_negated()),
        }
    }
}

/// Returns the variables that a check reads, each once, in ascending order.
fn needed(subject: &Subject<'_>, sides: &[Side; 2], looks: &[Look]) -> Vec<Look> {
    let model = subject.circuit.model;
    let mut needed: Vec<Look> = (0..model.aig.outputs.len()).map(Look::Shown).collect();
    needed.extend((0..subject.bits).map(Look::Estimate));
    for (side, of) in sides.iter().enumerate() {
        let inputs = model.aig.inputs().iter().enumerate();
        let inputs = inputs.filter(|(_, input)| of.read[input.var.index()]);
        needed.extend(inputs.map(|(input, _)| input_look(model, side, input)));
        let latches = model.aig.latches().iter().enumerate();
        for (latch, _) in latches.filter(|(_, latch)| of.read[latch.var.index()]) {
            needed.extend([latch_look(side, latch), next_look(side, latch)]);
        }
    }
    if subject.members.len() > 1 {
        let selectors = subject
            .members
            .iter()
            .map(|member| &model.selectors[member.0]);
        needed.extend(selectors.map(|selector| Look::Mutant(selector.latch)));
    }
    needed.extend(looks);
    needed.retain(|&look| constant_look(subject, look).is_none());
    let mut needed: Vec<Look> = needed.into_iter().map(|look| kept(model, look)).collect();
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// Returns the value of a selector that is constant: no selector is on in the model, and in the mutant only members' selectors can be; that
/// of a single member is on. `None` for other variables.
fn constant_look(subject: &Subject<'_>, look: Look) -> Option<bool> {
    let selectors = &subject.circuit.model.selectors;
    let selector = |latch: usize| {
        selectors
            .iter()
            .position(|selector| selector.latch == latch)
    };
    match look {
        Look::Model(latch) | Look::ModelNext(latch) => selector(latch).map(|_| false),
        Look::Mutant(latch) | Look::Next(latch) => {
            let selector = SelectorId(selector(latch)?);
            match subject.members {
                [only] => Some(selector == *only),
                members => (!members.contains(&selector)).then_some(false),
            }
        }
        _ => None,
    }
}

/// Returns the variable that holds a value. That is the value itself, except for a selector after a step: it never changes, so its value
/// before the step.
fn kept(model: &ConditionalMutant, look: Look) -> Look {
    match look {
        Look::Next(latch) if model.selectors.iter().any(|s| s.latch == latch) => {
            Look::Mutant(latch)
        }
        look => look,
    }
}

fn latch_look(side: usize, latch: usize) -> Look {
    match side {
        MODEL => Look::Model(latch),
        _ => Look::Mutant(latch),
    }
}

fn next_look(side: usize, latch: usize) -> Look {
    match side {
        MODEL => Look::ModelNext(latch),
        _ => Look::Next(latch),
    }
}

fn input_look(model: &ConditionalMutant, side: usize, input: usize) -> Look {
    let is_choice = model.choice_bits().any(|bit| bit == input);
    match (is_choice, side) {
        (false, _) => Look::Input(input),
        (true, MODEL) => Look::Chosen(input),
        (true, _) => Look::MutantChosen(input),
    }
}
