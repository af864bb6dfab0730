//! Values at the edge before: `$past`, `$rose`, `$fell`, `$stable` and `$changed` (IEEE 1800-2017 §16.9.3).
//!
//! Each function reads its own register, which takes the value of the expression at every edge. The register starts with any value, since
//! there is no edge before the first one.

use hyperkill_core::term::{BinaryOp as Core, TermId};

use super::expression::Shape;
use crate::ast::{ExprId, Name};
use crate::design::{Drive, Entity, Net, Process, Run, Sampled, ScopeId, Stop, Var, VarId};
use crate::lexer::Kind;
use crate::state::{Elaborator, Sampling};

/// Most edges that `$past` looks back.
const MAX_EDGES: i64 = 1024;

impl Elaborator<'_> {
    /// Returns the width and sign of a call of `$past`, `$rose`, `$fell`, `$stable` or `$changed`. `None` for other functions, and for a
    /// wrong number of arguments.
    pub(super) fn sampled_shape(&mut self, name: &str, arguments: &[ExprId]) -> Run<Option<Shape>> {
        Ok(match (name, arguments) {
            ("$past", [of] | [of, _]) => Some(self.shape(*of)?),
            ("$rose" | "$fell" | "$stable" | "$changed", [_]) => Some(Shape::unsigned(1)),
            _ => None,
        })
    }

    /// Returns the value of a call of `$past`, `$rose`, `$fell`, `$stable` or `$changed`; `expr` is the call. `None` for other functions,
    /// and for a wrong number of arguments.
    pub(super) fn sampled_value(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        expr: ExprId,
    ) -> Run<Option<TermId>> {
        let (of, edges) = match (name, arguments) {
            ("$past", [of]) => (*of, 1),
            ("$past", [of, edges]) => (*of, self.integer(*edges)?),
            ("$rose" | "$fell" | "$stable" | "$changed", [of]) => (*of, 1),
            _ => return Ok(None),
        };
        if !(1..=MAX_EDGES).contains(&edges) {
            let message = format!("`$past` looks back 1 to {MAX_EDGES} edges");
            return Err(Stop::at(self.span(expr), message));
        }
        let before = self.before_edges(name, of, edges, expr)?;
        if name == "$past" {
            return Ok(Some(before));
        }
        let (mut now, _) = self.value(of)?;
        let mut then = before;
        if matches!(name, "$rose" | "$fell") {
            // Only the lowest bit counts.
            now = self.design.words.slice(now, 0, 1)?;
            then = self.design.words.slice(then, 0, 1)?;
        }
        let words = &mut self.design.words;
        let found = match name {
            "$stable" => words.equal(now, then)?,
            "$changed" => {
                let equal = words.equal(now, then)?;
                words.pool.not(equal)?
            }
            _ => {
                let (low, high) = if name == "$rose" {
                    (then, now)
                } else {
                    (now, then)
                };
                let (low, high) = (words.truth(low)?, words.truth(high)?);
                let low = words.pool.not(low)?;
                words.pool.binary(Core::And, low, high)?
            }
        };
        Ok(Some(self.design.words.of_truth(found)?))
    }

    /// Returns the value that `of` had `edges` edges ago. Adds registers that store earlier values, unless they exist. `name` and `at` are
    /// the function and the expression for messages.
    fn before_edges(&mut self, name: &str, of: ExprId, edges: i64, at: ExprId) -> Run<TermId> {
        let place = self.span(at);
        let clock = match self.sampling {
            Some(Sampling::Clock(clock)) => clock,
            Some(Sampling::Edge(rising, signal)) => {
                let (term, _) = self.value(signal)?;
                let term = self.design.words.slice(term, 0, 1)?;
                self.clock(term, rising, self.span(signal))
            }
            None => {
                let message = format!(
                    "`{name}` outside of a block or property at the edge of a clock is not supported"
                );
                return Err(Stop::at(place, message));
            }
        };
        if let Some(changing) = self.changing(of) {
            let message = format!(
                "`{name}` of `{changing}`, which gets its value by `=` in this block, is not supported"
            );
            return Err(Stop::at(place, message));
        }
        let shape = self.shape(of)?;
        let mut from = Sampled::Expr(of);
        for edge in 1..=edges {
            let key = (self.scope, from, clock);
            let var = match self.samples.get(&key) {
                Some(var) => *var,
                None => {
                    let var = self.sample(of, edge, shape, at)?;
                    self.samples.insert(key, var);
                    let process = Process::Sample(var, self.scope, from, clock);
                    self.add_process(process, place);
                    var
                }
            };
            from = Sampled::Var(var);
        }
        let Sampled::Var(var) = from else {
            return Err(Stop::at(place, "no edge to look back to"));
        };
        let word = self.word_of(var, 0);
        Ok(self.design.word(word))
    }

    /// Returns the name of a variable in an expression that is local or that the block assigns by `=`: its value at the edge is lost later.
    fn changing(&mut self, of: ExprId) -> Option<Name> {
        let extent = self.source.expr(of).extent;
        let tokens = self
            .source
            .tokens
            .get(extent.first as usize..=extent.last as usize)?;
        let mut words = tokens
            .iter()
            .filter(|token| matches!(token.kind, Kind::Word | Kind::Escaped));
        let found = words.find(|token| match self.lookup(&token.text) {
            Some(Entity::Var(var)) => self.assigned[0].contains(&var) || self.design.var(var).local,
            _ => false,
        });
        found.map(|token| token.text.clone())
    }

    /// Adds a register for a sampled value, named like the text of the call.
    fn sample(&mut self, of: ExprId, edge: i64, shape: Shape, at: ExprId) -> Run<VarId> {
        let extent = self.source.expr(of).extent;
        let tokens = self
            .source
            .tokens
            .get(extent.first as usize..=extent.last as usize);
        let text: String = tokens
            .unwrap_or_default()
            .iter()
            .map(|token| &*token.text)
            .collect();
        let name = match edge {
            1 => format!("$past({text})"),
            _ => format!("$past({text},{edge})"),
        };
        let place = self.span(at);
        self.variable(
            Var {
                name: self.path_of(self.scope, &name),
                width: shape.width,
                left: i64::from(shape.width) - 1,
                right: 0,
                signed: shape.signed,
                local: false,
                variable: true,
                integer: false,
                supply: None,
                net: Net::Plain,
                choice: None,
                layout: None,
                dimensions: Vec::new(),
                first: 0,
                count: 0,
                port: None,
                place,
            },
            place,
        )
    }

    /// Assigns a sampled value to its register. Returns the drive of the register, at the edges of `clock`.
    pub(super) fn take_sample(
        &mut self,
        var: VarId,
        scope: ScopeId,
        from: Sampled,
        clock: usize,
    ) -> Run<Drive> {
        self.scope = scope;
        let value = match from {
            Sampled::Expr(expr) => self.value(expr)?.0,
            Sampled::Var(other) => self.read(self.word_of(other, 0))?,
        };
        let word = self.word_of(var, 0);
        let width = self.design.var(var).width;
        self.env.blocking.insert(word, value);
        self.written.insert(word, vec![(0, width)]);
        Ok(Drive::Register {
            clock,
            overrides: Vec::new(),
        })
    }
}
