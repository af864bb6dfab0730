//! `hyperkill verify --explain`: what would be asked, and the schedule of it, instead of answers.

use hyperkill_checker::hyperltl::Asked;
use hyperkill_checker::safety::scheduled;
use hyperkill_checker::schedule::{self, Section, formulas, reachability};
use hyperkill_core::product::Variant;
use hyperkill_formulas::ast::Quantifier;
use hyperkill_formulas::fragment::Fragment;

use super::formula_subject::Subject;
use crate::args::{TracesChoice, VerifyArgs};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;
use hyperkill_frontend::counted;
use hyperkill_report::text::{Align, Table};

/// Mutants that are named one by one.
const NAMED: usize = 8;

/// The name of what traces of a variant are of: of the original or a mutant, or of one of several systems.
fn of_variant<'n>(names: &[&'n str], variant: Variant) -> &'n str {
    // Whichever mutant is in question is the second of two.
    names[variant.system().min(names.len() - 1)]
}

/// What is asked in the place of a formula, of which mutants, and how.
pub(super) fn explain_formula(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
    instead: &Asked,
    mutants: Vec<String>,
    options: &formulas::Options,
) -> Result<ExitCode, Failure> {
    let formula = &subject.said;
    let names = subject.names();
    let of = instead.variants.iter();
    let of = of.map(|&variant| of_variant(&names, variant));
    let prefix = formula.prefix.iter().zip(of);
    let prefix = prefix.map(|((quantifier, trace), of)| match quantifier {
        Quantifier::Exists => format!("exists {trace} ({of})"),
        Quantifier::Forall => format!("forall {trace} ({of})"),
    });
    let fragment = Fragment::of(formula);
    let mut rows = vec![
        ("formula", formula.to_string()),
        ("prefix", prefix.collect::<Vec<_>>().join(", ")),
        ("fragment", fragment.to_string()),
    ];
    if instead.formula != *formula {
        let asked = Fragment::of(&instead.formula);
        rows.push(("negation", format!("{}, which is {asked}", instead.formula)));
    }
    let traces = match args.traces {
        TracesChoice::Finite => "finite",
        TracesChoice::Infinite => "infinite",
    };
    rows.push(("traces", traces.to_owned()));
    let is_mutant = |of: &Variant| *of != Variant::Original;
    if subject.systems.is_none() && instead.variants.iter().any(is_mutant) {
        rows.push(("mutants", listed(mutants)));
    }
    if let Some(size) = instead.monitor {
        let monitor = format!(
            "{}, {}, {} to be met again and again",
            counted(size.latches, "bit"),
            counted(size.choices, "choice"),
            counted(size.justice, "condition"),
        );
        rows.push(("monitor", monitor));
    }
    let sections = match &args.strategy {
        // A strategy of the user's is the only response that is asked about.
        Some(_) => schedule::explain_strategy(options),
        None => schedule::explain_formula(options, instead.kind),
    };
    print(session, rows, &options.reachability, sections)
}

/// Which states are asked about, and how.
pub(super) fn explain_safety(
    session: &mut Session<'_>,
    asked: Vec<String>,
    options: &reachability::Options,
    others: bool,
) -> Result<ExitCode, Failure> {
    let options = scheduled(options, others);
    let rows = vec![("asked", listed(asked))];
    print(session, rows, &options, schedule::explain_safety(&options))
}

fn print(
    session: &mut Session<'_>,
    rows: Vec<(&str, String)>,
    options: &reachability::Options,
    sections: Vec<Section>,
) -> Result<ExitCode, Failure> {
    let mut table = Table::new([Align::Left, Align::Left]);
    let bound = options.bound.map(|bound| ("bound", counted(bound, "step")));
    for (what, value) in rows.into_iter().chain(bound) {
        table.row([session.style.bold(what), value]);
    }
    session.print(table.to_string())?;
    for section in sections {
        session.print(format!("\n{section}"))?;
    }
    Ok(ExitCode::Success)
}

/// Names, each of which is a question of its own.
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
