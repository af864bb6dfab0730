//! φ1 compared with the oracle on thousands of random conditional mutants. More than ten planted faults must be noticed, with and without
//! the checker's certifier.
//!
//! A failure prints the seed and a shrunk circuit. The same comparison runs with a fault planted in an engine: a comparison that notices
//! no fault would prove nothing.

use std::collections::BTreeMap;
use std::fmt;

use hyperkill_core::ConditionalMutant;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_tests::against_oracle::phi1::{Asked, Seen, compare};
use hyperkill_tests::against_oracle::{Discrepancy, Route};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::lock::combination_lock;
use hyperkill_tests::shrink::shrink;

/// The options of the checker, and the kind of the models.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Setting {
    kind: Kind,
    controllable: bool,
    route: Route,
}

/// The settings, used in turn: every kind of model on every route.
const SETTINGS: [Setting; 16] = [
    setting(Kind::Deterministic, false, Route::Engines),
    setting(Kind::Deterministic, false, Route::SimulationThenShortest),
    setting(Kind::Deterministic, false, Route::Simulation),
    setting(Kind::Deterministic, false, Route::Pairs),
    setting(Kind::MutantChooses, false, Route::Engines),
    setting(Kind::MutantChooses, false, Route::SimulationThenShortest),
    setting(Kind::MutantChooses, false, Route::Simulation),
    setting(Kind::MutantChooses, false, Route::Pairs),
    setting(Kind::Choices, true, Route::Engines),
    setting(Kind::Choices, true, Route::SimulationThenShortest),
    setting(Kind::Choices, true, Route::Simulation),
    setting(Kind::Choices, true, Route::Pairs),
    setting(Kind::Choices, false, Route::Engines),
    setting(Kind::Choices, false, Route::SimulationThenShortest),
    setting(Kind::Choices, false, Route::Simulation),
    setting(Kind::Choices, false, Route::Pairs),
];

const fn setting(kind: Kind, controllable: bool, route: Route) -> Setting {
    Setting {
        kind,
        controllable,
        route,
    }
}

/// Returns the circuit with this seed and its setting. Some of the deterministic circuits are combination locks.
fn case(seed: u64) -> (Setting, ConditionalMutant) {
    let turn = seed as usize / SETTINGS.len();
    let setting = SETTINGS[seed as usize % SETTINGS.len()];
    let model = match setting.kind {
        Kind::Deterministic if turn % 4 == 3 => combination_lock(seed),
        kind => conditional_mutant(seed, kind),
    };
    (setting, model)
}

impl Setting {
    fn asked(self) -> Asked {
        Asked {
            controllable: self.controllable,
            route: self.route,
            bound: None,
            pdr: true,
        }
    }

    /// Whether φ1 decides killing for this setting (semantics.md §2, §5).
    fn is_decisive(self) -> bool {
        self.kind != Kind::Choices || self.controllable
    }
}

/// The numbers of mutants by result.
#[derive(Default)]
struct Mix {
    mutants: usize,
    killed: usize,
    /// The number of kills with a shortest test of three steps or more.
    deep: usize,
    /// The number of kills with a test that is longer than necessary.
    longer: usize,
    equivalent: usize,
    unsettled: usize,
    refusing: usize,
    unknown: usize,
    longest: usize,
}

impl Mix {
    fn add(&mut self, seen: Seen) {
        self.mutants += 1;
        match seen {
            Seen::Killed { steps, shortest } => {
                self.killed += 1;
                self.deep += usize::from(shortest >= 3);
                self.longer += usize::from(steps > shortest);
                self.longest = self.longest.max(steps);
            }
            Seen::Equivalent => self.equivalent += 1,
            Seen::EquivalentUnsettled => self.unsettled += 1,
            Seen::RefusesInput => self.refusing += 1,
            Seen::Unknown => self.unknown += 1,
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} mutants: {} killed ({} need 3 steps or more, the longest {}; {} tests not shortest), \
             {} equivalent, {} equivalent with acceptance unsettled, {} refuse input, {} unknown",
            self.mutants,
            self.killed,
            self.deep,
            self.longest,
            self.longer,
            self.equivalent,
            self.unsettled,
            self.refusing,
            self.unknown
        )
    }
}

