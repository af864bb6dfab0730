//! The score report.

use std::collections::BTreeMap;

use hyperkill_audit::documents::{
    MutantDescription, MutantTable, Run, ScoreCounts, ScoreReport, ScoreResult, Scored,
    ScoredMutant, Suite, SuiteTest, VerdictWord,
};
use hyperkill_run::selection::resolve;
use hyperkill_run::unfit::Unfit;

/// The documents of a run from which a score report is made: its mutants, results and tests.
#[derive(Clone, Copy, Debug)]
pub struct OfRun<'a> {
    /// Mutants of the run.
    pub table: &'a MutantTable,
    /// Results of the run.
    pub outcomes: &'a Run,
    /// Tests of the run.
    pub suite: &'a Suite,
}

/// Returns the report before scoring: the killable and the undecided mutants, without results. `of` says by which means they are scored.
/// `wanted` contains ids or unique prefixes of ids; if empty, all mutants are wanted.
///
/// # Errors
/// If a wanted mutant does not exist.
pub fn begun(run: OfRun<'_>, of: Scored, wanted: &[String]) -> Result<ScoreReport, Unfit> {
    let results = &run.outcomes.results;
    let count = |word: VerdictWord| results.iter().filter(|r| r.verdict == word).count();
    Ok(ScoreReport {
        schema: ScoreReport::SCHEMA.to_owned(),
        model: run.outcomes.model.clone(),
        of,
        tests: Vec::new(),
        counts: ScoreCounts {
            equivalent: count(VerdictWord::Equivalent),
            duplicate: count(VerdictWord::DuplicateOf),
            invalid: count(VerdictWord::Invalid),
            ..ScoreCounts::default()
        },
        score: None,
        interrupted: false,
        mutants: mutants(run, wanted)?,
    })
}

/// Returns the killable and the undecided mutants without results. `wanted` contains ids or prefixes of ids; if empty, all are wanted.
fn mutants(run: OfRun<'_>, wanted: &[String]) -> Result<Vec<ScoredMutant>, Unfit> {
    let results = &run.outcomes.results;
    let ids: Vec<&str> = results.iter().map(|r| r.mutant.as_str()).collect();
    let wanted = wanted.iter().map(|prefix| resolve(prefix, &ids));
    let wanted: Vec<usize> = wanted.collect::<Result<_, _>>()?;
    let described: BTreeMap<&str, &MutantDescription> = (run.table.mutants.iter())
        .map(|mutant| (mutant.id.as_str(), mutant))
        .collect();
    let results = results.iter().enumerate().filter(|(number, result)| {
        let counts = !matches!(
            result.verdict,
            VerdictWord::Equivalent | VerdictWord::DuplicateOf | VerdictWord::Invalid
        );
        counts && (wanted.is_empty() || wanted.contains(number))
    });
    let rows = results.map(|(_, result)| {
        let described = described.get(result.mutant.as_str());
        let kills = |test: &&SuiteTest| test.kills.iter().any(|k| k.mutant == result.mutant);
        let killer = run.suite.tests.iter().find(kills);
        ScoredMutant {
            mutant: result.mutant.clone(),
            verdict: result.verdict,
            strength: result.strength,
            operator: described.and_then(|mutant| mutant.operator.clone()),
            place: described.and_then(|mutant| mutant.place.clone()),
            original: described.and_then(|mutant| mutant.original.clone()),
            replacement: described.and_then(|mutant| mutant.replacement.clone()),
            result: ScoreResult::Open,
            ended: None,
            killed_by: Vec::new(),
            would_kill: killer.map(|test| test.id.clone()),
        }
    });
    Ok(rows.collect())
}

/// Counts the results of a report after scoring. Only survivors keep the name of a test of the run that would kill them.
pub fn finish(report: &mut ScoreReport, interrupted: bool) {
    for mutant in &mut report.mutants {
        if mutant.result != ScoreResult::Survived {
            mutant.would_kill = None;
        }
    }
    report.interrupted = interrupted;
    report.count();
}
