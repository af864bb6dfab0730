//! Mix of the generator: verdicts and lengths must vary enough for the differential tests.

use hyperkill_core::ConditionalMutant;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Oracle, Stimulus};

/// The numbers of mutants by result.
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
        for selector in model.selector_ids() {
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
fn small_systems_are_fifteen_percent_potential_fifteen_definite_and_fifteen_equivalent() {
    // For fixed inputs, adaptive kills are potential kills.
    let (mut mutants, mut definite, mut potential, mut adaptive, mut equivalent) = (0, 0, 0, 0, 0);
    let mut refusing = 0;
    for seed in 0..1_000 {
        let model = conditional_mutant(seed, Kind::Small);
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            mutants += 1;
            if oracle.definite_kill().expect("a tiny search").is_some() {
                definite += 1;
            } else if oracle.potential_kill().expect("a tiny search").is_some() {
                potential += 1;
                adaptive += usize::from(oracle.adaptive_kill().expect("a tiny search").is_some());
            } else if oracle.refusal().expect("a tiny search").is_some() {
                refusing += 1;
            } else {
                equivalent += 1;
            }
        }
    }
    println!(
        "{mutants} mutants: {definite} definitely killed, {potential} only potentially ({adaptive} adaptively), \
         {equivalent} equivalent, {refusing} refuse input"
    );
    assert!(definite * 20 >= mutants * 3);
    assert!(potential * 20 >= mutants * 3);
    assert!(equivalent * 20 >= mutants * 3);
    assert!(adaptive * 40 >= mutants);
    assert!(refusing > 0);
}

#[test]
fn the_same_seed_gives_the_same_circuit() {
    for kind in [
        Kind::Deterministic,
        Kind::MutantChooses,
        Kind::Choices,
        Kind::Small,
    ] {
        let (one, two) = (conditional_mutant(7, kind), conditional_mutant(7, kind));
        assert!(one.aig.nodes().eq(two.aig.nodes()));
        assert_eq!(one.selectors, two.selectors);
        assert_eq!(one.inputs, two.inputs);
    }
}
