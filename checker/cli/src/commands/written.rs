//! What `run` and `check` write, into the run folder and on standard output.

use std::path::Path;

use hyperkill_core::mutant::Mutant;

use crate::args::DecisionArgs;
use crate::decision::{Decided, Plan};
use crate::documents::bits::stimulus;
use crate::documents::{
    self, LockState, MutantTable, Run, StatusWord, Suite, SuiteModel, VerdictWord, build,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::seen_from;
use crate::model::Loaded;
use crate::report::text::results::plural;
use crate::report::text::test_files::readable;
use crate::report::text::{Align, Style, Table, mutants, strategy, summary};
use crate::run_folder::{self, RunFolder, file_name};
use crate::session::{Level, Session};
use crate::terminal::harmless;

/// Does `work` and leaves the folder with the log of it and a word on how it ended, whatever happens.
pub(super) fn with_folder<'io, T>(
    session: &mut Session<'io>,
    mut folder: Option<&mut RunFolder>,
    work: impl FnOnce(&mut Session<'io>, Option<&mut RunFolder>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let result = work(session, folder.as_deref_mut());
    if let Some(folder) = folder {
        let why = result.as_ref().err().map(reason);
        if let Some(why) = &why {
            session.log_only(why);
        }
        let logged = folder.append_log(&session.take_log());
        // The first thing that went wrong is the one to tell.
        let result = match (result, logged) {
            (Ok(_), Err(error)) => Err(Failure::from(error)),
            (result, _) => result,
        };
        let (state, why) = match &result {
            Err(failure) if failure.code() == ExitCode::Interrupted => {
                (LockState::Interrupted, None)
            }
            Err(failure) => (LockState::Failed, why.or_else(|| Some(reason(failure)))),
            Ok(_) if session.is_interrupted() => (LockState::Interrupted, None),
            Ok(_) => (LockState::Finished, None),
        };
        return match (result, folder.finish(state, why)) {
            (Ok(_), Err(error)) => Err(error.into()),
            (Err(failure), Err(error)) => {
                session.say(Level::Warning, format!("{error:#}"));
                Err(failure)
            }
            (result, Ok(())) => result,
        };
    }
    result
}

/// A failure in words.
fn reason(failure: &Failure) -> String {
    let text = crate::report::text::diagnostics::failure(failure, Style::new(false));
    let text = text.trim_end();
    harmless(text.strip_prefix("error: ").unwrap_or(text))
}

/// Takes a run folder, and says what of others stays there.
pub(super) fn folder(session: &mut Session<'_>, path: &Path) -> Result<RunFolder, Failure> {
    let folder = RunFolder::create(&session.io.disk, path)?;
    if let [first, rest @ ..] = folder.strangers() {
        let more = match rest.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let text = format!(
            "{}: left there, since no run wrote it: {}{more}",
            path.display(),
            first.display()
        );
        session.say(Level::Note, text);
    }
    Ok(folder)
}

/// What is known before any mutant is decided.
pub(super) fn before(
    session: &Session<'_>,
    folder: &RunFolder,
    loaded: &Loaded,
    plan: &Plan,
) -> Result<(), Failure> {
    let table = MutantTable {
        schema: MutantTable::SCHEMA.to_owned(),
        model: loaded.description.clone(),
        reading: Some(seen_from(&loaded.reading, folder.path())),
        signature: build::signature(&loaded.model),
        roles: loaded.role_notes.clone(),
        choices_of_mutants: Vec::new(),
        mutants: loaded.descriptions(&plan.selected),
    };
    folder.write_document(run_folder::MUTANTS, &table)?;
    folder.make_folder(run_folder::DIFFS)?;
    folder.make_folder(run_folder::CERTIFICATES)?;
    for &index in &plan.selected {
        // There may be tens of thousands.
        if let Some(over) = session.over() {
            return Err(over);
        }
        let entry = &loaded.catalogue[index];
        if let Some(diff) = diff(loaded, entry.mutant.as_ref())? {
            let name = file_name(&entry.id.0, "diff");
            folder.write(Path::new(run_folder::DIFFS).join(name), diff.as_bytes())?;
        }
    }
    Ok(())
}

/// The source difference of a mutant, where there is a source.
pub(super) fn diff(loaded: &Loaded, mutant: Option<&Mutant>) -> Result<Option<String>, Failure> {
    let mutated = loaded.mutated(mutant);
    let mutated = mutated.map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
    Ok(mutated.map(|(source, mutated)| mutants::source_diff(source, &mutated)))
}

/// Everything found out.
pub(super) fn after(
    session: &mut Session<'_>,
    folder: &RunFolder,
    loaded: &Loaded,
    decided: &Decided,
) -> Result<(), Failure> {
    folder.make_folder(run_folder::TESTS)?;
    for (test, run) in &decided.tests {
        let place = |extension| Path::new(run_folder::TESTS).join(file_name(&test.id, extension));
        folder.write(place("txt"), readable(test).as_bytes())?;
        folder.write(place("run.json"), documents::to_text(run)?.as_bytes())?;
        if let Some(machine) = &test.machine {
            // The inputs depend on the answers: there is no one stimulus.
            folder.write(place("dot"), strategy::dot(&test.id, machine).as_bytes())?;
            folder.write(place("json"), documents::to_text(machine)?.as_bytes())?;
            continue;
        }
        let steps = run.steps.iter();
        let steps: Vec<Vec<bool>> = steps
            .map(|step| step.chars().map(|bit| bit == '1').collect())
            .collect();
        folder.write(place("stim"), stimulus(&steps).as_bytes())?;
    }
    let suite = Suite {
        schema: Suite::SCHEMA.to_owned(),
        model: SuiteModel {
            description: loaded.description.clone(),
            reading: Some(seen_from(&loaded.reading, folder.path())),
        },
        signature: build::signature(&loaded.model),
        tests: decided.tests.iter().map(|(test, _)| test.clone()).collect(),
    };
    folder.write_document(run_folder::SUITE, &suite)?;
    folder.write_document(run_folder::OUTCOMES, &outcomes(session, loaded, decided))?;
    folder.write_document(run_folder::TIMINGS, &decided.timings(session))?;
    Ok(folder.seal()?)
}

/// `outcomes.json`.
pub(super) fn outcomes(session: &Session<'_>, loaded: &Loaded, decided: &Decided) -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        model: loaded.description.clone(),
        seed: session.seed,
        property: decided.property.clone(),
        original: decided.original.to_owned(),
        original_certificate: decided.certificates.original.clone(),
        validity_certificate: decided.certificates.validity.clone(),
        interrupted: decided.interrupted,
        summary: decided.summary.clone(),
        results: decided.results.clone(),
    }
}

