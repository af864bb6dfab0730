//! `hyperkill verify --formula`: checks whether the model satisfies a formula.

use hyperkill_formulas::Traces;
use hyperkill_report::text::answers;
use hyperkill_verify::explain;
use hyperkill_verify::formula::{Answer, GivenStrategy, Meant, Question, options};
use hyperkill_verify::subject::Subject;

use super::run_files;
use super::safety::{exit_code, means};
use crate::args::{Format, TracesChoice, VerifyArgs};
use crate::decision::pool;
use crate::documents::{self, CheckReport, FormulaReport, FormulaResult};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{read_bytes, seen_from};
use crate::progress::Screen;
use crate::session::Session;

/// Decides a formula and prints the answers, and returns the exit status. With `--explain`, prints the question and the schedule instead.
pub(super) fn check_formula(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
) -> Result<ExitCode, Failure> {
    let mut question = Question {
        subject,
        traces: args.traces.into(),
        strategy: None,
        keeps: args.out.is_some(),
    };
    let mutants = mutants(session, args, &question)?;
    let means = means(session, args);
    if args.explain {
        let instead = question.instead()?;
        let mutants = mutants.unwrap_or_default();
        // The explanation does not depend on the contents of the strategy's file.
        question.strategy = args.strategy.as_ref().map(|_| GivenStrategy::default());
        let options = options(&means);
        let text = explain::formula(&question, &instead, &mutants, &options, session.style);
        session.print(text)?;
        return Ok(ExitCode::Success);
    }
    let strategy = match &args.strategy {
        Some(file) => Some((file.display().to_string(), read_bytes(session.io, file)?)),
        None => None,
    };
    question.strategy = (strategy.as_ref()).map(|(name, bytes)| GivenStrategy { name, bytes });
    let mut folder = match &args.out {
        Some(path) => Some(run_files::take(session, path)?),
        None => None,
    };
    let answers = run_files::in_folder(session, folder.as_mut(), |session, folder| {
        let threads = pool(session.jobs)?;
        let answers = question.answers(mutants.as_deref(), &means, &threads)?;
        if let Some(folder) = folder {
            let place = folder.path().to_owned();
            question.keep(&answers, folder, |reading| seen_from(reading, &place))?;
        }
        Ok(answers)
    })?;
    let results = answers.into_iter().map(|Answer { result, .. }| result);
    let results: Vec<FormulaResult> = results.collect();
    print(session, args, subject, &results)?;
    let verdicts = results.iter().map(|result| result.verdict);
    Ok(exit_code(session, args, verdicts))
}

/// Returns the mutants that `mut` stands for in turn, by the options' selection; `None` if the formula is about the original only.
fn mutants(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    question: &Question<'_>,
) -> Result<Option<Vec<Meant>>, Failure> {
    if !question.is_about_a_mutant()? {
        return Ok(None);
    }
    let listing = &question.subject.loaded[0].listing;
    let selected = args.selection.selection(session.seed).of(listing)?;
    Ok(Some(question.meant(&selected, &mut Screen::of(session))))
}

fn print(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
    results: &[FormulaResult],
) -> Result<(), Failure> {
    let mut text = match session.format {
        Format::Json => documents::to_text(&FormulaReport {
            schema: CheckReport::SCHEMA.to_owned(),
            model: subject.loaded[0].listing.description.name.clone(),
            seed: session.seed,
            formula: subject.written.to_string(),
            reading: Traces::from(args.traces).into(),
            results: results.to_vec(),
        })?,
        Format::Human => {
            let infinite = args.traces == TracesChoice::Infinite;
            answers::formula(results, args.limits.timings, infinite, session.style)
        }
    };
    if let (Format::Human, Some(out)) = (session.format, &args.out) {
        let out = out.display();
        text.push_str(&format!(
            "\n  {out}/answers.json  the answer, with its evidence\n"
        ));
        text.push_str(&format!("  next: hyperkill certify {out}\n"));
    }
    session.print(text)
}
