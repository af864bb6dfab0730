//! Models under `tests/models/action-system`: the checker agrees with the enumeration of runs on every mutant, in both readings.
//!
//! Manifests come from the interpreter and from people, see [`hyperkill_tests::action_systems`]. `UPDATE_EXPECTED=1` writes results of
//! the interpreter into them, never results of the checker; highlights stay.

use std::fs;

use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_evidence::verdict::{
    InputEnabled, Kill, Outcome, Potential, Property, Strength as Found, Stronger,
    Verdict as Decided,
};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{EventOptions, FrontendOptions};
use hyperkill_tests::action_systems::{Reading, Truth, compare};
use hyperkill_tests::common_states;
use hyperkill_tests::manifest::{
    Basis, Expected, Highlight, Manifest, Phi2, Phi3, Strength, Verdict,
};
use hyperkill_tests::models::{Model, action_system};
use rayon::prelude::*;

/// The largest number of positions that the interpreter explores for one mutant.
const POSITIONS: usize = 1 << 20;

/// A model, its options, and the sample of its mutants.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    file: &'static str,
    observe: Option<&'static str>,
    complete: bool,
    /// The stride of the sample: every mutant with 1, every other one with 2.
    stride: usize,
}

impl Case {
    fn usual(name: &'static str) -> Case {
        Case {
            name,
            file: "model.as",
            observe: None,
            complete: false,
            stride: 1,
        }
    }

    fn options(self) -> FrontendOptions {
        FrontendOptions {
            events: EventOptions {
                observe: self.observe.map(str::to_owned),
                complete: self.complete,
                ..EventOptions::default()
            },
            ..FrontendOptions::default()
        }
    }

    fn model(self) -> Model {
        action_system(self.name, self.file, &self.options())
    }

    /// Returns the interpreter's result for each mutant of the sample, with its index.
    fn truths(self, model: &Model) -> Vec<(usize, Truth)> {
        let text = fs::read_to_string(model.folder.join(self.file)).expect("the text");
        let has_inputs = text.contains("\ninput(");
        let reading = Reading {
            states_are_seen: self.observe == Some("state") || self.observe.is_none() && !has_inputs,
            complete: self.complete,
        };
        let chosen: Vec<usize> = (0..model.catalogue.len()).step_by(self.stride).collect();
        let truth = |index: usize| {
            let (mutant, rejected) = &model.catalogue[index];
            assert_eq!(*rejected, None, "{mutant:?}");
            let mutated = apply(&text, mutant).expect("a place of the text");
            let truth = compare(&text, &mutated, reading, POSITIONS);
            (
                index,
                truth.unwrap_or_else(|| panic!("too many positions: {mutant:?}")),
            )
        };
        chosen.into_par_iter().map(truth).collect()
    }
}

fn expected(model: &Model, index: usize, truth: &Truth) -> Expected {
    let (mutant, _) = &model.catalogue[index];
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (verdict, strength) = match truth {
        Truth {
            definite: Some(_), ..
        } => (Verdict::Killed, Some(Strength::Definite)),
        Truth {
            potential: Some(_), ..
        } => (Verdict::Killed, Some(Strength::Potential)),
        Truth {
            refuses: Some([true, _]),
            ..
        } => (Verdict::RefusesInput, None),
        Truth {
            refuses: Some([false, _]),
            ..
        } => (Verdict::Equivalent, None),
        // The interpreter left open whether the mutant refuses an input.
        Truth { refuses: None, .. } => (Verdict::Unknown, None),
    };
    Expected {
        id: mutant.id.to_string(),
        line: mutant.place.line,
        change: format!(
            "{}: {} ⇒ {}",
            mutant.operator,
            one_line(&mutant.original),
            one_line(&mutant.replacement)
        ),
        verdict,
        steps: truth.potential,
        strength,
        phi2: Some(truth.potential.map_or(Phi2::Equivalent, Phi2::Killed)),
        phi3: Some(
            truth
                .definite
                .map_or(Phi3::NotDefinitelyKillable, Phi3::Killed),
        ),
        basis: Basis::ExplicitState,
    }
}

/// Checks that the expectations of people (`highlights`) are those of the interpreter (`mutants`).
fn must_agree(model: &Model, highlights: &[Highlight], mutants: &[Expected]) {
    for highlight in highlights {
        let mut all = model.catalogue.iter().zip(mutants);
        let found = all.find(|((mutant, _), _)| {
            mutant.path == highlight.path && mutant.replacement == highlight.replacement
        });
        let (_, expected) =
            found.unwrap_or_else(|| panic!("{}: no mutant {highlight:?}", model.name));
        let said = (highlight.verdict, highlight.steps);
        assert_eq!(
            said,
            (expected.verdict, expected.steps),
            "{}: {highlight:?}",
            model.name
        );
    }
    assert!(highlights.len() >= 3, "{}: argue for more", model.name);
}

