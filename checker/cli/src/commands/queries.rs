//! `hyperkill verify --refinement`, `--consistency`, `--determinism`: questions about the processes of a model, its own or given ones.

use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::{Answer, Refutation};
use hyperkill_run::reading::ModelSpec;

use super::safety::exit_code;
use crate::args::{Format, VerifyArgs};
use crate::decision::budget;
use crate::documents::build::steps;
use crate::documents::{self, QueryReport, QueryResult, TruthWord};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Origin, Prepared};
use crate::session::Session;
use hyperkill_report::text::answers::queries;

/// Returns the queries on the command line as `KIND: TEXT`, by kind: refinement, consistency, determinism.
pub(super) fn asked(args: &VerifyArgs) -> Vec<String> {
    let kinds = [
        ("refinement", &args.refinement),
        ("consistency", &args.consistency),
        ("determinism", &args.determinism),
    ];
    let all = kinds.into_iter().flat_map(|(kind, questions)| {
        let questions = questions.iter();
        questions.map(move |question| format!("{kind}: {question}"))
    });
    all.collect()
}

/// Decides questions about the processes of a model, prints the answers, and returns the exit status.
pub(super) fn check_queries(
    session: &mut Session<'_>,
    args: &VerifyArgs,
) -> Result<ExitCode, Failure> {
    if args.explain {
        return Err(Failure::usage(
            "--explain is for formulas and bad states, and not for processes",
        ));
    }
    let model = model_of(args);
    let model = load::prepared(session, &model, Origin::Places(&model.files))?;
    let questions = questions(args, &model)?;
    let mut results = Vec::new();
    for question in questions {
        results.push(answered(session, args, &model, question)?);
    }
    let report = QueryReport {
        schema: QueryReport::SCHEMA.to_owned(),
        model: model.description,
        results,
    };
    let text = match session.format {
        Format::Json => documents::to_text(&report)?,
        Format::Human => queries(&report, session.style),
    };
    session.print(text)?;
    let answers = report.results.iter().map(|result| result.truth);
    Ok(exit_code(session, args, answers))
}

fn model_of(args: &VerifyArgs) -> ModelSpec {
    let mut model = super::whole_model::model_of(args, &args.file);
    model.settle();
    model
}

/// Returns the queries on the command line, or the queries of the file if there are none.
fn questions(args: &VerifyArgs, model: &Prepared) -> Result<Vec<String>, Failure> {
    let asked = asked(args);
    if !asked.is_empty() {
        return Ok(asked);
    }
    let name = model.frontend.name();
    let procedures = languages::own(name).ok_or_else(|| no_questions(name))?;
    let own = procedures.decision.questions(&model.sources);
    let own = own.map_err(|errors| Failure::diagnosed(&model.sources, errors))?;
    match own.is_empty() {
        true => Err(Failure::usage(format!(
            "{} has no query of refinement, consistency or determinism",
            args.file.display()
        ))
        .with_help("give a query with --refinement, --consistency or --determinism")),
        false => Ok(own),
    }
}

fn no_questions(language: &str) -> Failure {
    Failure::usage(format!(
        "--refinement, --consistency and --determinism mean nothing for models in {language}"
    ))
}

/// Returns the answer to a question. The checking procedure checks it; an answer whose check is stopped is open.
///
/// # Errors
/// If the language has no questions, the question is malformed, or the answer does not check.
fn answered(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    model: &Prepared,
    question: String,
) -> Result<QueryResult, Failure> {
    let name = model.frontend.name();
    let procedures = languages::own(name).ok_or_else(|| no_questions(name))?;
    let budget = budget(session, &args.limits).within(args.limits.timeout.0);
    let (sources, options) = (&model.sources, &model.options);
    let answer = (procedures.decision).answer(sources, options, &question, &budget);
    let answer = answer.ok_or_else(|| no_questions(name))?;
    let mut answer = answer.map_err(|errors| Failure::diagnosed(sources, errors))?;
    let recheck = procedures.recheck.as_ref();
    match recheck.recheck_answer(sources, options, &question, &answer, &budget) {
        Ok(()) => {}
        Err(Refutation::Stopped(stop)) => answer = Answer::Open(stop),
        Err(Refutation::Wrong(what)) => {
            let error = anyhow::anyhow!("the answer to `{question}` does not check: {what}");
            return Err(Failure::message(ExitCode::Evidence, error)
                .with_help("this is a bug in hyperkill; please report it with the model"));
        }
    }
    let mut result = QueryResult {
        query: question,
        truth: TruthWord::Unknown,
        reason: None,
        test: None,
    };
    match answer {
        Answer::Holds(_) => result.truth = TruthWord::Holds,
        Answer::Open(stop) => result.reason = Some(Reason::from(stop).to_string()),
        Answer::Fails { why, runs, .. } => {
            result.truth = TruthWord::Fails;
            result.reason = Some(why);
            result.test = runs.map(|(left, right)| {
                let both = right.into_iter().zip(left).map(|(mut step, own)| {
                    step.mutant_outputs = Some(own.outputs);
                    step
                });
                steps(both.collect())
            });
        }
    }
    Ok(result)
}
