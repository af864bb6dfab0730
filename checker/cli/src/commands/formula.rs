//! `hyperkill verify --formula`: does the model satisfy a formula?

use std::path::Path;
use std::time::Duration;

use hyperkill_audit::certificates::Circuit;
use hyperkill_checker::hyperltl::{
    self, Decided, Played, StrategyFailure, Truth, Witness, decide_formula,
};
use hyperkill_checker::schedule::{formulas, reachability};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::Formula;
use hyperkill_frontend::counted;
use rayon::prelude::*;

use super::answers::{self, Answer};
use super::explanation::explain_formula;
use super::formula_subject::Subject;
use crate::args::{Acceptance, Format, TracesChoice, VerifyArgs};
use crate::catalogue::Standing;
use crate::decision::{budget, pool};
use crate::documents::{
    self, CheckReport, FormulaReport, FormulaResult, FormulaStep, FormulaTrace, TruthWord, build,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::read_bytes;
use crate::session::{Level, Session};
use hyperkill_report::text::results::proof;
use hyperkill_report::text::{Align, Style, Table};

/// Carries it out.
pub(super) fn check_formula(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
) -> Result<ExitCode, Failure> {
    let asked = match subject.systems {
        Some(_) => vec![None],
        None => asked(session, args, subject)?,
    };
    let (model, formula) = (subject.model(), &subject.said);
    let options = formulas::Options {
        reachability: reachability::Options {
            bound: args.limits.bound,
            engines: args.limits.engine.own,
            ..reachability::Options::UNLIMITED
        },
    };
    if args.explain {
        let instead = hyperltl::asked(model, SelectorId(0), formula, args.traces.into());
        let instead = instead.map_err(|error| subject.undecidable(error))?;
        let mutants = asked.into_iter().flatten().map(|(id, _)| id);
        return explain_formula(
            session,
            args,
            subject,
            &instead,
            mutants.collect(),
            &options,
        );
    }
    let budget = budget(session, &args.limits);
    let circuit = Circuit::of(model);
    let strategy = match &args.strategy {
        Some(file) => Some(read_bytes(session.io, file)?),
        None => None,
    };
    let decide = |id: &Option<(String, SelectorId)>| -> Result<Answer, Failure> {
        let selector = id.as_ref().map_or(SelectorId(0), |(_, selector)| *selector);
        let budget = budget.job().within(args.limits.timeout.0);
        let began = budget.now();
        let about = (model, selector, formula);
        let decided = match &strategy {
            Some(file) => by_strategy(subject, about, args, file, &options, &budget)?,
            None => {
                let traces = args.traces.into();
                let decided = decide_formula(model, selector, formula, traces, &options, &budget);
                Ok(decided.map_err(|error| subject.undecidable(error))?)
            }
        };
        let took = took(&budget, began, args.limits.timings);
        let id = id.as_ref().map(|(id, _)| id);
        let (result, certificate) = match decided {
            Ok(decided) => answer(args, &circuit, (subject, selector), id, decided)?,
            Err(traces) => (lost(circuit.model, subject, id, &traces)?, None),
        };
        let result = FormulaResult {
            seconds: took,
            ..result
        };
        Ok((result, certificate))
    };
    let out = args.out.as_deref();
    let results = answers::in_folder(session, out, |session, folder| {
        let answers: Result<Vec<Answer>, Failure> =
            pool(session.jobs)?.install(|| asked.par_iter().map(decide).collect());
        let answers = answers?;
        if let Some(folder) = folder {
            answers::keep(folder, args, subject, &answers)?;
        }
        Ok(answers
            .into_iter()
            .map(|(result, _)| result)
            .collect::<Vec<_>>())
    })?;
    print(session, args, subject, &results)?;
    Ok(exit_code(session, args, &results))
}

/// The mutants that `mut` is to mean, one after the other: ids and selectors. One `None` if the formula is about the original only.
fn asked(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
) -> Result<Vec<Option<(String, SelectorId)>>, Failure> {
    let (loaded, formula) = (&subject.loaded[0], &subject.said);
    let about = hyperltl::is_about_a_mutant(&loaded.model, formula);
    if !about.map_err(|error| subject.undecidable(error))? {
        return Ok(vec![None]);
    }
    let selected = args.selection.selection(session.seed).of(&loaded.listing)?;
    let mut asked = Vec::new();
    for entry in selected
        .iter()
        .map(|&index| &loaded.listing.catalogue[index])
    {
        match &entry.standing {
            Standing::Live(selector) => asked.push(Some((entry.id.to_string(), *selector))),
            Standing::Invalid(reason) => session.say(
                Level::Warning,
                format!("mutant {} is left out: {reason}", entry.id),
            ),
        }
    }
    Ok(asked)
}

fn took(budget: &Budget, began: Duration, wanted: bool) -> Option<f64> {
    wanted.then(|| build::seconds(budget.now().saturating_sub(began)))
}

/// What a strategy decides; `Err` with traces against which it loses.
fn by_strategy(
    subject: &Subject,
    (model, mutant, formula): (&ConditionalMutant, SelectorId, &Formula),
    args: &VerifyArgs,
    file: &[u8],
    options: &formulas::Options,
    budget: &Budget,
) -> Result<Result<Decided, Witness>, Failure> {
    if args.traces == TracesChoice::Finite {
        return Err(Failure::usage("--strategy is about infinite traces"));
    }
    match hyperltl::decide_by_strategy(model, mutant, formula, file, options, budget) {
        Ok(Played::Decided(decided)) => Ok(Ok(decided)),
        Ok(Played::Loses(traces)) => Ok(Err(traces)),
        Err(StrategyFailure::Formula(error)) => Err(subject.undecidable(error)),
        Err(StrategyFailure::Strategy(error)) => {
            let place = args.strategy.as_deref().unwrap_or(Path::new(""));
            Err(Failure::usage(format!("{}: {error}", place.display())))
        }
    }
}

/// The answer where a strategy loses: nothing is decided, and these traces say why.
fn lost(
    model: &ConditionalMutant,
    subject: &Subject,
    id: Option<&String>,
    against: &Witness,
) -> Result<FormulaResult, Failure> {
    let mut result = documents::unanswered(id.cloned());
    result.known_to = Some(0);
    result.reason = Some("strategy".to_owned());
    let about = (model, subject.systems.as_ref());
    let traces = documents::traces(about, &subject.said, against);
    // A strategy of the user's may break constraints; then its traces are none of the model.
    result.traces = traces.unwrap_or_default();
    Ok(result)
}

/// The answer in words, with its certificate if somebody wants that.
fn answer(
    args: &VerifyArgs,
    circuit: &Circuit<'_>,
    (subject, mutant): (&Subject, SelectorId),
    id: Option<&String>,
    decided: Decided,
) -> Result<Answer, Failure> {
    let formula = &subject.said;
    let (verdict, shown) = match (decided.truth, &decided.shown) {
        (Truth::Holds, Some(shown)) => (TruthWord::Holds, shown),
        (Truth::Fails, Some(shown)) => (TruthWord::Fails, shown),
        (Truth::Unknown { known_to, reason }, _) => {
            let mut result = documents::unanswered(id.cloned());
            result.known_to = Some(known_to);
            result.reason = Some(reason.to_string());
            return Ok((result, None));
        }
        (Truth::Holds | Truth::Fails, None) => {
            let error = anyhow::anyhow!("nothing shows the answer to {formula}");
            return Err(Failure::message(ExitCode::Internal, error));
        }
    };
    let about = (circuit.model, subject.systems.as_ref());
    let result = documents::answered(about, formula, id.cloned(), verdict, shown);
    let result = result.map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
    let certificate = match args.out {
        Some(_) => Some(answers::written(
            circuit,
            (subject, mutant),
            args,
            &result,
            shown,
        )?),
        None => None,
    };
    Ok((result, certificate))
}

/// Traces with names and values.
pub(super) fn traces(
    model: &ConditionalMutant,
    formula: &Formula,
    witness: &Witness,
) -> Result<Vec<FormulaTrace>, Failure> {
    let traces = documents::traces((model, None), formula, witness);
    traces.map_err(|error| Failure::message(ExitCode::Internal, error.into()))
}

fn exit_code(session: &Session<'_>, args: &VerifyArgs, results: &[FormulaResult]) -> ExitCode {
    let any = |word: TruthWord| results.iter().any(|result| result.verdict == word);
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if any(TruthWord::Fails) {
        ExitCode::Failed
    } else if any(TruthWord::Unknown) && args.limits.accept != Some(Acceptance::Unknown) {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

fn print(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    subject: &Subject,
    results: &[FormulaResult],
) -> Result<(), Failure> {
    match session.format {
        Format::Json => {
            let report = FormulaReport {
                schema: CheckReport::SCHEMA.to_owned(),
                model: subject.loaded[0].listing.description.name.clone(),
                seed: session.seed,
                formula: subject.written.to_string(),
                reading: args.traces.into(),
                results: results.to_vec(),
            };
            let text = documents::to_text(&report)?;
            session.print(text)?;
        }
        Format::Human => {
            let style = session.style;
            let mut text = String::new();
            for result in results {
                text.push_str(&heading(result, args.limits.timings, style));
                // Many answers are a list; who wants the traces asks for one mutant, or for JSON.
                if let [_] = results {
                    for trace in &result.traces {
                        text.push('\n');
                        text.push_str(&table(trace, args.traces, style));
                    }
                }
            }
            if let Some(out) = &args.out {
                let out = out.display();
                text.push_str(&format!(
                    "\n  {out}/answers.json  the answer, with its evidence\n"
                ));
                text.push_str(&format!("  next: hyperkill certify {out}\n"));
            }
            session.print(text)?;
        }
    }
    Ok(())
}

/// The answer in a line.
fn heading(result: &FormulaResult, timed: bool, style: Style) -> String {
    let mut parts = Vec::new();
    let word = result.verdict.word();
    parts.push(match result.verdict {
        TruthWord::Holds => style.green(word),
        TruthWord::Fails => style.red(word),
        TruthWord::Unknown => style.yellow(word),
    });
    if let Some(steps) = result.steps {
        parts.push(format!("shown by traces within {}", counted(steps, "step")));
    }
    if let Some(evidence) = &result.evidence {
        parts.push(match (evidence.kind.as_str(), evidence.k) {
            (build::END, Some(steps)) => {
                format!("proved: no traces have {}", counted(steps, "step"))
            }
            ("no-lasso" | "k-liveness", _) => fair_proof(evidence),
            (build::INCLUDED, _) => inclusion(evidence),
            _ => format!("proved: {}", proof(evidence)),
        });
    }
    if result.reason.as_deref() == Some("strategy") {
        parts.push("the strategy loses: these traces decide nothing else".to_owned());
    } else if let (Some(reason), Some(known_to)) = (&result.reason, result.known_to) {
        let known = counted(known_to, "step");
        parts.push(format!("{reason}, no traces of up to {known} decide it"));
    }
    if let Some(seconds) = result.seconds.filter(|_| timed) {
        parts.push(format!("{seconds:.3} s"));
    }
    let mutant = result.mutant.as_ref();
    let mutant = mutant.map_or_else(String::new, |id| format!("{}  ", style.cyan(id)));
    format!("{mutant}{}\n", parts.join("  "))
}

/// What an invariant about infinite traces shows, in short.
fn fair_proof(evidence: &documents::Evidence) -> String {
    let way = match evidence.k {
        Some(k) => format!("k-liveness, k = {k}"),
        None => "no lasso".to_owned(),
    };
    let clauses = counted(evidence.clauses.unwrap_or(0), "clause");
    match evidence.positions {
        Some(responses) => {
            let responses = counted(responses, "response");
            format!("proved: {way}, {responses}, {clauses}")
        }
        None => format!("proved: {way}, {clauses}"),
    }
}

/// What a closed set shows, in short.
fn inclusion(evidence: &documents::Evidence) -> String {
    let sets = counted(evidence.positions.unwrap_or(0), "set");
    match evidence.clauses {
        Some(rounds) => format!("proved: inclusion, {sets}, {}", counted(rounds, "round")),
        None => format!("proved: inclusion, {sets}"),
    }
}

fn table(trace: &FormulaTrace, reading: TracesChoice, style: Style) -> String {
    let mut text = format!("{} ({})", style.bold(&trace.trace), trace.of);
    for (name, value) in &trace.initial.0 {
        text.push_str(&format!(" {name}={value}"));
    }
    text.push('\n');
    if trace.steps.is_empty() {
        return text;
    }
    text.push_str(&steps(trace, style).to_string());
    if trace.loop_from.is_none() && reading == TracesChoice::Infinite {
        text.push_str("  … and on in any way, with the same inputs for all traces\n");
    }
    text
}

/// Inputs, choices and outputs, a row for each step.
pub(super) fn steps(trace: &FormulaTrace, style: Style) -> Table {
    let Some(first) = trace.steps.first() else {
        return Table::new([]);
    };
    let groups = |step: &FormulaStep| {
        let choices = step.choices.0.iter();
        let choices = choices.map(|(name, value)| (format!("nd:{name}"), value.clone()));
        [
            step.inputs.0.clone(),
            choices.collect(),
            step.outputs.0.clone(),
        ]
    };
    let columns: usize = groups(first).iter().map(Vec::len).sum();
    let left = std::iter::repeat_n(Align::Left, columns + 3);
    let mut table = Table::new(std::iter::once(Align::Right).chain(left)).indented(2);
    let mut names = vec![style.bold("step")];
    for (number, group) in groups(first).into_iter().enumerate() {
        if number == 2 {
            names.push("│".to_owned());
        }
        names.extend(group.iter().map(|(name, _)| style.bold(name)));
    }
    table.row(names);
    for (number, step) in trace.steps.iter().enumerate() {
        let mut row = vec![number.to_string()];
        for (position, group) in groups(step).into_iter().enumerate() {
            if position == 2 {
                row.push("│".to_owned());
            }
            row.extend(group.iter().map(|(_, value)| value.to_string()));
        }
        if trace.loop_from == Some(number) {
            row.push(style.dim("◄ the loop begins"));
        }
        table.row(row);
    }
    table
}
