//! Results of mutants as lines.

use hyperkill_audit::counted;

use super::mutants::place_and_change;
use super::{Align, Style, Table};
use hyperkill_audit::documents::{
    DefiniteWord, Evidence, MutantDescription, MutantResult, StrengthWord, VerdictWord,
};

/// Returns the verdict on a mutant as a word, with a colour for its meaning.
#[must_use]
pub fn verdict(result: &MutantResult, style: Style) -> String {
    let word = result.verdict.word();
    match result.verdict {
        VerdictWord::Killed => style.green(word),
        VerdictWord::Unknown | VerdictWord::RefusesInput => style.yellow(word),
        VerdictWord::NotDefinitelyKillable => style.red(word),
        VerdictWord::Equivalent | VerdictWord::Invalid | VerdictWord::DuplicateOf => {
            style.dim(word)
        }
    }
}

/// Returns the evidence for a verdict in a few words.
#[must_use]
pub fn basis(result: &MutantResult) -> String {
    let basis = basis_alone(result);
    match result.carried_over {
        true => format!("{basis}, carried over"),
        false => basis,
    }
}

fn basis_alone(result: &MutantResult) -> String {
    match result.verdict {
        VerdictWord::Killed => {
            let strength = result.strength.map_or("", StrengthWord::word);
            let steps = result.steps.unwrap_or(0);
            let shortest = if result.shortest == Some(true) {
                ", shortest"
            } else {
                ""
            };
            let sole = if result.definite == Some(DefiniteWord::Excluded) {
                ", no definite test exists"
            } else {
                ""
            };
            format!("{strength}, {}{shortest}{sole}", counted(steps, "step"))
        }
        VerdictWord::Equivalent => result.evidence.as_ref().map_or_else(String::new, proof),
        VerdictWord::NotDefinitelyKillable => {
            let potential = result.potential.as_ref();
            let steps = potential.and_then(|potential| potential.steps);
            steps.map_or_else(
                || "potential kills unsettled".to_owned(),
                |steps| format!("potential, {}", counted(steps, "step")),
            )
        }
        VerdictWord::DuplicateOf => result.of.clone().unwrap_or_default(),
        VerdictWord::Invalid => result.reason.clone().unwrap_or_default(),
        VerdictWord::RefusesInput => {
            let steps = result.refusal.as_ref().map_or(0, |r| r.inputs.len());
            format!("after {}", counted(steps, "step"))
        }
        VerdictWord::Unknown => {
            let reason = result.reason.as_deref().unwrap_or("");
            match result.known_to {
                Some(steps) => format!("{reason}, no test of up to {}", counted(steps, "step")),
                None => reason.to_owned(),
            }
        }
    }
}

/// Returns a table of results, one line each: id, verdict, evidence, engine, operator, place and change. `mutants` are the descriptions, in
/// the same order.
#[must_use]
pub fn table(results: &[MutantResult], mutants: &[MutantDescription], style: Style) -> Table {
    let mut table = Table::new([Align::Left; 7]);
    for (result, mutant) in results.iter().zip(mutants) {
        let edit = [&mutant.original, &mutant.replacement];
        let [place, change] = place_and_change(mutant.place.as_ref(), edit, style);
        table.row([
            style.cyan(&result.mutant),
            verdict(result, style),
            basis(result),
            style.dim(result.engine.as_deref().unwrap_or("")),
            mutant.operator.clone().unwrap_or_default(),
            place,
            change,
        ]);
    }
    table
}

/// Describes a proof in a few words.
#[must_use]
pub fn proof(evidence: &Evidence) -> String {
    let mut parts = Vec::new();
    if let Some(k) = evidence.k {
        parts.push(format!("k = {k}"));
    }
    if let Some(facts) = evidence.facts {
        parts.push(counted(facts, "fact"));
    }
    if let Some(clauses) = evidence.clauses {
        parts.push(counted(clauses, "clause"));
    }
    if evidence.simple_path == Some(true) {
        parts.push("simple paths".to_owned());
    }
    if let Some(positions) = evidence.positions {
        parts.push(counted(positions, "position"));
    }
    parts.join(", ")
}
