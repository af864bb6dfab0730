//! Conditions on clocks once data have values: alternatives of comparisons with constants.

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_frontend::{Diagnostic, Span};

use crate::machine::{Binding, Eval, Machine};
use crate::syntax::{Binary, Expr, Node, Quantifier};
use crate::values::{Type, Value};

/// Alternatives, in each of which all comparisons have to hold. None is never; one without comparisons is always.
pub(crate) type Alternatives = Vec<Vec<Atom>>;

/// Most alternatives of one condition.
const MOST: usize = 1024;

impl Machine {
    /// All of these at once.
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
            // Time goes on at rate 1 anyway.
            Node::Binary(Binary::Equal, left, right)
                if matches!(left.node, Node::Rate(_)) || matches!(right.node, Node::Rate(_)) =>
            {
                Ok(vec![Vec::new()])
            }
            Node::Binary(operator, left, right) => {
                let relation = relation(*operator).ok_or_else(|| unfit(expr))?;
                Ok(vec![vec![self.atom(relation, left, right, expr)?]])
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

    fn atom(&mut self, relation: Relation, left: &Expr, right: &Expr, whole: &Expr) -> Eval<Atom> {
        let (own, other) = (self.clock(left)?, self.clock(right)?);
        let (clock, of, relation, value) = match (own, other) {
            (Some((clock, of)), None) => (clock, of, relation, right),
            (None, Some((clock, of))) => (clock, of, turned(relation), left),
            _ => {
                let message = "differences of clocks are not decided: each clock is compared with a number alone";
                return Err(Diagnostic::error(whole.span, message));
            }
        };
        if of != Type::Clock || self.is_about_clocks(value) {
            return Err(unfit(whole));
        }
        Ok(Atom {
            clock,
            relation,
            constant: self.number(value)?,
        })
    }

    /// Whether clocks, or their rates, are in an expression.
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
            Node::Number(_) | Node::Fraction | Node::Quoted | Node::Truth(_) => false,
        }
    }
}

fn unfit(expr: &Expr) -> Diagnostic {
    Diagnostic::error(expr.span, "this condition on clocks is not decided")
}

/// The relation of a comparison.
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

/// The relation with its sides exchanged.
pub(crate) fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Equal => Relation::Equal,
        Relation::AtLeast => Relation::AtMost,
        Relation::Greater => Relation::Less,
    }
}

/// What satisfies one of each.
pub(crate) fn both(left: &Alternatives, right: &Alternatives, at: Span) -> Eval<Alternatives> {
    if left.len() * right.len() > MOST {
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
