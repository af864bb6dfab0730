//! A small suite: tests that nothing else covers, none a prefix of another.
//!
//! Every killed mutant is covered with the strength of its verdict. Which other mutants a test kills is found by
//! replaying it on them, which says something only where a pair of runs is a kill; elsewhere a test
//! counts for the mutants it was found for.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::ConditionalMutant;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::trace::{Stimulus, StimulusError, decode, replay};

use super::extract::{free_values, inputs_of};
use crate::relevance::Relevance;
use crate::rounds::Report;
use crate::simulate::kill_matrix;
use crate::verdict::{Engine, Kill, Strength, Verdict};

/// One step of a suite's test: every input and every output, in declaration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuiteStep {
    /// What the tester sets. In a controllable test also the choices that can matter, as `nd:NAME`.
    pub inputs: Vec<(String, Value)>,
    /// What the model answers.
    pub outputs: Vec<(String, Value)>,
}

/// A test of a suite and what it is good for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuiteTest {
    /// `t-001`, in the order of the suite.
    pub id: String,
    /// The run of the model that it prescribes.
    pub run: Stimulus,
    /// Whether choices are part of the inputs.
    pub controllable: bool,
    /// In a controllable test: the free initial values.
    pub initial: Vec<(String, Value)>,
    /// Per step inputs and expected outputs.
    pub steps: Vec<SuiteStep>,
    /// The mutants it kills, in the order of the report.
    pub kills: Vec<(MutantId, Strength)>,
    /// What found it.
    pub found_by: Engine,
}

/// Tests that together kill every killed mutant of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The tests, those with most kills first.
    pub tests: Vec<SuiteTest>,
}

struct Candidate<'a> {
    kill: &'a Kill,
    engine: Engine,
    kills: BTreeSet<usize>,
    seen: Seen,
}

/// What a tester sees of a test. Runs that differ in hidden choices only are one test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    /// Arranged choices, if it is controllable: the first values of free latches.
    arranged: Option<Vec<bool>>,
    /// Per step what is set (choices too, if they are arranged) and what the model answers.
    steps: Vec<(Vec<bool>, Vec<bool>)>,
}

impl Seen {
    /// `relevance` says which choices can matter to a mutant whose test arranges them.
    fn of(
        model: &ConditionalMutant,
        kill: &Kill,
        relevance: &Relevance,
    ) -> Result<Seen, StimulusError> {
        let run = &kill.model_run;
        let trace = replay(model, Variant::Original, run)?;
        let mut bits: Vec<usize> = model.input_bits().collect();
        let controllable = kill.strength == Strength::Controllable;
        if controllable {
            let choices = model.choices.iter().filter(|port| relevance.of_port(port));
            bits.extend(choices.flat_map(|port| port.bits.iter().copied()));
        }
        let steps = run.steps.iter().zip(trace.outputs).map(|(step, outputs)| {
            let set = bits.iter().map(|&bit| step[bit]).collect();
            (set, outputs)
        });
        Ok(Seen {
            steps: steps.collect(),
            arranged: controllable.then(|| {
                let values = free_values(model, run, relevance).into_iter();
                values.map(|(_, value)| value == Value::Int(1)).collect()
            }),
        })
    }

    /// Whether whoever runs `longer` runs this on the way.
    fn is_prefix_of(&self, longer: &Seen) -> bool {
        self.arranged == longer.arranged && longer.steps.starts_with(&self.steps)
    }
}

