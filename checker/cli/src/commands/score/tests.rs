//! Tests of a file on the mutants of a run: a suite of ours, that of another run, walks of another program, or inputs as CSV or VCD.

use std::path::Path;

use hyperkill_checker::judge::{Judgement, accepts};
use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::sorts;
use hyperkill_core::events::{Calls, Side};
use hyperkill_core::product::Variant;
use hyperkill_export::csv;
use rayon::prelude::*;

use super::values::value;
use super::walks;
use super::waves::of_vcd;
use crate::args::ScoreArgs;
use crate::commands::fixed_inputs::{Inputs, bits, fixed};
use crate::commands::subject::Subject;
use crate::decision::pool;
use crate::documents::{Run, ScoreReport, ScoreResult, ScoredMutant, StrengthWord};
use crate::failure::Failure;
use crate::load::{self, read_bytes};
use crate::run_folder::{self, read_document};
use crate::session::Session;

/// Fixed inputs with a name.
struct Given {
    id: String,
    /// Per step one bool per circuit input.
    bits: Vec<Vec<bool>>,
}

/// Finds out which mutants the tests of a file kill: for certain, if the run says so of the mutant, else possibly.
pub(super) fn by_tests(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    run: &Run,
    file: &Path,
    report: &mut ScoreReport,
) -> Result<(), Failure> {
    let model = subject.model();
    let is = |extension: &str| file.extension().is_some_and(|e| e == extension);
    if args.scope.is_some() && !is("vcd") {
        return Err(Failure::usage("--scope is about VCD files"));
    }
    let tests = if is("csv") {
        of_csv(session, file, model)?
    } else if is("vcd") {
        let recorded = &subject.recorded;
        let hardware = match &subject.draft.loaded.listing.sources[..] {
            [] => None,
            _ => load::prepared(session, &recorded.spec, recorded.origin())?.hardware()?,
        };
        let bytes = read_bytes(session.io, file)?;
        let scope = args.scope.as_deref();
        let inputs = of_vcd(file, &bytes, model, hardware.as_ref(), scope)?;
        vec![("vcd-1".to_owned(), inputs)]
    } else {
        match walks::of(session, subject, file)? {
            Some(walks) => walks,
            None => of_suite(session, file)?,
        }
    };
    if tests.is_empty() {
        return Err(Failure::usage(format!(
            "{} has no test with fixed inputs",
            file.display()
        )));
    }
    let budget = session.budget();
    let mut given = Vec::new();
    for (id, inputs) in tests {
        let bits = bits(&id, &inputs, model)?;
        let accepted = accepts(
            model,
            Variant::Original,
            &bits,
            &budget.within(args.time_to_decide()),
        );
        if accepted == Judgement::Never {
            let message = format!("{id}: no run of the model accepts these inputs");
            return Err(Failure::usage(message));
        }
        given.push(Given { id, bits });
    }
    report.tests = given.iter().map(|test| test.id.clone()).collect();
    let chooses = run.original != "deterministic";
    pool(session.jobs)?.install(|| {
        report.mutants.par_iter_mut().for_each(|mutant| {
            one(
                model,
                &given,
                chooses,
                mutant,
                &budget.within(args.time_to_decide()),
            );
        });
    });
    Ok(())
}

/// Which tests kill a mutant.
fn one(
    model: &ConditionalMutant,
    tests: &[Given],
    chooses: bool,
    mutant: &mut ScoredMutant,
    budget: &Budget,
) {
    let Some(selector) = model.selector_of_mutant(&mutant.mutant) else {
        return;
    };
    let certain = matches!(
        mutant.strength,
        Some(StrengthWord::Definite | StrengthWord::Adaptive)
    );
    // What a deterministic model shows is all that it can show: one run of the mutant that differs is a kill.
    let needed = match chooses && certain {
        true => Noticed::Certainly,
        false => Noticed::Possibly,
    };
    // Tests are short, and each is listed as far as it takes.
    let effort = Effort {
        nodes: usize::MAX,
        simulated: 1 << 24,
        ..Effort::default()
    };
    let mut is_open = false;
    for test in tests {
        match noticed(model, selector, &test.bits, &effort, budget) {
            Some(found) if found >= needed => mutant.killed_by.push(test.id.clone()),
            Some(_) => {}
            None => is_open = true,
        }
    }
    mutant.result = if !mutant.killed_by.is_empty() {
        ScoreResult::Killed
    } else if is_open && budget.stopped().is_some() {
        ScoreResult::TimeOut
    } else if is_open {
        ScoreResult::Open
    } else {
        ScoreResult::Survived
    };
}

