//! Whether commands are enabled, and their effects if they are.
//!
//! The remaining commands form a stack. A stack is enabled depending only on the values of the variables that it reads. A stack with the
//! same values of these variables is evaluated once. So a sequence of choices takes time linear in their number if later commands do not
//! read their assignments.

use std::collections::BTreeMap;
use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::InputRole;
use hyperkill_core::term::{BinaryOp, TermId};
use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashSet;

use super::lowering::{Lowering, Scope, Stop};
use super::stacks::{Branch, Entry};
use crate::fault::{Fault, planted};
use crate::model::Reference;
use crate::mutate::Change;
use crate::tree::{ExprId, Leaving, Name, StmtId, StmtKind};

/// The number of choices in sequence, at most: each is a level of recursion.
const MOST_CHOICES: usize = 200;

/// The number of commands of one action that may be evaluated to find enabled ones, besides 64 for each command of the system.
const EFFORT: usize = 1 << 16;

impl Lowering<'_> {
    /// Returns the index of the stack `rest` with the command `top` on it.
    fn push(&mut self, top: StmtId, rest: usize) -> usize {
        if let Some(&known) = self.stacks.known.get(&(top, rest)) {
            return known;
        }
        let own = self.reads(top);
        let reads = match self.stacks.get(rest) {
            None => own,
            Some(below) if own.is_subset(&below.reads) => Rc::clone(&below.reads),
            Some(below) => Rc::new(own.union(&below.reads).copied().collect()),
        };
        self.stacks.all.push(Entry { top, rest, reads });
        let stack = self.stacks.all.len();
        self.stacks.known.insert((top, rest), stack);
        stack
    }

    /// Returns the variables that the original or a mutant of a command reads.
    fn reads(&mut self, id: StmtId) -> Rc<FxHashSet<usize>> {
        if let Some(known) = self.stacks.read_by.get(&id) {
            return Rc::clone(known);
        }
        let mut read = FxHashSet::default();
        match &self.model.system.stmts[id].kind {
            StmtKind::Skip => {}
            StmtKind::Assign { value, .. } => self.add_read(*value, &mut read),
            StmtKind::Guard { condition, body } => {
                self.add_read(*condition, &mut read);
                if self.model.system.leaving == Leaving::EndsRuns {
                    read.insert(self.model.cells());
                }
                read.extend(self.reads(*body).iter());
            }
            StmtKind::Sequence(parts) | StmtKind::Choice(parts) | StmtKind::Prioritised(parts) => {
                for part in parts {
                    read.extend(self.reads(*part).iter());
                }
            }
            StmtKind::Located(branches) => {
                read.extend(self.model.system.location);
                for (_, part) in branches {
                    read.extend(self.reads(*part).iter());
                }
            }
            StmtKind::Emit { values, .. } => {
                for value in values {
                    self.add_read(*value, &mut read);
                }
            }
            StmtKind::Move { .. } => {}
            StmtKind::Transition(transition) => read.extend(self.reads(transition.body).iter()),
        }
        // An assignment that a mutant removes keeps the old value.
        if self.skipped.contains_key(&id) {
            read.extend(self.model.target(id));
        }
        let read = Rc::new(read);
        self.stacks.read_by.insert(id, Rc::clone(&read));
        read
    }

    fn add_read(&self, id: ExprId, read: &mut FxHashSet<usize>) {
        let variable = |reference| match reference {
            Reference::Variable(variable) => Some(variable),
            Reference::Parameter(_) | Reference::Symbol => None,
        };
        for part in self.model.system.exprs.parts(id) {
            read.extend(self.model.reference(part).and_then(variable));
            for planted in self.planted.get(&part).into_iter().flatten() {
                if let Change::Name(reference) = planted.change {
                    read.extend(variable(reference));
                }
            }
        }
    }

    /// Returns the condition that an action is enabled whose guard holds.
    pub(super) fn ability(&mut self, body: StmtId, scope: &Scope) -> Result<TermId, Stop> {
        let stack = self.push(body, 0);
        self.can(stack, scope.clone())
    }

    /// Returns the condition that all commands of a stack are enabled, one after the other.
    fn can(&mut self, mut stack: usize, mut scope: Scope) -> Result<TermId, Stop> {
        let Some(entry) = self.stacks.get(stack) else {
            return Ok(self.system.terms.bool(true));
        };
        let assigned = scope.assigned.iter().map(|(v, term)| (*v, *term));
        let key = (
            stack,
            assigned.filter(|(v, _)| entry.reads.contains(v)).collect(),
        );
        if let Some(&known) = self.stacks.abilities.get(&key) {
            return Ok(known);
        }
        let model = self.model;
        let mut all = self.system.terms.bool(true);
        while let Some(&Entry { top, rest, .. }) = self.stacks.get(stack) {
            self.take_effort(top)?;
            match &model.system.stmts[top].kind {
                StmtKind::Skip => stack = rest,
                StmtKind::Assign { value, .. } => {
                    let fits = self.assign(top, *value, &mut scope)?;
                    all = self.and(all, fits)?;
                    stack = rest;
                }
                StmtKind::Guard { condition, body } => {
                    if !planted(Fault::InnerGuardIgnored) {
                        let holds = self.value(*condition, &scope)?;
                        let passes = self.or_beyond(holds, &scope)?;
                        all = self.and(all, passes)?;
                    }
                    stack = self.push(*body, rest);
                }
                StmtKind::Sequence(parts) => {
                    stack = rest;
                    for part in parts.iter().rev() {
                        stack = self.push(*part, stack);
                    }
                }
                StmtKind::Emit { values, .. } => {
                    let fits = self.emit(top, values, &mut scope)?;
                    all = self.and(all, fits)?;
                    stack = rest;
                }
                StmtKind::Move { .. } => {
                    self.go(top, &mut scope)?;
                    stack = rest;
                }
                StmtKind::Transition(transition) => {
                    let happens = self.may_happen(top)?;
                    all = self.and(all, happens)?;
                    stack = self.push(transition.body, rest);
                }
                StmtKind::Choice(_) | StmtKind::Prioritised(_) | StmtKind::Located(_) => {
                    self.enter_choice(top)?;
                    let branches = self.alternatives(top, rest, &scope)?;
                    self.stacks.depth -= 1;
                    let can = branches.into_iter().map(|branch| branch.can).collect();
                    let any = self.any(can)?;
                    all = self.and(all, any)?;
                    break;
                }
            }
            if self.system.terms.as_bool(all) == Some(false) {
                break;
            }
        }
        self.stacks.abilities.insert(key, all);
        Ok(all)
    }

    /// Returns the branches of a choice of any kind, each with the condition that it is enabled together with the commands `rest` after it.
    fn alternatives(
        &mut self,
        id: StmtId,
        rest: usize,
        scope: &Scope,
    ) -> Result<Vec<Branch>, Stop> {
        let model = self.model;
        match &model.system.stmts[id].kind {
            StmtKind::Choice(parts) => self.branches(id, parts, rest, scope),
            StmtKind::Prioritised(parts) => self.prioritised(parts, rest, scope),
            StmtKind::Located(parts) => self.located(parts, rest, scope),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the branches of a nondeterministic choice, each with the condition that it is enabled together with `rest`.
    fn branches(
        &mut self,
        choice: StmtId,
        parts: &[StmtId],
        rest: usize,
        scope: &Scope,
    ) -> Result<Vec<Branch>, Stop> {
        let mut branches = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let rest = if planted(Fault::ChoiceDecidedEarly) {
                0
            } else {
                rest
            };
            let stack = self.push(*part, rest);
            let mut can = self.can(stack, scope.clone())?;
            for dropped in self
                .dropped
                .get(&(choice, index))
                .cloned()
                .unwrap_or_default()
            {
                let there = self.not(dropped)?;
                can = self.and(can, there)?;
            }
            branches.push(Branch { part: *part, can });
        }
        Ok(branches)
    }

    /// Returns the branches of a prioritised choice: the first branch that is enabled by itself is taken.
    fn prioritised(
        &mut self,
        parts: &[StmtId],
        rest: usize,
        scope: &Scope,
    ) -> Result<Vec<Branch>, Stop> {
        let mut branches = Vec::with_capacity(parts.len());
        let mut left = self.system.terms.bool(true);
        let parts: Vec<StmtId> = match planted(Fault::ElseFirst) {
            false => parts.to_vec(),
            true => parts.iter().rev().copied().collect(),
        };
        for part in &parts {
            let alone = self.push(*part, 0);
            let alone = self.can(alone, scope.clone())?;
            let through = self.push(*part, rest);
            let through = self.can(through, scope.clone())?;
            let can = self.and(left, through)?;
            branches.push(Branch { part: *part, can });
            let cannot = self.not(alone)?;
            left = self.and(left, cannot)?;
        }
        Ok(branches)
    }

    /// Returns the branches by location, each with the condition that the machine is there and the branch is enabled.
    fn located(
        &mut self,
        parts: &[(Name, StmtId)],
        rest: usize,
        scope: &Scope,
    ) -> Result<Vec<Branch>, Stop> {
        let mut branches = Vec::with_capacity(parts.len());
        let Some(location) = self.model.system.location else {
            return Ok(branches);
        };
        let here = self.variable(location, scope);
        for (name, part) in parts {
            let Some(there) = self.symbol_of(location, &name.text) else {
                continue;
            };
            let is_there = match planted(Fault::LocationIgnored) {
                true => self.system.terms.bool(true),
                false => self.equal(here, there)?,
            };
            let stack = self.push(*part, rest);
            let can = self.can(stack, scope.clone())?;
            let can = self.and(is_there, can)?;
            branches.push(Branch { part: *part, can });
        }
        Ok(branches)
    }

    fn take_effort(&mut self, at: StmtId) -> Result<(), Stop> {
        self.stacks.effort += 1;
        let stmts = &self.model.system.stmts;
        if self.stacks.effort <= EFFORT + 64 * stmts.len() {
            return Ok(());
        }
        let message =
            "whether this can run through depends on too many combinations of choices before it";
        Err(Stop::Model(Diagnostic::error(stmts[at].span, message)))
    }

    fn enter_choice(&mut self, at: StmtId) -> Result<(), Stop> {
        self.stacks.depth += 1;
        if self.stacks.depth <= MOST_CHOICES {
            return Ok(());
        }
        let message = format!("more than {MOST_CHOICES} choices one after the other");
        let span = self.model.system.stmts[at].span;
        Err(Stop::Model(Diagnostic::error(span, message)))
    }

    /// Returns the values after an enabled action.
    pub(super) fn ends(&mut self, body: StmtId, scope: &Scope) -> Result<Scope, Stop> {
        let mut scope = scope.clone();
        self.run(body, 0, &mut scope, 0)?;
        Ok(scope)
    }

    /// Executes a command that is enabled together with `rest`; `slot` is the input of the next choice. Returns the slot after it.
    fn run(
        &mut self,
        id: StmtId,
        rest: usize,
        scope: &mut Scope,
        slot: usize,
    ) -> Result<usize, Stop> {
        let model = self.model;
        match &model.system.stmts[id].kind {
            StmtKind::Skip => Ok(slot),
            StmtKind::Assign { value, .. } => {
                self.assign(id, *value, scope)?;
                Ok(slot)
            }
            StmtKind::Guard { body, .. } => self.run(*body, rest, scope, slot),
            StmtKind::Sequence(parts) => {
                let mut left = vec![rest];
                for part in parts.iter().skip(1).rev() {
                    let below = left[left.len() - 1];
                    left.push(self.push(*part, below));
                }
                let mut slot = slot;
                for (part, rest) in parts.iter().zip(left.into_iter().rev()) {
                    slot = self.run(*part, rest, scope, slot)?;
                }
                Ok(slot)
            }
            StmtKind::Emit { values, .. } => {
                self.emit(id, values, scope)?;
                Ok(slot)
            }
            StmtKind::Move { .. } => {
                self.go(id, scope)?;
                Ok(slot)
            }
            StmtKind::Transition(transition) => {
                self.mark(&transition.name, scope);
                self.run(transition.body, rest, scope, slot)
            }
            StmtKind::Choice(_) | StmtKind::Prioritised(_) | StmtKind::Located(_) => {
                self.choose(id, rest, scope, slot)
            }
        }
    }

    /// Takes the branch that an input selects, or the first enabled one; if branches exclude each other, the enabled one.
    fn choose(
        &mut self,
        id: StmtId,
        rest: usize,
        scope: &mut Scope,
        slot: usize,
    ) -> Result<usize, Stop> {
        let branches = self.alternatives(id, rest, scope)?;
        let picks = matches!(self.model.system.stmts[id].kind, StmtKind::Choice(_));
        let (taken, slot) = match picks {
            true => (self.picked(id, &branches, slot)?, slot + 1),
            false => (branches.iter().map(|branch| branch.can).collect(), slot),
        };
        let mut ends: BTreeMap<usize, Vec<(TermId, TermId)>> = BTreeMap::new();
        let (mut last, mut possible) = (slot, 0);
        for (branch, taken) in branches.iter().zip(taken) {
            if self.system.terms.as_bool(branch.can) == Some(false) {
                // Later choices have the inputs that were declared for them.
                last = last.max(self.count_slots(branch.part, slot, &mut Vec::new()));
                continue;
            }
            possible += 1;
            let mut end = scope.clone();
            let after = self.run(branch.part, rest, &mut end, slot)?;
            last = last.max(after);
            for (variable, value) in end.assigned {
                if scope.assigned.get(&variable) != Some(&value) {
                    ends.entry(variable).or_default().push((taken, value));
                }
            }
        }
        for (variable, cases) in ends {
            let old = self.variable(variable, scope);
            // The action is enabled, so some branch is taken. If all of them assign a value, the old one is not needed.
            let assigned = match cases.len() == possible {
                true => self.system.terms.bool(true),
                false => self.any(cases.iter().map(|(taken, _)| *taken).collect())?,
            };
            if let Some(value) = self.one_of(cases)? {
                let value = self.ite(assigned, value, old)?;
                scope.assigned.insert(variable, value);
            }
        }
        Ok(last)
    }

    /// Returns the condition for taking each branch of a choice. An enabled branch is taken if the input of this slot selects it. If the
    /// input selects a disabled branch, the first enabled branch is taken.
    fn picked(
        &mut self,
        id: StmtId,
        branches: &[Branch],
        slot: usize,
    ) -> Result<Vec<TermId>, Stop> {
        let picked = self.slots[slot];
        let mut wanted = Vec::with_capacity(branches.len());
        let numbers = self.numbers(id, branches.len())?;
        for (number, branch) in numbers.into_iter().zip(branches) {
            let is_picked = match planted(Fault::FirstBranch) {
                true => self.system.terms.bool(false),
                false => self.equal(picked, number)?,
            };
            wanted.push(self.and(is_picked, branch.can)?);
        }
        let mut earlier = self.any(wanted.clone())?;
        let mut taken = Vec::with_capacity(branches.len());
        for (branch, wanted) in branches.iter().zip(wanted) {
            if self.system.terms.as_bool(branch.can) == Some(false) {
                taken.push(wanted);
                continue;
            }
            let is_first = self.not(earlier)?;
            let is_first = self.and(is_first, branch.can)?;
            taken.push(self.or(wanted, is_first)?);
            earlier = self.or(earlier, branch.can)?;
        }
        Ok(taken)
    }

    /// Returns the numbers of the branches of a choice, by which an input selects them. Branches that a mutant removes are not counted.
    fn numbers(&mut self, choice: StmtId, count: usize) -> Result<Vec<TermId>, Stop> {
        let mut numbers = Vec::with_capacity(count);
        let (one, zero) = (self.system.terms.int(1), self.system.terms.int(0));
        let mut missing = zero;
        for index in 0..count {
            let number = self.system.terms.int(index as i64);
            let number = self.system.terms.binary(BinaryOp::Sub, number, missing)?;
            numbers.push(number);
            for dropped in self
                .dropped
                .get(&(choice, index))
                .cloned()
                .unwrap_or_default()
            {
                let fewer = self.ite(dropped, one, zero)?;
                missing = self.system.terms.binary(BinaryOp::Add, missing, fewer)?;
            }
        }
        Ok(numbers)
    }

    /// Declares the inputs that choose branches: as many as one action needs, since one action happens at a time.
    pub(super) fn declare_slots(&mut self) {
        let mut sizes = Vec::new();
        for event in 0..self.model.events.len() {
            let body = self.model.action(event).body;
            self.count_slots(body, 0, &mut sizes);
        }
        for (slot, size) in sizes.into_iter().enumerate() {
            let name = match slot {
                0 => "choice".to_owned(),
                _ => format!("choice.{}", slot + 1),
            };
            let sort = Sort::Range {
                low: 0,
                high: size as i64 - 1,
            };
            let choice = self.input(name, sort, InputRole::Choice);
            self.slots.push(choice);
        }
    }

    /// Records for each choice of a command, in `sizes`, the number of branches at the index of its input. `slot` is the index for the
    /// first choice; returns the one after the last.
    fn count_slots(&self, id: StmtId, slot: usize, sizes: &mut Vec<usize>) -> usize {
        match &self.model.system.stmts[id].kind {
            StmtKind::Skip
            | StmtKind::Assign { .. }
            | StmtKind::Emit { .. }
            | StmtKind::Move { .. } => slot,
            StmtKind::Transition(transition) => self.count_slots(transition.body, slot, sizes),
            StmtKind::Prioritised(parts) => {
                let parts = parts.iter();
                parts.fold(slot, |last, part| {
                    last.max(self.count_slots(*part, slot, sizes))
                })
            }
            StmtKind::Located(parts) => {
                let parts = parts.iter();
                parts.fold(slot, |last, (_, part)| {
                    last.max(self.count_slots(*part, slot, sizes))
                })
            }
            StmtKind::Guard { body, .. } => self.count_slots(*body, slot, sizes),
            StmtKind::Sequence(parts) => {
                let parts = parts.iter();
                parts.fold(slot, |slot, part| self.count_slots(*part, slot, sizes))
            }
            StmtKind::Choice(parts) => {
                sizes.resize(sizes.len().max(slot + 1), 1);
                sizes[slot] = sizes[slot].max(parts.len());
                let after = parts
                    .iter()
                    .map(|part| self.count_slots(*part, slot + 1, sizes));
                after.fold(slot + 1, usize::max)
            }
        }
    }
}
