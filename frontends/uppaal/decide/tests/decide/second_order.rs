//! Mutants of mutants: counts the needless ones that the guidelines of \[0\] find.

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::decision::{Decision, OwnVerdict, Recheck};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, ProcessOptions, SourceFile, apply,
};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

use crate::pairs::{Counts, alone, counted, family, firsts, options};
use crate::tables::listed;

fn detected(name: &str) -> Option<Counts> {
    let models = listed()?;
    let model = models.iter().find(|model| model.name == name)?;
    let (side, firsts) = firsts(&model.xml);
    let counts = firsts.iter().map(|first| counted(&family(first), &side));
    Some(counts.fold(Counts::default(), Counts::and))
}

const SKIPPED: &str =
    "SKIPPED: HYPERKILL_MODELS is not set, so no mutants of second order are made";

#[test]
#[ignore = "takes minutes: 15,000 and 203,000 mutants"]
fn the_guidelines_detect_as_much_of_second_order_wfas_and_accel_as_is_printed() {
    let (Some(wfas), Some(accel)) = (detected("WFAS"), detected("ACCEL")) else {
        eprintln!("{SKIPPED}");
        return;
    };
    println!("{wfas:?}, {:.1} %", wfas.percent());
    println!("{accel:?}, {:.1} %", accel.percent());
    assert!((40.0..41.0).contains(&wfas.percent()));
    assert_eq!(accel.percent().round(), 71.0);
    assert_eq!(accel.mutants, 202_957);
}

const LAMP: &str = include_str!("../../../../../tests/models/uppaal/lamp/model.xml");

/// Counts equal automata by their texts, without the names of added channels.
fn counted_texts(automata: impl Iterator<Item = Automaton>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for automaton in automata {
        let text = format!("{automaton:?}");
        let mut names: Vec<String> = Vec::new();
        for word in text.split('"').filter(|word| word.starts_with("added_")) {
            if !names.iter().any(|name| name == word) {
                names.push(word.to_owned());
            }
        }
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let text = names.iter().fold(text, |text, name| {
            let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
            text.replace(name.as_str(), plain)
        });
        *counts.entry(text).or_default() += 1;
    }
    counts
}

#[test]
fn mutants_of_second_order_are_those_of_mutants_one_after_the_other() {
    let options = FrontendOptions {
        order: Some(2),
        ..options()
    };
    let sources = vec![SourceFile::new("model.xml", LAMP)];
    let sources = UppaalFrontend
        .prepare(sources, &options)
        .expect("options fit");
    let model = read(&sources, &options).expect("a model");
    let listed = model.mutations.iter().map(|mutation| {
        let text = apply(&sources[0].text, &mutation.mutant).expect("its place is there");
        read_automaton(&text, &options).expect("a model")
    });
    let listed = counted_texts(listed);
    let (_, firsts) = firsts(LAMP);
    assert_eq!(model.firsts.len(), firsts.len());
    let expected = firsts.iter().flat_map(|first| family(first).automata);
    let expected = counted_texts(expected);
    assert!(
        listed == expected,
        "{} and {}",
        listed.len(),
        expected.len()
    );
    let ids: std::collections::BTreeSet<_> = model.mutations.iter().map(|m| &m.mutant.id).collect();
    assert_eq!(ids.len(), model.mutations.len());
    println!("{} mutants, {} texts", model.mutations.len(), listed.len());
}

#[test]
fn of_each_mutant_of_second_order_the_same_is_found_in_its_family_as_alone() {
    let (model, firsts) = firsts(LAMP);
    let mut killed = 0;
    for first in firsts.iter().step_by(9) {
        let family = family(first);
        let counts = counted(&family, &model);
        let alone = family
            .automata
            .iter()
            .filter(|mutant| alone(mutant, &model));
        assert_eq!(alone.count(), counts.killed);
        killed += counts.killed;
    }
    assert!(killed > 100);
}

