//! Figures of \[4\]: results of a test search for their mutants, for which \[4\] guesses. `UPDATE_EXPECTED=1` writes the files.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_checker::testgen::running::pattern;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_efsm::{MachineFrontend, read_models, text};
use hyperkill_evidence::verdict::{Engine, Verdict};
use hyperkill_frontend::{
    EventOptions, Frontend, FrontendOptions, Inputs, NamePredicate, SourceFile,
};
use hyperkill_guarded::model::check;
use hyperkill_guarded::tree::System;
use hyperkill_tests::efsm::{Figure, figures};
use hyperkill_tests::models::{efsm, folder, shared_models};
use hyperkill_tests::unstructured::cases;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn options(observe: &str) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::names(["GTR", "GFL"])),
        events: EventOptions {
            observe: Some(observe.to_owned()),
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Returns the verdict of the figure's mutant that \[4\] discusses.
fn decided(figure: &Figure, observe: &str) -> Verdict {
    let model = efsm(&format!("{}.efsm", figure.name), &options(observe));
    let (operator, line) = match figure.name.as_str() {
        "equal-branches" => ("GFL", "L1.step/guard"),
        _ if figure.becomes => ("GTR", "L2.step/guard"),
        _ => ("GFL", "L2.step/guard"),
    };
    let mut catalogue = model.catalogue.iter();
    let index = catalogue.position(|(m, _)| m.operator == operator && m.path == line);
    let mutant = SelectorId(index.unwrap_or_else(|| panic!("{}: no mutant", figure.name)));
    let options = Options {
        ask: Ask::Auto,
        mutants: vec![mutant],
        fold_duplicates: false,
        ..Options::all(&model.system)
    };
    let report = decide_all(&model.system, &options, &Budget::unlimited(), &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{}: {error}", figure.name));
    report
        .outcomes
        .into_iter()
        .next()
        .expect("a verdict")
        .verdict
}

#[test]
fn the_figures_are_what_the_program_writes() {
    for figure in figures() {
        let file = folder().join("efsm").join(format!("{}.efsm", figure.name));
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&file, &figure.text).expect("a file that can be written");
        }
        let there = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert_eq!(there, figure.text, "{}", figure.name);
    }
}

#[test]
fn outputs_kill_just_the_mutants_of_which_that_is_true() {
    for figure in figures() {
        let verdict = decided(&figure, "outputs");
        match figure.is_killed {
            true => assert!(
                matches!(verdict, Verdict::Killed(_)),
                "{}: {verdict:?}",
                figure.name
            ),
            false => assert!(
                matches!(verdict, Verdict::Equivalent(_)),
                "{}: {verdict:?}",
                figure.name
            ),
        }
    }
}

#[test]
fn seen_transitions_kill_the_mutants_of_all_figures() {
    for figure in figures() {
        let verdict = decided(&figure, "transition");
        assert!(
            matches!(verdict, Verdict::Killed(_)),
            "{}: {verdict:?}",
            figure.name
        );
    }
}

