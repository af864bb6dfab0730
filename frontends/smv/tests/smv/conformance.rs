//! The requirements on every front end, checked on models of this repository.

use std::fs;
use std::path::Path;

use hyperkill_frontend::conformance::{Subject, check};
use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile};
use hyperkill_smv::SmvFrontend;

#[test]
fn models_hold_what_every_front_end_must() {
    let every = FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        ..FrontendOptions::default()
    };
    let usual = FrontendOptions::default();
    let mut alone = 0;
    for (path, options) in [
        ("smv/beverage/model.smv", &every),
        ("smv/traffic-light/model.smv", &every),
        ("smv/fifo/model.smv", &usual),
        ("conditional/only-coffee.smv", &usual),
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/models")
            .join(path);
        let text = fs::read_to_string(&file).expect("a model");
        let subject = Subject {
            frontend: &SmvFrontend,
            sources: &[SourceFile::new(path, text)],
            options,
            sample: 60,
            damaged: 200,
        };
        let seen = check(&subject).unwrap_or_else(|wrong| panic!("{path}:\n{}", wrong.join("\n")));
        println!("{path}: {seen:?}");
        assert!(seen.mutants > 0 && seen.refused > 50, "{path}: {seen:?}");
        alone += seen.alone;
    }
    assert!(alone > 40, "{alone}");
}
