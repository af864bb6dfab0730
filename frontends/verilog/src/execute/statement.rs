//! Statements.

use std::rc::Rc;

use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;
use rustc_hash::FxHashSet;

use super::READ_MEMORY;
use super::expression::Shape;
use crate::ast::{CaseItem, CaseKind, ExprId, ExprKind, Item, ItemKind, Name, StmtId, StmtKind};
use crate::design::{Claim, Entity, Run, Stop};
use crate::number::{Digit, Literal};
use crate::state::{Alternative, Choice, Elaborator, Env, Mode, Place, Sampling, World};

/// Whether labels name all values of a subject with `own` bits, extended to this shape. False also if there are too many values or labels
/// to check.
fn names_all(labels: &[Pattern], own: u32, shape: Shape) -> bool {
    if own > FULL_WIDTH || shape.width > 64 {
        return false;
    }
    let kept = u64::MAX >> (64 - shape.width);
    let (plain, open): (Vec<&Pattern>, Vec<&Pattern>) =
        labels.iter().partition(|label| label.mask & kept == kept);
    if open.len() > MAX_OPEN {
        return false;
    }
    let plain: FxHashSet<u64> = plain.iter().map(|label| label.value).collect();
    (0..1u64 << own).all(|value| {
        let negative = shape.signed && value >> (own - 1) & 1 == 1;
        let extended = if negative {
            value | u64::MAX << own
        } else {
            value
        };
        let value = extended & kept;
        plain.contains(&value) || open.iter().any(|label| value & label.mask == label.value)
    })
}

/// The pattern of a `case` label: a mask of the bits that matter, and their values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    mask: u64,
    value: u64,
}

impl Pattern {
    /// Returns the pattern of `value` in the bits of `mask`, the lowest bit first. `None` for more than 64 bits.
    fn of(mask: &[bool], value: &[bool]) -> Option<Pattern> {
        let number = |bits: &[bool]| {
            let bits = bits.iter().rev();
            bits.fold(0, |number, &bit| number << 1 | u64::from(bit))
        };
        (mask.len() <= 64).then(|| Pattern {
            mask: number(mask),
            value: number(value) & number(mask),
        })
    }
}

/// Most labels with bits that do not matter for which a `case` is checked to be full.
const MAX_OPEN: usize = 256;

/// Most turns of one loop.
const MAX_TURNS: usize = 1 << 16;
/// Longest period, in turns, of an endless loop that is found by comparing environments.
const LOOKED_AT: usize = 16;
/// Widest subject, in bits, of a `case` that is full if its labels name all values.
const FULL_WIDTH: u32 = 16;

