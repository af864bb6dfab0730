//! The question that options ask: a killing formula by name or as a formula that is one, or any other formula.

use std::path::Path;

use hyperkill_checker::rounds::Ask;
use hyperkill_evidence::verdict::Property;
use hyperkill_formulas::ast::{Atom, Operand, SignalOf};
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::parser::{ParseError, ParseErrorKind};
use hyperkill_formulas::{Dialect, Formula, Ltl, TraceVar, killing};

use crate::args::{DecisionArgs, PropertyChoice, TracesChoice};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::io::Io;
use crate::load::read_bytes;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// Which mutants are killed.
    Killing(Ask),
    /// Whether a formula holds that is no killing formula.
    Formula(Formula),
}

impl Asked {
    /// The killing formula.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn killing(self) -> Result<Ask, Failure> {
        let formula = match self {
            Asked::Killing(ask) => return Ok(ask),
            Asked::Formula(formula) => formula,
        };
        let killing = killing_formulas();
        let known = killing.map(|(property, formula)| format!("\n    {property}: {formula}"));
        Err(Failure::usage(format!(
            "this {} formula is none of the killing formulas, so it says nothing about tests",
            Fragment::of(&formula)
        ))
        .with_help(format!(
            "`hyperkill translate` the model and `hyperkill verify` the result to decide the formula; killing formulas \
            are, under any names:{}",
            known.concat()
        )))
    }
}

/// The question of a command that decides mutants. Tests are finite: a formula that is to be about infinite traces is no killing formula,
/// whatever it says.
///
/// # Errors
/// If a formula is malformed, or a killing formula is asked for by name and over infinite traces.
pub(crate) fn of(
    io: &mut Io,
    args: &DecisionArgs,
    traces: Option<TracesChoice>,
) -> Result<Asked, Failure> {
    let infinite = traces == Some(TracesChoice::Infinite);
    let own = Dialect::Hyperkill;
    let given = (args.formula.as_deref(), args.formula_file.as_deref());
    if let Some(formula) = formula(io, given.0, given.1, own)? {
        return Ok(match infinite {
            true => Asked::Formula(formula),
            false => classified(formula),
        });
    }
    if infinite {
        return Err(Failure::usage(
            "--traces infinite: tests are finite, and so are the traces that questions about killing are about",
        )
        .with_help("`hyperkill verify --formula` asks about infinite ones"));
    }
    Ok(Asked::Killing(match args.property {
        PropertyChoice::Auto => Ask::Auto,
        PropertyChoice::Phi1 => Ask::Only(Property::Phi1),
        PropertyChoice::Phi2 => Ask::Only(Property::Phi2),
        PropertyChoice::Phi3 => Ask::Only(Property::Phi3),
        PropertyChoice::Phi4 => Ask::Only(Property::Phi4),
    }))
}

/// The formula that options give, as a text or as a file with one.
///
/// # Errors
/// If it cannot be read or is malformed.
pub(crate) fn formula(
    io: &mut Io,
    text: Option<&str>,
    file: Option<&Path>,
    dialect: Dialect,
) -> Result<Option<Formula>, Failure> {
    let read = |origin: &str, text: &str| {
        dialect
            .read(text)
            .map_err(|error| unreadable(origin, text, dialect, &error))
    };
    if let Some(text) = text {
        return read("--formula", text).map(Some);
    }
    let Some(file) = file else {
        return Ok(None);
    };
    let text = String::from_utf8(read_bytes(io, file)?)
        .map_err(|_| Failure::usage(format!("{} is not UTF-8", file.display())))?;
    read(&file.to_string_lossy(), &text).map(Some)
}

/// A text that is no formula, or none that is decided.
fn unreadable(origin: &str, text: &str, dialect: Dialect, error: &ParseError) -> Failure {
    if let ParseErrorKind::Asynchronous(_) = error.kind {
        let error = anyhow::anyhow!("{origin}: {error}");
        return Failure::message(ExitCode::Undecided, error);
    }
    let failure = Failure::usage(format!("{origin}: {error}"));
    let guessed = Dialect::guess(text);
    let mut others = std::iter::once(guessed).chain(Dialect::ALL);
    let reads = |other: &Dialect| *other != dialect && other.read(text).is_ok();
    match others.find(reads) {
        Some(other) => failure.with_help(format!("`--dialect {other}` reads it")),
        None if guessed == dialect || guessed == Dialect::Hyperkill => failure,
        None => failure.with_help(format!(
            "it looks like `--dialect {guessed}`, which does not read it either"
        )),
    }
}

fn killing_formulas() -> [(Property, Formula); 4] {
    [
        (Property::Phi1, killing::phi1()),
        (Property::Phi2, killing::phi2()),
        (Property::Phi3, killing::phi3()),
        (Property::Phi4, killing::phi4()),
    ]
}

