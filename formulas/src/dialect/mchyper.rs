//! MCHyper's prefix syntax. The outermost trace is number 0.
//!
//! `EqualOn p q [names]` states that these signals are equal. `SameInputsExcept p q [names]` states that all other inputs are equal.
//! `SameState p q` states that all latches are equal. `GreaterOn p q [names]` compares these bits as numbers, highest bit first.

use super::cursor::Cursor;
use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp};
use crate::parser::{ParseError, ParseErrorKind};

/// Returns the name of the trace with this number.
pub(super) fn trace_of(number: usize) -> TraceVar {
    const NAMES: [&str; 8] = ["p", "q", "r", "s", "t", "u", "v", "w"];
    match NAMES.get(number) {
        Some(name) => TraceVar::new(*name),
        None => TraceVar::new(format!("p{number}")),
    }
}

pub(super) fn read(text: &str) -> Result<Formula, ParseError> {
    let mut reader = Reader {
        at: Cursor::new(text),
        prefix: Vec::new(),
    };
    let body = reader.closed()?;
    if !reader.at.is_at_end() {
        return Err(reader.at.expected("the end of the formula"));
    }
    Ok(Formula {
        prefix: reader.prefix,
        body,
    })
}

struct Reader<'a> {
    at: Cursor<'a>,
    prefix: Vec<(Quantifier, TraceVar)>,
}

impl<'a> Reader<'a> {
    /// Reads quantifiers, each with the rest in parentheses, into the prefix; then reads and returns the body.
    fn closed(&mut self) -> Result<Ltl, ParseError> {
        self.at.descend()?;
        let before = self.at;
        if self.at.take("(") {
            let inner = match self.at.rest().starts_with("Forall")
                || self.at.rest().starts_with("Exists")
                || self.at.rest().starts_with('(')
            {
                true => self.closed()?,
                false => {
                    self.at = before;
                    return self.body();
                }
            };
            self.at.require(")", "`)`")?;
            self.at.ascend();
            return Ok(inner);
        }
        let quantifier = match self.word() {
            "Forall" => Quantifier::Forall,
            "Exists" => Quantifier::Exists,
            _ if self.prefix.is_empty() => {
                self.at = before;
                return Err(self.at.expected("`Forall` or `Exists`"));
            }
            _ => {
                self.at = before;
                return self.body();
            }
        };
        self.prefix.push((quantifier, trace_of(self.prefix.len())));
        let inner = self.closed()?;
        self.at.ascend();
        Ok(inner)
    }

