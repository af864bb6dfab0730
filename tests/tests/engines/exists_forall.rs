//! The ∃∀ engine compared with the oracle: shortest lengths of φ2, φ3 and φ4 on random nondeterministic systems.

use hyperkill_checker::engines::bmc::Depth;
use hyperkill_checker::engines::exists_forall::{ExistsForall, Sides};
use hyperkill_checker::question::Found;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::compose::{Sharing, self_compose};
use hyperkill_formulas::{Formula, killing};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;

/// The number of depths searched. Few kills of such small systems are deeper.
const DEPTHS: usize = 7;

/// Returns the first depth at which the formula holds, if there is one, with the runs; and the number of strategies tried.
fn search(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
) -> (Option<Found>, usize) {
    let composition = self_compose(model, mutant, formula, Sharing::Independent).expect("composes");
    let sides = Sides::of(&composition);
    let mut search = ExistsForall::new(&composition, &sides);
    let budget = Budget::unlimited();
    while search.refuted() < DEPTHS {
        match search.deepen(None, &budget) {
            Depth::Reached(found) => return (Some(found), search.expansions()),
            Depth::Refuted => {}
            Depth::Undecided(stop) => panic!("undecided without a limit: {stop:?}"),
        }
    }
    (None, search.expansions())
}

#[test]
fn the_engine_finds_the_oracle_s_shortest_kills() {
    let (mut kills, mut none, mut expansions, mut most) = (0, 0, 0, 0);
    for seed in 0..300 {
        let model = conditional_mutant(seed, Kind::Choices);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("small");
            let deterministic = oracle.original.nondeterminism().expect("small").is_none();
            let potential = oracle.potential_kill().expect("small");
            let definite = oracle.definite_kill().expect("small");
            let mut cases = vec![
                ("phi2", killing::phi2(), &potential),
                ("phi3", killing::phi3(), &definite),
            ];
            if deterministic {
                cases.push(("phi4", killing::phi4(), &definite));
            }
            for (name, formula, expected) in cases {
                let expected = expected
                    .as_ref()
                    .map(Vec::len)
                    .filter(|&steps| steps <= DEPTHS);
                let (found, used) = search(&model, mutant, &formula);
                let steps = found.map(|found| found.steps);
                assert_eq!(steps, expected, "seed {seed}, mutant {mutant}, {name}");
                if steps.is_some() {
                    kills += 1;
                } else {
                    none += 1;
                }
                expansions += used;
                most = most.max(used);
            }
        }
    }
    println!(
        "{kills} kills, {none} without; {expansions} strategies, at most {most} in one search"
    );
    assert!(kills >= 150 && none >= 300);
}
