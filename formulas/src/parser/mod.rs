//! Reads the formula language, in ASCII or in the symbols of the papers, with located errors.
//!
//! ```text
//! formula  = (("exists" | "forall") trace+ ".")+ body     the dot may be left out between quantifiers
//! body     = body "<->" body | body "->" body | body "xor" body | body "|" body | body "&" body
//!          | body ("U" | "R" | "W" | "M" | "S" | "T") body
//!          | ("!" | "X" | "wX" | "F" | "G" | "Y" | "Z" | "O" | "H") body
//!          | "(" body ")" | "true" | "false" | atom
//! atom     = "mut" "[" trace "]"                          a trace of the mutant
//!          | name "[" trace "]"                           a one-bit signal
//!          | name "[" trace "]" ("=" | "!=") (value | name "[" trace "]")
//!          | ("I" | "O" | "latches") "[" trace "]" ("=" | "!=") ("I" | "O" | "latches") "[" trace "]"
//!          | "I" "[" trace "]" ("=" | "!=") "I" "[" trace "]" "except" "{" name ("," name)* "}"
//! name     = letters, digits, _ . $ : #, then bit indices like "[3]", or text in double quotes
//! value    = a number, a word, or text in double quotes
//! ```
//!
//! Operators are listed loosest first. Binary ones associate to the right; a chain of `&` or of `|` is one node of the tree. `I`, `O` and
//! `latches` are compared only with themselves: `O[p] = O[q]`, not `O[p] = I[q]`.
//!
//! Keywords (`X`, `mut`, …) are names only in quotes. Other words are operators by position. `Y`, `Z` and `H` are operators unless `[`
//! follows; `O` is, too, and before `[` it denotes all outputs. `M`, `S` and `T` are operators after an operand, and names elsewhere.
//!
//! Also accepted are `∃ ∀ □ ◇ ○ ¬ ∧ ∨ → ↔ ⊕ ≠ ⊤ ⊥ && || ==`, and comments from `--` to the end of the line. A formula may have any length,
//! but at most [`MAX_DEPTH`] levels of nesting, so that recursive functions on trees do not overflow the stack.
//!
//! The parser does not check whether a signal exists in a model.

mod error;
mod lexical;
mod word;

use std::str::FromStr;

use hyperkill_core::sort::Value;
use nom::branch::alt;
use nom::combinator::opt;
use nom::{Err, Parser};

pub use error::{MAX_DEPTH, ParseError, ParseErrorKind};

use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, SignalOf, TraceVar};
use crate::printer::Level;
use error::Rejection;
use lexical::{
    Infix, Parsed, blank, constant, infix, name, number, prefix, quantifier, relation, token,
    trace_name,
};

/// Reads a formula.
///
/// # Errors
/// If the text is no formula; the error has the location and the reason.
pub fn parse(text: &str) -> Result<Formula, ParseError> {
    match formula(text) {
        Ok((_, formula)) => Ok(formula),
        Err(Err::Error(rejection) | Err::Failure(rejection)) => Err(rejection.locate(text)),
        // Only streaming parsers request more input, and there are none here.
        Err(Err::Incomplete(_)) => Err(Rejection::expected("", "more").locate(text)),
    }
}

impl FromStr for Formula {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Formula, ParseError> {
        parse(text)
    }
}

fn formula(text: &str) -> Parsed<'_, Formula> {
    let (mut rest, ()) = blank(text)?;
    let mut prefix = Vec::new();
    let mut bound = Vec::new();
    loop {
        let (mut after, quantifier) = quantifier(rest)?;
        // At least one trace; more may follow, up to the dot or the next quantifier.
        loop {
            let (after_trace, trace) = trace_name(after)?;
            let trace = TraceVar::new(trace);
            if bound.contains(&trace) {
                return fail(after, ParseErrorKind::Repeated(trace.0));
            }
            bound.push(trace.clone());
            prefix.push((quantifier, trace));
            after = after_trace;
            let is_another = |(rest, _): (&str, &str)| !rest.starts_with('[');
            if lexical::quantifier(after).is_ok() || !trace_name(after).is_ok_and(is_another) {
                break;
            }
        }
        let (after, dot) = opt(token(".", "`.`")).parse(after)?;
        rest = after;
        if lexical::quantifier(rest).is_err() {
            if dot.is_none() {
                let expected = "`.` or a quantifier";
                return Err(Err::Error(Rejection::expected(rest, expected)));
            }
            break;
        }
    }
    let grammar = Grammar { bound };
    let (rest, body) = grammar.body(rest, Level::Iff, MAX_DEPTH)?;
    if !rest.is_empty() {
        let expected = "an operator or the end of the formula";
        return Err(Err::Error(Rejection::expected(rest, expected)));
    }
    Ok((rest, Formula { prefix, body }))
}