impl Elaborator<'_> {
    /// Executes a statement, with all mutants at it.
    pub(crate) fn run_statement(&mut self, id: StmtId) -> Run<()> {
        let place = self.source.stmt_span(id);
        let around = std::mem::replace(&mut self.at, place);
        let outcome = self.run_here(id, place).map_err(|stop| stop.placed(place));
        self.at = around;
        outcome
    }

    fn run_here(&mut self, id: StmtId, place: Span) -> Run<()> {
        if self.env.gone {
            return Ok(());
        }
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return Err(Stop::at(
                place,
                "the loops of this design unroll to too many statements",
            ));
        }
        if self.mode == Mode::Constant {
            self.constants.fix_statement(id);
            return self.run_one(id, place);
        }
        self.visited_stmts.insert(id);
        if self.mode == Mode::Edge {
            self.visited_at_edges.insert(id);
        }
        match self.only_stmt(id) {
            Some((Alternative::Delete, _)) => return Ok(()),
            Some((Alternative::Replace(with), exchanges)) => {
                let mutants: Rc<[usize]> = match self.world {
                    World::Only(mutant) if exchanges => Rc::from([mutant]),
                    _ => Rc::default(),
                };
                return self.exchanging(&mutants, |this| this.run_one(with, place));
            }
            None => {}
        }
        let alternatives = self.alternatives_of(id);
        if alternatives.is_empty() {
            return self.run_one(id, place);
        }
        let before = self.env.clone();
        self.run_one(id, place)?;
        for choice in alternatives.into_iter().rev() {
            let original = std::mem::replace(&mut self.env, before.clone());
            let (written, path) = (self.written.clone(), self.path);
            let outcome = match choice.with {
                Alternative::Delete => Ok(()),
                Alternative::Replace(with) => {
                    let exchanges = self.changes_timing(id, choice.with);
                    let mutants = match exchanges {
                        true => Rc::clone(&choice.mutants),
                        false => Rc::default(),
                    };
                    self.exchanging(&mutants, |this| {
                        this.mutated(&choice, |this| this.run_statement(with))
                    })
                }
            };
            let mutated = std::mem::take(&mut self.env);
            match outcome {
                Ok(()) => {
                    let selected = self.selected_one_of(&choice.mutants)?;
                    self.join(selected, mutated, original)?;
                }
                Err(Stop::Apart(mutants)) => return Err(Stop::Apart(mutants)),
                Err(stop) => {
                    self.reject(&choice.mutants, &stop.located(place).message);
                    self.env = original;
                    (self.written, self.path) = (written, path);
                }
            }
        }
        Ok(())
    }

    /// Runs the replacement of a statement. Assignments are noted as exchanges of `<=` and `=` by `mutants` meanwhile, if there are any.
    fn exchanging<T>(
        &mut self,
        mutants: &Rc<[usize]>,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let before = Rc::clone(&self.exchange);
        if !mutants.is_empty() {
            self.exchange = Rc::clone(mutants);
        }
        let result = run(self);
        self.exchange = before;
        result
    }

    /// Returns the mutants of a statement as alternatives. Mutants that must be executed apart are noted and left out.
    pub(super) fn alternatives_of(&mut self, id: StmtId) -> Vec<Choice<Alternative>> {
        let plan = self.plan;
        let mut found = Vec::new();
        for choice in plan.stmts.get(&id).into_iter().flatten() {
            let Some(choice) = self.present(choice) else {
                continue;
            };
            let apart = match self.mode {
                // A first value must be a number in each mutant.
                Mode::Initial => true,
                // The exchange changes the order of assignments in the block.
                Mode::Combinational => self.changes_timing(id, choice.with),
                _ => false,
            };
            match apart {
                true => self.apart.extend(choice.mutants.iter()),
                false => found.push(choice),
            }
        }
        found
    }

    fn run_one(&mut self, id: StmtId, place: Span) -> Run<()> {
        let source = self.source;
        match &source.stmt(id).kind {
            StmtKind::Null => Ok(()),
            StmtKind::Block(label, declarations, statements) => match label {
                Some(label) => self.with_end(Place::Block(label.clone()), |this| {
                    this.block(id, Some(label), declarations, statements)
                }),
                None => self.block(id, None, declarations, statements),
            },
            StmtKind::Assign {
                blocking,
                target,
                value,
                ..
            } => self.assignment(*target, *value, *blocking, place),
            StmtKind::If(condition, then, other) => {
                let condition = self.truth(*condition)?;
                let run_other = |this: &mut Self| match other {
                    Some(other) => this.run_statement(*other),
                    None => Ok(()),
                };
                self.branch(condition, |this| this.run_statement(*then), run_other)
            }
            StmtKind::Case {
                kind,
                subject,
                items,
                full,
            } => self.case(*kind, *subject, items, *full),
            StmtKind::For {
                declares,
                init,
                condition,
                step,
                body,
            } => {
                let scope = match declares {
                    Some(item) => self.block_of(id, None, std::slice::from_ref(item))?,
                    None => self.scope,
                };
                self.within(scope, |this| {
                    this.run_statement(*init)?;
                    this.repeat(*condition, place, |this| {
                        this.with_end(Place::Turn, |this| this.run_statement(*body))?;
                        this.run_statement(*step)
                    })
                })
            }
            StmtKind::While(condition, body) => self.repeat(*condition, place, |this| {
                this.with_end(Place::Turn, |this| this.run_statement(*body))
            }),
            StmtKind::DoWhile(body, condition) => self.with_end(Place::Loop, |this| {
                let turn =
                    |this: &mut Self| this.with_end(Place::Turn, |this| this.run_statement(*body));
                turn(this)?;
                this.turns(*condition, place, turn)
            }),
            StmtKind::Foreach {
                of,
                variables,
                declares,
                body,
            } => self.foreach(id, *of, variables, declares, *body),
            StmtKind::RepeatTimes(count, body) => self.repeat_times(*count, *body, place),
            StmtKind::Task(path, arguments) => self.call_task(path, arguments, place),
            StmtKind::SystemTask(name, arguments) => match READ_MEMORY.contains(&&**name) {
                true => self.read_memory(name, arguments, place),
                false => Ok(()),
            },
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                let assumed = matches!(source.stmt(id).kind, StmtKind::Assume(_));
                self.claim(*condition, assumed, place)
            }
            StmtKind::Break => self.leave_loop(Place::Loop, place),
            StmtKind::Continue => self.leave_loop(Place::Turn, place),
            StmtKind::Return(value) => self.return_value(*value, place),
            StmtKind::Disable(name) => self.disable(name, place),
            StmtKind::Unsupported(what) => Err(Stop::at(place, format!("{what} is not supported"))),
        }
    }

    fn assignment(
        &mut self,
        target: ExprId,
        value: ExprId,
        blocking: bool,
        place: Span,
    ) -> Run<()> {
        if self.mode == Mode::Constant && !blocking {
            return Err(Stop::at(
                place,
                "a constant function has no non-blocking assignments",
            ));
        }
        let blocking = blocking || self.mode == Mode::Initial;
        if let Some(array) = self.stretch(target)? {
            return self.assign_array(&array, value, blocking);
        }
        if let Some((targets, bits)) = self.unpacked(target, value)? {
            return self.assign_all(&targets, bits, blocking);
        }
        let layout = self.target_layout(target, value)?;
        let targets = self.targets(target)?;
        let width: u32 = targets.iter().map(|target| target.width).sum();
        // A wide assignment costs as much fuel as many narrow ones.
        self.fuel = self.fuel.saturating_sub(u64::from(width / 64));
        let value = match layout {
            Some(layout) => self.fitted(value, &layout)?,
            None => self.converted(value, width)?,
        };
        self.assign_all(&targets, value, blocking)
    }

    fn repeat_times(&mut self, count: ExprId, body: StmtId, place: Span) -> Run<()> {
        let (term, shape) = self.value(count)?;
        let Some(count) = self.design.words.value(term, shape.signed) else {
            return Err(self.not_constant(term, place));
        };
        if count > MAX_TURNS as i64 {
            return Err(Stop::at(
                place,
                format!("this loop has more than {MAX_TURNS} iterations"),
            ));
        }
        self.with_end(Place::Loop, |this| {
            for number in 0..count.max(0) as usize {
                this.in_turn(number, place, |this| {
                    this.with_end(Place::Turn, |this| this.run_statement(body))
                })?;
            }
            Ok(())
        })
    }

    /// Executes a turn of a loop, or a call, at this place. Unknown values of different turns and calls differ.
    pub(super) fn in_turn<T>(
        &mut self,
        number: usize,
        place: Span,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let outer = self.unknowns.enter(place, number);
        let result = run(self);
        self.unknowns.leave(outer);
        result
    }

    /// Adds an assertion, or an assumption if `assumed`, under the condition that execution reaches it. Does nothing in `initial` blocks
    /// and constant functions.
    fn claim(&mut self, condition: ExprId, assumed: bool, place: Span) -> Run<()> {
        let mut term = self.truth(condition)?;
        if let Some(path) = self.path {
            let elsewhere = self.design.words.pool.not(path)?;
            term = self.design.words.pool.binary(Core::Or, elsewhere, term)?;
        }
        term = self.or_gone(term)?;
        if matches!(self.mode, Mode::Combinational | Mode::Edge) {
            let clock = match self.sampling {
                Some(Sampling::Clock(clock)) => {
                    let clock = &self.design.clocks[clock];
                    Some((clock.signal, clock.rising))
                }
                _ => None,
            };
            self.made.claims.push(Claim {
                term,
                clock,
                place,
                assumed,
            });
        }
        Ok(())
    }

    /// Runs one of two branches if the condition is constant. Otherwise runs both from the same environment, and joins the results.
    ///
    /// # Errors
    /// If the condition is not constant in a constant function.
    pub(super) fn branch(
        &mut self,
        condition: TermId,
        then: impl FnOnce(&mut Self) -> Run<()>,
        other: impl FnOnce(&mut Self) -> Run<()>,
    ) -> Run<()> {
        match self.design.words.pool.as_bool(condition) {
            Some(true) => return then(self),
            Some(false) => return other(self),
            None => {}
        }
        if self.mode == Mode::Constant {
            let message = "a condition in a constant function must be constant";
            return Err(Stop::Model(Box::new(
                hyperkill_frontend::Diagnostic::unlocated(message),
            )));
        }
        let before = self.env.clone();
        let path = self.path;
        self.path = Some(self.conjunction(path, condition)?);
        then(self)?;
        let after_then: Env = std::mem::replace(&mut self.env, before);
        let negated = self.design.words.pool.not(condition)?;
        self.path = Some(self.conjunction(path, negated)?);
        other(self)?;
        self.path = path;
        let after_other = std::mem::take(&mut self.env);
        self.join(condition, after_then, after_other)
    }

    fn conjunction(&mut self, path: Option<TermId>, condition: TermId) -> Run<TermId> {
        match path {
            Some(path) => Ok(self.design.words.pool.binary(Core::And, path, condition)?),
            None => Ok(condition),
        }
    }

    fn repeat(
        &mut self,
        condition: ExprId,
        place: Span,
        turn: impl FnMut(&mut Self) -> Run<()>,
    ) -> Run<()> {
        self.with_end(Place::Loop, |this| this.turns(condition, place, turn))
    }

    fn turns(
        &mut self,
        condition: ExprId,
        place: Span,
        mut turn: impl FnMut(&mut Self) -> Run<()>,
    ) -> Run<()> {
        let mut before = self.env.clone();
        let mut since = 0;
        for number in 1..=MAX_TURNS {
            if self.env.gone {
                return Ok(());
            }
            let go_on = self.in_turn(number, place, |this| {
                let go_on = this.truth(condition)?;
                match this.design.words.pool.as_bool(go_on) {
                    Some(true) => turn(this)?,
                    Some(false) => {}
                    None => return Err(this.not_constant(go_on, place)),
                }
                Ok(this.design.words.pool.as_bool(go_on) == Some(true))
            })?;
            if !go_on {
                return Ok(());
            }
            self.fuel = self.fuel.saturating_sub(1);
            // An environment equal to an earlier one will repeat. Only turns soon after the turn to compare with are checked.
            if number - since <= LOOKED_AT && self.env == before {
                return Err(Stop::at(
                    place,
                    "this loop never ends: no iteration changes its condition",
                ));
            }
            if number.is_power_of_two() {
                before = self.env.clone();
                since = number;
            }
        }
        Err(Stop::at(
            place,
            format!("this loop has more than {MAX_TURNS} iterations"),
        ))
    }

    fn block(
        &mut self,
        id: StmtId,
        label: Option<&Name>,
        declarations: &[Item],
        statements: &[StmtId],
    ) -> Run<()> {
        if declarations.is_empty() {
            return self.sequence(statements);
        }
        let scope = self.block_of(id, label, declarations)?;
        self.within(scope, |this| {
            this.begin_locals(declarations)?;
            this.sequence(statements)
        })
    }

    fn sequence(&mut self, statements: &[StmtId]) -> Run<()> {
        for statement in statements {
            self.run_statement(*statement)?;
        }
        Ok(())
    }

    /// Gives automatic variables of a block their first values.
    pub(super) fn begin_locals(&mut self, declarations: &[Item]) -> Run<()> {
        for item in declarations {
            let ItemKind::Declaration(declaration) = &item.kind else {
                continue;
            };
            for declarator in &declaration.names {
                let known = &self.design.scopes[self.scope.0].names;
                let Some(Entity::Var(id)) = known.get(&declarator.name) else {
                    continue;
                };
                let var = self.design.var(*id);
                if !var.local || declaration.direction.is_some() {
                    continue;
                }
                let word = self.word_of(*id, 0);
                match declarator.value {
                    Some(value) => {
                        let layout = self.layout_of_var(*id);
                        let (id, word) = (*id, word);
                        match self.whole_array(id) {
                            Some(all) => self.assign_array(&all, value, true)?,
                            None => {
                                let value = self.fitted(value, &layout)?;
                                self.env.blocking.insert(word, value);
                            }
                        }
                    }
                    // No value remains from the last entry.
                    None => {
                        for element in 0..self.design.var(*id).count {
                            let word = self.word_of(*id, element);
                            self.env.blocking.remove(&word);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the scope of a block with declarations, created once. Its variables keep their values between runs like other variables,
    /// unless they are automatic or stand in a function or task.
    pub(super) fn block_of(
        &mut self,
        id: StmtId,
        label: Option<&Name>,
        declarations: &[Item],
    ) -> Run<crate::design::ScopeId> {
        let here = self.scope;
        if let Some(scope) = self.blocks.get(&(here, id)) {
            return Ok(*scope);
        }
        let path = match label {
            Some(label) => self.path_of(here, label) + ".",
            None => self.path_of(here, "block."),
        };
        let scope = self.new_scope(Some(here), path);
        self.blocks.insert((here, id), scope);
        let declarations: Vec<&Item> = declarations.iter().collect();
        let in_routine = self.in_routine(here);
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let result = self.within(scope, |this| {
            this.local_declarations(&declarations, scope, in_routine)
        });
        self.mode = mode;
        result?;
        Ok(scope)
    }

    /// Executes the branches of a `case` in order; the last one has no condition if the labels name all values.
    fn case(&mut self, kind: CaseKind, subject: ExprId, items: &[CaseItem], full: bool) -> Run<()> {
        if kind == CaseKind::Inside {
            return self.case_inside(subject, items, full);
        }
        // All labels and the subject are compared at one width and sign.
        let own = self.shape(subject)?.width;
        let mut shape = self.shape(subject)?;
        for label in items.iter().flat_map(|item| &item.labels) {
            let label = self.shape(*label)?;
            shape.width = shape.width.max(label.width);
            shape.signed &= label.signed;
        }
        // A digit `x` in the subject of a `casex` matches any value, too.
        let open = match kind {
            CaseKind::X => self.open_digits(subject, shape.width),
            _ => Vec::new(),
        };
        let place = self.span(subject);
        let subject = self.eval(subject, shape.width, shape.signed)?;
        let mut conditions = Vec::new();
        for item in items.iter().filter(|item| !item.labels.is_empty()) {
            let mut condition = self.design.words.pool.bool(false);
            let mut patterns = Vec::new();
            for label in &item.labels {
                let (matches, pattern) = match open.contains(&true) {
                    false => self.label(kind, subject, *label, shape.width, shape.signed)?,
                    true => {
                        let matches = self.label_where_known(subject, *label, shape, &open)?;
                        (matches, None)
                    }
                };
                condition = self
                    .design
                    .words
                    .pool
                    .binary(Core::Or, condition, matches)?;
                patterns.push(pattern);
            }
            conditions.push((condition, item.body, patterns));
        }
        let default = items
            .iter()
            .find(|item| item.labels.is_empty())
            .map(|item| item.body);
        let known: Option<Vec<Pattern>> = conditions
            .iter()
            .flat_map(|(_, _, patterns)| patterns.iter().copied())
            .collect();
        let named = known.is_some_and(|known| names_all(&known, own, shape));
        if full && !named && default.is_none() {
            let message = "`full_case` promises that no other value occurs: where one does, the last branch is taken; simulators take none";
            self.warn(message.to_owned(), place);
        }
        let complete = full || named;
        let conditions: Vec<(TermId, StmtId)> = conditions
            .into_iter()
            .map(|(c, body, _)| (c, body))
            .collect();
        self.chain(&conditions, default, complete)
    }

    /// Executes `case (a) inside`: each label is compared by itself.
    fn case_inside(&mut self, subject: ExprId, items: &[CaseItem], full: bool) -> Run<()> {
        let mut conditions = Vec::new();
        for item in items.iter().filter(|item| !item.labels.is_empty()) {
            let mut condition = self.design.words.pool.bool(false);
            for label in &item.labels {
                let here = self.is_inside(subject, *label)?;
                condition = self.design.words.pool.binary(Core::Or, condition, here)?;
            }
            conditions.push((condition, item.body));
        }
        let default = items.iter().find(|item| item.labels.is_empty());
        self.chain(&conditions, default.map(|item| item.body), full)
    }

    fn chain(
        &mut self,
        rest: &[(TermId, StmtId)],
        default: Option<StmtId>,
        complete: bool,
    ) -> Run<()> {
        match rest {
            [] => match default {
                Some(body) => self.run_statement(body),
                None => Ok(()),
            },
            [(_, body)] if complete => self.run_statement(*body),
            [(condition, body), rest @ ..] => self.branch(
                *condition,
                |this| this.run_statement(*body),
                |this| this.chain(rest, default, complete),
            ),
        }
    }

    /// Returns the condition that a label matches the subject, at this width and sign, and the label's pattern. The pattern is `None` if
    /// the label is not constant, is too wide, or never matches.
    pub(super) fn label(
        &mut self,
        kind: CaseKind,
        subject: TermId,
        label: ExprId,
        width: u32,
        signed: bool,
    ) -> Run<(TermId, Option<Pattern>)> {
        if let Some(literal) = self.literal_label(label)
            && (literal.has_unknown() || self.mode == Mode::Constant)
        {
            self.note(label);
            let digits = literal.at_width(width as usize, signed);
            let matters = |digit: &Digit| match (kind, digit) {
                (_, Digit::Zero | Digit::One) => Some(true),
                (CaseKind::X, _) | (CaseKind::Z, Digit::Z) => Some(false),
                // An unknown bit equals nothing that is known.
                _ => None,
            };
            let Some(mask) = digits.iter().map(matters).collect::<Option<Vec<bool>>>() else {
                return Ok((self.design.words.pool.bool(false), None));
            };
            let values: Vec<bool> = digits.iter().map(|digit| *digit == Digit::One).collect();
            let pattern = Pattern::of(&mask, &values);
            let words = &mut self.design.words;
            let (mask, value) = (words.bits(&mask), words.bits(&values));
            let masked = words.bitwise(Core::And, subject, mask)?;
            return Ok((words.equal(masked, value)?, pattern));
        }
        let term = self.eval(label, width, signed)?;
        let words = &mut self.design.words;
        let known = words.constant(term);
        let known = known.and_then(|bits| Pattern::of(&vec![true; bits.len()], &bits));
        Ok((words.equal(subject, term)?, known))
    }

    /// Returns the bits of a subject that are written as `x` or `z`.
    fn open_digits(&mut self, subject: ExprId, width: u32) -> Vec<bool> {
        let source = self.source;
        let mut open: Vec<bool> = match &source.expr(subject).kind {
            ExprKind::Number(literal) => {
                let digits = literal.at_width(width.max(literal.width()) as usize, literal.signed);
                digits.iter().map(|digit| digit.is_unknown()).collect()
            }
            ExprKind::Concat(parts) if parts.iter().any(|part| self.has_unknown(*part)) => {
                let mut open = Vec::new();
                for part in parts.iter().rev() {
                    match (&source.expr(*part).kind, self.shape(*part).ok()) {
                        (ExprKind::Number(literal), _) => {
                            open.extend(literal.digits.iter().map(|digit| digit.is_unknown()));
                        }
                        (_, Some(shape)) => open.extend(vec![false; shape.width as usize]),
                        (_, None) => return Vec::new(),
                    }
                }
                open
            }
            _ => Vec::new(),
        };
        open.resize(width as usize, false);
        open
    }

    /// Returns the condition that a label of a `casex` matches a subject. The bits that are `open` match any value.
    fn label_where_known(
        &mut self,
        subject: TermId,
        label: ExprId,
        shape: Shape,
        open: &[bool],
    ) -> Run<TermId> {
        let mut known: Vec<bool> = open.iter().map(|open| !open).collect();
        let literal = self.literal_label(label);
        let term = match literal.filter(|literal| literal.has_unknown()) {
            Some(literal) => {
                self.note(label);
                let digits = literal.at_width(shape.width as usize, shape.signed);
                for (known, digit) in known.iter_mut().zip(&digits) {
                    *known &= !digit.is_unknown();
                }
                let ones: Vec<bool> = digits.iter().map(|digit| *digit == Digit::One).collect();
                self.design.words.bits(&ones)
            }
            None => self.eval(label, shape.width, shape.signed)?,
        };
        let words = &mut self.design.words;
        let known = words.bits(&known);
        let a = words.bitwise(Core::And, subject, known)?;
        let b = words.bitwise(Core::And, term, known)?;
        Ok(words.equal(a, b)?)
    }

    fn literal_label(&mut self, label: ExprId) -> Option<Literal> {
        match &self.source.expr(label).kind {
            ExprKind::Number(literal) => Some(literal.clone()),
            ExprKind::Name(path) if path.len() == 1 => {
                let place = self.span(label);
                match self.find(&path[0].name, place) {
                    Ok(Some(crate::design::Entity::Constant(literal))) => Some(literal),
                    _ => None,
                }
            }
            ExprKind::Concat(parts) if parts.iter().any(|part| self.has_unknown(*part)) => {
                self.constant(label).ok()
            }
            _ => None,
        }
    }
}