/// Whether a formula is a killing formula, under other names or in another order.
fn classified(formula: Formula) -> Asked {
    let asked = normal(&formula);
    for (property, known) in killing_formulas() {
        if normal(&known) == asked {
            return Asked::Killing(Ask::Only(property));
        }
    }
    Asked::Formula(formula)
}

/// The formula with its traces numbered along the prefix and everything whose order means nothing in order.
fn normal(formula: &Formula) -> Formula {
    let name = |trace: &TraceVar| match formula.position(trace) {
        Some(position) => TraceVar::new(format!("t{position}")),
        None => trace.clone(),
    };
    Formula {
        prefix: formula
            .prefix
            .iter()
            .map(|(quantifier, trace)| (*quantifier, name(trace)))
            .collect(),
        body: in_order(&formula.body, &name),
    }
}

fn in_order(formula: &Ltl, name: &impl Fn(&TraceVar) -> TraceVar) -> Ltl {
    let all = |operands: &[Ltl]| {
        let mut operands: Vec<Ltl> = operands.iter().map(|o| in_order(o, name)).collect();
        operands.sort_by_cached_key(ToString::to_string);
        operands
    };
    match formula {
        Ltl::Constant(value) => Ltl::Constant(*value),
        Ltl::Atom(atom) => Ltl::Atom(renamed(atom, name)),
        Ltl::Unary(op, operand) => Ltl::unary(*op, in_order(operand, name)),
        Ltl::Binary(op, left, right) => {
            Ltl::binary(*op, in_order(left, name), in_order(right, name))
        }
        Ltl::And(operands) => Ltl::And(all(operands)),
        Ltl::Or(operands) => Ltl::Or(all(operands)),
    }
}

fn renamed(atom: &Atom, name: &impl Fn(&TraceVar) -> TraceVar) -> Atom {
    let signal = |signal: &SignalOf| SignalOf {
        name: signal.name.clone(),
        trace: name(&signal.trace),
    };
    let pair = |p: &TraceVar, q: &TraceVar| {
        let (p, q) = (name(p), name(q));
        if p <= q { (p, q) } else { (q, p) }
    };
    match atom {
        Atom::Selector(p) => Atom::Selector(name(p)),
        Atom::System(p, number) => Atom::System(name(p), *number),
        Atom::Signal(s) => Atom::Signal(signal(s)),
        Atom::Equal(left, Operand::Value(value)) => {
            Atom::Equal(signal(left), Operand::Value(value.clone()))
        }
        Atom::Equal(left, Operand::Signal(right)) => {
            Atom::Equal(signal(left), Operand::Signal(signal(right)))
        }
        Atom::InputsEqual(p, q) => {
            let (p, q) = pair(p, q);
            Atom::InputsEqual(p, q)
        }
        Atom::OutputsEqual(p, q) => {
            let (p, q) = pair(p, q);
            Atom::OutputsEqual(p, q)
        }
        Atom::InputsEqualExcept(p, q, names) => {
            let (p, q) = pair(p, q);
            Atom::InputsEqualExcept(p, q, names.clone())
        }
        Atom::StatesEqual(p, q) => {
            let (p, q) = pair(p, q);
            Atom::StatesEqual(p, q)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_formulas::parse;

    fn asked(text: &str) -> Result<Asked, String> {
        let (mut io, _) = Io::captured("");
        let formula = formula(&mut io, Some(text), None, Dialect::Hyperkill);
        let formula = formula.map_err(|failure| format!("{failure:?}"))?;
        formula.map(classified).ok_or_else(String::new)
    }

    #[test]
    fn a_killing_formula_is_recognised_under_other_names_and_orders() {
        let text = "exists a. exists b. F (O[b] != O[a]) & G (mut[b] & I[b] = I[a] & !mut[a])";
        assert_eq!(asked(text), Ok(Asked::Killing(Ask::Only(Property::Phi1))));
        for (property, formula) in [
            (Property::Phi2, killing::phi2()),
            (Property::Phi3, killing::phi3()),
            (Property::Phi4, killing::phi4()),
        ] {
            let same = Asked::Killing(Ask::Only(property));
            assert_eq!(asked(&formula.to_string()), Ok(same));
        }
    }

    #[test]
    fn swapping_model_and_mutant_is_another_formula() {
        let text = "exists a. exists b. G (mut[a] & !mut[b] & I[a] = I[b]) & F (O[a] != O[b])";
        let asked = asked(text).unwrap();
        assert_eq!(asked, Asked::Formula(parse(text).unwrap()));
        let error = format!("{:?}", asked.killing().unwrap_err());
        assert!(error.contains("none of the killing formulas"), "{error}");
    }

    #[test]
    fn a_malformed_formula_is_a_located_usage_error() {
        let error = asked("exists p. G (mut[q])").unwrap_err();
        assert!(error.contains("q"), "{error}");
    }
}
