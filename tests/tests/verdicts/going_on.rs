//! Resumed runs on random models: from any line of the journal on, they find the results of an uninterrupted run, and decide no decided
//! mutant again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyperkill_checker::rounds::{Earlier, Job, Observer, Recalled, RecalledJob, Report};
use hyperkill_checker::schedule::Engines;
use hyperkill_checker::testgen::{Effort, Form, suite};
use hyperkill_checker::{Options, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::TestKind;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Kill, Outcome, Stronger, Verdict};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::lock::combination_lock;
use hyperkill_tests::unstructured::{Acceptance, cases, unstructured};

/// The record of a run: all decisions with their rounds, in order, and all jobs with the number of decisions before them.
#[derive(Default)]
struct Journal {
    round: usize,
    lines: Vec<(usize, Outcome)>,
    jobs: Vec<(usize, Key, RecalledJob)>,
}

/// The round, the part and the first mutant of a job, which identify it.
type Key = (usize, u32, SelectorId);

impl Observer for Journal {
    fn begins(&mut self, number: usize) {
        self.round = number;
    }

    fn round(&mut self, _: &str, _: usize) {}

    fn worked(&mut self, job: &Job<'_>) {
        // Proofs are recorded in verdicts only.
        let facts = job.facts.iter().map(|(mutant, facts)| {
            let is_proof = facts.potential.excluded.is_some();
            (*mutant, (!is_proof).then(|| facts.clone()))
        });
        let decided = job.decided.iter().map(|&mutant| (mutant, None));
        let recalled = RecalledJob {
            members: job.members.to_vec(),
            facts: facts.chain(decided).collect(),
        };
        let key = (job.round, job.part, job.members[0]);
        self.jobs.push((self.lines.len(), key, recalled));
    }

    fn decided(&mut self, outcome: &Outcome, _: Duration) {
        self.lines.push((self.round, outcome.clone()));
    }
}

/// Returns a model for this seed, with the options of its run.
fn case(seed: u64) -> (ConditionalMutant, Options) {
    let model = match seed % 6 {
        0 => conditional_mutant(seed, Kind::Deterministic),
        1 => conditional_mutant(seed, Kind::MutantChooses),
        2 => conditional_mutant(seed, Kind::Choices),
        3 => unstructured(seed, Acceptance::All),
        4 => unstructured(seed, Acceptance::ByState),
        _ => combination_lock(seed),
    };
    let all = Engines::ALL;
    let engines = match seed / 6 % 4 {
        0 => all,
        1 => Engines {
            simulation: false,
            pairs: false,
            ..all
        },
        2 => Engines {
            pairs: false,
            explicit: false,
            ..all
        },
        _ => Engines {
            bmc: true,
            family: true,
            ..Engines::NONE
        },
    };
    let options = Options {
        engines,
        bound: Some(12),
        controllable: seed % 5 == 4,
        adaptive: seed % 3 == 1,
        fold_duplicates: !seed.is_multiple_of(7),
        seed,
        ..Options::all(&model)
    };
    (model, options)
}

fn run(model: &ConditionalMutant, options: &Options) -> (Report, Journal) {
    let mut journal = Journal::default();
    let report = decide_all(model, options, &Budget::unlimited(), &mut journal);
    let report = report.unwrap_or_else(|error| panic!("{}: {error}", model.name));
    (report, journal)
}

/// Returns what a resumed run reads of a decision: its round and its kill, without other facts.
fn earlier((round, outcome): &(usize, Outcome)) -> Earlier {
    let kill = outcome.verdict.kill().zip(outcome.engine);
    let kill = kill.map(|(kill, engine)| {
        let kill = Kill {
            stronger: Stronger::NotAsked,
            ..kill.clone()
        };
        (engine, kill)
    });
    Earlier {
        round: *round,
        is_killed: matches!(outcome.verdict, Verdict::Killed(_)),
        kill,
    }
}

/// Repeats the run, given these lines of the journal. Returns its report and its own journal.
fn going_on(
    model: &ConditionalMutant,
    options: &Options,
    lines: &[(usize, Outcome)],
    whole_rounds: usize,
    recalled: Recalled,
) -> (Report, Journal) {
    let selectors: BTreeMap<_, SelectorId> = model
        .selector_ids()
        .map(|selector| (model.selectors[selector.0].id.clone(), selector))
        .collect();
    let known = lines
        .iter()
        .map(|line| (selectors[&line.1.mutant], earlier(line)));
    let options = Options {
        earlier: Arc::new(known.collect()),
        whole_rounds,
        recalled: Arc::new(recalled),
        ..options.clone()
    };
    run(model, &options)
}

