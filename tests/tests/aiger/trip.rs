//! A conditional mutant is the same system after a round trip through a file: same roles, same steps for every state.
//!
//! The oracle's step tables, which read neither names nor files, decide equality.

use hyperkill_core::aiger::{
    NamesDecide, annotate, conditional_mutant as with_roles, read, read_verbatim, write_ascii,
    write_binary,
};
use hyperkill_core::{Aig, ConditionalMutant};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Machine;

const KINDS: [Kind; 3] = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices];

fn assert_same_system(model: &ConditionalMutant, after: Aig, trip: &str) {
    let after = with_roles(after, &NamesDecide).expect("a conditional mutant");
    assert_eq!(after.selectors, model.selectors, "{trip}");
    for selector in model.selector_ids().map(Some).chain([None]) {
        let tables =
            [model, &after].map(|model| Machine::new(model, selector).expect("a tiny circuit"));
        assert_eq!(tables[0], tables[1], "{trip}, selector {selector:?}");
    }
}

#[test]
fn a_system_survives_ascii_and_binary_files() {
    for seed in 0..150 {
        let model = conditional_mutant(seed, KINDS[seed as usize % 3]);
        let plain = &model.aig;
        let typed = annotate(&model);
        for (what, file) in [
            ("our own ascii", aag(plain).into_bytes()),
            ("ascii", write_ascii(plain)),
            ("binary", write_binary(plain)),
            ("typed ascii", write_ascii(&typed)),
            ("typed binary", write_binary(&typed)),
        ] {
            let trip = format!("seed {seed}, {what}");
            assert_same_system(&model, read(&file).expect("a file we wrote"), &trip);
            let verbatim = read_verbatim(&file).expect("a file we wrote");
            assert_same_system(&model, verbatim, &format!("{trip}, verbatim"));
        }
    }
}

#[test]
fn writing_what_was_read_gives_the_same_bytes() {
    for seed in 0..150 {
        let typed = annotate(&conditional_mutant(seed, KINDS[seed as usize % 3]));
        for write in [write_ascii, write_binary] {
            let bytes = write(&typed);
            let again = write(&read_verbatim(&bytes).expect("a file we wrote"));
            assert_eq!(bytes, again, "seed {seed}");
        }
    }
}
