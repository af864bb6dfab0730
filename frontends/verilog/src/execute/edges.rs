//! Blocks at edges: the edge of the clock, and the values under asynchronous conditions.

use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;

use super::process::joined;
use crate::ast::{ExprId, StmtId, StmtKind};
use crate::design::{Asynchronous, Drive, Run, ScopeId, Stop, WordId};
use crate::state::{Elaborator, Env, Sampling};

/// An edge that a block waits for.
#[derive(Clone, Copy)]
struct Edge {
    rising: bool,
    signal: TermId,
    place: Span,
}

/// The branch of a block for an asynchronous condition.
struct Override {
    condition: ExprId,
    then: StmtId,
    scope: ScopeId,
}

impl Elaborator<'_> {
    /// Executes a block at edges. Its clock is the edge that no asynchronous condition at its top tests.
    pub(super) fn edges(&mut self, edges: &[(bool, ExprId)], body: StmtId, place: Span) -> Run<()> {
        let around = self.scope;
        let mut waited = Vec::new();
        for (rising, signal) in edges {
            let (term, _) = self.value(*signal)?;
            waited.push(Edge {
                rising: *rising,
                signal: self.design.words.slice(term, 0, 1)?,
                place: self.span(*signal),
            });
        }
        let overrides = self.overrides(&mut waited, body)?;
        let Some(edge) = waited.first().copied() else {
            return Err(Stop::at(
                place,
                "this block has no edge of a clock in its sensitivity list",
            ));
        };
        let clock = self.clock(edge.signal, edge.rising, edge.place);
        self.scope = around;
        self.sampling = Some(Sampling::Clock(clock));
        if overrides.is_empty() {
            self.run_statement(body)?;
            let overrides = Vec::new();
            return self.drive(&Drive::Register { clock, overrides }, place);
        }
        // The values that each asynchronous condition sets.
        let (mut branches, mut loads) = (Vec::new(), Vec::new());
        for set in &overrides {
            self.scope = set.scope;
            let condition = self.truth(set.condition)?;
            self.held = true;
            let env = self.settled(set.then);
            self.held = false;
            self.scope = around;
            let env = env?;
            loads.push(self.loads(&env)?);
            self.written.clear();
            branches.push((condition, env));
        }
        let env = self.settled(body)?;
        self.warn_of_levels(&overrides, &loads);
        for (word, ranges) in std::mem::take(&mut self.written) {
            self.drive_register(clock, word, ranges, &env, &branches, place)?;
        }
        Ok(())
    }

    /// Warns of asynchronous conditions that simulators obey only at edges. First, a condition may load a value that changes while the
    /// condition holds. Second, the first of several conditions may end while another one still holds.
    fn warn_of_levels(&mut self, overrides: &[Override], loads: &[bool]) {
        let loading = loads.iter().position(|loads| *loads);
        if let Some(set) = loading.and_then(|place| overrides.get(place)) {
            let message = "an asynchronous condition sets a value that may change while it holds: simulators take the value at the edge \
                only";
            self.warn(message.to_owned(), self.span(set.condition));
        } else if let [_, second, ..] = overrides {
            let message = "this block has several asynchronous conditions: where the first ends while another one holds, simulators wait \
                for the next edge";
            self.warn(message.to_owned(), self.span(second.condition));
        }
    }

    /// Whether the current branch sets bits to a value that is not constant.
    fn loads(&mut self, env: &Env) -> Run<bool> {
        for (word, ranges) in self.written.clone() {
            let value = env.waiting.get(&word).or(env.blocking.get(&word));
            for (low, width) in ranges {
                let Some(value) = value else { continue };
                let part = self.design.words.slice(*value, low, width)?;
                if self.design.words.constant(part).is_none() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Executes a statement. Returns its assignments.
    fn settled(&mut self, body: StmtId) -> Run<Env> {
        self.run_statement(body)?;
        let env = std::mem::take(&mut self.env);
        self.settle(&env)?;
        Ok(env)
    }

    /// Returns the branches at the top of a block whose conditions test an edge. Removes these edges from `waited`; the clock's edge is
    /// left.
    fn overrides(&mut self, waited: &mut Vec<Edge>, body: StmtId) -> Run<Vec<Override>> {
        let mut overrides = Vec::new();
        let mut at = body;
        while waited.len() > 1 {
            let inner = self.only_statement(at)?;
            let StmtKind::If(condition, then, other) = self.source.stmt(inner).kind.clone() else {
                let message = "this block waits for several edges, and does not begin with an `if` on an asynchronous reset";
                return Err(Stop::at(self.source.stmt_span(inner), message));
            };
            let Some(found) = self.edge_asked_for(waited, condition)? else {
                let message = "this condition is not the level after one of the edges that the block waits for";
                return Err(Stop::at(self.span(condition), message));
            };
            let edge = waited.remove(found);
            self.design.asynchronous.push(Asynchronous {
                signal: edge.signal,
                active: edge.rising,
                place: edge.place,
            });
            overrides.push(Override {
                condition,
                then,
                scope: self.scope,
            });
            match other {
                Some(other) => at = other,
                None if waited.len() == 1 => break,
                None => {
                    return Err(Stop::at(
                        self.source.stmt_span(inner),
                        "this block has no statement for one of its edges",
                    ));
                }
            }
        }
        Ok(overrides)
    }

    /// Returns the index of the edge after which a condition holds, the last if there are several; `None` if there is none.
    fn edge_asked_for(&mut self, waited: &[Edge], condition: ExprId) -> Run<Option<usize>> {
        let asked = self.truth_plain(condition)?;
        let mut found = None;
        for (i, edge) in waited.iter().enumerate() {
            let mut active = self.design.words.truth(edge.signal)?;
            if !edge.rising {
                active = self.design.words.pool.not(active)?;
            }
            if active == asked {
                found = Some(i);
            }
        }
        Ok(found)
    }

    /// Drives the bits `ranges` of a register: `env` has the assignments at the edge of the clock, and `branches` those under each
    /// asynchronous condition.
    fn drive_register(
        &mut self,
        clock: usize,
        word: WordId,
        ranges: Vec<(u32, u32)>,
        env: &Env,
        branches: &[(TermId, Env)],
        place: Span,
    ) -> Run<()> {
        let values = branches.iter().map(|(condition, branch)| {
            let value = branch.waiting.get(&word).or(branch.blocking.get(&word));
            (*condition, value.copied())
        });
        let values: Vec<(TermId, Option<TermId>)> = values.collect();
        self.env = Env::default();
        if let Some(value) = env.blocking.get(&word) {
            self.env.blocking.insert(word, *value);
        }
        if let Some(value) = env.waiting.get(&word) {
            self.env.waiting.insert(word, *value);
        }
        for (low, width) in joined(ranges) {
            let mut overrides = Vec::new();
            for (condition, value) in &values {
                let value = match value {
                    Some(value) => Some(self.design.words.slice(*value, low, width)?),
                    None => None,
                };
                overrides.push((*condition, value));
            }
            self.written.insert(word, vec![(low, width)]);
            let kept = self.env.clone();
            self.drive(&Drive::Register { clock, overrides }, place)?;
            self.env = kept;
        }
        Ok(())
    }

    /// Returns the truth of a condition without mutants.
    fn truth_plain(&mut self, condition: ExprId) -> Run<TermId> {
        self.muted(|this| this.truth(condition))
    }

    /// Returns the single statement inside nested blocks. The current scope becomes the scope of their declarations.
    fn only_statement(&mut self, mut at: StmtId) -> Run<StmtId> {
        let source = self.source;
        while let StmtKind::Block(label, declarations, statements) = &source.stmt(at).kind
            && let [one] = statements.as_slice()
        {
            if !declarations.is_empty() {
                self.scope = self.block_of(at, label.as_ref(), declarations)?;
            }
            at = *one;
        }
        Ok(at)
    }
}