/// The table of verdicts, the score and the suite.
pub(super) fn print_summary(
    session: &mut Session<'_>,
    loaded: &Loaded,
    decided: &Decided,
) -> Result<(), Failure> {
    let style = session.style;
    let title = format!(
        "{}: {}, {} model, question {}",
        loaded.description.name,
        plural(decided.results.len(), "mutant"),
        decided.original,
        decided.property
    );
    session.print(format!("{}\n\n", style.bold(&title)))?;
    session.print(summary::summary(&decided.summary, &decided.results, style))?;
    let steps = decided.tests.iter().map(|(test, _)| test.steps.len()).sum();
    session.print(format!(
        "  {}           {}, {} in all\n",
        style.bold("suite"),
        plural(decided.tests.len(), "test"),
        plural(steps, "step")
    ))?;
    session.print(summary::open_questions(&decided.results, style))?;
    if decided.interrupted {
        let text = "interrupted: what was not decided is unknown";
        session.print(format!("\n{}\n", style.yellow(text)))?;
    }
    Ok(())
}

/// The mutants that took longest.
pub(super) fn print_times(session: &mut Session<'_>, decided: &Decided) -> Result<(), Failure> {
    let mut times: Vec<_> = decided.results.iter().zip(&decided.times).collect();
    times.sort_by_key(|(_, took)| std::cmp::Reverse(**took));
    let mut table = Table::new([Align::Left, Align::Right]).indented(2);
    for (result, took) in times.into_iter().take(10) {
        table.row([
            result.mutant.clone(),
            format!("{:.3} s", took.as_secs_f64()),
        ]);
    }
    session.print(format!("\nlongest\n{table}"))?;
    Ok(())
}

/// Where everything is, and what to do next.
pub(super) fn print_place(
    session: &mut Session<'_>,
    out: &Path,
    loaded: &Loaded,
    decided: &Decided,
) -> Result<(), Failure> {
    let style = session.style;
    let mut table = Table::new([Align::Left, Align::Left]).indented(2);
    let mut files = vec![
        (run_folder::SUITE, "the tests"),
        (run_folder::OUTCOMES, "every verdict with its evidence"),
    ];
    if !loaded.sources.is_empty() {
        files.push((run_folder::DIFFS, "the mutants as source differences"));
    }
    for (name, what) in files {
        table.row([out.join(name).display().to_string(), style.dim(what)]);
    }
    session.print(format!("\n{table}"))?;
    let worth_a_look = [
        VerdictWord::Unknown,
        VerdictWord::RefusesInput,
        VerdictWord::NotDefinitelyKillable,
        VerdictWord::Killed,
        VerdictWord::Equivalent,
    ];
    let example = worth_a_look.iter().find_map(|word| {
        let mut results = decided.results.iter();
        results.find(|result| result.verdict == *word)
    });
    if let Some(example) = example {
        let folder = if out == Path::new(run_folder::DEFAULT) {
            String::new()
        } else {
            format!(" {}", out.display())
        };
        let command = format!("hyperkill show {}{folder}", example.mutant);
        session.print(format!("  next: {}\n", style.cyan(&command)))?;
    }
    Ok(())
}

/// Says why the exit status will be 2.
pub(super) fn say_gate(session: &mut Session<'_>, decided: &Decided, args: &DecisionArgs) {
    if let (true, Some(gate)) = (decided.is_under_the_gate(args), args.fail_under) {
        let gate = gate.0;
        let why = match decided.summary.gated_score(args.controllable_nd) {
            Some(score) => format!("the mutation score {score:.1} % is under {gate} %"),
            None => format!("no mutant is left, so there is no mutation score of {gate} %"),
        };
        session.say(Level::Warning, why);
    }
}

/// Says that some mutants are no models, which a user may not expect.
pub(super) fn say_invalid(session: &mut Session<'_>, decided: &Decided) {
    let mutants = decided.mutants.iter();
    let invalid = mutants.filter(|m| m.status == StatusWord::Invalid).count();
    if invalid > 0 {
        session.say(
            Level::Detail,
            format!("{} set aside as invalid", plural(invalid, "mutant")),
        );
    }
}
