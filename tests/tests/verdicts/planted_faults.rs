//! Faults planted in the engines for nondeterminism: the comparison with the oracle must notice each of them, with and without the
//! checker's certifier.

use hyperkill_certify::ReplayError;
use hyperkill_checker::Ask;
use hyperkill_checker::decide::DecideError;
use hyperkill_core::ConditionalMutant;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::verdict::Property;
use hyperkill_tests::against_oracle::adaptive::compare_allowed;
use hyperkill_tests::against_oracle::exact::{Engines, Query, compare};
use hyperkill_tests::against_oracle::{Discrepancy, Route};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::guessed::guessed;
use hyperkill_tests::oracle::Machine;

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

/// Returns the engines with the fault; `None` for a fault in the writing of tests.
fn home(fault: Fault) -> Option<Engines> {
    match fault {
        Fault::AssertedCounterexample
        | Fault::SharedFreeReset
        | Fault::SelectorsInside
        | Fault::OffByOneDepth
        | Fault::ForgottenWitness => Some(Engines::ExistsForall),
        Fault::AssumedObligation
        | Fault::UnconstrainedStrategy
        | Fault::JudgedFromZero
        | Fault::JudgedWithCommonChoices => Some(Engines::Strategies),
        Fault::ReversedSubsumption
        | Fault::IgnoredDeadEnds
        | Fault::DroppedOpenSteps
        | Fault::OverlookedMutation
        | Fault::ForgottenInitialStates
        | Fault::EarlyPass => Some(Engines::Subsets),
        _ => None,
    }
}

/// Returns the discrepancy found by oracle or certifier on this circuit with the engines of the fault. `None` if there is none.
fn disagreement(model: &ConditionalMutant, seed: u64, fault: Fault) -> Option<Discrepancy> {
    let Some(engines) = home(fault) else {
        let machine = Machine::new(model, None).ok()?;
        return compare_allowed(model, &machine, seed, 64)
            .err()
            .map(Discrepancy::Model);
    };
    let asked = [
        Ask::Only(Property::Phi2),
        Ask::Only(Property::Phi3),
        Ask::Auto,
    ];
    let query = Query {
        ask: asked[seed as usize % asked.len()],
        route: Route::Engines,
        engines,
        adaptive: true,
        // A faulty engine might search forever.
        bound: (engines != Engines::Subsets).then_some(6),
    };
    compare(model, query).err()
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
            let mut model = conditional_mutant(seed, Kind::Small);
            if fault == Fault::DroppedOpenSteps {
                model = guessed(&model);
            }
            fault::plant(Some(fault));
            fault::believe_evidence(judges == Judges::OracleAlone);
            let found = disagreement(&model, seed, fault);
            fault::plant(None);
            let found = found.filter(|how| match how {
                Discrepancy::Model(_) | Discrepancy::Mutant { .. } => true,
                Discrepancy::Checker(_) | Discrepancy::Undecided { .. } => {
                    judges == Judges::CertifierAndOracle
                }
                Discrepancy::TooLarge(_) => false,
            });
            // The discrepancy must come from the fault, and not from the bound or the missing certifier.
            let found = found.filter(|_| disagreement(&model, seed, fault).is_none());
            fault::believe_evidence(false);
            Some((seed, found?))
        })
    })
}

/// Asserts that these judges notice every fault. Returns the seeds and reasons as text.
fn assert_caught(judges: Judges) -> String {
    let mut report = Vec::new();
    let mut missed = Vec::new();
    for fault in fault::NON_DETERMINISM {
        match caught(fault, judges) {
            Some((seed, how)) => report.push(format!("{fault:?}, seed {seed}: {how}")),
            None => missed.push(fault),
        }
    }
    assert!(fault::NON_DETERMINISM.len() >= 10);
    assert!(
        missed.is_empty(),
        "not caught in {PATIENCE} circuits: {missed:?}"
    );
    report.join("\n")
}

#[test]
fn a_judge_that_overlooks_runs_is_caught_by_the_certifier() {
    for fault in [Fault::JudgedFromZero, Fault::JudgedWithCommonChoices] {
        let Some((seed, how)) = caught(fault, Judges::CertifierAndOracle) else {
            panic!("{fault:?} is not caught");
        };
        println!("{fault:?}, seed {seed}: {how}");
        let by_certifier = matches!(
            how,
            Discrepancy::Checker(DecideError::Kill {
                source: ReplayError::Matched,
                ..
            })
        );
        assert!(by_certifier, "{fault:?} got as far as the oracle: {how}");
    }
}

#[test]
fn every_planted_fault_is_caught() {
    println!("{}", assert_caught(Judges::CertifierAndOracle));
}

#[test]
fn every_planted_fault_is_caught_by_the_oracle_alone() {
    println!("{}", assert_caught(Judges::OracleAlone));
}
