//! `hyperkill verify --totality`: does every state that can be reached have a successor, and one for every input?

use std::time::Duration;

use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::totality::{Run, Totality, Undone, Wanted, totality};
use hyperkill_core::sort::Value;
use hyperkill_core::system::{TransitionSystem, When};
use hyperkill_evidence::verdict::Reason;
use hyperkill_frontend::{Diagnostic, FrontendOptions, NamePredicate, Severity, Span};
use hyperkill_run::reading::ModelSpec;

use super::safety::{exit_code, print};
use super::whole_model::model_of;
use crate::args::{Format, VerifyArgs};
use crate::decision::budget;
use crate::documents::build::{published_name, seconds};
use crate::documents::{SafetyResult, TruthWord, Valuation};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load;
use crate::model::Loaded;
use crate::session::{Level, Session};

/// Carries it out.
pub(super) fn check_totality(
    session: &mut Session<'_>,
    args: &VerifyArgs,
) -> Result<ExitCode, Failure> {
    if args.explain {
        return Err(Failure::usage(
            "--explain says how formulas and bad states are decided, and nothing of --totality",
        ));
    }
    let model = model_of(args, &args.file);
    let (system, sources) = load::system(session, &model)?;
    let limits = &args.limits;
    let options = Options {
        bound: limits.bound,
        engines: limits.engine.own,
        ..Options::SAFETY
    };
    let budget = budget(session, limits);
    let questions = [
        ("deadlock-free", Wanted::AnyInput),
        ("input-enabled", Wanted::EveryInput),
    ];
    let mut results = Vec::new();
    for (property, wanted) in questions {
        let budget = budget.job().within(limits.timeout.0);
        let began = budget.now();
        let answer = totality(&system, wanted, &options, &budget);
        let took = budget.now().saturating_sub(began);
        if let Totality::Stuck(run) = &answer
            && session.format == Format::Human
        {
            let diagnostic = stuck(&system, run);
            session.diagnose(&sources, &diagnostic);
        }
        let mut result = result(property, answer)?;
        result.seconds = limits.timings.then(|| seconds(took));
        results.push(result);
    }
    print(session, &published_name(&sources[0].name), &results)?;
    Ok(exit_code(session, &results, limits.accept))
}

fn result(property: &str, answer: Totality) -> Result<SafetyResult, Failure> {
    let mut result = SafetyResult {
        property: property.to_owned(),
        name: None,
        verdict: TruthWord::Holds,
        steps: None,
        clauses: None,
        known_to: None,
        reason: None,
        evidence: None,
        traces: Vec::new(),
        run: Vec::new(),
        refused: None,
        notes: Vec::new(),
        seconds: None,
    };
    match answer {
        Totality::Total => {}
        Totality::Stuck(run) => {
            result.verdict = TruthWord::Fails;
            result.steps = Some(run.steps.len());
            result.run = run.steps.into_iter().map(Valuation).collect();
            result.run.push(Valuation(run.state));
            result.refused = Some(Valuation(run.refused)).filter(|refused| !refused.is_empty());
        }
        Totality::Unknown(why) => {
            result.verdict = TruthWord::Unknown;
            result.reason = Some(match why {
                Undone::Stopped(stop) => Reason::from(stop).to_string(),
                Undone::TooMany => why.to_string(),
                fault => {
                    return Err(Failure::message(ExitCode::Internal, fault.into())
                        .with_help("this is a bug in hyperkill; please report it with the model"));
                }
            });
        }
    }
    Ok(result)
}

/// Time that a run of mutants has for finding a deadlock of the original.
const ASIDE: Duration = Duration::from_secs(5);

/// Warns of a deadlock of a model whose mutants are to be decided, if one is found soon.
pub(super) fn warn_of_deadlock(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    loaded: &Loaded,
) -> Result<(), Failure> {
    let listing = &loaded.listing;
    let frontend = languages::built_in(&listing.description.language);
    let (Some(frontend), Some(options)) = (frontend, &loaded.options) else {
        return Ok(());
    };
    let is_constrained = !loaded.model.is_unconstrained();
    if !is_constrained || spec.options.events.complete || !session.shows(Level::Warning) {
        return Ok(());
    }
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..options.clone()
    };
    let sources = &listing.sources;
    let translation = frontend.translate(sources, &options);
    let system = translation
        .map_err(|diagnostics| Failure::diagnosed(sources, diagnostics))?
        .system;
    let budget = session.budget().job().within(Some(ASIDE));
    let answer = totality(&system, Wanted::AnyInput, &Options::SAFETY, &budget);
    if let Totality::Stuck(run) = answer {
        let diagnostic = Diagnostic {
            severity: Severity::Warning,
            ..stuck(&system, &run)
        };
        session.warn(sources, &diagnostic);
    }
    Ok(())
}

/// The run, at a constraint: on steps, if there is one.
fn stuck(system: &TransitionSystem, run: &Run) -> Diagnostic {
    let constraints = system.constraints.iter();
    let located = constraints.filter_map(|constraint| {
        let (start, end) = constraint.span?;
        Some((constraint.when != When::Leaving, Span::new(start, end)))
    });
    let message = match run.refused.is_empty() {
        true => "a state can be reached that no step leaves".to_owned(),
        false => {
            let refused = values(&run.refused, &[]);
            format!("a state can be reached that refuses the input {refused}")
        }
    };
    let diagnostic = match located.min() {
        Some((_, span)) => Diagnostic::error(span, message),
        None => Diagnostic::unlocated(message),
    };
    let mut lines = Vec::new();
    let mut before: &[(String, Value)] = &[];
    for (number, step) in run.steps.iter().chain([&run.state]).enumerate() {
        lines.push(format!("step {number}: {}", values(step, before)));
        before = step;
    }
    diagnostic.with_help(lines.join("\n"))
}

/// Names and values, without those that are as before.
fn values(values: &[(String, Value)], before: &[(String, Value)]) -> String {
    let new = values.iter().filter(|value| !before.contains(value));
    let new = new.map(|(name, value)| format!("{name} = {value}"));
    let new: Vec<String> = new.collect();
    match new.is_empty() {
        true => "as before".to_owned(),
        false => new.join(", "),
    }
}
