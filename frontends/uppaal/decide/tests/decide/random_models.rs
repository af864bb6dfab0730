//! Random models as files: verdicts check, and no deterministic mutant that violates a guideline is killed.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Rules;
use hyperkill_core::verdict::{Strength, Verdict};
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_timed::refine::Side;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::xml::escaped;
use hyperkill_uppaal::{UppaalFrontend, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) fn cases(otherwise: u64) -> u64 {
    let said = std::env::var("HYPERKILL_CASES").ok();
    said.map_or(otherwise, |text| text.parse().expect("a number"))
}

fn label(kind: &str, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("<label kind=\"{kind}\">{}</label>", escaped(text)),
    }
}

/// Returns a random model of one process: up to two clocks, a variable, urgent locations.
pub(crate) fn random(seed: u64) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let clocks = ["x", "y"];
    let clocks = &clocks[..random.random_range(1..=2)];
    let count = random.random_range(2..=4);
    let atom = |random: &mut ChaCha8Rng, signs: &[&str]| {
        let clock = clocks[random.random_range(0..clocks.len())];
        let sign = signs[random.random_range(0..signs.len())];
        format!("{clock} {sign} {}", random.random_range(1..=4))
    };
    let mut inside = String::new();
    for number in 0..count {
        let invariant = match random.random_bool(0.5) {
            true => atom(&mut random, &["<=", "<=", "<", "<=", ">="]),
            false => String::new(),
        };
        let urgent = if number > 0 && random.random_bool(0.1) {
            "<urgent/>"
        } else {
            ""
        };
        let invariant = label("invariant", &invariant);
        let _ = writeln!(
            inside,
            "<location id=\"l{number}\">{invariant}{urgent}</location>"
        );
    }
    inside.push_str("<init ref=\"l0\"/>\n");
    for _ in 0..random.random_range(2..=6) {
        let (from, to) = (random.random_range(0..count), random.random_range(0..count));
        let action = ["a?", "b?", "c!", "d!", ""][random.random_range(0..5)];
        let mut guards = Vec::new();
        if random.random_bool(0.6) {
            guards.push(atom(&mut random, &["<=", "<", "==", ">=", ">"]));
        }
        if random.random_bool(0.2) {
            guards.push(format!("v == {}", random.random_range(0..2)));
        }
        let mut updates = Vec::new();
        for clock in clocks {
            if random.random_bool(0.4) {
                updates.push(format!(
                    "{clock} = {}",
                    [0, 0, 0, 1][random.random_range(0..4)]
                ));
            }
        }
        if random.random_bool(0.2) {
            updates.push(format!(
                "v = {}",
                ["0", "1", "1 - v"][random.random_range(0..3)]
            ));
        }
        let _ = writeln!(
            inside,
            "<transition><source ref=\"l{from}\"/><target ref=\"l{to}\"/>{}{}{}</transition>",
            label("guard", &guards.join(" && ")),
            label("synchronisation", action),
            label("assignment", &updates.join(", ")),
        );
    }
    format!(
        "<nta><declaration>chan a, b, c, d;</declaration><template><name>P</name><declaration>clock {}; int[0,1] v;</declaration>\n\
         {inside}</template><system>system P;</system></nta>",
        clocks.join(", ")
    )
}

/// Whether each action of a mutant leads from a state to one state, in good and in bad states.
fn is_deterministic(text: &str, options: &FrontendOptions) -> bool {
    let Ok(automaton) = read_automaton(text, options) else {
        return false;
    };
    let side = Side::new(automaton, false, &Budget::unlimited());
    side.is_ok_and(|side| side.ambiguity().is_none())
}

