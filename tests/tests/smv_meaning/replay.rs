//! Tests exported as SMV: the monitor holds for the model and for exactly the mutants that the test does not tell from it.
//!
//! The states of the monitored texts, of the model and of each mutant's plain source, are enumerated. NuSMV is asked, too, if it is on
//! the path.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Command;

use hyperkill_core::SelectorId;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::product::Variant;
use hyperkill_core::suite::Step;
use hyperkill_core::trace::{Stimulus, decode, replay as simulate};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile, apply,
};
use hyperkill_smv::SmvFrontend;
use hyperkill_smv::replay::{STEP, replay};
use hyperkill_tests::models::{folder, smv_model};
use hyperkill_tests::peers::skipped;
use hyperkill_tests::reachable::reachable;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Whether the monitor of a text holds; `None` if the text is no valid model.
fn holds(text: &str) -> Option<bool> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        roles: RoleOptions {
            outputs: Some(NamePredicate::new(|_| true)),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("monitored.smv", text)];
    let translation = SmvFrontend.translate(&sources, &options).ok()?;
    let circuit = bit_blast(&looking_ahead(&translation.system)).ok()?.model;
    let found = reachable(&circuit, 100_000)?;
    Some(!found.bad[0])
}

/// Returns NuSMV's verdict on the monitor; `None` without NuSMV, or if it refuses the text.
fn nusmv(text: &str) -> Option<bool> {
    let mut file = tempfile::NamedTempFile::new().ok()?;
    file.write_all(text.as_bytes()).ok()?;
    let output = Command::new("NuSMV").arg(file.path()).output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = answer
        .lines()
        .filter(|line| line.starts_with("-- invariant"));
    lines.next().map(|line| line.ends_with("is true"))
}

fn check(name: &str, seed: u64, mutants: usize) {
    let model = smv_model(&folder().join("smv").join(name));
    let text = std::fs::read_to_string(model.folder.join("model.smv")).expect("a model");
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let aig = &model.system.aig;
    let steps = 6;
    let stimulus = Stimulus {
        initial: vec![false; aig.latches().len()].into(),
        steps: (0..steps)
            .map(|_| aig.inputs().iter().map(|_| rng.random()).collect())
            .collect(),
    };
    let shown = |variant| {
        let trace = simulate(&model.system, variant, &stimulus).expect("a run");
        let outputs = trace.outputs.iter();
        outputs
            .map(|bits| decode(&model.system.outputs, bits))
            .collect::<Vec<_>>()
    };
    let outputs = shown(Variant::Original);
    let test: Vec<Step> = (stimulus.steps.iter().zip(&outputs))
        .map(|(inputs, outputs)| Step {
            inputs: decode(&model.system.inputs, inputs).into_iter().collect(),
            outputs: outputs.clone().into_iter().collect(),
            ..Step::default()
        })
        .collect();
    let monitored = |text: &str| {
        let text = replay(&SourceFile::new("model.smv", text), &test);
        let text = text.unwrap_or_else(|errors| panic!("{errors:?}"));
        // Steps after the test are irrelevant and would have many states.
        let first = format!("INIT {STEP} = 0");
        text.replace(&first, &format!("{first}\nTRANS {STEP} < {steps}"))
    };
    let beside = nusmv("MODULE main\nVAR x : boolean;\nINVARSPEC x | !x\n").is_some();
    let original = monitored(&text);
    assert_eq!(holds(&original), Some(true), "{original}");
    if beside {
        assert_eq!(nusmv(&original), Some(true), "{original}");
    } else {
        skipped("exported tests beside NuSMV", "NuSMV is not installed");
    }
    let live: Vec<_> = (model.catalogue.iter())
        .filter(|(_, rejected)| rejected.is_none())
        .collect();
    let mut seen = BTreeSet::new();
    for _ in 0..mutants {
        let index = rng.random_range(0..live.len());
        let (mutant, _) = live[index];
        // A deleted assignment leaves choices, which one run does not cover.
        if mutant.operator == "MA" {
            continue;
        }
        let text = monitored(&apply(&text, mutant).expect("a mutated text"));
        let same = shown(Variant::Mutant(SelectorId(index))) == outputs;
        let Some(verdict) = holds(&text) else {
            continue;
        };
        assert_eq!(verdict, same, "{mutant:?}\n{text}");
        // NuSMV refuses mutants that violate an obligation.
        if let (true, Some(verdict)) = (beside, nusmv(&text)) {
            assert_eq!(verdict, same, "{mutant:?}\n{text}");
        }
        seen.insert(same);
    }
    assert_eq!(seen.len(), 2, "{name}: a test should kill some and not all");
}

#[test]
fn exported_tests_hold_of_the_model_and_of_mutants_that_they_do_not_kill() {
    for (seed, name) in ["car-alarm", "traffic-light", "fifo"].iter().enumerate() {
        check(name, seed as u64, 25);
    }
}