#[test]
fn manifests_say_what_sets_of_runs_say() {
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    for name in ["car-alarm", "lift", "token-ring"] {
        let case = Case::usual(name);
        let model = case.model();
        let old = Manifest::read(&model).unwrap_or_else(|error| panic!("{name}: {error}"));
        let truths = case.truths(&model);
        let mutants = truths
            .iter()
            .map(|(index, truth)| expected(&model, *index, truth));
        let new = Manifest {
            mutants: mutants.collect(),
            ..old.clone()
        };
        must_agree(&model, &new.highlights, &new.mutants);
        if update {
            new.write(&model).expect("a manifest that can be written");
            continue;
        }
        for (old, new) in old.mutants.iter().zip(&new.mutants) {
            assert_eq!(old, new, "{name}: UPDATE_EXPECTED=1 rewrites it");
        }
        assert_eq!(old, new, "{name}: UPDATE_EXPECTED=1 rewrites it");
    }
}

/// The till has twenty thousand states, so its manifest contains only results argued by people, without a list of all mutants.
#[test]
fn a_walk_over_common_states_confirms_what_people_expect_of_a_till() {
    let model = Case::usual("till").model();
    let manifest = Manifest::read(&model).expect("a manifest");
    let truths = by_common_states(&model, 1);
    let mutants = truths
        .iter()
        .map(|(index, truth)| expected(&model, *index, truth));
    must_agree(&model, &manifest.highlights, &mutants.collect::<Vec<_>>());
}

/// Returns the results of a search over common states for every `stride`-th mutant, with its index.
fn by_common_states(model: &Model, stride: usize) -> Vec<(usize, Truth)> {
    let text = fs::read_to_string(model.folder.join("model.as")).expect("the text");
    let chosen: Vec<usize> = (0..model.catalogue.len()).step_by(stride).collect();
    let truth = |index: usize| {
        let mutated = apply(&text, &model.catalogue[index].0).expect("a place of the text");
        (index, common_states::compare(&text, &mutated))
    };
    chosen.into_par_iter().map(truth).collect()
}

#[test]
fn a_walk_over_common_states_says_what_sets_of_runs_say() {
    let case = Case {
        stride: 4,
        ..Case::usual("car-alarm")
    };
    let model = case.model();
    for ((index, walked), (_, truth)) in by_common_states(&model, 4).iter().zip(case.truths(&model))
    {
        let who = &model.catalogue[*index].0;
        assert_eq!(walked.potential, truth.potential, "{who:?}");
        if walked.definite.is_some() {
            assert_eq!(walked.definite, truth.definite, "{who:?}");
        }
        if walked.refuses.is_some() {
            assert_eq!(walked.refuses, truth.refuses, "{who:?}");
        }
    }
}

/// Checks that a kill is possible, and that its length and strength are correct. `who` names the mutant in messages.
fn must_be_a_kill(kill: &Kill, truth: &Truth, who: &str) {
    let least = match kill.strength {
        Found::Definite => truth.definite,
        _ => truth.potential,
    };
    let least = least.unwrap_or_else(|| panic!("{who}: killed ({})", kill.strength));
    let steps = kill.steps();
    match kill.shortest {
        true => assert_eq!(steps, least, "{who}: {truth:?}"),
        false => assert!(steps >= least, "{who}: {steps} steps, and {truth:?}"),
    }
    if let Stronger::Excluded(_) = kill.stronger {
        assert_eq!(truth.definite, None, "{who}: only potential");
    }
}