    fn word(&mut self) -> &'a str {
        let word = self.at.span(|c| c.is_ascii_alphanumeric());
        self.at.skip(word.len());
        self.at.skip_blanks();
        word
    }

    fn body(&mut self) -> Result<Ltl, ParseError> {
        self.at.descend()?;
        let before = self.at;
        let formula = if self.at.take("(") {
            let inner = self.body()?;
            self.at.require(")", "`)`")?;
            inner
        } else {
            match self.word() {
                "True" => Ltl::Constant(true),
                "False" => Ltl::Constant(false),
                "AP" => Ltl::Atom(Atom::Signal(self.proposition()?)),
                "Neg" => self.body()?.not(),
                "X" => Ltl::unary(UnaryOp::Next, self.body()?),
                "F" => self.body()?.finally(),
                "G" => self.body()?.globally(),
                "And" => self.chain(true)?,
                "Or" => self.chain(false)?,
                "Implies" => self.binary(BinaryOp::Implies)?,
                "Until" => self.binary(BinaryOp::Until)?,
                "WUntil" => self.binary(BinaryOp::WeakUntil)?,
                "Release" => self.binary(BinaryOp::Release)?,
                "Eq" => self.equivalence(true)?,
                "Neq" => self.equivalence(false)?,
                "EqualOn" => {
                    let (p, q, names) = self.traces_and_names()?;
                    Ltl::and(names.into_iter().map(|name| equal(&name, &p, &q)))
                }
                "GreaterOn" => {
                    let (p, q, names) = self.traces_and_names()?;
                    greater(&p, &q, &names)
                }
                "SameInputsExcept" => {
                    let (p, q, names) = self.traces_and_names()?;
                    Ltl::Atom(match names.is_empty() {
                        true => Atom::InputsEqual(p, q),
                        false => Atom::InputsEqualExcept(p, q, names),
                    })
                }
                "SameState" => Ltl::Atom(Atom::StatesEqual(self.trace()?, self.trace()?)),
                _ => {
                    self.at = before;
                    return Err(self.at.expected("a formula"));
                }
            }
        };
        self.at.ascend();
        Ok(formula)
    }

    fn binary(&mut self, op: BinaryOp) -> Result<Ltl, ParseError> {
        let left = self.body()?;
        Ok(Ltl::binary(op, left, self.body()?))
    }

    /// Reads both operands of a conjunction, or of a disjunction unless `conjunction`. Flattens a right operand with the same operator,
    /// since the writer nests long chains like that.
    fn chain(&mut self, conjunction: bool) -> Result<Ltl, ParseError> {
        let mut operands = vec![self.body()?];
        match (self.body()?, conjunction) {
            (Ltl::And(more), true) | (Ltl::Or(more), false) => operands.extend(more),
            (other, _) => operands.push(other),
        }
        Ok(match conjunction {
            true => Ltl::And(operands),
            false => Ltl::Or(operands),
        })
    }

    fn equivalence(&mut self, same: bool) -> Result<Ltl, ParseError> {
        Ok(match (self.body()?, self.body()?, same) {
            (Ltl::Atom(Atom::Signal(left)), Ltl::Atom(Atom::Signal(right)), _) => {
                let atom = Ltl::Atom(Atom::Equal(left, Operand::Signal(right)));
                if same { atom } else { atom.not() }
            }
            (left, right, true) => Ltl::binary(BinaryOp::Iff, left, right),
            (left, right, false) => Ltl::binary(BinaryOp::Xor, left, right),
        })
    }

    fn proposition(&mut self) -> Result<SignalOf, ParseError> {
        let name = self.quoted()?;
        let trace = self.trace()?;
        Ok(SignalOf { name, trace })
    }

    fn trace(&mut self) -> Result<TraceVar, ParseError> {
        let before = self.at;
        let number = self.at.number()?;
        let trace = usize::try_from(number)
            .ok()
            .and_then(|i| self.prefix.get(i));
        match trace {
            Some((_, trace)) => Ok(trace.clone()),
            None => Err(before.wrong(ParseErrorKind::Unbound(number.to_string()))),
        }
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        if !self.at.rest().starts_with('"') {
            return Err(self.at.expected("a name in double quotes"));
        }
        self.at.skip(1);
        let name = self.at.span(|c| c != '"').to_owned();
        self.at.skip(name.len());
        self.at.require("\"", "a closing `\"`")?;
        Ok(name)
    }

    fn traces_and_names(&mut self) -> Result<(TraceVar, TraceVar, Vec<String>), ParseError> {
        let (p, q) = (self.trace()?, self.trace()?);
        self.at.require("[", "`[`")?;
        let mut names = Vec::new();
        while !self.at.take("]") {
            if !names.is_empty() {
                self.at.require(",", "`,` or `]`")?;
            }
            names.push(self.quoted()?);
        }
        Ok((p, q, names))
    }
}

fn equal(name: &str, p: &TraceVar, q: &TraceVar) -> Ltl {
    let right = Operand::Signal(SignalOf::new(name, q));
    Ltl::Atom(Atom::Equal(SignalOf::new(name, p), right))
}

/// Returns the formula "the number with these bits is larger in `p` than in `q`": at the first different bit, `p` has the 1. `names` are
/// the bits, most significant first.
fn greater(p: &TraceVar, q: &TraceVar, names: &[String]) -> Ltl {
    let larger_at = |index: usize| {
        let above = names[..index].iter().map(|name| equal(name, p, q));
        let signal = |trace| Ltl::Atom(Atom::Signal(SignalOf::new(&names[index], trace)));
        Ltl::and(above.chain([signal(p), signal(q).not()]))
    };
    Ltl::or((0..names.len()).map(larger_at))
}
