//! `hyperkill check`: decides the mutants of an AIGER file. For one more release it also answers questions of `hyperkill verify`.

use std::path::Path;

use hyperkill_checker::rounds::Ask;
use hyperkill_run::asked::{document, with_question};
use hyperkill_run::baseline::Baseline;
use hyperkill_run::circuit::Circuits;
use hyperkill_run::decided::Decided;
use hyperkill_run::life::Life;
use hyperkill_run::procedure::Procedure;
use hyperkill_run::question::Asked;
use hyperkill_verify::subject::Subject;

use super::circuit::{circuit, size};
use super::formula::check_formula;
use super::safety::check_safety;
use super::specs::check_specs;
use super::totality::check_totality;
use super::{run_files, summary};
use crate::args::{CheckArgs, Format, TracesChoice, VerifyArgs};
use crate::decision::{end, limits, task, with_surroundings};
use crate::documents::{self, CheckReport};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::seen_from;
use crate::model::Loaded;
use crate::question;
use crate::session::{Level, Session};
use hyperkill_report::text::results;

/// Decides the mutants of an AIGER file and prints the results. Questions about the model itself go to `verify`, with a warning.
pub(super) fn check(session: &mut Session<'_>, args: &CheckArgs) -> Result<ExitCode, Failure> {
    session.limit(args.decision.limits.total_timeout.0);
    if args.specs {
        let args = as_verification(session, args, "--specs asks about the model itself")?;
        return check_specs(session, &args);
    }
    if args.totality {
        let args = as_verification(session, args, "--totality asks about the model itself")?;
        return check_totality(session, &args);
    }
    reject_sources(&args.file, "check")?;
    let loaded = circuit(session, &args.file, &args.roles)?;
    let ask = match question::of(session.io, &args.decision, args.traces)? {
        Asked::Killing(ask) => ask,
        Asked::Formula(formula) => {
            let args = as_verification(session, args, "the formula is not a killing formula")?;
            let of = vec![0; formula.prefix.len()];
            let subject = Subject::new(vec![loaded], of, &formula)?;
            return check_formula(session, &args, &subject);
        }
    };
    if loaded.listing.catalogue.is_empty() {
        session.say(Level::Warning, format!("the file has {NO_MUTANTS}"));
        if matches!(ask, Ask::Auto) {
            let args = as_verification(session, args, &format!("the file has {NO_MUTANTS}"))?;
            return check_safety(session, &args, &loaded, Vec::new());
        }
    }
    if args.witness.is_some() {
        return Err(Failure::usage(
            "--witness is for bad states, but this file has mutants, which are decided",
        ));
    }
    let mut circuits = Circuits::new(loaded, languages::built_in);
    let given = (&args.selection, &args.decision);
    let task = task(session, &circuits, given, ask)?;
    if args.decision.explain {
        let limits = limits(session, &args.decision.limits);
        let text = circuits.explain(&task, &limits)?;
        session.print(text)?;
        return Ok(ExitCode::Success);
    }
    let mut folder = match &args.out {
        Some(path) => Some(run_files::take(session, path)?),
        None => None,
    };
    if let Some(folder) = &folder {
        let listing = circuits.listing_mut();
        listing.reading = seen_from(&listing.reading, folder.path());
    }
    let listing = circuits.listing();
    let asked = document(
        with_question(session.asked.clone(), ask),
        (listing, &listing.reading),
        &args.selection.selection(session.seed),
        &task.selected,
    )?;
    let life = Life {
        procedure: &circuits,
        task: &task,
        accepted: &Baseline::of(&args.decision.accept_mutant),
    };
    let decided = run_files::in_folder(session, folder.as_mut(), |session, folder| {
        with_surroundings(session, &args.decision.limits, folder, |around| {
            Ok(life.begin(&asked, None, around)?)
        })
    })?;
    print(session, args, circuits.loaded(), &decided)?;
    Ok(end(&decided, &args.decision))
}

