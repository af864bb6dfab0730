//! Statements.

use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;

use super::{Env, Mode};
use crate::ast::{CaseItem, CaseKind, ExprId, ExprKind, Item, Name, StmtId, StmtKind};
use crate::design::{Claim, Run, Stop};
use crate::elaborate::{Alternative, Elaborator};
use crate::number::{Digit, Literal};

/// Most turns of one loop.
const MAX_TURNS: usize = 1 << 16;
/// A `case` over a subject of at most so many bits is full if its labels name all values.
const FULL_WIDTH: u32 = 16;

impl Elaborator<'_> {
    /// Executes a statement, with all mutants at it.
    pub(crate) fn run_statement(&mut self, id: StmtId) -> Run<()> {
        let place = self.source.stmt_span(id);
        self.run_here(id, place)
            .map_err(|stop| Stop::Model(Box::new(stop.located(place))))
    }

    fn run_here(&mut self, id: StmtId, place: Span) -> Run<()> {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return Err(Stop::at(
                place,
                "the loops of this design unroll to too many statements",
            ));
        }
        if self.mode == Mode::Constant {
            return self.run_one(id, place);
        }
        self.visited_stmts.insert(id);
        let alternatives = match self.mute {
            true => None,
            false => self.plan.stmts.get(&id).cloned(),
        };
        let Some(alternatives) = alternatives else {
            return self.run_one(id, place);
        };
        let before = self.env.clone();
        self.run_one(id, place)?;
        for (mutation, alternative) in alternatives.into_iter().rev() {
            let original = std::mem::replace(&mut self.env, before.clone());
            let written = self.written.clone();
            let outcome = match alternative {
                Alternative::Delete => Ok(()),
                Alternative::Replace(with) => self.muted(|this| this.run_statement(with)),
            };
            let mutated = std::mem::take(&mut self.env);
            match outcome {
                Ok(()) => {
                    let selector = self.design.words.pool.selector(mutation);
                    self.join(selector, mutated, original)?;
                }
                Err(stop) => {
                    self.rejected
                        .entry(mutation)
                        .or_insert(stop.located(place).message);
                    self.env = original;
                    self.written = written;
                }
            }
        }
        Ok(())
    }

    fn run_one(&mut self, id: StmtId, place: Span) -> Run<()> {
        let source = self.source;
        match &source.stmt(id).kind {
            StmtKind::Null => Ok(()),
            StmtKind::Block(label, declarations, statements) => {
                self.block(id, label.as_ref(), declarations, statements)
            }
            StmtKind::Assign {
                blocking,
                target,
                value,
                ..
            } => {
                if self.mode == Mode::Constant && !blocking {
                    return Err(Stop::at(
                        place,
                        "a constant function has no non-blocking assignments",
                    ));
                }
                let blocking = *blocking || self.mode == Mode::Initial;
                let targets = self.targets(*target)?;
                let width = targets.iter().map(|target| target.width).sum();
                let shape = self.shape(*value)?;
                let value = self.eval(*value, shape.width.max(width), shape.signed)?;
                let value = self.design.words.slice(value, 0, width)?;
                self.assign_all(&targets, value, blocking)
            }
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
                        this.run_statement(*body)?;
                        this.run_statement(*step)
                    })
                })
            }
            StmtKind::While(condition, body) => {
                self.repeat(*condition, place, |this| this.run_statement(*body))
            }
            StmtKind::RepeatTimes(count, body) => {
                let (term, shape) = self.value(*count)?;
                let Some(count) = self.design.words.value(term, shape.signed) else {
                    return Err(Stop::at(
                        place,
                        "how often this loop turns must be constant",
                    ));
                };
                if count > MAX_TURNS as i64 {
                    return Err(Stop::at(
                        place,
                        format!("this loop turns more than {MAX_TURNS} times"),
                    ));
                }
                for _ in 0..count {
                    self.run_statement(*body)?;
                }
                Ok(())
            }
            StmtKind::Task(path, arguments) => self.call_task(path, arguments, place),
            StmtKind::SystemTask(name, _) => match &**name {
                "$readmemh" | "$readmemb" => Err(Stop::at(
                    place,
                    format!("`{name}`: contents of memories from files are not supported"),
                )),
                _ => Ok(()),
            },
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                let assumed = matches!(source.stmt(id).kind, StmtKind::Assume(_));
                let mut term = self.truth(*condition)?;
                if let Some(path) = self.path {
                    let elsewhere = self.design.words.pool.not(path)?;
                    term = self.design.words.pool.binary(Core::Or, elsewhere, term)?;
                }
                if matches!(self.mode, Mode::Combinational | Mode::Edge) {
                    self.design.claims.push(Claim {
                        term,
                        place,
                        assumed,
                    });
                }
                Ok(())
            }
            StmtKind::Unsupported(what) => Err(Stop::at(place, format!("{what} is not supported"))),
        }
    }

    /// Runs one of two branches, or both if the condition is not constant.
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
        mut turn: impl FnMut(&mut Self) -> Run<()>,
    ) -> Run<()> {
        for _ in 0..MAX_TURNS {
            let go_on = self.truth(condition)?;
            match self.design.words.pool.as_bool(go_on) {
                Some(false) => return Ok(()),
                Some(true) => turn(self)?,
                None => {
                    return Err(Stop::at(
                        place,
                        "how often this loop turns must be constant",
                    ));
                }
            }
            self.fuel = self.fuel.saturating_sub(1);
        }
        Err(Stop::at(
            place,
            format!("this loop turns more than {MAX_TURNS} times"),
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
            for statement in statements {
                self.run_statement(*statement)?;
            }
            return Ok(());
        }
        let scope = self.block_of(id, label, declarations)?;
        self.within(scope, |this| {
            for statement in statements {
                this.run_statement(*statement)?;
            }
            Ok(())
        })
    }

    /// The scope of a block that declares something, made once.
    fn block_of(
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
            None => self.design.scopes[here.0].path.clone(),
        };
        let scope = self.new_scope(Some(here), path);
        self.blocks.insert((here, id), scope);
        let declarations: Vec<&Item> = declarations.iter().collect();
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let result = self.within(scope, |this| this.local_declarations(&declarations, scope));
        self.mode = mode;
        result?;
        Ok(scope)
    }

    /// One branch of a `case` after the other; the last one without a condition if the labels name all values.
    fn case(&mut self, kind: CaseKind, subject: ExprId, items: &[CaseItem], full: bool) -> Run<()> {
        // All labels and the subject are compared at one width and sign.
        let mut shape = self.shape(subject)?;
        for label in items.iter().flat_map(|item| &item.labels) {
            let label = self.shape(*label)?;
            shape.width = shape.width.max(label.width);
            shape.signed &= label.signed;
        }
        let subject = self.eval(subject, shape.width, shape.signed)?;
        let mut conditions = Vec::new();
        for item in items.iter().filter(|item| !item.labels.is_empty()) {
            let mut condition = self.design.words.pool.bool(false);
            let mut patterns = Vec::new();
            for label in &item.labels {
                let (matches, pattern) =
                    self.label(kind, subject, *label, shape.width, shape.signed)?;
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
        let known: Option<Vec<u64>> = conditions
            .iter()
            .flat_map(|(_, _, patterns)| patterns.iter().copied())
            .collect();
        let mut complete = full;
        if let Some(mut known) = known.filter(|_| shape.width <= FULL_WIDTH) {
            known.sort_unstable();
            known.dedup();
            complete |= known.len() as u64 == 1 << shape.width;
        }
        let conditions: Vec<(TermId, StmtId)> = conditions
            .into_iter()
            .map(|(c, body, _)| (c, body))
            .collect();
        self.chain(&conditions, default, complete)
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

    /// Whether a label matches, and its value if it is one known number.
    fn label(
        &mut self,
        kind: CaseKind,
        subject: TermId,
        label: ExprId,
        width: u32,
        signed: bool,
    ) -> Run<(TermId, Option<u64>)> {
        if let Some(literal) = self.literal_label(label)
            && (literal.has_unknown() || self.mode == Mode::Constant)
        {
            self.visited.insert(label);
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
            let words = &mut self.design.words;
            let (mask, value) = (words.bits(&mask), words.bits(&values));
            let masked = words.bitwise(Core::And, subject, mask)?;
            return Ok((words.equal(masked, value)?, None));
        }
        let term = self.eval(label, width, signed)?;
        let words = &mut self.design.words;
        let known = words.constant(term).filter(|bits| bits.len() <= 64);
        let known = known.map(|bits| {
            bits.iter()
                .rev()
                .fold(0, |value, &bit| value << 1 | u64::from(bit))
        });
        Ok((words.equal(subject, term)?, known))
    }

    fn literal_label(&mut self, label: ExprId) -> Option<Literal> {
        match &self.source.expr(label).kind {
            ExprKind::Number(literal) => Some(literal.clone()),
            ExprKind::Name(path) if path.len() == 1 => match self.lookup(&path[0].name) {
                Some(crate::design::Entity::Constant(literal)) => Some(literal),
                _ => None,
            },
            _ => None,
        }
    }
}
