//! Clock constraints of guards and invariants, in disjunctive normal form over comparisons with constants.
//!
//! All variables have values here. [`Machine`] evaluates the parts of a condition without clocks; comparisons of clocks remain. A
//! comparison of a difference of two clocks has a number from [`FIRST_DIFFERENCE`] on in place of a clock, until [`crate::differences`]
//! removes it.

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_frontend::{Diagnostic, Span};

use crate::machine::{Binding, Eval, Machine};
use crate::rules::{FIRST_DIFFERENCE, is_difference};
use crate::syntax::{self, Binary, Expr, Node, Quantifier};
use crate::values::{Type, Value};

/// A disjunction of conjunctions of comparisons. An empty disjunction is false; an empty conjunction is true.
pub(crate) type Alternatives = Vec<Vec<Atom>>;

/// The number of conjunctions in the product of two disjunctions ([`both`]), at most: each one of a guard becomes an edge. Disjunctions
/// alone are not limited, since they are as long as their text.
const MAX_ALTERNATIVES: usize = 1024;

impl Machine {
    /// Returns the conjunction of some conditions, such as the lines of a guard, in disjunctive normal form.
    pub(crate) fn all(&mut self, parts: &[Expr]) -> Eval<Alternatives> {
        let mut all = vec![Vec::new()];
        for part in parts {
            let own = self.alternatives(part)?;
            all = both(&all, &own, part.span)?;
            if all.is_empty() {
                break;
            }
        }
        Ok(all)
    }

    /// Returns a condition in disjunctive normal form.
    fn alternatives(&mut self, expr: &Expr) -> Eval<Alternatives> {
        if !self.is_about_clocks(expr) {
            return Ok(match self.truth(expr)? {
                true => vec![Vec::new()],
                false => Vec::new(),
            });
        }
        match &expr.node {
            Node::Binary(Binary::And, left, right) => {
                let own = self.alternatives(left)?;
                match own.is_empty() {
                    true => Ok(own),
                    false => both(&own, &self.alternatives(right)?, expr.span),
                }
            }
            Node::Binary(Binary::Or, left, right) => {
                let mut own = self.alternatives(left)?;
                own.extend(self.alternatives(right)?);
                Ok(own)
            }
            Node::Binary(Binary::Imply, left, right) => match self.truth(left)? {
                true => self.alternatives(right),
                false => Ok(vec![Vec::new()]),
            },
            // The type check refuses all rates but 1, which every clock has anyway.
            Node::Binary(Binary::Equal, left, right)
                if matches!(left.node, Node::Rate(_)) || matches!(right.node, Node::Rate(_)) =>
            {
                Ok(vec![Vec::new()])
            }
            Node::Binary(operator, left, right) => {
                let relation = relation(*operator).ok_or_else(|| unfit(expr))?;
                self.compared(relation, left, right, expr)
            }
            Node::Quantified(Quantifier::Forall, name, of, body) => {
                let of = self.of_type(of)?;
                let (from, to) = of.range().unwrap_or((0, -1));
                let mut all = vec![Vec::new()];
                for number in from..=to {
                    self.enter();
                    let value = Value::Int(number);
                    self.bind(&name.text, Binding::Constant(value, of.clone()));
                    let own = self.alternatives(body);
                    self.leave();
                    all = both(&all, &own?, expr.span)?;
                }
                Ok(all)
            }
            _ => Err(unfit(expr)),
        }
    }

    /// Returns the invariant of a location: a conjunction, with [`never`] if data make it false.
    ///
    /// # Errors
    /// If it is not a conjunction of comparisons of single clocks.
    pub(crate) fn invariant(&mut self, location: &syntax::Location) -> Eval<Vec<Atom>> {
        let refused = |message| Err(Diagnostic::error(location.span, message));
        match self.all(&location.invariant)?.as_slice() {
            [only] if only.iter().any(is_difference) => {
                refused("differences of clocks in invariants are not decided, those in guards are")
            }
            [only] => Ok(only.clone()),
            [] => Ok(vec![never()]),
            _ => refused("an invariant has no alternatives"),
        }
    }