fn fail<T>(input: &str, kind: ParseErrorKind) -> Parsed<'_, T> {
    Err(Err::Failure(Rejection::new(input, kind)))
}

/// The parser of bodies, with the trace variables that the prefix binds.
struct Grammar {
    bound: Vec<TraceVar>,
}

impl Grammar {
    /// Reads operators at least as strong as `least`, by precedence climbing, with one call per level of nesting. `depth` is the number of
    /// further levels.
    fn body<'a>(&self, input: &'a str, least: Level, depth: usize) -> Parsed<'a, Ltl> {
        let Some(depth) = depth.checked_sub(1) else {
            return fail(input, ParseErrorKind::TooDeep);
        };
        let (mut rest, mut left) = self.unary(input, depth)?;
        while let Ok((operand, operator)) = infix(rest) {
            let level = level(operator);
            if level < least {
                break;
            }
            match operator {
                Infix::Binary(op) => {
                    let (after, right) = self.body(operand, level, depth)?;
                    rest = after;
                    left = Ltl::binary(op, left, right);
                }
                Infix::And | Infix::Or => {
                    let mut operands = vec![left];
                    rest = self.chain(rest, operator, depth, &mut operands)?.0;
                    left = if operator == Infix::And {
                        Ltl::And(operands)
                    } else {
                        Ltl::Or(operands)
                    };
                }
            }
        }
        Ok((rest, left))
    }

    /// Reads `& b & c …` after the first operand, and appends the operands to `operands`. `operator` is the operator between them.
    fn chain<'a>(
        &self,
        mut rest: &'a str,
        operator: Infix,
        depth: usize,
        operands: &mut Vec<Ltl>,
    ) -> Parsed<'a, ()> {
        while let Ok((operand, found)) = infix(rest) {
            if found != operator {
                break;
            }
            let (after, next) = self.body(operand, level(operator).next(), depth)?;
            operands.push(next);
            rest = after;
        }
        Ok((rest, ()))
    }

    fn unary<'a>(&self, input: &'a str, depth: usize) -> Parsed<'a, Ltl> {
        if let Ok((rest, op)) = prefix(input) {
            let (rest, operand) = self.body(rest, Level::Unary, depth)?;
            return Ok((rest, Ltl::unary(op, operand)));
        }
        alt((
            |input| self.group(input, depth),
            |input| constant(input).map(|(rest, value)| (rest, Ltl::Constant(value))),
            |input| self.selector(input),
            |input| self.inputs_equal(input),
            |input| self.all_equal(input, ("O", "`O`"), Atom::OutputsEqual),
            |input| self.all_equal(input, ("latches", "`latches`"), Atom::StatesEqual),
            |input| self.signal(input),
        ))
        .parse(input)
        .map_err(|err| err.map(|rejection: Rejection| rejection.at_start_of(input, "a formula")))
    }

    fn group<'a>(&self, input: &'a str, depth: usize) -> Parsed<'a, Ltl> {
        let (rest, ()) = token("(", "`(`")(input)?;
        let (rest, body) = self.body(rest, Level::Iff, depth)?;
        let (rest, ()) = token(")", "an operator or `)`")(rest)?;
        Ok((rest, body))
    }

    fn selector<'a>(&self, input: &'a str) -> Parsed<'a, Ltl> {
        let (rest, ()) = token("mut", "`mut`")(input)?;
        let (rest, trace) = self.of_trace(rest)?;
        Ok((rest, Ltl::Atom(Atom::Selector(trace))))
    }

    /// Reads `O[p] != O[q]` and `latches[p] = latches[q]`. `word` is the word and its description in messages; `atom` makes the formula of
    /// equality.
    fn all_equal<'a>(
        &self,
        input: &'a str,
        word: (&'static str, &'static str),
        atom: fn(TraceVar, TraceVar) -> Atom,
    ) -> Parsed<'a, Ltl> {
        let (rest, (left, right, equal)) = self.pair(input, word)?;
        Ok((rest, related(atom(left, right), equal)))
    }

    /// Reads `I[p] = I[q]`, with or without exceptions.
    fn inputs_equal<'a>(&self, input: &'a str) -> Parsed<'a, Ltl> {
        let (rest, (left, right, equal)) = self.pair(input, ("I", "`I`"))?;
        let Ok((rest, ())) = token("except", "`except`")(rest) else {
            return Ok((rest, related(Atom::InputsEqual(left, right), equal)));
        };
        let (mut rest, ()) = token("{", "`{`")(rest)?;
        let mut names = Vec::new();
        loop {
            let read = name(rest);
            let (after, found) = read.map_err(|error| {
                error.map(|rejection| rejection.at_start_of(rest, "the name of an input"))
            })?;
            names.push(found);
            rest = after;
            match token(",", "`,` or `}`")(rest) {
                Ok((after, ())) => rest = after,
                Err(_) => break,
            }
        }
        let (rest, ()) = token("}", "`,` or `}`")(rest)?;
        let atom = Atom::InputsEqualExcept(left, right, names);
        Ok((rest, related(atom, equal)))
    }

    /// Reads a comparison of this word with itself, such as `I[p] = I[q]`. Returns the traces, and whether the relation is equality.
    fn pair<'a>(
        &self,
        input: &'a str,
        (word, expected): (&'static str, &'static str),
    ) -> Parsed<'a, (TraceVar, TraceVar, bool)> {
        let (rest, ()) = token(word, expected)(input)?;
        let (rest, left) = self.of_trace(rest)?;
        let (rest, equal) = relation(rest)?;
        let (rest, ()) = token(word, expected)(rest)?;
        let (rest, right) = self.of_trace(rest)?;
        Ok((rest, (left, right, equal)))
    }

    fn signal<'a>(&self, input: &'a str) -> Parsed<'a, Ltl> {
        let (rest, name) = name(input)?;
        let (rest, trace) = self.of_trace(rest)?;
        let left = SignalOf { name, trace };
        let Ok((rest, equal)) = relation(rest) else {
            return Ok((rest, Ltl::Atom(Atom::Signal(left))));
        };
        let (rest, right) = self.operand(rest)?;
        Ok((rest, related(Atom::Equal(left, right), equal)))
    }

    fn operand<'a>(&self, input: &'a str) -> Parsed<'a, Operand> {
        match number(input) {
            Ok((rest, number)) => return Ok((rest, Operand::Value(Value::Int(number)))),
            Err(Err::Failure(rejection)) => return Err(Err::Failure(rejection)),
            Err(_) => {}
        }
        let (rest, name) = name(input).map_err(|err| {
            err.map(|rejection| rejection.at_start_of(input, "a value or a signal"))
        })?;
        if !rest.starts_with('[') {
            return Ok((rest, Operand::Value(Value::Symbol(name))));
        }
        let (rest, trace) = self.of_trace(rest)?;
        Ok((rest, Operand::Signal(SignalOf { name, trace })))
    }

    /// Reads `[p]` for a bound p.
    fn of_trace<'a>(&self, input: &'a str) -> Parsed<'a, TraceVar> {
        let (at_trace, ()) = token("[", "`[`")(input)?;
        let (rest, trace) = trace_name(at_trace)?;
        let trace = TraceVar::new(trace);
        if !self.bound.contains(&trace) {
            return fail(at_trace, ParseErrorKind::Unbound(trace.0));
        }
        let (rest, ()) = token("]", "`]`")(rest)?;
        Ok((rest, trace))
    }
}

fn related(atom: Atom, equal: bool) -> Ltl {
    let atom = Ltl::Atom(atom);
    if equal { atom } else { atom.not() }
}

/// Returns the precedence of an operator.
fn level(operator: Infix) -> Level {
    match operator {
        Infix::And => Level::And,
        Infix::Or => Level::Or,
        Infix::Binary(BinaryOp::Iff) => Level::Iff,
        Infix::Binary(BinaryOp::Implies) => Level::Implies,
        Infix::Binary(BinaryOp::Xor) => Level::Xor,
        Infix::Binary(_) => Level::Until,
    }
}
