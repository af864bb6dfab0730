//! The requirements on every front end. If only the original may refuse, mutants have other choices than their texts: `--complete` builds
//! both alike.

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_frontend::conformance::{Subject, check};

use crate::support::{everything, model};

#[test]
fn models_hold_what_every_front_end_must() {
    let options = everything(true);
    let mut alone = 0;
    for path in [
        "car-alarm/model.as",
        "car-alarm/inputs.as",
        "lift/model.as",
        "token-ring/model.as",
        "till/model.as",
    ] {
        let subject = Subject {
            frontend: &ActionSystemFrontend,
            sources: &[model(path)],
            options: &options,
            sample: 60,
            damaged: 200,
        };
        let seen = check(&subject).unwrap_or_else(|wrong| panic!("{path}:\n{}", wrong.join("\n")));
        println!("{path}: {seen:?}");
        assert!(seen.mutants > 0 && seen.refused > 50, "{path}: {seen:?}");
        alone += seen.alone;
    }
    assert!(alone > 100, "{alone}");
}