/// Returns the operator and the path of each mutant, with the verdict on it: its word and, for a kill, the strength and the number of
/// steps.
fn verdicts(
    frontend: &dyn Frontend,
    source: &SourceFile,
    options: &FrontendOptions,
) -> BTreeSet<(String, String, String)> {
    let translation = frontend.translate(std::slice::from_ref(source), options);
    let translation = translation.unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let mut system = bit_blast(&translation.system).expect("a circuit").model;
    system.mutants = translation
        .catalogue
        .into_iter()
        .map(|(mutant, _)| mutant)
        .collect();
    let options = Options {
        ask: Ask::Auto,
        turns: Some(4),
        fold_duplicates: false,
        ..Options::all(&system)
    };
    let report = decide_all(&system, &options, &Budget::unlimited(), &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{}: {error}", source.name));
    let outcomes = system.mutants.iter().zip(report.outcomes);
    outcomes
        .map(|(mutant, outcome)| {
            assert_eq!(outcome.mutant, mutant.id);
            let verdict = match outcome.verdict {
                Verdict::Killed(kill) => format!("killed ({}) in {}", kill.strength, kill.steps()),
                other => other.word().to_owned(),
            };
            (mutant.operator.clone(), mutant.path.clone(), verdict)
        })
        .collect()
}

/// Returns the tests that a front end proposes, as stimuli of a circuit.
fn proposed(
    frontend: &dyn Frontend,
    source: &SourceFile,
    options: &FrontendOptions,
    system: &ConditionalMutant,
) -> Vec<Stimulus> {
    let stimuli = frontend.stimuli(std::slice::from_ref(source), options, &|_| true);
    let stimuli = stimuli.expect("a model").expect("a machine");
    let bits = |step: &Inputs| {
        let bits = pattern(&system.inputs, system.aig.inputs().len(), step);
        let bits = bits.unwrap_or_else(|misfit| panic!("{}: {misfit}", source.name));
        bits.into_iter().map(|bit| bit == Some(true)).collect()
    };
    let runs = stimuli.runs.iter();
    runs.map(|run| Stimulus {
        initial: vec![false; system.aig.latches().len()].into(),
        steps: run.iter().map(bits).collect(),
    })
    .collect()
}

#[test]
fn proposed_tests_are_runs_and_change_no_verdict() {
    let mut sources: Vec<(&dyn Frontend, SourceFile)> = figures()
        .into_iter()
        .map(|figure| {
            let source = SourceFile::new(format!("{}.efsm", figure.name), figure.text);
            (&MachineFrontend::Efsm as &dyn Frontend, source)
        })
        .collect();
    let file = folder().join("graphwalker/shop/model.json");
    let text = fs::read_to_string(file).expect("a model");
    sources.push((
        &MachineFrontend::GraphWalker,
        SourceFile::new("model.json", text),
    ));
    let (mut tests, mut by_them) = (0, 0);
    for (frontend, source) in &sources {
        let options = FrontendOptions::default();
        let translation = frontend.translate(std::slice::from_ref(source), &options);
        let system = bit_blast(&translation.expect("a model").system).expect("a circuit");
        let system = system.model;
        let proposed = proposed(*frontend, source, &options, &system);
        for test in &proposed {
            let trace = replay(&system, Variant::Original, test);
            let trace = trace.expect("a stimulus of the circuit");
            assert_eq!(trace.broken_at, None, "{}: {test:?}", source.name);
        }
        let decided = |tests: Vec<Stimulus>| {
            let options = Options {
                ask: Ask::Auto,
                // Proposed tests are tried after the enumeration of pairs, which has then decided all of these mutants.
                tests: Arc::new(tests),
                ..Options::all(&system)
            };
            let report = decide_all(&system, &options, &Budget::unlimited(), &mut Silent);
            report.expect("verdicts").outcomes
        };
        tests += proposed.len();
        let (with, without) = (decided(proposed), decided(Vec::new()));
        for (with, without) in with.iter().zip(&without) {
            let words = [with, without].map(|outcome| outcome.verdict.word());
            assert_eq!(words[0], words[1], "{}: {:?}", source.name, with.mutant);
            by_them += usize::from(with.engine == Some(Engine::Dropping));
        }
    }
    println!("{tests} tests, {by_them} mutants killed by them");
    assert!(tests > 10 && by_them > 30);
}

fn written(system: &System) -> SourceFile {
    let model = check(system).unwrap_or_else(|e| panic!("{e:#?}"));
    SourceFile::new("written.efsm", text(&model))
}

#[test]
fn action_systems_have_the_same_verdicts_as_machines() {
    let file = folder().join("action-system/token-ring/model.as");
    let source = SourceFile::new("model.as", fs::read_to_string(file).expect("a model"));
    let system = hyperkill_action_systems::read(&source)
        .expect("a system")
        .system;
    let options = FrontendOptions {
        operators: Some(NamePredicate::names(["GTR", "EQI", "ICI"])),
        ..FrontendOptions::default()
    };
    let here = verdicts(&ActionSystemFrontend, &source, &options);
    assert!(here.len() > 10, "{}", here.len());
    assert_eq!(
        verdicts(&MachineFrontend::Efsm, &written(&system), &options),
        here
    );
}

#[test]
fn a_shop_has_the_same_verdicts_as_a_machine_and_more_is_killed_by_who_sees_more() {
    let file = folder().join("graphwalker/shop/model.json");
    let source = SourceFile::new("model.json", fs::read_to_string(file).expect("a model"));
    let system = read_models(&source, &[]).expect("models");
    let mut killed: Vec<BTreeSet<(String, String)>> = Vec::new();
    for observe in ["outputs", "state", "transition"] {
        let options = FrontendOptions {
            events: EventOptions {
                observe: Some(observe.to_owned()),
                ..EventOptions::default()
            },
            ..FrontendOptions::default()
        };
        let here = verdicts(&MachineFrontend::GraphWalker, &source, &options);
        if observe == "outputs" {
            let words = |all: &BTreeSet<(String, String, String)>| {
                let mut words: Vec<(String, String)> = all
                    .iter()
                    .map(|(operator, _, verdict)| (operator.clone(), verdict.clone()))
                    .collect();
                words.sort();
                words
            };
            // EFSM writes `x++` as an assignment of a sum, whose parts have mutants of their own.
            let there = verdicts(&MachineFrontend::Efsm, &written(&system), &options);
            // The action of the vertex of payments changes for both edges at once here, and for each edge separately in EFSM.
            let mut alone = here.clone();
            alone.retain(|(_, path, _)| !path.starts_with("e0#2/body/step[1]"));
            assert!(alone.len() + 10 > here.len() && alone.len() < here.len());
            let [alone, there] = [words(&alone), words(&there)];
            assert!(
                alone.iter().all(|verdict| there.contains(verdict)),
                "{alone:#?}\n{there:#?}"
            );
        }
        let kills = here
            .into_iter()
            .filter(|(_, _, verdict)| verdict.starts_with("killed"));
        killed.push(kills.map(|(operator, path, _)| (operator, path)).collect());
    }
    println!(
        "{:?} killed",
        killed.iter().map(BTreeSet::len).collect::<Vec<_>>()
    );
    assert!(killed[0].is_subset(&killed[1]) && killed[1].is_subset(&killed[2]));
    assert!(killed[0].len() > 10);
}

/// Returns a random machine with three locations: guards may overlap, and inputs without a guard are ignored.
fn machine(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut lines = vec![
        "location A, B, C;".to_owned(),
        "var n: 0..3 = 0;".to_owned(),
        "var b: bool = false;".to_owned(),
        "event go(c: bool);".to_owned(),
        "event add(v: 0..1);".to_owned(),
        "output shown(x: 0..3);".to_owned(),
    ];
    let mut one_of = |of: &[&str]| of[rng.random_range(0..of.len())].to_owned();
    for from in ["A", "B", "C"] {
        for (event, guards) in [
            ("go", ["c", "c & b", "n > 1", "!b"]),
            ("add(v)", ["v > 0", "n < 2", "n + v < 3", "v == 0 & b"]),
        ] {
            for _ in 0..2 {
                let guard = one_of(&guards);
                let update = one_of(&["n := 0;", "n := 1;", "b := !b;", "b := n > 1;", ""]);
                let shown = one_of(&["emit shown(n);", "emit shown(1);", ""]);
                let to = one_of(&["A", "B", "C"]);
                lines.push(format!(
                    "from {from} on {event} if {guard} {{ {update} {shown} }} to {to}"
                ));
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn whoever_sees_more_of_a_random_machine_kills_no_fewer_mutants() {
    let mut mix = [0; 3];
    for seed in 0..cases(20) {
        let source = SourceFile::new("random.efsm", machine(seed));
        let killed = ["outputs", "state", "transition"].map(|observe| {
            let options = FrontendOptions {
                events: EventOptions {
                    observe: Some(observe.to_owned()),
                    ..EventOptions::default()
                },
                ..FrontendOptions::default()
            };
            let all = verdicts(&MachineFrontend::Efsm, &source, &options);
            let said = |verdict: &str| all.iter().any(|(.., own)| own == verdict);
            assert!(!said("unknown"), "seed {seed}, {observe}\n{}", source.text);
            let kills = all.into_iter();
            let kills = kills.filter(|(.., verdict)| verdict.starts_with("killed"));
            let kills = kills.map(|(operator, path, _)| (operator, path));
            kills.collect::<BTreeSet<(String, String)>>()
        });
        for (count, killed) in mix.iter_mut().zip(&killed) {
            *count += killed.len();
        }
        let [outputs, state, transition] = &killed;
        let lost: Vec<_> = outputs
            .difference(state)
            .chain(state.difference(transition))
            .collect();
        assert!(lost.is_empty(), "seed {seed}: {lost:?}\n{}", source.text);
    }
    println!("killed by outputs, state, transition: {mix:?}");
    assert!(
        mix[0] > 100 && mix[0] < mix[1] && mix[1] < mix[2],
        "{mix:?}"
    );
}

#[test]
fn all_mutants_of_public_graphs_are_decided() {
    let Some(models) = shared_models("graphs of EFSM-tools") else {
        return;
    };
    let files = fs::read_dir(models.join("efsm_tfsm/EFSM-tools/examples")).expect("examples");
    let files = files.map(|file| file.expect("a file").path());
    let graphs = files.filter(|path| path.extension().is_some_and(|extension| extension == "gv"));
    let (mut count, mut decided) = (0, 0);
    for path in graphs {
        let source = SourceFile::new("m.gv", fs::read_to_string(&path).expect("a graph"));
        let options = FrontendOptions::default();
        let all = verdicts(&MachineFrontend::EfsmTools, &source, &options);
        let mut open = all.iter().filter(|(.., verdict)| verdict == "unknown");
        assert_eq!(open.next(), None, "{}", path.display());
        println!("{}: {} mutants", path.display(), all.len());
        (count, decided) = (count + 1, decided + all.len());
    }
    assert!(
        count == 5 && decided > 150,
        "{count} graphs, {decided} mutants"
    );
}