/// Compares an outcome with the interpreter's result. `who` names the mutant in messages.
pub(crate) fn must_be_true(outcome: &Outcome, truth: &Truth, who: &str) {
    match &outcome.verdict {
        Decided::Killed(kill) => must_be_a_kill(kill, truth, who),
        Decided::NotDefinitelyKillable { potential, .. } => {
            assert_eq!(truth.definite, None, "{who}: not definitely killable");
            match potential {
                Potential::Killed(kill) => must_be_a_kill(kill, truth, who),
                Potential::Unsettled { known_to, .. } => {
                    let steps = truth.potential.unwrap_or(usize::MAX);
                    assert!(*known_to < steps, "{who}: no test of {known_to} steps?");
                }
            }
        }
        Decided::Equivalent(_) => {
            assert_eq!(truth.potential, None, "{who}: equivalent");
            let refuses = truth.refuses.map(|refuses| refuses[0]);
            assert_eq!(refuses, Some(false), "{who}: equivalent");
        }
        Decided::RefusesInput { .. } => {
            assert_eq!(truth.potential, None, "{who}: refuses");
            let refuses = truth.refuses.map(|refuses| refuses[0]);
            assert_eq!(refuses, Some(true), "{who}: refuses");
        }
        Decided::Unknown { known_to, .. } => {
            let steps = match outcome.property {
                Some(Property::Phi3 | Property::Phi4) => truth.definite,
                _ => truth.potential,
            };
            let steps = steps.unwrap_or(usize::MAX);
            assert!(*known_to < steps, "{who}: no test of {known_to} steps?");
        }
        other => panic!("{who}: {}", other.word()),
    }
    let Some([mutant, model]) = truth.refuses else {
        return;
    };
    match &outcome.input_enabled {
        InputEnabled::Equally(_) => assert_eq!([mutant, model], [false, false], "{who}"),
        InputEnabled::Differently {
            mutant_refuses: true,
            ..
        } => assert!(mutant, "{who}: {truth:?}"),
        InputEnabled::Differently { .. } => assert!(model && !mutant, "{who}: {truth:?}"),
        InputEnabled::Unsettled => {}
    }
}

/// Returns the word for a verdict, with the strength of a kill.
pub(crate) fn word(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Decided::Killed(kill) => format!("killed ({})", kill.strength),
        other => other.word().to_owned(),
    }
}

/// Decides the mutants of the sample, and returns the numbers of verdicts as text.
fn decide(case: Case) -> String {
    let model = case.model();
    let truths = case.truths(&model);
    let ids = model.system.selector_ids();
    let mutants: Vec<_> = ids.step_by(case.stride).collect();
    let options = Options {
        ask: Ask::Auto,
        turns: Some(4),
        mutants,
        fold_duplicates: false,
        ..Options::all(&model.system)
    };
    let report = decide_all(&model.system, &options, &Budget::unlimited(), &mut Silent)
        .unwrap_or_else(|error| panic!("{}: {error}", model.name));
    assert_eq!(report.outcomes.len(), truths.len());
    let mut words = std::collections::BTreeMap::<String, usize>::new();
    for (outcome, (index, truth)) in report.outcomes.iter().zip(&truths) {
        let (mutant, _) = &model.catalogue[*index];
        assert_eq!(outcome.mutant, mutant.id);
        let who = format!(
            "{}, line {}: {} ⇒ {}",
            case.name, mutant.place.line, mutant.original, mutant.replacement
        );
        must_be_true(outcome, truth, &who);
        *words.entry(word(outcome)).or_default() += 1;
    }
    let undecided = words.get("unknown").copied().unwrap_or_default();
    assert!(undecided * 50 <= truths.len(), "more than 2 %: {words:?}");
    format!(
        "{} {} {:?} {}: {words:?}",
        case.name, case.file, case.observe, case.complete
    )
}

#[test]
fn the_checker_says_what_sets_of_runs_say_of_some_mutants_of_a_lift() {
    let case = Case {
        stride: 9,
        ..Case::usual("lift")
    };
    println!("{}", decide(case));
}

#[test]
#[ignore = "minutes"]
fn the_checker_says_what_sets_of_runs_say_of_refinement() {
    for name in ["car-alarm", "lift", "token-ring"] {
        println!("{}", decide(Case::usual(name)));
    }
}

#[test]
#[ignore = "minutes"]
fn the_checker_says_what_sets_of_runs_say_of_a_till_that_counts_to_ten_thousand() {
    println!("{}", decide(Case::usual("till")));
}

#[test]
#[ignore = "minutes"]
fn the_checker_says_what_sets_of_runs_say_where_only_outputs_are_seen() {
    let case = Case {
        observe: Some("outputs"),
        stride: 1,
        ..Case::usual("token-ring")
    };
    println!("{}", decide(case));
}

#[test]
#[ignore = "minutes"]
fn the_checker_says_what_sets_of_runs_say_of_complete_systems() {
    for (name, stride) in [("car-alarm", 4), ("token-ring", 1)] {
        let case = Case {
            stride,
            complete: true,
            ..Case::usual(name)
        };
        println!("{}", decide(case));
    }
}

#[test]
#[ignore = "minutes"]
fn the_checker_says_what_sets_of_runs_say_of_the_car_alarm_in_all_readings() {
    for (file, observe, complete) in [
        ("model.as", Some("outputs"), false),
        ("inputs.as", None, false),
        ("inputs.as", Some("state"), false),
        ("inputs.as", None, true),
    ] {
        let case = Case {
            file,
            observe,
            complete,
            stride: 4,
            ..Case::usual("car-alarm")
        };
        println!("{}", decide(case));
    }
}
