//! Property-directed reachability compared with explicit states on thousands of random safety problems. Planted faults must be noticed,
//! with and without the checker's certifier.

use hyperkill_checker::engines::pdr::{Given, Pdr, Progress};
use hyperkill_checker::safety::{Problem, SafetyVerdict, decide_safety};
use hyperkill_checker::schedule::Engines;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_core::Aig;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::safety::{Explicit, safety_problem};

/// The content of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Holds { clauses: usize },
    Fails { steps: usize, shortest: usize },
}

/// An error in an answer, noticed by the oracle or by the checker itself.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wrong {
    Checker(String),
    Oracle(String),
    Undecided,
}

/// The options with PDR as the only engine.
const PDR_ALONE: Options = Options {
    turns: Some(8),
    engines: Engines {
        pdr: true,
        ..Engines::NONE
    },
    merging: &[],
    ..Options::SAFETY
};

/// Decides by the engines and compares with the oracle. Checks evidence only if `evidence`.
fn compare(model: &Aig, options: &Options, evidence: bool) -> Result<Seen, Wrong> {
    let bad = model.bad[0].lit;
    let problem = Problem { model, bad };
    let verdict = decide_safety(&problem, options, None, &Budget::unlimited())
        .map_err(|error| Wrong::Checker(error.to_string()))?;
    let oracle = Explicit::new(model, bad);
    let wrong = |what: String| Err(Wrong::Oracle(what));
    match (verdict, oracle.shortest_failure()) {
        (SafetyVerdict::Holds(invariant), None) => match oracle.flaw(&invariant) {
            Some(flaw) if evidence => wrong(format!("the invariant {flaw}: {invariant:?}")),
            _ => Ok(Seen::Holds {
                clauses: invariant.len(),
            }),
        },
        (SafetyVerdict::Fails(run), Some(shortest)) => {
            let steps = run.steps.len();
            if evidence && (!oracle.fails(&run) || steps < shortest) {
                return wrong(format!("the run of {steps} steps does not fail: {run:?}"));
            }
            Ok(Seen::Fails { steps, shortest })
        }
        (SafetyVerdict::Unknown { .. }, _) => Err(Wrong::Undecided),
        (verdict, shortest) => wrong(format!("{verdict:?}, but the shortest run is {shortest:?}")),
    }
}

/// The numbers of answers by kind.
#[derive(Default, Debug)]
struct Mix {
    holds: usize,
    /// The number of invariants with two clauses or more.
    invariants: usize,
    fails: usize,
    /// The number of runs with four steps or more.
    deep: usize,
    longer: usize,
    most_clauses: usize,
    longest: usize,
}

impl Mix {
    fn add(&mut self, seen: Seen) {
        match seen {
            Seen::Holds { clauses } => {
                self.holds += 1;
                self.invariants += usize::from(clauses >= 2);
                self.most_clauses = self.most_clauses.max(clauses);
            }
            Seen::Fails { steps, shortest } => {
                self.fails += 1;
                self.deep += usize::from(shortest >= 4);
                self.longer += usize::from(steps > shortest);
                self.longest = self.longest.max(shortest);
            }
        }
    }
}

#[test]
fn pdr_agrees_with_explicit_states_on_random_safety_problems() {
    let mut mix = Mix::default();
    for seed in 0..12_000 {
        let model = safety_problem(seed);
        match compare(&model, &PDR_ALONE, true) {
            Ok(seen) => mix.add(seen),
            Err(wrong) => panic!("seed {seed}: {wrong:?}\n{}", aag(&model)),
        }
    }
    println!("{mix:?}");
    assert!(mix.holds >= 2_000 && mix.fails >= 2_000, "{mix:?}");
    assert!(mix.invariants >= 1_000, "{mix:?}");
    assert!(mix.deep >= 1_000, "{mix:?}");
}

#[test]
fn all_engines_together_agree_with_explicit_states() {
    for seed in 12_000..14_000 {
        let model = safety_problem(seed);
        if let Err(wrong) = compare(&model, &Options::SAFETY, true) {
            panic!("seed {seed}: {wrong:?}\n{}", aag(&model));
        }
    }
}

#[test]
fn a_search_in_small_turns_ends_with_an_answer_too() {
    for seed in 0..300 {
        let model = safety_problem(seed);
        let bad = model.bad[0].lit;
        let question = Problem { model: &model, bad }.reachability();
        let mut pdr = Pdr::new(question, &Given::default());
        let mut effort = 1;
        let progress = loop {
            match pdr.advance(effort, &Budget::unlimited()) {
                Progress::Undecided(_) => effort += 1,
                answer => break answer,
            }
        };
        let shortest = Explicit::new(&model, bad).shortest_failure();
        assert_eq!(matches!(progress, Progress::Reached(_)), shortest.is_some());
        if let Some(shortest) = shortest {
            assert!(pdr.refuted() < shortest, "seed {seed}");
        }
    }
}

/// The largest number of seeds until a fault must be noticed.
const PATIENCE: u64 = 2_000;

/// Returns the first seed on which the comparison fails with this fault planted, with the error. If `certified`, the certifier may notice
/// it, otherwise only a wrong answer counts.
fn caught(fault: Fault, certified: bool) -> Option<(u64, Wrong)> {
    (0..PATIENCE).find_map(|seed| {
        let model = safety_problem(seed);
        fault::plant(Some(fault));
        fault::believe_evidence(!certified);
        let found = compare(&model, &PDR_ALONE, false).err();
        fault::plant(None);
        fault::believe_evidence(false);
        let found = found.filter(|wrong| certified || matches!(wrong, Wrong::Oracle(_)))?;
        let sane = compare(&model, &PDR_ALONE, true).is_ok();
        sane.then_some((seed, found))
    })
}

/// Asserts that every fault is noticed. Returns the seeds and reasons as text.
fn assert_caught(certified: bool) -> String {
    let mut report = Vec::new();
    let mut missed = Vec::new();
    for fault in fault::PDR {
        match caught(fault, certified) {
            Some((seed, wrong)) => report.push(format!("{fault:?}, seed {seed}: {wrong:?}")),
            None => missed.push(fault),
        }
    }
    assert!(fault::PDR.len() >= 5);
    assert!(
        missed.is_empty(),
        "not caught in {PATIENCE} circuits: {missed:?}"
    );
    report.join("\n")
}

#[test]
fn every_planted_fault_is_caught() {
    println!("{}", assert_caught(true));
}

#[test]
fn every_planted_fault_is_caught_by_the_oracle_alone() {
    println!("{}", assert_caught(false));
}
