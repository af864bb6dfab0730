//! Writes formulas in the languages of other tools.
//!
//! Missing operators are expressed by others, which is exact on infinite traces: `W`, `M` and `R` by one another, `xor` as a negated
//! equivalence, the weak next step as the strong one.

use std::fmt::Write as _;

use hyperkill_core::sort::Value;

use super::language::Dialect;
use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp};

/// The error that a language cannot express a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{dialect} has no way to write `{what}`")]
pub struct WriteError {
    /// The language.
    pub dialect: Dialect,
    /// The part of the formula that cannot be expressed.
    pub what: String,
}

pub(super) fn write(formula: &Formula, dialect: Dialect) -> Result<String, WriteError> {
    let writer = Writer { formula, dialect };
    let body = writer.body(&formula.body)?;
    Ok(match dialect {
        Dialect::MCHyper => {
            let mut text = body;
            for (quantifier, _) in formula.prefix.iter().rev() {
                text = match quantifier {
                    Quantifier::Forall => format!("Forall ({text})"),
                    Quantifier::Exists => format!("Exists ({text})"),
                };
            }
            text
        }
        _ => {
            let mut text = String::new();
            for (quantifier, trace) in &formula.prefix {
                let _ = match (dialect, quantifier) {
                    (Dialect::HyperQb2, Quantifier::Forall) => write!(text, "Forall {trace} . "),
                    (Dialect::HyperQb2, Quantifier::Exists) => write!(text, "Exists {trace} . "),
                    (_, Quantifier::Forall) => write!(text, "forall {trace}. "),
                    (_, Quantifier::Exists) => write!(text, "exists {trace}. "),
                };
            }
            text + &body
        }
    })
}

struct Writer<'a> {
    formula: &'a Formula,
    dialect: Dialect,
}

