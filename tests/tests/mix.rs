//! The generator's mix: verdicts and lengths must be varied enough for the differential tests to mean something.

use hyperkill_core::ConditionalMutant;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Oracle, Stimulus};

/// How many mutants of each sort.
#[derive(Default, Debug)]
struct Mix {
    mutants: usize,
    killed: usize,
    equivalent: usize,
    long: usize,
    refusing: usize,
    longest: usize,
    definite: usize,
}

impl Mix {
    fn count(&mut self, model: &ConditionalMutant, controllable: bool) {
        for selector in 0..model.selectors.len() {
            let oracle = Oracle::new(model, selector).expect("a tiny circuit");
            let found = if controllable {
                oracle.controllable_difference()
            } else {
                oracle.potential_kill()
            };
            self.mutants += 1;
            self.definite += usize::from(oracle.definite_kill().expect("a tiny search").is_some());
            match found.expect("a tiny search").as_ref().map(Stimulus::len) {
                Some(length) => {
                    self.killed += 1;
                    self.long += usize::from(length >= 3);
                    self.longest = self.longest.max(length);
                }
                None if oracle.refusal().expect("a tiny search").is_some() => self.refusing += 1,
                None => self.equivalent += 1,
            }
        }
    }

    fn assert_varied(&self, what: &str) {
        assert!(self.killed * 5 >= self.mutants, "{what}: {self:?}");
        assert!(self.equivalent * 5 >= self.mutants, "{what}: {self:?}");
        assert!(self.long * 5 >= self.killed, "{what}: {self:?}");
    }
}

#[test]
fn at_least_a_fifth_is_killed_a_fifth_equivalent_and_a_fifth_of_the_kills_long() {
    for (kind, controllable) in [
        (Kind::Deterministic, false),
        (Kind::MutantChooses, false),
        (Kind::Choices, false),
        (Kind::Choices, true),
    ] {
        let mut mix = Mix::default();
        for seed in 0..500 {
            mix.count(&conditional_mutant(seed, kind), controllable);
        }
        let what = format!("{kind:?}, controllable {controllable}");
        println!("{what}: {mix:?}");
        mix.assert_varied(&what);
    }
}

#[test]
fn the_same_seed_gives_the_same_circuit() {
    for kind in [Kind::Deterministic, Kind::MutantChooses, Kind::Choices] {
        let (one, two) = (conditional_mutant(7, kind), conditional_mutant(7, kind));
        assert!(one.aig.nodes().eq(two.aig.nodes()));
        assert_eq!(one.selectors, two.selectors);
        assert_eq!(one.inputs, two.inputs);
    }
}