/// Builds the suite of a report. With `minimise` off every distinct test is kept that is no prefix of another.
///
/// # Errors
/// If a kill of the report does not fit the circuit.
pub fn suite(
    model: &ConditionalMutant,
    report: &Report,
    minimise: bool,
) -> Result<Suite, StimulusError> {
    let killed: Vec<(usize, &Kill, Engine)> = report
        .outcomes
        .iter()
        .enumerate()
        .filter_map(|(row, outcome)| match &outcome.verdict {
            Verdict::Killed(kill) => Some((row, kill.as_ref(), outcome.engine?)),
            _ => None,
        })
        .collect();
    let selectors: BTreeMap<&MutantId, usize> = model
        .selectors
        .iter()
        .enumerate()
        .map(|(i, selector)| (&selector.id, i))
        .collect();
    let arranged = killed
        .iter()
        .filter(|(_, kill, _)| kill.strength == Strength::Controllable);
    let mut variants: Vec<Variant> = arranged
        .filter_map(|(row, ..)| selectors.get(&report.outcomes[*row].mutant))
        .map(|&mutant| Variant::Mutant(mutant))
        .collect();
    variants.push(Variant::Original);
    let mut candidates = distinct(model, &killed, &Relevance::to(model, &variants))?;
    if report.pairs_are_kills {
        let tests: Vec<Stimulus> = candidates
            .iter()
            .map(|candidate| candidate.kill.model_run.clone())
            .collect();
        let mutants: Vec<usize> = killed
            .iter()
            .filter_map(|(row, ..)| selectors.get(&report.outcomes[*row].mutant).copied())
            .collect();
        let controllable = |kill: &Kill| kill.strength == Strength::Controllable;
        let matrix = kill_matrix(model, &mutants, &tests);
        for (&(row, kill, _), killing) in killed.iter().zip(matrix) {
            for (test, _) in killing {
                let candidate = &mut candidates[test];
                // A pair of runs shows what a potential or controllable verdict claims; a definite one only if the
                // mutant has no other run, which is what `sole_run` records.
                if controllable(kill) == controllable(candidate.kill)
                    && (kill.strength != Strength::Definite || kill.sole_run)
                {
                    candidate.kills.insert(row);
                }
            }
        }
    }
    let prefixes = inherit_kills(&mut candidates);
    let chosen = if minimise {
        cover(&candidates, killed.iter().map(|(row, ..)| *row).collect())
    } else {
        let all = 0..candidates.len();
        all.filter(|index| !prefixes.contains(index)).collect()
    };
    let mut tests = Vec::new();
    for (number, index) in chosen.into_iter().enumerate() {
        let candidate = &candidates[index];
        let run = &candidate.kill.model_run;
        let trace = replay(model, Variant::Original, run)?;
        let controllable = candidate.kill.strength == Strength::Controllable;
        let arranged = controllable.then(|| {
            let killed = candidate.kills.iter();
            let mutants = killed.filter_map(|&row| selectors.get(&report.outcomes[row].mutant));
            let mut variants: Vec<Variant> = mutants.map(|&m| Variant::Mutant(m)).collect();
            variants.push(Variant::Original);
            Relevance::to(model, &variants)
        });
        let steps = run
            .steps
            .iter()
            .zip(&trace.outputs)
            .map(|(inputs, outputs)| SuiteStep {
                inputs: inputs_of(model, inputs, arranged.as_ref()),
                outputs: decode(&model.outputs, outputs),
            })
            .collect();
        tests.push(SuiteTest {
            id: format!("t-{:03}", number + 1),
            run: run.clone(),
            controllable,
            initial: arranged
                .map_or_else(Vec::new, |relevance| free_values(model, run, &relevance)),
            steps,
            kills: candidate
                .kills
                .iter()
                .filter_map(|&row| {
                    let outcome = &report.outcomes[row];
                    match &outcome.verdict {
                        Verdict::Killed(kill) => Some((outcome.mutant.clone(), kill.strength)),
                        _ => None,
                    }
                })
                .collect(),
            found_by: candidate.engine,
        });
    }
    Ok(Suite { tests })
}

/// One candidate per distinct test, with the mutants it was found for.
fn distinct<'a>(
    model: &ConditionalMutant,
    killed: &[(usize, &'a Kill, Engine)],
    relevance: &Relevance,
) -> Result<Vec<Candidate<'a>>, StimulusError> {
    let mut index: BTreeMap<Seen, usize> = BTreeMap::new();
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    for &(row, kill, engine) in killed {
        let seen = Seen::of(model, kill, relevance)?;
        let slot = *index.entry(seen.clone()).or_insert(candidates.len());
        if slot == candidates.len() {
            candidates.push(Candidate {
                kill,
                engine,
                kills: BTreeSet::new(),
                seen,
            });
        }
        candidates[slot].kills.insert(row);
    }
    Ok(candidates)
}

/// A test kills whatever its prefixes kill: what cannot pass those cannot pass it. Returns the prefixes.
fn inherit_kills(candidates: &mut [Candidate<'_>]) -> BTreeSet<usize> {
    // In lexicographic order the continuations of a test come right behind it.
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| candidates[a].seen.cmp(&candidates[b].seen));
    let mut prefixes = BTreeSet::new();
    for (position, &short) in order.iter().enumerate() {
        for &long in &order[position + 1..] {
            if !candidates[short].seen.is_prefix_of(&candidates[long].seen) {
                break;
            }
            let kills = candidates[short].kills.clone();
            candidates[long].kills.extend(kills);
            prefixes.insert(short);
        }
    }
    prefixes
}

/// Greedy set cover: always the candidate with most uncovered mutants, the shorter of two, the earlier of two.
fn cover(candidates: &[Candidate<'_>], mut open: BTreeSet<usize>) -> Vec<usize> {
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let best = (0..candidates.len()).max_by_key(|&i| {
            let gain = candidates[i].kills.intersection(&open).count();
            (gain, std::cmp::Reverse((candidates[i].kill.steps(), i)))
        });
        let Some(best) = best else { break };
        let before = open.len();
        for row in &candidates[best].kills {
            open.remove(row);
        }
        if open.len() == before {
            break;
        }
        chosen.push(best);
    }
    drop_redundant(candidates, chosen)
}

/// Drops tests whose mutants are all killed by the other chosen ones, last chosen first.
fn drop_redundant(candidates: &[Candidate<'_>], mut chosen: Vec<usize>) -> Vec<usize> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for &i in &chosen {
        for &row in &candidates[i].kills {
            *count.entry(row).or_default() += 1;
        }
    }
    for position in (0..chosen.len()).rev() {
        let kills = &candidates[chosen[position]].kills;
        if kills.iter().all(|row| count[row] > 1) {
            for row in kills {
                *count.entry(*row).or_default() -= 1;
            }
            chosen.remove(position);
        }
    }
    chosen
}