/// The message for a file without mutants.
const NO_MUTANTS: &str = "no mutants: no latch is called `mut` or `mut:ID`, and --mut names none";

/// Returns the arguments of `hyperkill verify` for the same question, and prints a warning. `because` says why no mutants are decided.
///
/// # Errors
/// If an option is only for deciding mutants.
fn as_verification(
    session: &mut Session<'_>,
    args: &CheckArgs,
    because: &str,
) -> Result<VerifyArgs, Failure> {
    let CheckArgs {
        file,
        roles,
        selection,
        decision,
        ..
    } = args;
    let asked = decision.formula.is_some() || decision.formula_file.is_some();
    let given = [
        ("--controllable-nd", decision.controllable_nd),
        ("--fail-under", decision.fail_under.is_some()),
        ("--out", args.out.is_some()),
        ("--mutant", !asked && !selection.mutant.is_empty()),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{option} is for deciding mutants, but {because}"
        )));
    }
    session.say(
        Level::Warning,
        "this is a question for `hyperkill verify`, with the same options; `check` answers it for one more release",
    );
    Ok(VerifyArgs {
        dialect: crate::args::DialectChoice::Hyperkill,
        file: file.clone(),
        formula: decision.formula.clone(),
        formula_file: decision.formula_file.clone(),
        traces: args.traces.unwrap_or(TracesChoice::Infinite),
        specs: args.specs,
        totality: args.totality,
        suite: None,
        proof: None,
        domain: None,
        refinement: Vec::new(),
        consistency: Vec::new(),
        determinism: Vec::new(),
        witness: args.witness.clone(),
        roles: roles.clone(),
        selection: selection.clone(),
        limits: decision.limits.clone(),
        external: decision.external.clone(),
        explain: decision.explain,
        out: None,
        system: Vec::new(),
        strategy: None,
    })
}

/// Refuses a file of another language, by its name, since the AIGER parser's message would mislead. `command` is for the message.
pub(super) fn reject_sources(file: &Path, command: &str) -> Result<(), Failure> {
    match languages::of_file(file) {
        None => Ok(()),
        Some(frontend) if languages::own(frontend.name()).is_some() => {
            Err(languages::no_circuit(frontend.name()))
        }
        Some(frontend) => {
            let file = file.display();
            Err(Failure::usage(format!(
                "{file} is a model in {}, and `{command}` reads AIGER files",
                frontend.name()
            ))
            .with_help(format!(
                "`hyperkill run {file}`, `hyperkill verify --specs {file}` for its invariants, `hyperkill verify --totality \
                {file}`, or `hyperkill translate {file} | hyperkill {command} -`"
            )))
        }
    }
}

fn print(
    session: &mut Session<'_>,
    args: &CheckArgs,
    loaded: &Loaded,
    decided: &Decided,
) -> Result<(), Failure> {
    match session.format {
        Format::Json => {
            let report = CheckReport {
                schema: CheckReport::SCHEMA.to_owned(),
                model: loaded.listing.description.name.clone(),
                seed: session.seed,
                original: Some(decided.original.to_owned()),
                results: if args.decision.limits.timings {
                    decided.results_with_times()
                } else {
                    decided.results.clone()
                },
                summary: decided.summary.clone(),
            };
            let text = documents::to_text(&report)?;
            session.print(text)?;
        }
        Format::Human => {
            let style = session.style;
            let table = results::table(&decided.results, &decided.mutants, style);
            session.print(&table)?;
            if decided.results.is_empty() {
                let size = size(&loaded.model);
                session.print(format!("{size}\n"))?;
            } else if session.wants_summary() {
                session.print("\n")?;
                summary::print_summary(session, &loaded.listing, decided)?;
            }
            if args.decision.limits.timings {
                summary::print_times(session, decided)?;
            }
            if let Some(out) = &args.out {
                summary::print_place(session, out, &loaded.listing, decided)?;
            }
        }
    }
    summary::say_gate(session, &loaded.listing, decided, &args.decision);
    Ok(())
}