/// Returns the number of complete rounds: all before the round of the last line.
fn whole_rounds(lines: &[(usize, Outcome)]) -> usize {
    let last = lines.iter().map(|(round, _)| *round).max();
    last.unwrap_or(1) - 1
}

/// Returns the jobs that ended before the given number of decisions; depending on the seed all of them, or some.
fn jobs_before(journal: &Journal, decided: usize, seed: u64) -> Recalled {
    let jobs = journal.jobs.iter().enumerate();
    let jobs = jobs.filter(|(place, (before, ..))| {
        let is_lost = seed % 2 == 1 && (*place as u64 * 7 + seed).is_multiple_of(3);
        *before < decided && !is_lost
    });
    jobs.map(|(_, (_, key, job))| (*key, job.clone())).collect()
}

/// Whether a resumed run finds exactly the results of the `whole` run that these lines lack.
fn is_alike(
    whole: &Report,
    lines: &[(usize, Outcome)],
    (report, journal): &(Report, Journal),
) -> bool {
    let known = |outcome: &&Outcome| lines.iter().any(|(_, line)| line.mutant == outcome.mutant);
    let missing = whole.outcomes.iter().filter(|outcome| !known(outcome));
    let decided = journal.lines.len() == report.outcomes.len();
    decided && missing.eq(&report.outcomes)
}

fn tests_of(
    model: &ConditionalMutant,
    report: &Report,
    seed: u64,
) -> hyperkill_checker::testgen::Suite {
    let kinds = [
        TestKind::Linear,
        TestKind::Local,
        TestKind::Global,
        TestKind::Tree,
    ];
    let form = Form {
        kind: kinds[seed as usize % 4],
        effort: Effort::default(),
        timeout: None,
    };
    let budget = Budget::unlimited();
    suite(model, report, seed.is_multiple_of(2), &form, &budget).expect("runs of the model")
}

#[test]
fn a_run_that_goes_on_from_any_line_finds_what_one_finds_that_never_stopped() {
    let (mut cuts, mut taken_over, mut lost, mut recalled) = (0, 0, 0, 0);
    for seed in 0..cases(120) {
        let (model, options) = case(seed);
        let (whole, journal) = run(&model, &options);
        let tests = tests_of(&model, &whole, seed);
        let lines = &journal.lines;
        for cut in 0..=lines.len() {
            let before = &lines[..cut];
            let jobs = jobs_before(&journal, cut, seed);
            let whole_rounds = whole_rounds(before);
            let found = going_on(&model, &options, before, whole_rounds, jobs.clone());
            recalled += jobs.len();
            let again = found
                .1
                .jobs
                .iter()
                .find(|(_, key, _)| jobs.contains_key(key));
            assert_eq!(again, None, "seed {seed}, from line {cut}: done again");
            assert!(
                is_alike(&whole, before, &found),
                "seed {seed}, from line {cut}"
            );
            assert_eq!(
                tests_of(&model, &found.0, seed),
                tests,
                "seed {seed}, from line {cut}"
            );
            cuts += 1;
            taken_over += cut;
        }
        // A line in the middle loses its evidence. Later lines may complete their rounds, but this is not known.
        for at in 0..lines.len() {
            let mut before = lines.clone();
            let (round, _) = before.remove(at);
            let found = going_on(
                &model,
                &options,
                &before,
                whole_rounds(&before).min(round - 1),
                jobs_before(&journal, lines.len(), seed),
            );
            assert!(
                is_alike(&whole, &before, &found),
                "seed {seed}, without line {at}"
            );
            assert_eq!(
                tests_of(&model, &found.0, seed),
                tests,
                "seed {seed}, without line {at}"
            );
            lost += 1;
        }
    }
    println!(
        "{cuts} cuts, {taken_over} mutants taken over, {recalled} jobs recalled; {lost} lines lost"
    );
    assert!(cuts > 300 && taken_over > 300 && lost > 200 && recalled > 300);
}

#[test]
fn a_round_that_is_taken_for_whole_and_is_not_is_noticed() {
    let mut noticed = 0;
    for seed in 0..60 {
        let (model, options) = case(seed);
        let (whole, journal) = run(&model, &options);
        let lines = &journal.lines;
        for cut in 1..lines.len() {
            let before = &lines[..cut];
            let found = going_on(
                &model,
                &options,
                before,
                whole_rounds(before) + 1,
                Recalled::new(),
            );
            noticed += usize::from(!is_alike(&whole, before, &found));
        }
    }
    assert!(noticed > 0);
}