impl Writer<'_> {
    fn impossible<T>(&self, what: impl ToString) -> Result<T, WriteError> {
        Err(WriteError {
            dialect: self.dialect,
            what: what.to_string(),
        })
    }

    fn body(&self, formula: &Ltl) -> Result<String, WriteError> {
        match self.dialect {
            Dialect::MCHyper => self.prefix_notation(formula),
            _ => self.infix_notation(formula),
        }
    }

    /// Returns a formula that is equivalent on infinite traces, with other operators in place of the outermost one. `None` if the outermost
    /// operator needs no replacement in this language.
    fn without(&self, formula: &Ltl) -> Option<Ltl> {
        let mchyper = self.dialect == Dialect::MCHyper;
        Some(match formula {
            Ltl::Unary(UnaryOp::WeakNext, a) => Ltl::unary(UnaryOp::Next, (**a).clone()),
            Ltl::Binary(BinaryOp::Xor, a, b) if !mchyper => {
                Ltl::binary(BinaryOp::Iff, (**a).clone(), (**b).clone()).not()
            }
            Ltl::Binary(BinaryOp::StrongRelease, a, b) => {
                let both = Ltl::and([(**a).clone(), (**b).clone()]);
                Ltl::binary(BinaryOp::Until, (**b).clone(), both)
            }
            Ltl::Binary(BinaryOp::WeakUntil, a, b) if !mchyper => {
                let either = Ltl::or([(**a).clone(), (**b).clone()]);
                Ltl::binary(BinaryOp::Release, (**b).clone(), either)
            }
            _ => return None,
        })
    }

    fn prefix_notation(&self, formula: &Ltl) -> Result<String, WriteError> {
        if let Some(other) = self.without(formula) {
            return self.prefix_notation(&other);
        }
        let enclosed = |formula: &Ltl| -> Result<String, WriteError> {
            Ok(format!("({})", self.prefix_notation(formula)?))
        };
        Ok(match formula {
            Ltl::Constant(true) => "True".to_owned(),
            Ltl::Constant(false) => "False".to_owned(),
            Ltl::Atom(atom) => return self.proposition(atom),
            Ltl::Unary(op, operand) => {
                let word = match op {
                    UnaryOp::Not => "Neg",
                    UnaryOp::Next => "X",
                    UnaryOp::Finally => "F",
                    UnaryOp::Globally => "G",
                    _ => return self.impossible(formula),
                };
                format!("{word} {}", enclosed(operand)?)
            }
            Ltl::Binary(op, left, right) => {
                let word = match op {
                    BinaryOp::Implies => "Implies",
                    BinaryOp::Iff => "Eq",
                    BinaryOp::Xor => "Neq",
                    BinaryOp::Until => "Until",
                    BinaryOp::WeakUntil => "WUntil",
                    BinaryOp::Release => "Release",
                    _ => return self.impossible(formula),
                };
                format!("{word} {} {}", enclosed(left)?, enclosed(right)?)
            }
            Ltl::And(operands) | Ltl::Or(operands) => {
                let word = match formula {
                    Ltl::And(_) => "And",
                    _ => "Or",
                };
                let mut operands = operands.iter().rev();
                let mut text = match operands.next() {
                    Some(last) => self.prefix_notation(last)?,
                    None => return self.impossible(formula),
                };
                for operand in operands {
                    text = format!("{word} {} ({text})", enclosed(operand)?);
                }
                text
            }
        })
    }

    fn number(&self, trace: &TraceVar) -> Result<usize, WriteError> {
        match self.formula.position(trace) {
            Some(position) => Ok(position),
            None => self.impossible(trace),
        }
    }

    fn proposition(&self, atom: &Atom) -> Result<String, WriteError> {
        let signal = |signal: &SignalOf| -> Result<String, WriteError> {
            match signal.name.contains('"') {
                true => self.impossible(signal),
                false => Ok(format!(
                    "AP \"{}\" {}",
                    signal.name,
                    self.number(&signal.trace)?
                )),
            }
        };
        Ok(match atom {
            Atom::Signal(s) => signal(s)?,
            Atom::Equal(left, Operand::Signal(right)) => {
                format!("Eq ({}) ({})", signal(left)?, signal(right)?)
            }
            Atom::InputsEqual(p, q) => {
                format!(
                    "SameInputsExcept {} {} []",
                    self.number(p)?,
                    self.number(q)?
                )
            }
            Atom::InputsEqualExcept(p, q, names) => {
                let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
                let names = names.join(",");
                format!(
                    "SameInputsExcept {} {} [{names}]",
                    self.number(p)?,
                    self.number(q)?
                )
            }
            Atom::StatesEqual(p, q) => format!("SameState {} {}", self.number(p)?, self.number(q)?),
            Atom::Selector(_)
            | Atom::System(..)
            | Atom::Equal(_, Operand::Value(_))
            | Atom::OutputsEqual(..) => {
                return self.impossible(atom);
            }
        })
    }

    fn infix_notation(&self, formula: &Ltl) -> Result<String, WriteError> {
        if let Some(other) = self.without(formula) {
            return self.infix_notation(&other);
        }
        let enclosed = |formula: &Ltl| -> Result<String, WriteError> {
            let text = self.infix_notation(formula)?;
            // Equality binds loosest in one of the languages, so only single words are written without parentheses.
            let single = match formula {
                Ltl::Constant(_) | Ltl::Atom(Atom::Signal(_)) => true,
                Ltl::Atom(_) => self.dialect == Dialect::HyperQb1,
                Ltl::Unary(..) => self.without(formula).is_none(),
                _ => false,
            };
            Ok(if single { text } else { format!("({text})") })
        };
        let (and, or, not, iff) = match self.dialect {
            Dialect::HyperQb1 => (" /\\ ", " \\/ ", "~", " <-> "),
            Dialect::HyperQb2 => (" & ", " | ", "~", " = "),
            _ => (" & ", " | ", "! ", " <-> "),
        };
        let chain = |operands: &[Ltl], sign: &str| -> Result<String, WriteError> {
            let operands: Result<Vec<String>, WriteError> = operands.iter().map(enclosed).collect();
            Ok(operands?.join(sign))
        };
        Ok(match formula {
            Ltl::Constant(value) => value.to_string(),
            Ltl::Atom(atom) => return self.atom(atom),
            Ltl::Unary(op, operand) => {
                let word = match op {
                    UnaryOp::Not => not,
                    UnaryOp::Next => "X ",
                    UnaryOp::Finally => "F ",
                    UnaryOp::Globally => "G ",
                    _ => return self.impossible(formula),
                };
                format!("{word}{}", enclosed(operand)?)
            }
            Ltl::Binary(op, left, right) => {
                let sign = match op {
                    BinaryOp::Implies => " -> ",
                    BinaryOp::Iff => iff,
                    BinaryOp::Until => " U ",
                    BinaryOp::Release => " R ",
                    _ => return self.impossible(formula),
                };
                format!("{}{sign}{}", enclosed(left)?, enclosed(right)?)
            }
            Ltl::And(operands) => chain(operands, and)?,
            Ltl::Or(operands) => chain(operands, or)?,
        })
    }

    fn atom(&self, atom: &Atom) -> Result<String, WriteError> {
        let name = |signal: &SignalOf| -> Result<String, WriteError> {
            let (word, indices) = match signal.name.find('[') {
                Some(at) => signal.name.split_at(at),
                None => (signal.name.as_str(), ""),
            };
            let plain = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
                && !matches!(word.to_ascii_lowercase().as_str(), "true" | "false")
                && indices
                    .chars()
                    .all(|c| c.is_ascii_digit() || matches!(c, '[' | ']'));
            match plain {
                true => Ok(signal.name.clone()),
                false => self.impossible(signal),
            }
        };
        let value = |value: &Value| match value {
            Value::Int(n) => n.to_string(),
            Value::Symbol(symbol) => symbol.clone(),
        };
        let signal = |s: &SignalOf| -> Result<String, WriteError> {
            Ok(match self.dialect {
                Dialect::AutoHyper => format!("{{{}}}_{}", name(s)?, s.trace),
                _ => format!("{}[{}]", name(s)?, s.trace),
            })
        };
        Ok(match (atom, self.dialect) {
            (Atom::Signal(s), _) => signal(s)?,
            (Atom::Equal(s, Operand::Value(v)), Dialect::AutoHyper)
                if matches!(v, Value::Int(_)) =>
            {
                format!("{{{} = {}}}_{}", name(s)?, value(v), s.trace)
            }
            (Atom::Equal(_, Operand::Value(Value::Symbol(_))), Dialect::AutoHyper) => {
                return self.impossible(atom);
            }
            (Atom::Equal(s, Operand::Value(v)), Dialect::HyperQb1) => {
                format!("*{} = {}*", signal(s)?, value(v))
            }
            (Atom::Equal(s, Operand::Value(v)), _) => format!("{} = {}", signal(s)?, value(v)),
            (Atom::Equal(left, Operand::Signal(right)), Dialect::HyperQb1) => {
                format!("*{} = {}*", signal(left)?, signal(right)?)
            }
            (Atom::Equal(left, Operand::Signal(right)), _) => {
                format!("{} = {}", signal(left)?, signal(right)?)
            }
            _ => return self.impossible(atom),
        })
    }
}