#[test]
fn verdicts_on_random_models_check_and_guidelines_hold() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases(150) {
        let preset = Preset::ALL[(seed % 4) as usize];
        let options = FrontendOptions {
            processes: ProcessOptions {
                semantics: Some(preset.name().to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let sources = vec![SourceFile::new("model.xml", random(seed))];
        let sources = UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit");
        let text = &sources[0].text;
        let decider = UppaalDecision.read(&sources, &options);
        let rechecker = UppaalRecheck.read(&sources, &options);
        let (decider, rechecker) = match (decider, rechecker) {
            (Ok(decider), Ok(rechecker)) => (decider, rechecker),
            (Err(own), Err(other)) => {
                assert_eq!(own, other, "seed {seed}");
                continue;
            }
            _ => panic!("seed {seed}: one of the two refuses it\n{text}"),
        };
        let read = hyperkill_uppaal::read(&sources, &options).expect("read before");
        let budget = Budget::unlimited();
        for (mutation, (mutant, problem)) in
            read.mutations.iter().zip(&rechecker.contents().catalogue)
        {
            assert_eq!(mutation.mutant, *mutant);
            let what = format!("seed {seed} {} {mutant:?}\n{text}", preset.name());
            let verdict = decider.decide(&mutant.id, None, &budget);
            *counts.entry(verdict.word()).or_default() += 1;
            assert_eq!(*problem, None, "{what}");
            assert_eq!(
                rechecker.recheck(&mutant.id, &verdict, &budget),
                Ok(()),
                "{what}"
            );
            // No other proof is accepted for it, and its proof is not accepted for others.
            if !matches!(verdict, Verdict::Inconsistent(_)) {
                let document = serde_json::json!({ "kind": "timed-inconsistency", "lost": [] });
                let other = Verdict::Inconsistent(document);
                assert!(
                    rechecker.recheck(&mutant.id, &other, &budget).is_err(),
                    "{what}"
                );
            }
            let Verdict::Killed(kill) = &verdict else {
                continue;
            };
            if kill.strength == Strength::Definite {
                *counts.entry("definite").or_default() += 1;
            }
            // Self-loops are added behind the mutation in `ecdar`, so there they do not hold.
            if mutation.meaning.is_some() && preset.rules() != Rules::ECDAR {
                let mutated = apply(text, mutant).expect("its place is there");
                assert!(
                    !is_deterministic(&mutated, &options),
                    "{:?} {what}",
                    mutation.meaning
                );
            }
        }
    }
    println!("{counts:?}");
    assert!(
        ["killed", "equivalent", "invalid", "definite"]
            .iter()
            .all(|word| counts[word] > 30)
    );
}

#[test]
fn a_test_kills_the_mutants_of_which_the_recheck_says_so() {
    let (mut kills, mut passes) = (0, 0);
    for seed in 0..cases(90) {
        let options = FrontendOptions::default();
        let sources = vec![SourceFile::new("model.xml", random(seed))];
        let sources = UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit");
        let (Ok(decider), Ok(rechecker)) = (
            UppaalDecision.read(&sources, &options),
            UppaalRecheck.read(&sources, &options),
        ) else {
            continue;
        };
        let budget = Budget::unlimited();
        let live = rechecker
            .contents()
            .catalogue
            .iter()
            .filter(|(_, problem)| problem.is_none());
        let ids: Vec<_> = live.map(|(mutant, _)| &mutant.id).collect();
        for id in ids.iter().step_by(7) {
            let Verdict::Killed(kill) = decider.decide(id, None, &budget) else {
                continue;
            };
            for other in ids.iter().step_by(3) {
                let found = decider.kills(&kill.model_run, other);
                for strength in [Strength::Definite, Strength::Potential] {
                    let checked = rechecker.recheck_kill(&kill.model_run, other, strength, &budget);
                    if found == Some(strength) {
                        assert_eq!(checked, Ok(()), "seed {seed} {id} {other}");
                        kills += 1;
                    } else if found.is_none() {
                        assert!(checked.is_err(), "seed {seed} {id} {other}");
                        passes += 1;
                    }
                }
            }
        }
    }
    println!("{kills} kills, {passes} passes");
    assert!(kills > 20 && passes > 100);
}
