//! Processes in the environment of others: compares zones with regions on random networks, and checks the evidence.

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::timed::Rules;
use hyperkill_core::verdict::{Strength, Verdict};
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_timed::fault;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_timed::replay::{is_test_of, may_fail};
use hyperkill_uppaal::network::fault as made;
use hyperkill_uppaal::{UppaalFrontend, read_mutant};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

use crate::net_oracle::fails;
use crate::nets::{Net, mutant, net, text};
use crate::random_models::cases;
use crate::regions::Says;

/// The largest constant in guards and invariants.
const LARGEST: i64 = 2;

fn options(net: &Net, rules: Rules) -> FrontendOptions {
    let semantics = match rules.is_pruned {
        true => "strict",
        false => "definition7",
    };
    FrontendOptions {
        processes: ProcessOptions {
            sut: Some(format!("P{}", net.tested)),
            environment: Some("network".to_owned()),
            semantics: Some(semantics.to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    }
}

fn rules(seed: u64) -> Rules {
    match seed % 4 {
        0 => Rules::DEFINITION_7,
        _ => Rules::STRICT,
    }
}

/// Returns the result of the comparison by zones, in the form of the oracle. Replays the trace of a failure.
fn says(mutant: &Net, model: &Net, rules: Rules) -> Option<Says> {
    let options = options(model, rules);
    let (original, mutated) = (text(model), text(mutant));
    let budget = Budget::unlimited();
    let side = |text: &str, is_pruned: bool| {
        let automaton = read_mutant(&original, text, &options);
        let automaton = automaton.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        Side::new(automaton, is_pruned, &budget).expect("no limit")
    };
    let (mutant, model) = (
        side(&mutated, rules.is_pruned),
        side(&original, rules.is_pruned),
    );
    if model.ambiguity().is_some() {
        return Some(Says::Ambiguous);
    }
    if !mutant.is_consistent() || !model.is_consistent() || !side(&original, true).is_consistent() {
        return Some(Says::Inconsistent);
    }
    match refine(&mutant, &model, rules, None, &budget) {
        Found::Refines(_) => Some(Says::Refines),
        Found::Fails(trace) => {
            let replays = is_test_of(&model, &trace, rules) && may_fail(&mutant, &trace, rules);
            replays.then_some(Says::Fails(trace.events.len() + 1))
        }
        Found::Alphabets | Found::Open(..) => None,
    }
}

#[test]
fn a_mutant_fails_in_its_environment_if_and_only_if_walking_through_regions_says_so() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases(1200) {
        let model = net(seed);
        let rules = rules(seed);
        for number in 0..3 {
            let mutant = mutant(&model, seed * 3 + number);
            let found = says(&mutant, &model, rules);
            let word = match &found {
                Some(Says::Ambiguous) => "ambiguous",
                None => "open",
                Some(_) => "compared",
            };
            *counts.entry(word).or_default() += 1;
            if word != "compared" {
                assert!(word == "ambiguous" || rules.one_successor_is_enough);
                continue;
            }
            let expected = fails(&mutant, &model, rules.is_pruned, LARGEST);
            let skipped = match expected {
                Says::TooLarge => Some("too large"),
                // The oracle distinguishes two states that differ only in a clock that no possible step compares.
                Says::Ambiguous => Some("ambiguous for the oracle"),
                _ => None,
            };
            if let Some(skipped) = skipped {
                *counts.entry(skipped).or_default() += 1;
                continue;
            }
            assert_eq!(
                found,
                Some(expected),
                "seed {seed} {number}, {rules:?}, P{} is tested\n{}\n{}",
                model.tested,
                text(&model),
                text(&mutant)
            );
            let word = match expected {
                Says::Refines => "refines",
                Says::Fails(1) => "fails at once",
                Says::Fails(_) => "fails later",
                _ => "inconsistent",
            };
            *counts.entry(word).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let compared = counts["compared"];
    let skipped = ["too large", "ambiguous for the oracle"].map(|word| counts.get(word));
    let skipped: usize = skipped.into_iter().flatten().sum();
    assert!(skipped * 50 < compared);
    assert!(
        ["refines", "fails later", "inconsistent"]
            .iter()
            .all(|word| counts[word] > 40)
    );
}

#[test]
fn every_fault_planted_in_networks_is_noticed_by_walking_through_regions() {
    for planted in made::ALL {
        let noticed = (0..40_000).find(|seed| {
            let model = net(*seed);
            let mutant = mutant(&model, *seed);
            let sound = says(&mutant, &model, Rules::STRICT);
            if sound.is_none() || sound == Some(Says::Ambiguous) {
                return false;
            }
            let found = made::with(Some(planted), || says(&mutant, &model, Rules::STRICT));
            let is_other = found != sound && found != Some(Says::Ambiguous);
            is_other && sound == Some(fails(&mutant, &model, true, LARGEST))
        });
        println!("{planted:?}: seed {noticed:?}");
        assert!(noticed.is_some(), "{planted:?} is never noticed");
    }
}

#[test]
fn faults_in_what_is_said_of_the_environment_are_noticed() {
    for planted in fault::OF_NETWORKS {
        let noticed = (0..6_000).find(|seed| {
            let model = net(*seed);
            let mutant = mutant(&model, *seed);
            let sound = says(&mutant, &model, Rules::STRICT);
            if sound.is_none() || sound == Some(Says::Ambiguous) {
                return false;
            }
            let found = fault::with(Some(planted), || says(&mutant, &model, Rules::STRICT));
            found != sound && sound == Some(fails(&mutant, &model, true, LARGEST))
        });
        println!("{planted:?}: seed {noticed:?}");
        assert!(noticed.is_some(), "{planted:?} is never noticed");
    }
}

#[test]
fn verdicts_in_random_environments_check_and_tests_kill_whom_the_recheck_says() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases(400) {
        let model = net(seed);
        let options = options(&model, rules(seed));
        let sources = vec![SourceFile::new("model.xml", text(&model))];
        let sources = UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit");
        let decider = UppaalDecision.read(&sources, &options);
        let rechecker = UppaalRecheck.read(&sources, &options);
        let (decider, rechecker) = match (decider, rechecker) {
            (Ok(decider), Ok(rechecker)) => (decider, rechecker),
            (Err(own), Err(other)) => {
                assert_eq!(own, other, "seed {seed}");
                continue;
            }
            _ => panic!(
                "seed {seed}: one of the two refuses it\n{}",
                sources[0].text
            ),
        };
        let budget = Budget::unlimited();
        assert_eq!(decider.contents().catalogue, rechecker.contents().catalogue);
        let mut tests = Vec::new();
        let ids: Vec<&MutantId> = (decider.contents().catalogue.iter())
            .map(|(mutant, _)| &mutant.id)
            .collect();
        for id in &ids {
            let verdict = decider.decide(id, None, &budget);
            *counts.entry(verdict.word()).or_default() += 1;
            let checked = rechecker.recheck(id, &verdict, &budget);
            assert_eq!(checked, Ok(()), "seed {seed} {id}\n{}", sources[0].text);
            if let Verdict::Equivalent(proof) = &verdict
                && let Some(open) = proof.get("open")
            {
                *counts.entry("killed when open").or_default() += 1;
                let mut spoilt = proof.clone();
                spoilt["open"]["strength"] = match open["strength"].as_str() {
                    Some("definite") => "potential".into(),
                    _ => "definite".into(),
                };
                let checked = rechecker.recheck(id, &Verdict::Equivalent(spoilt), &budget);
                assert!(checked.is_err(), "seed {seed} {id}");
            }
            if let Verdict::Killed(kill) = verdict {
                tests.push(kill.model_run);
            }
        }
        tests.dedup();
        tests.truncate(6);
        let mut played = Vec::new();
        let mut hears =
            |test: usize, mutant: usize, strength| played.push((test, mutant, strength));
        decider
            .play(&tests, &ids, &budget, &mut hears)
            .expect("no limit");
        for (test, mutant, strength) in played {
            let checked = rechecker.recheck_kill(&tests[test], ids[mutant], strength, &budget);
            assert_eq!(checked, Ok(()), "seed {seed} {}", ids[mutant]);
            *counts.entry("kills played").or_default() += 1;
            if strength == Strength::Definite {
                *counts.entry("definite").or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    let words = [
        "killed",
        "equivalent",
        "invalid",
        "killed when open",
        "kills played",
        "definite",
    ];
    assert!(words.iter().all(|word| counts[word] > 30));
}

/// Public models with several processes: the file, the tested process, and the numbers of mutants that are killed, equivalent, and killed
/// in an open environment.
const OF_OTHERS: [(&str, &str, [usize; 3]); 6] = [
    ("2doors.xml", "Door1", [14, 77, 37]),
    ("interrupt.xml", "INT", [2, 20, 9]),
    ("updown.xml", "System", [8, 18, 6]),
    ("simpleSystem.xml", "Process", [2, 21, 9]),
    ("gossip-smart-dyn-3.xml", "Node(0)", [3, 21, 9]),
    ("onoff.xml", "Process", [3, 8, 4]),
];

#[test]
fn processes_of_models_of_others_are_decided_in_their_environments() {
    let Ok(folder) = std::env::var("HYPERKILL_MODELS") else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so no model of others is decided");
        return;
    };
    let mut folders = vec![std::path::PathBuf::from(folder).join("uppaal")];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            match path.is_dir() {
                true => folders.push(path),
                false => drop(files.insert(name.to_string_lossy().into_owned(), path)),
            }
        }
    }
    for (file, process, expected) in OF_OTHERS {
        let text = std::fs::read(&files[file]).expect("readable");
        let options = FrontendOptions {
            processes: ProcessOptions {
                sut: Some(process.to_owned()),
                environment: Some("network".to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let sources = vec![SourceFile::new("model.xml", String::from_utf8_lossy(&text))];
        let sources = UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit");
        let decider = UppaalDecision.read(&sources, &options).expect(file);
        let rechecker = UppaalRecheck.read(&sources, &options).expect(file);
        let (mut found, budget) = ([0; 3], Budget::unlimited());
        for (mutant, _) in &decider.contents().catalogue {
            let verdict = decider.decide(&mutant.id, None, &budget);
            assert_eq!(
                rechecker.recheck(&mutant.id, &verdict, &budget),
                Ok(()),
                "{file}"
            );
            match &verdict {
                Verdict::Killed(_) => found[0] += 1,
                Verdict::Equivalent(proof) => {
                    found[1] += 1;
                    found[2] += usize::from(proof.get("open").is_some());
                }
                _ => {}
            }
        }
        println!("{file} {process}: killed, equivalent, killed when open {found:?}");
        assert_eq!(found, expected, "{file} {process}");
    }
}
