//! The requirements on every front end. If only the original must do each offer, mutants have other constraints than their texts:
//! `--complete` builds both alike.

use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::SourceFile;
use hyperkill_frontend::conformance::{Subject, check};

use crate::random::machine;
use crate::support::everything;

#[test]
fn machines_hold_what_every_front_end_must() {
    let options = everything(true);
    let mut alone = 0;
    for seed in 0..12 {
        let subject = Subject {
            frontend: &MachineFrontend::Efsm,
            sources: &[SourceFile::new(format!("{seed}.efsm"), machine(seed))],
            options: &options,
            sample: 40,
            damaged: 100,
        };
        let seen = check(&subject).unwrap_or_else(|wrong| {
            panic!("seed {seed}:\n{}\n{}", wrong.join("\n"), machine(seed))
        });
        println!("{seed}: {seen:?}");
        assert!(seen.mutants > 0 && seen.refused > 20, "{seed}: {seen:?}");
        alone += seen.alone;
    }
    assert!(alone > 200, "{alone}");
}