/// The tests of a suite, or of the run in a folder. Trees whose inputs depend on the answers are left out.
fn of_suite(session: &mut Session<'_>, file: &Path) -> Result<Vec<(String, Inputs)>, Failure> {
    let file = match file.is_dir() {
        true => file.join(run_folder::SUITE),
        false => file.to_owned(),
    };
    if !file.is_file() {
        return Err(Failure::usage(format!(
            "there is no suite {}",
            file.display()
        )));
    }
    Ok(fixed(session, read_document(&file)?))
}

/// A column for each input, a row for each step, an empty line between tests. Columns of outputs are passed over. A column for an event,
/// without its parameters, has calls.
fn of_csv(
    session: &mut Session<'_>,
    file: &Path,
    model: &ConditionalMutant,
) -> Result<Vec<(String, Inputs)>, Failure> {
    let bytes = read_bytes(session.io, file)?;
    let name = file.display();
    let text =
        String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{name} is not UTF-8")))?;
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let open = |place: &str| Failure::usage(format!("{place}: a cell ends badly: quotes"));
    let columns = csv::cells(header).ok_or_else(|| open(&format!("{name}:1")))?;
    let calls = Calls::new(&model.events);
    // Columns of parameters have the values of ports, and so has then that of the event.
    let with_calls = model.events.iter().filter(|of| {
        of.side == Side::Inputs
            && !of
                .parameters()
                .any(|port| columns.iter().any(|c| c == port))
    });
    let with_calls: Vec<&str> = with_calls.map(|of| of.port.as_str()).collect();
    for column in &columns {
        let known = model.inputs.iter().chain(&model.outputs);
        let is_call = with_calls.contains(&column.as_str());
        if !is_call && !known.clone().any(|port| port.name == *column) {
            return Err(Failure::usage(format!(
                "{name}: there is no input `{column}`"
            )));
        }
    }
    let mut tests: Vec<Inputs> = vec![Vec::new()];
    for (number, line) in lines {
        if line.trim().is_empty() {
            tests.push(Vec::new());
            continue;
        }
        let place = format!("{name}:{}", number + 1);
        let cells = csv::cells(line).ok_or_else(|| open(&place))?;
        if cells.len() != columns.len() {
            let (found, expected) = (cells.len(), columns.len());
            return Err(Failure::usage(format!(
                "{place}: {found} cells in {expected} columns"
            )));
        }
        let mut step = Vec::new();
        for (column, cell) in columns.iter().zip(&cells) {
            let cannot_be = |why: String| {
                Failure::usage(format!("{place}: `{column}` cannot be {cell}: {why}"))
            };
            if with_calls.contains(&column.as_str()) {
                let values =
                    calls.spelled(Side::Inputs, column, cell, &sorts(&model.inputs), value);
                step.extend(values.ok_or_else(|| cannot_be("there is no such event".to_owned()))?);
            } else if let Some(port) = model.inputs.iter().find(|port| port.name == *column) {
                let value = value(cell, &port.sort);
                let value = value.ok_or_else(|| cannot_be(format!("its type is {}", port.sort)))?;
                step.push((port.name.clone(), value));
            }
        }
        if let Some(test) = tests.last_mut() {
            test.push(step);
        }
    }
    tests.retain(|test| !test.is_empty());
    let tests = tests.into_iter().enumerate();
    Ok(tests
        .map(|(number, test)| (format!("csv-{}", number + 1), test))
        .collect())
}