    /// Returns the condition `left relation right`, where one side is a clock or a difference of two clocks, and the other is data; or both
    /// are clocks. Returns the empty disjunction if the condition never holds.
    fn compared(
        &mut self,
        relation: Relation,
        left: &Expr,
        right: &Expr,
        whole: &Expr,
    ) -> Eval<Alternatives> {
        for (side, value, relation) in [(left, right, relation), (right, left, turned(relation))] {
            let clock = match &side.node {
                Node::Binary(Binary::Subtract, first, second) => self.pair(first, second, whole)?,
                _ => match self.clock(side)? {
                    Some((clock, Type::Clock)) => Ok(clock),
                    Some(_) => return Err(unfit(whole)),
                    None => continue,
                },
            };
            if self.is_about_clocks(value) {
                break;
            }
            let constant = self.number(value)?;
            return Ok(match clock {
                Ok(clock) => vec![vec![Atom {
                    clock,
                    relation,
                    constant,
                }]],
                // A clock less itself.
                Err(zero) => match relation.holds(&zero, &constant) {
                    true => vec![Vec::new()],
                    false => Vec::new(),
                },
            });
        }
        // Two clocks are compared by their difference.
        Ok(match self.pair(left, right, whole)? {
            Ok(clock) => vec![vec![Atom {
                clock,
                relation,
                constant: 0,
            }]],
            Err(zero) => match relation.holds(&zero, &0) {
                true => vec![Vec::new()],
                false => Vec::new(),
            },
        })
    }

    /// Returns the number that stands for the difference of two clocks in a comparison. If both are the same clock, returns the difference
    /// 0 as an inner `Err`, which is no failure.
    fn pair(&mut self, first: &Expr, second: &Expr, whole: &Expr) -> Eval<Result<usize, i64>> {
        let clocks = (self.clock(first)?, self.clock(second)?);
        let (Some((first, Type::Clock)), Some((second, Type::Clock))) = clocks else {
            return Err(unfit(whole));
        };
        if first == second {
            return Ok(Err(0));
        }
        let pair = (first, second);
        let number = self.pairs.iter().position(|known| *known == pair);
        let number = number.unwrap_or_else(|| {
            self.pairs.push(pair);
            self.pairs.len() - 1
        });
        Ok(Ok(FIRST_DIFFERENCE + number))
    }

    /// Whether an expression names a clock or the rate of a clock.
    pub(crate) fn is_about_clocks(&self, expr: &Expr) -> bool {
        let about = |expr: &Expr| self.is_about_clocks(expr);
        match &expr.node {
            Node::Name(name) => matches!(self.find(name), Some(Binding::Clock(..))),
            Node::Unary(_, a) | Node::Step(_, _, a) | Node::Field(a, _) | Node::Index(a, _) => {
                about(a)
            }
            Node::Rate(_) => true,
            Node::Binary(_, a, b) | Node::Assign(_, a, b) => about(a) || about(b),
            Node::Choice(a, b, c) => about(a) || about(b) || about(c),
            Node::Call(_, all) => all.iter().any(about),
            Node::Quantified(_, _, _, body) => about(body),
            Node::List(all) => all.iter().any(|(_, item)| about(item)),
            Node::Number(_) | Node::Fraction(_) | Node::Quoted | Node::Truth(_) => false,
        }
    }
}

/// Returns a comparison that is never true. It names clock 0, so an automaton without clocks needs an additional one.
pub(crate) fn never() -> Atom {
    Atom {
        clock: 0,
        relation: Relation::Less,
        constant: 0,
    }
}

fn unfit(expr: &Expr) -> Diagnostic {
    Diagnostic::error(expr.span, "this condition on clocks is not decided")
}

/// Returns the relation of a comparison operator; `None` for `!=` and operators that do not compare.
pub(crate) fn relation(operator: Binary) -> Option<Relation> {
    Some(match operator {
        Binary::Less => Relation::Less,
        Binary::AtMost => Relation::AtMost,
        Binary::Equal => Relation::Equal,
        Binary::AtLeast => Relation::AtLeast,
        Binary::Greater => Relation::Greater,
        _ => return None,
    })
}

/// Returns the relation for exchanged sides: `>` for `<`. It is not the negation.
pub(crate) fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Equal => Relation::Equal,
        Relation::AtLeast => Relation::AtMost,
        Relation::Greater => Relation::Less,
    }
}

/// Returns the conjunction of two conditions in disjunctive normal form.
///
/// # Errors
/// If it has more than [`MAX_ALTERNATIVES`] alternatives.
pub(crate) fn both(left: &Alternatives, right: &Alternatives, at: Span) -> Eval<Alternatives> {
    if left.len() * right.len() > MAX_ALTERNATIVES {
        return Err(Diagnostic::error(
            at,
            "there are too many alternatives here",
        ));
    }
    let mut all = Vec::new();
    for own in left {
        for other in right {
            all.push(own.iter().chain(other).copied().collect());
        }
    }
    Ok(all)
}
