//! Testers as files: the model never reaches FAIL, and its mutants do. PASS and INCONCLUSIVE are reachable according to the guarantee of
//! the kill. Reachability is decided on the written file, which is read back as two processes that synchronise on channels.

use std::collections::VecDeque;

use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, Window};
use hyperkill_core::time::Time;
use hyperkill_core::timed::Automaton;
use hyperkill_core::verdict::{Strength, Verdict};
use hyperkill_frontend::decision::{Decider, Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_timed::dbm::Zone;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

use crate::random_models::{cases, random};

const LAMP: &str = include_str!("../../../../../tests/models/uppaal/lamp/model.xml");

/// Returns the automaton of a process of a file.
fn process(text: &str, name: &str) -> Automaton {
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: Some(name.to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    read_automaton(text, &options).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Returns the locations that the tester reaches beside the system, which is the process `name`.
fn verdicts(text: &str, name: &str) -> Vec<String> {
    let both = [process(text, name), process(text, "Tester")];
    let [system, tester] = &both;
    let own = system.clocks.len();
    let clocks = own + tester.clocks.len();
    let constants = both.iter().flat_map(Automaton::largest_constants);
    let largest: Vec<i64> = constants.collect();
    let stay = |at: (usize, usize), zone: Zone| {
        let zone = zone.with_all(&system.locations[at.0].invariant, 0)?;
        zone.with_all(&tester.locations[at.1].invariant, own)
    };
    let start = (system.initial, tester.initial);
    let mut open = VecDeque::from([(start, Zone::zero(clocks))]);
    let mut seen: Vec<((usize, usize), Zone)> = Vec::new();
    while let Some((at, entry)) = open.pop_front() {
        let Some(here) = stay(at, entry).and_then(|zone| stay(at, zone.up())) else {
            continue;
        };
        let here = here.extrapolated(&largest);
        let Some(here) = stay(at, here) else { continue };
        if seen
            .iter()
            .any(|(known, zone)| *known == at && zone.includes(&here))
        {
            continue;
        }
        for (_, one) in system.leaving(at.0) {
            for (_, other) in tester.leaving(at.1) {
                let meet = one.action.name == other.action.name
                    && one.action.is_input != other.action.is_input
                    && one.action.name != "tau";
                let guarded = here.clone().with_all(&one.guard, 0);
                let guarded = guarded.and_then(|zone| zone.with_all(&other.guard, own));
                if let Some(zone) = guarded.filter(|_| meet) {
                    let zone = zone.after(&one.updates, 0).after(&other.updates, own);
                    open.push_back(((one.target, other.target), zone));
                }
            }
        }
        for (_, edge) in tester.leaving(at.1).filter(|(_, e)| e.action.name == "tau") {
            if let Some(zone) = here.clone().with_all(&edge.guard, own) {
                open.push_back(((at.0, edge.target), zone.after(&edge.updates, own)));
            }
        }
        seen.push((at, here));
    }
    let mut names: Vec<String> = seen
        .iter()
        .map(|((_, at), _)| tester.locations[*at].name.clone())
        .filter(|name| !name.starts_with("Wait"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn decider(text: &str, semantics: Preset) -> Option<Box<dyn Decider>> {
    let options = FrontendOptions {
        processes: ProcessOptions {
            semantics: Some(semantics.name().to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, &options).ok()?;
    UppaalDecision.read(&sources, &options).ok()
}

/// Writes the testers of some mutants' tests, and checks that they reach the right locations beside model and mutant. Returns the numbers
/// of written testers, of definite kills, and of tests that cannot be written.
fn check(text: &str, name: &str, semantics: Preset, most: usize, what: &str) -> [usize; 3] {
    let mut counts = [0; 3];
    let Some(decider) = decider(text, semantics) else {
        return counts;
    };
    let mutants = decider.contents().catalogue.clone();
    let step = (mutants.len() / most).max(1);
    for (mutant, _) in mutants.iter().step_by(step) {
        let found = decider.decide(&mutant.id, None, &Budget::unlimited());
        let Verdict::Killed(kill) = found else {
            continue;
        };
        let export = |of| {
            decider
                .exported("uppaal", &kill.model_run, of)
                .expect("a form")
        };
        let Ok(original) = export(None) else {
            counts[2] += 1;
            continue;
        };
        let mutated = export(Some(&mutant.id)).expect("the same test");
        let what = format!("{what} {} {semantics:?} {:?}", mutant.id, kill.mutant_run);
        let is = |all: &[String], name: &str| all.iter().any(|known| known == name);
        let of_model = verdicts(&original, name);
        assert!(!is(&of_model, "FAIL"), "{what}\n{original}");
        let of_mutant = verdicts(&mutated, name);
        assert!(is(&of_mutant, "FAIL"), "{what}\n{mutated}");
        let may_pass = is(&of_mutant, "PASS") || is(&of_mutant, "INCONCLUSIVE");
        assert_eq!(
            may_pass,
            kill.strength != Strength::Definite,
            "{what}\n{mutated}"
        );
        counts[0] += 1;
        counts[1] += usize::from(!may_pass);
    }
    counts
}

#[test]
fn a_tester_fails_mutants_and_never_the_model() {
    let [written, sure, left] = check(LAMP, "Lamp", Preset::Strict, 200, "lamp");
    println!("{written} testers, {sure} of them sure, {left} cannot be written");
    assert!(written > 40 && sure > 0);
}

#[test]
fn testers_of_random_models_fail_mutants_and_never_the_model() {
    let mut sum = [0; 3];
    for seed in 0..cases(60) {
        let preset = Preset::ALL[(seed % 4) as usize];
        let found = check(&random(seed), "P", preset, 12, &format!("seed {seed}"));
        for (sum, found) in sum.iter_mut().zip(found) {
            *sum += found;
        }
    }
    let [written, sure, left] = sum;
    println!("{written} testers, {sure} of them sure, {left} cannot be written");
    assert!(written > 50 && sure > 5);
}

#[test]
fn names_of_a_model_and_of_its_tester_do_not_hide_each_other() {
    let text = LAMP.replace("chan press", "chan t, PASS, Wait0, press");
    let text = text
        .replace("dim!", "t!")
        .replace("off!", "PASS!")
        .replace("press?", "Wait0?");
    assert!(
        text.contains("t!") && text.contains("PASS!") && text.contains("Wait0?"),
        "{text}"
    );
    let [written, sure, left] = check(&text, "Lamp", Preset::Strict, 40, "names");
    println!("{written} testers, {sure} of them sure, {left} cannot be written");
    assert!(written > 15);
}

#[test]
fn windows_that_are_not_those_of_the_model_are_refused() {
    let options = FrontendOptions::default();
    let sources = vec![SourceFile::new("lamp.xml", LAMP)];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let decider = UppaalDecision.read(&sources, &options).expect("a model");
    let rechecker = UppaalRecheck.read(&sources, &options).expect("a model");
    let budget = Budget::unlimited();
    let (mut accepted, mut refused) = (0, 0);
    for (mutant, _) in &decider.contents().catalogue {
        let Verdict::Killed(kill) = decider.decide(&mutant.id, None, &budget) else {
            continue;
        };
        let test = &kill.model_run;
        let check =
            |test: &[Step]| rechecker.recheck_kill(test, &mutant.id, kill.strength, &budget);
        check(test).expect("what was found");
        accepted += 1;
        for (step, said) in test.iter().enumerate() {
            let said = said.windows.clone().expect("a timed test");
            let mut spoilt = vec![None];
            for number in 0..said.len() {
                let mut less = said.clone();
                let taken = less.remove(number);
                spoilt.push(Some(less));
                let mut twice = said.clone();
                twice.insert(number, taken);
                spoilt.push(Some(twice));
                let mut open = said.clone();
                open[number].before = !open[number].before;
                spoilt.push(Some(open));
                let mut later = said.clone();
                later[number].to = later[number]
                    .to
                    .checked_add("1/2".parse().expect("a time"))
                    .expect("small");
                spoilt.push(Some(later));
            }
            let mut more = said.clone();
            more.push(Window {
                outputs: vec![("output".to_owned(), Value::Symbol("zzz".to_owned()))],
                from: Time::ZERO,
                after: false,
                to: Time::ZERO,
                before: false,
            });
            spoilt.push(Some(more));
            for windows in spoilt {
                let mut wrong = test.clone();
                wrong[step].windows = windows;
                assert!(
                    check(&wrong).is_err(),
                    "{} step {step} {wrong:?}",
                    mutant.id
                );
                refused += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 40 && refused > 400);
}
