//! The question of a run: a killing formula, given by name or as a formula, or any other formula.

use hyperkill_checker::rounds::Ask;
use hyperkill_evidence::verdict::Property;
use hyperkill_formulas::ast::{Atom, Operand, SignalOf};
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::parser::{ParseError, ParseErrorKind};
use hyperkill_formulas::{Dialect, Formula, Ltl, TraceVar, killing};

use crate::unfit::Unfit;

/// A refused formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The formula is malformed.
    #[error(transparent)]
    Malformed(#[from] Unfit),
    /// The formula is well-formed, but no procedure decides formulas of its kind.
    #[error("{message}")]
    Undecided {
        /// The reason.
        message: String,
        /// Advice.
        help: Option<&'static str>,
    },
}

/// The question of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Which mutants the property kills.
    Killing(Ask),
    /// Whether a formula holds. It is not a killing formula.
    Formula(Formula),
}

impl Asked {
    /// Returns the killing formula.
    ///
    /// # Errors
    /// If the question is another formula.
    pub fn killing(self) -> Result<Ask, Unfit> {
        let formula = match self {
            Asked::Killing(ask) => return Ok(ask),
            Asked::Formula(formula) => formula,
        };
        let killing = killing_formulas();
        let known = killing.map(|(property, formula)| format!("\n    {property}: {formula}"));
        Err(Unfit::new(format!(
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

/// Parses a formula. `origin` names the source of the text in messages.
///
/// # Errors
/// If the text is not a formula, or no procedure decides formulas of its kind.
pub fn read(origin: &str, text: &str, dialect: Dialect) -> Result<Formula, Refused> {
    let read = dialect.read(text);
    read.map_err(|error| unreadable(origin, text, dialect, &error))
}

fn unreadable(origin: &str, text: &str, dialect: Dialect, error: &ParseError) -> Refused {
    if let ParseErrorKind::Asynchronous(_) = error.kind {
        return Refused::Undecided {
            message: format!("{origin}: {error}"),
            help: None,
        };
    }
    let failure = Unfit::new(format!("{origin}: {error}"));
    let guessed = Dialect::guess(text);
    let mut others = std::iter::once(guessed).chain(Dialect::ALL);
    let reads = |other: &Dialect| {
        let formula = (*other != dialect).then(|| other.read(text));
        // Another language reads `I[p]` as a signal of this name. Only other signs show that the text belongs to it.
        formula
            .is_some_and(|read| read.is_ok_and(|read| *other == guessed || !has_our_words(&read)))
    };
    let unfit = match others.find(reads) {
        Some(other) => failure.with_help(format!("`--dialect {other}` reads it")),
        None if guessed == dialect || guessed == Dialect::Hyperkill => failure,
        None => failure.with_help(format!(
            "it looks like `--dialect {guessed}`, which does not read it either"
        )),
    };
    unfit.into()
}

/// Whether a formula has a signal with a name that is a keyword of our own language, such as `I`.
fn has_our_words(formula: &Formula) -> bool {
    let signals = formula
        .body
        .atoms()
        .into_iter()
        .flat_map(|atom| match atom {
            Atom::Signal(signal) | Atom::Equal(signal, Operand::Value(_)) => vec![signal],
            Atom::Equal(left, Operand::Signal(right)) => vec![left, right],
            _ => Vec::new(),
        });
    let mut names = signals.map(|signal| signal.name.as_str());
    names.any(|name| matches!(name, "I" | "O" | "latches" | "mut"))
}

fn killing_formulas() -> [(Property, Formula); 4] {
    [
        (Property::Phi1, killing::phi1()),
        (Property::Phi2, killing::phi2()),
        (Property::Phi3, killing::phi3()),
        (Property::Phi4, killing::phi4()),
    ]
}

/// Returns the question of a formula: a killing formula, up to names of traces and the order of operands, or the formula itself.
#[must_use]
pub fn classified(formula: Formula) -> Asked {
    let asked = normal(&formula);
    for (property, known) in killing_formulas() {
        if normal(&known) == asked {
            return Asked::Killing(Ask::Only(property));
        }
    }
    Asked::Formula(formula)
}

/// Returns the normal form of a formula: traces numbered by the prefix, operands of commutative operators in a fixed order.
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
        let formula = read("--formula", text, Dialect::Hyperkill);
        let formula = formula.map_err(|refused| refused.to_string())?;
        Ok(classified(formula))
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
