//! φ1, φ2, φ3, φ4 and `auto` compared with the oracle on thousands of random nondeterministic conditional mutants.
//!
//! A failure prints the seed and a shrunk circuit.

use std::collections::BTreeMap;
use std::fmt;

use hyperkill_checker::Ask;
use hyperkill_core::ConditionalMutant;
use hyperkill_evidence::verdict::Property;
use hyperkill_tests::against_oracle::exact::{Engines, Query, Seen, compare};
use hyperkill_tests::against_oracle::{Discrepancy, Route};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::shrink::shrink;

const ASKED: [Ask; 5] = [
    Ask::Only(Property::Phi2),
    Ask::Only(Property::Phi3),
    Ask::Auto,
    Ask::Only(Property::Phi4),
    Ask::Only(Property::Phi1),
];

const ROUTES: [Route; 4] = [
    Route::Engines,
    Route::SimulationThenShortest,
    Route::Simulation,
    Route::Pairs,
];

const ENGINES: [Engines; 7] = [
    Engines::All,
    Engines::ExistsForall,
    Engines::All,
    Engines::Strategies,
    Engines::All,
    Engines::Symbolic,
    Engines::Subsets,
];

/// Returns the circuit with this seed and its query: every question on every route.
fn case(seed: u64) -> (Query, ConditionalMutant) {
    let turn = seed as usize;
    let kind = match turn / (ASKED.len() * ROUTES.len()) % 16 {
        0 => Kind::Choices,
        1 => Kind::MutantChooses,
        _ => Kind::Small,
    };
    let engines = ENGINES[turn / (ASKED.len() * ROUTES.len()) % ENGINES.len()];
    let query = Query {
        ask: ASKED[turn % ASKED.len()],
        route: ROUTES[turn / ASKED.len() % ROUTES.len()],
        engines,
        adaptive: !turn.is_multiple_of(3),
        bound: match engines {
            Engines::All | Engines::Subsets => None,
            _ => Some(6),
        },
    };
    (query, conditional_mutant(seed, kind))
}

/// The numbers of mutants by result.
#[derive(Default)]
struct Mix {
    mutants: usize,
    definite: usize,
    adaptive: usize,
    only_potential: usize,
    potential: usize,
    not_definite: usize,
    equivalent: usize,
    refusing: usize,
    unknown: usize,
    /// The number of kills that are known to be shortest, of 3 steps or more.
    deep: usize,
    /// The number of kills that are not known to be shortest.
    longer: usize,
}

impl Mix {
    fn add(&mut self, seen: Seen) {
        self.mutants += 1;
        let kill = match seen {
            Seen::Adaptive { steps, shortest } => {
                self.adaptive += 1;
                Some((steps, shortest))
            }
            Seen::Definite { steps, shortest } => {
                self.definite += 1;
                Some((steps, shortest))
            }
            Seen::OnlyPotential { steps, shortest } => {
                self.only_potential += 1;
                Some((steps, shortest))
            }
            Seen::Potential { steps, shortest } => {
                self.potential += 1;
                Some((steps, shortest))
            }
            Seen::NotDefinite => {
                self.not_definite += 1;
                None
            }
            Seen::Equivalent => {
                self.equivalent += 1;
                None
            }
            Seen::RefusesInput => {
                self.refusing += 1;
                None
            }
            Seen::Unknown => {
                self.unknown += 1;
                None
            }
        };
        if let Some((steps, shortest)) = kill {
            self.deep += usize::from(shortest && steps >= 3);
            self.longer += usize::from(!shortest);
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} mutants: {} killed definitely, {} adaptively, {} only potentially, {} at least potentially, {} not definitely, \
             {} equivalent, {} refuse input, {} unknown; {} shortest tests of 3 steps or more, {} perhaps not shortest",
            self.mutants,
            self.definite,
            self.adaptive,
            self.only_potential,
            self.potential,
            self.not_definite,
            self.equivalent,
            self.refusing,
            self.unknown,
            self.deep,
            self.longer
        )
    }
}

/// Returns a message for the failure: seed, question, and the smallest circuit that still disagrees.
fn report(seed: u64, query: Query, model: &ConditionalMutant, first: &Discrepancy) -> String {
    let disagrees = |candidate: &ConditionalMutant| match compare(candidate, query) {
        Ok(_) | Err(Discrepancy::TooLarge(_)) => false,
        // Shrinking must keep the kind of the discrepancy; an undecided mutant must not replace a wrong one.
        Err(how) => std::mem::discriminant(&how) == std::mem::discriminant(first),
    };
    let small = shrink(model, disagrees);
    let last = compare(&small, query);
    format!(
        "seed {seed}, {query:?}: {first}\nshrunk: {last:?}\n{}",
        aag(&small.aig)
    )
}

#[test]
fn killing_agrees_with_the_oracle_on_random_non_deterministic_mutants() {
    let mut mixes: BTreeMap<String, Mix> = BTreeMap::new();
    let mut auto = Mix::default();
    for seed in 0..3_000 {
        let (query, model) = case(seed);
        match compare(&model, query) {
            Ok(all) => {
                for seen in all {
                    let name = format!("{:?}, {:?}", query.ask, query.route);
                    mixes.entry(name).or_default().add(seen);
                    if query.ask == Ask::Auto && query.engines == Engines::All {
                        auto.add(seen);
                    }
                }
            }
            // The system is too large for the oracle's searches.
            Err(Discrepancy::TooLarge(_)) => {}
            Err(discrepancy) => panic!("{}", report(seed, query, &model, &discrepancy)),
        }
    }
    for (asked, mix) in &mixes {
        println!("{asked}: {mix}");
    }
    println!("auto with all engines: {auto}");
    let only_potential = auto.only_potential + auto.adaptive;
    for share in [auto.definite, only_potential, auto.equivalent] {
        assert!(share * 20 >= auto.mutants * 3, "{auto}");
    }
}