/// Decides mutants of second order by families, and every `alone_too`-th of them alone too. All results are checked without zones.
fn all_check(
    text: &str,
    options: &FrontendOptions,
    alone_too: usize,
) -> BTreeMap<&'static str, usize> {
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend
        .prepare(sources, options)
        .expect("options fit");
    let decider = UppaalDecision.read(&sources, options).expect("a model");
    let rechecker = UppaalRecheck
        .read(&sources, options)
        .expect("the same model");
    let budget = Budget::unlimited();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, (mutant, problem)) in rechecker.contents().catalogue.iter().enumerate() {
        assert_eq!(*problem, None);
        let verdict = decider.decide(&mutant.id, None, &budget);
        let what = format!("{:?} {mutant:?}", options.processes.semantics);
        if number.is_multiple_of(alone_too) {
            let alone = decider.decide(&mutant.id, Some(10_000), &budget);
            assert_eq!(verdict.word(), alone.word(), "{what}");
            let steps = |verdict: &OwnVerdict| verdict.kill().map(|kill| kill.steps());
            assert_eq!(steps(&verdict), steps(&alone), "{what}");
        }
        let checked = rechecker.recheck(&mutant.id, &verdict, &budget);
        assert_eq!(checked, Ok(()), "{what}");
        *counts.entry(verdict.word()).or_default() += 1;
    }
    counts
}

#[test]
fn verdicts_on_mutants_of_second_order_check_and_are_those_of_deciding_alone() {
    for preset in Preset::ALL {
        let options = FrontendOptions {
            order: Some(2),
            operators: Some(NamePredicate::names(["TMI", "CXL", "SMI"])),
            processes: ProcessOptions {
                semantics: Some(preset.name().to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let counts = all_check(LAMP, &options, 1);
        println!("{}: {counts:?}", preset.name());
        assert!(counts.len() >= 2);
    }
}

#[test]
#[ignore = "takes minutes: 21,000 mutants, and ACCEL with its 203,000 only if HYPERKILL_ACCEL is set"]
fn every_verdict_on_mutants_of_second_order_of_the_models_of_the_paper_checks() {
    let Some(models) = listed() else {
        eprintln!("{SKIPPED}");
        return;
    };
    for model in models.iter().filter(|model| !model.rows.is_empty()) {
        if model.name == "ACCEL" && std::env::var("HYPERKILL_ACCEL").is_err() {
            continue;
        }
        let options = FrontendOptions {
            order: Some(2),
            ..options()
        };
        let counts = all_check(&model.xml, &options, 50);
        println!("{}: {counts:?}, all checked", model.name);
        assert!(
            counts.len() >= 2 && !counts.contains_key("unknown"),
            "{counts:?}"
        );
    }
}

#[test]
fn tests_played_on_mutants_of_second_order_kill_those_that_they_kill_one_by_one() {
    for preset in Preset::ALL {
        let options = FrontendOptions {
            order: Some(2),
            operators: Some(NamePredicate::names(["TMI", "CXL", "SMI"])),
            processes: ProcessOptions {
                semantics: Some(preset.name().to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let sources = vec![SourceFile::new("model.xml", LAMP)];
        let sources = UppaalFrontend.prepare(sources, &options);
        let decider = UppaalDecision
            .read(&sources.expect("options fit"), &options)
            .expect("a model");
        let budget = Budget::unlimited();
        let (mut tests, mut mutants) = (Vec::new(), Vec::new());
        for (mutant, _) in &decider.contents().catalogue {
            let verdict = decider.decide(&mutant.id, None, &budget);
            // Tests of mutants that are not killed are run too.
            mutants.push(&mutant.id);
            if let Some(kill) = verdict
                .kill()
                .filter(|kill| !tests.contains(&kill.model_run))
            {
                tests.push(kill.model_run.clone());
            }
        }
        let mutants: Vec<&MutantId> = mutants.into_iter().step_by(4).collect();
        let mut expected = BTreeMap::new();
        for (test, steps) in tests.iter().enumerate() {
            for (mutant, found) in decider.kills_of(steps, &mutants).into_iter().enumerate() {
                expected.extend(found.map(|strength| ((test, mutant), strength)));
            }
        }
        let mut found = BTreeMap::new();
        let mut hears = |test: usize, mutant: usize, strength| {
            assert_eq!(found.insert((test, mutant), strength), None);
        };
        let played = decider.play(&tests, &mutants, &budget, &mut hears);
        assert_eq!(played, Ok(()));
        assert_eq!(found, expected, "{}", preset.name());
        println!(
            "{}: {} tests, {} kills",
            preset.name(),
            tests.len(),
            found.len()
        );
        assert!(found.len() > 10);
    }
}
