//! LTL properties stated in a model, decided over its infinite fair runs.

use hyperkill_audit::documents::{SafetyResult, TruthWord, traces};
use hyperkill_checker::hyperltl::{Beyond, Decided, Shown, Truth, decide_formula};
use hyperkill_checker::schedule::{formulas, reachability};
use hyperkill_core::system::TransitionSystem;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Traces, parse};
use hyperkill_frontend::SourceFile;
use hyperkill_frontend::temporal::{LinearSpecification, Stated};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::VerifyError;
use crate::means::Means;
use crate::refused::undecidable;
use crate::safety::unknown;
use crate::show::{Needed, circuit};

/// An LTL property of one instance of the module that states it.
struct Asked {
    kind: String,
    name: String,
    formula: Formula,
}

/// Decides all LTL properties stated in a model. Returns the results in the order of the properties, one for each instance of the module
/// that states one. `system` belongs to [`Stated::source`]; `sources` are the sources of the model.
///
/// # Errors
/// If a property refers to something without a value, or evidence does not check.
pub fn decide(
    stated: &Stated,
    system: TransitionSystem,
    sources: &[SourceFile],
    means: &Means,
    threads: &ThreadPool,
) -> Result<Vec<SafetyResult>, VerifyError> {
    let defined: Vec<String> = system.outputs.iter().map(|o| o.name.clone()).collect();
    let circuit = circuit(system, Needed::Variables)?;
    let fair = fairness(stated, &defined);
    let mut asked = Vec::new();
    for specification in &stated.specifications {
        asked.extend(asked_of(sources, specification, &fair, &defined)?);
    }
    let options = formulas::Options {
        reachability: means.options(reachability::Options::UNLIMITED),
    };
    let decide = |asked: &Asked| -> Result<SafetyResult, VerifyError> {
        let (result, seconds) = means.timed(|budget| {
            let (mutant, infinite) = (SelectorId(0), Traces::Infinite);
            let formula = &asked.formula;
            let decided = decide_formula(&circuit, mutant, formula, infinite, &options, budget);
            let decided = decided.map_err(|error| undecidable(error, &circuit, formula))?;
            result(&circuit, asked, decided, &stated.mark)
        })?;
        Ok(SafetyResult { seconds, ..result })
    };
    threads.install(|| asked.par_iter().map(decide).collect())
}

/// Returns the instances of a module that defines `name`, as prefixes of the `defined` names: each is empty or ends in a dot.
fn instances<'d>(defined: &'d [String], name: &str) -> Vec<&'d str> {
    let prefixes = defined.iter().filter_map(|defined| {
        let prefix = defined.strip_suffix(name)?;
        (prefix.is_empty() || prefix.ends_with('.')).then_some(prefix)
    });
    prefixes.collect()
}

/// Returns a formula, as text, for the fairness of the run `p`: the justice and compassion conditions of all instances.
fn fairness(stated: &Stated, defined: &[String]) -> String {
    let mut fair = vec!["true".to_owned()];
    for name in &stated.justice {
        let instances = instances(defined, name).into_iter();
        fair.extend(instances.map(|prefix| format!("(G F \"{prefix}{name}\"[p])")));
    }
    for [first, second] in &stated.compassion {
        let instances = instances(defined, first).into_iter();
        fair.extend(instances.map(|prefix| {
            format!("((G F \"{prefix}{first}\"[p]) -> (G F \"{prefix}{second}\"[p]))")
        }));
    }
    fair.join(" & ")
}

fn asked_of(
    sources: &[SourceFile],
    specification: &LinearSpecification,
    fair: &str,
    defined: &[String],
) -> Result<Vec<Asked>, VerifyError> {
    let LinearSpecification {
        specification,
        formula,
    } = specification;
    let source = sources.get(specification.span.file);
    let text = source.map_or("", |source| specification.span.of(&source.text));
    let words: Vec<&str> = text
        .trim_end_matches(';')
        .split_whitespace()
        .skip(1)
        .collect();
    let name = specification
        .name
        .clone()
        .unwrap_or_else(|| words.join(" "));
    let first = formula.first_name().unwrap_or_default();
    let asked = instances(defined, first).into_iter().map(|prefix| {
        let said = formula.to_text(&|name| format!("\"{prefix}{name}\"[p]"));
        let text = format!("forall p. ({fair}) -> ({said})");
        let formula =
            parse(&text).map_err(|error| VerifyError::Model(format!("{name}: {error}")))?;
        Ok(Asked {
            kind: specification.kind.clone(),
            name: match prefix.strip_suffix('.') {
                Some(instance) => format!("{name} IN {instance}"),
                None => name.clone(),
            },
            formula,
        })
    });
    asked.collect()
}

fn result(
    circuit: &ConditionalMutant,
    asked: &Asked,
    decided: Decided,
    mark: &str,
) -> Result<SafetyResult, VerifyError> {
    let mut result = unknown(asked.kind.clone(), Some(asked.name.clone()));
    match decided.truth {
        Truth::Holds => result.verdict = TruthWord::Holds,
        Truth::Fails => result.verdict = TruthWord::Fails,
        Truth::Unknown { known_to, reason } => {
            result.known_to = Some(known_to);
            result.reason = Some(reason.to_string());
        }
    }
    match decided.shown {
        Some(Shown::Excluded(exclusion)) => result.clauses = Some(exclusion.invariant.len()),
        Some(Shown::Traces(witness)) => {
            result.steps = Some(witness.decided);
            result.traces = traces((circuit, None), &asked.formula, &witness)?;
            for trace in &mut result.traces {
                trace.trace = "run".to_owned();
                if let Beyond::Loop(back) = witness.beyond {
                    trace.loop_from = Some(back);
                }
                for step in &mut trace.steps {
                    step.outputs.0.retain(|(name, _)| !name.contains(mark));
                }
            }
        }
        _ => {}
    }
    Ok(result)
}
