//! Questions and their schedules, as text for people.

use hyperkill_checker::hyperltl::Asked;
use hyperkill_checker::safety::scheduled;
use hyperkill_checker::schedule::{self, Section, formulas, reachability};
use hyperkill_core::product::Variant;
use hyperkill_formulas::Traces;
use hyperkill_formulas::ast::Quantifier;
use hyperkill_formulas::fragment::Fragment;
use hyperkill_frontend::counted;
use hyperkill_report::text::{Align, Style, Table};

use crate::formula::{Meant, Question};
use crate::safety::AskedProperty;

/// Number of mutants or properties, at most, that an explanation names; the others are only counted.
const NAMED: usize = 8;

/// Returns the name of the system that traces of a variant belong to: the original, a mutant, or one of several systems.
fn of_variant<'n>(names: &[&'n str], variant: Variant) -> &'n str {
    // A mutant is always the second of two systems.
    names[variant.system().min(names.len() - 1)]
}

/// A line of an explanation: a keyword and its value.
struct Row {
    what: &'static str,
    value: String,
}

fn row(what: &'static str, value: impl Into<String>) -> Row {
    let value = value.into();
    Row { what, value }
}

/// Returns an explanation of a formula as text: the question for the engines, the mutants, and the schedule. `instead` is the formula that
/// the engines get, with the variants of its traces.
#[must_use]
pub fn formula(
    question: &Question<'_>,
    instead: &Asked,
    mutants: &[Meant],
    options: &formulas::Options,
    style: Style,
) -> String {
    let subject = question.subject;
    let formula = &subject.said;
    let names = subject.names();
    let of = instead.variants.iter();
    let of = of.map(|&variant| of_variant(&names, variant));
    let prefix = formula.prefix.iter().zip(of);
    let prefix = prefix.map(|((quantifier, trace), of)| match quantifier {
        Quantifier::Exists => format!("exists {trace} ({of})"),
        Quantifier::Forall => format!("forall {trace} ({of})"),
    });
    let mut rows = vec![
        row("formula", formula.to_string()),
        row("prefix", prefix.collect::<Vec<_>>().join(", ")),
        row("fragment", Fragment::of(formula).to_string()),
    ];
    if instead.formula != *formula {
        let asked = Fragment::of(&instead.formula);
        let negation = format!("{}, which is {asked}", instead.formula);
        rows.push(row("negation", negation));
    }
    let traces = match question.traces {
        Traces::Finite => "finite",
        Traces::Infinite => "infinite",
    };
    rows.push(row("traces", traces));
    let is_mutant = |of: &Variant| *of != Variant::Original;
    if subject.systems.is_none() && instead.variants.iter().any(is_mutant) {
        let ids = mutants.iter().map(|meant| meant.id.clone());
        rows.push(row("mutants", listed(ids.collect())));
    }
    if let Some(size) = instead.monitor {
        let monitor = format!(
            "{}, {}, {} to be met again and again",
            counted(size.latches, "bit"),
            counted(size.choices, "choice"),
            counted(size.justice, "condition"),
        );
        rows.push(row("monitor", monitor));
    }
    let sections = match question.strategy {
        // A strategy of the user replaces all other candidates for responses.
        Some(_) => schedule::explain_strategy(options),
        None => schedule::explain_formula(options, instead.kind),
    };
    text(rows, options.reachability.bound, &sections, style)
}

/// Returns an explanation of safety properties as text: the bad states and the schedule. With `others`, external programs are asked, too.
#[must_use]
pub fn safety(
    asked: &[AskedProperty],
    options: &reachability::Options,
    others: bool,
    style: Style,
) -> String {
    let options = scheduled(options, others);
    let names = asked.iter().map(AskedProperty::named);
    let rows = vec![row("asked", listed(names.collect()))];
    let sections = schedule::explain_safety(&options);
    text(rows, options.bound, &sections, style)
}

fn text(rows: Vec<Row>, bound: Option<usize>, sections: &[Section], style: Style) -> String {
    let mut table = Table::new([Align::Left, Align::Left]);
    let bound = bound.map(|bound| row("bound", counted(bound, "step")));
    for Row { what, value } in rows.into_iter().chain(bound) {
        table.row([style.bold(what), value]);
    }
    let sections = sections.iter().map(|section| format!("\n{section}"));
    table.to_string() + &sections.collect::<String>()
}

/// Returns names of mutants or properties as one text: the first [`NAMED`], separated by commas, and the number of the others.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    if names.is_empty() {
        return "none is selected".to_owned();
    }
    names.truncate(NAMED);
    let and_more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{and_more}", names.join(", "))
}