/// Returns a message for the failure: seed, setting, and the smallest circuit that still disagrees.
fn report(seed: u64, setting: Setting, model: &ConditionalMutant, first: &Discrepancy) -> String {
    let disagrees = |candidate: &ConditionalMutant| {
        matches!(
            compare(candidate, setting.asked()),
            Err(discrepancy) if !matches!(discrepancy, Discrepancy::TooLarge(_))
        )
    };
    let small = shrink(model, disagrees);
    let last = compare(&small, setting.asked());
    format!(
        "seed {seed}, {setting:?}: {first}\nshrunk: {last:?}\n{}",
        aag(&small.aig)
    )
}

#[test]
fn phi1_agrees_with_the_oracle_on_random_mutants() {
    let mut mixes: BTreeMap<Setting, Mix> = BTreeMap::new();
    let mut decisive = Mix::default();
    let mut seed = 0;
    while decisive.mutants < 2_000 {
        let (setting, model) = case(seed);
        match compare(&model, setting.asked()) {
            Ok(all) => {
                for seen in all {
                    mixes.entry(setting).or_default().add(seen);
                    if setting.is_decisive() {
                        decisive.add(seen);
                    }
                }
            }
            Err(discrepancy) => panic!("{}", report(seed, setting, &model, &discrepancy)),
        }
        seed += 1;
    }
    for (setting, mix) in &mixes {
        println!("{setting:?}: {mix}");
    }
    println!("where φ1 decides: {decisive}");
    assert!(decisive.killed * 5 >= decisive.mutants, "{decisive}");
    assert!(decisive.equivalent * 5 >= decisive.mutants, "{decisive}");
    assert!(decisive.deep * 5 >= decisive.killed, "{decisive}");
    // Deterministic models leave no mutant undecided.
    for (setting, mix) in &mixes {
        if setting.kind != Kind::Choices {
            assert_eq!(mix.unknown, 0, "{setting:?}: {mix}");
        }
    }
}

/// The largest number of seeds until a fault must be noticed.
const PATIENCE: u64 = 400;

/// The judges of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judges {
    /// The checker's own certifier, followed by the oracle.
    CertifierAndOracle,
    /// The oracle alone, by a wrong verdict or test; evidence leaves the checker unchecked.
    OracleAlone,
}

impl Judges {
    /// Whether these judges notice the discrepancy.
    fn notice(self, discrepancy: &Discrepancy) -> bool {
        match discrepancy {
            Discrepancy::Model(_) | Discrepancy::Mutant { .. } => true,
            Discrepancy::Checker(_) | Discrepancy::Undecided { .. } => {
                self == Judges::CertifierAndOracle
            }
            Discrepancy::TooLarge(_) => false,
        }
    }
}

/// Returns the first seed on which the comparison fails with this fault planted, with the discrepancy. `None` if these judges do not notice
/// the fault.
fn caught(fault: Fault, judges: Judges) -> Option<(u64, Discrepancy)> {
    // Faults are planted per thread, and decisions run on a pool, so the pool has one thread with the fault.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        (0..PATIENCE).find_map(|seed| {
            let (setting, model) = case(seed);
            let asked = Asked {
                // A faulty engine might search forever.
                bound: Some(24),
                // PDR would prove the mutants before induction gets deep.
                pdr: fault != Fault::SkippedBase,
                ..setting.asked()
            };
            fault::plant(Some(fault));
            fault::believe_evidence(judges == Judges::OracleAlone);
            let discrepancy = compare(&model, asked).err();
            fault::plant(None);
            // The discrepancy must come from the fault, and not from the bound or the missing certifier.
            let discrepancy = discrepancy
                .filter(|how| judges.notice(how))
                .filter(|_| compare(&model, asked).is_ok());
            fault::believe_evidence(false);
            Some((seed, discrepancy?))
        })
    })
}

/// Asserts that these judges notice every fault. Returns the seeds and reasons as text.
fn assert_caught(judges: Judges) -> String {
    let mut report = Vec::new();
    let mut missed = Vec::new();
    for fault in fault::ALL {
        match caught(fault, judges) {
            Some((seed, how)) => report.push(format!("{fault:?}, seed {seed}: {how}")),
            None => missed.push(fault),
        }
    }
    assert!(fault::ALL.len() >= 10);
    assert!(
        missed.is_empty(),
        "not caught in {PATIENCE} circuits: {missed:?}"
    );
    report.join("\n")
}

#[test]
fn every_planted_fault_is_caught() {
    println!("{}", assert_caught(Judges::CertifierAndOracle));
}

/// Random runs filter candidates for facts. On the smallest systems they visit all states, so that unchecked facts are true; the locks
/// prevent this.
#[test]
fn every_planted_fault_is_caught_by_the_oracle_alone() {
    println!("{}", assert_caught(Judges::OracleAlone));
}
