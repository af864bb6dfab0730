//! Models that are completed before mutation: every input is accepted everywhere, and nothing else changes.

use std::path::Path;

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Rules;
use hyperkill_core::verdict::Verdict;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_timed::federation::Federation;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::ecdar::EcdarFrontend;
use hyperkill_uppaal::rules::with_self_loops;
use hyperkill_uppaal::{UppaalFrontend, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

use crate::random_models::{cases, random};

fn completed(text: &str, how: Option<&str>) -> Option<Side> {
    let options = FrontendOptions {
        processes: ProcessOptions {
            totalise: how.map(str::to_owned),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, &options).ok()?;
    let automaton = read_automaton(&sources[0].text, &options).ok()?;
    Some(Side::new(automaton, false, &Budget::unlimited()).expect("no limit"))
}

/// Whether every input that the automaton knows is accepted wherever the invariant holds.
fn accepts_all(side: &Side) -> bool {
    let inputs = side.automaton.actions(true);
    (0..side.automaton.locations.len()).all(|location| {
        inputs.iter().all(|input| {
            let leaving = side.automaton.leaving(location);
            let accepting = leaving.filter(|(_, e)| e.action.is_input && e.action.name == *input);
            let sets = accepting.map(|(number, _)| side.enabled[number].clone());
            let nothing = Federation::empty(side.automaton.clocks.len());
            let accepted = sets.fold(nothing, Federation::or);
            accepted.includes(&side.allowed[location])
        })
    })
}

fn refines(mutant: &Side, model: &Side) -> bool {
    let rules = Rules {
        is_pruned: false,
        ..Rules::STRICT
    };
    let found = refine(mutant, model, rules, None, &Budget::unlimited());
    matches!(found, Found::Refines(_))
}

#[test]
fn a_completed_model_accepts_every_input_everywhere_and_is_the_same_besides() {
    let (mut completed_ones, mut open, mut compared) = (0, 0, 0);
    for seed in 0..cases(200) {
        let text = random(seed);
        let Some(plain) = completed(&text, None) else {
            continue;
        };
        let (Some(looping), Some(sink)) = (
            completed(&text, Some("self-loop")),
            completed(&text, Some("sink")),
        ) else {
            panic!("seed {seed}: it is not completed\n{text}");
        };
        for side in [&looping, &sink] {
            assert!(accepts_all(side), "seed {seed}\n{text}");
            assert_eq!(
                side.ambiguity().is_some(),
                plain.ambiguity().is_some(),
                "seed {seed}\n{text}"
            );
        }
        completed_ones += 1;
        open += usize::from(!accepts_all(&plain));
        let starts = plain.is_consistent() && plain.ambiguity().is_none();
        if !starts {
            continue;
        }
        let budget = Budget::unlimited();
        let loops = with_self_loops(plain.automaton.clone());
        let loops = Side::new(loops, false, &budget).expect("no limit");
        // Inputs that occur only in unreachable places occur in the text, but not in the automaton.
        if looping.automaton.actions(true) == loops.automaton.actions(true) {
            let same = refines(&looping, &loops) && refines(&loops, &looping);
            assert!(same, "seed {seed}\n{text}");
            compared += 1;
        }
        assert!(refines(&sink, &plain), "seed {seed}\n{text}");
    }
    println!("{completed_ones} completed, {open} had inputs left open, {compared} compared");
    assert!(completed_ones > 100 && open > 50 && compared > 30);
}

#[test]
fn nothing_is_added_where_bounds_show_that_an_input_is_always_accepted() {
    // The clock is set where the limit is tested, and a guard has all that an invariant leaves.
    let text = |reset: &str, guard: &str| {
        format!(
            "<nta><declaration>chan a, b, c; const int LIMIT = 5;</declaration><template><name>P</name><declaration>clock x;</declaration>\
             <location id=\"l\"><label kind=\"invariant\">x &lt;= 9</label></location>\
             <location id=\"m\"><label kind=\"invariant\">x &lt;= LIMIT</label></location><init ref=\"l\"/>\
             <transition><source ref=\"l\"/><target ref=\"m\"/><label kind=\"guard\">{guard}</label>\
             <label kind=\"synchronisation\">a?</label><label kind=\"assignment\">{reset}</label></transition>\
             <transition><source ref=\"m\"/><target ref=\"l\"/><label kind=\"synchronisation\">c!</label></transition>\
             <transition><source ref=\"l\"/><target ref=\"l\"/><label kind=\"synchronisation\">c!</label></transition>\
             </template><system>system P;</system></nta>"
        )
    };
    let added = |reset: &str, guard: &str| {
        let side = completed(&text(reset, guard), Some("sink")).expect("a model");
        assert!(accepts_all(&side));
        side.automaton.edges.len() - 3
    };
    // The other location, and the sink's own loop.
    assert_eq!(added("x = 0", "x &lt;= 9"), 2);
    assert_eq!(added("x = 2 * 2", "true"), 2);
    // Here the input is refused at some times, or at all.
    assert_eq!(added("x = 0", "x &lt;= 8"), 3);
    assert_eq!(added("", "x &lt;= 9"), 3);
    assert_eq!(added("x = LIMIT + 1", "x &lt;= 9"), 3);
}

/// Reads the files of the car alarm among projects of Ecdar; `None` if they are not there.
pub(crate) fn car_alarm() -> Option<Vec<SourceFile>> {
    let folder = std::env::var("HYPERKILL_MODELS").ok()?;
    let folder = Path::new(&folder).join("ecdar/Reveaal/samples/json/CarAlarm/Model");
    let files = [
        "Components/Alarm.json",
        "Components/Env.json",
        "GlobalDeclarations.json",
        "SystemDeclarations.json",
    ];
    let read = |file: &&str| {
        Some(SourceFile::new(
            *file,
            std::fs::read_to_string(folder.join(file)).ok()?,
        ))
    };
    files.iter().map(read).collect()
}

#[test]
fn completed_with_a_sink_the_car_alarm_has_mutants_that_violate_guidelines_and_are_killed() {
    let Some(sources) = car_alarm() else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so the car alarm is not completed");
        return;
    };
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: Some("Alarm".to_owned()),
            totalise: Some("sink".to_owned()),
            semantics: Some("verifytga".to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = EcdarFrontend
        .prepare(sources, &options)
        .expect("options fit");
    let decider = UppaalDecision.read(&sources, &options).expect("a model");
    let rechecker = UppaalRecheck
        .read(&sources, &options)
        .expect("the same model");
    let read = hyperkill_uppaal::read(&sources, &options).expect("the same model");
    let budget = Budget::unlimited();
    let (mut counts, mut violating) = ([0; 3], 0);
    let mut killed = Vec::new();
    for mutation in &read.mutations {
        let id = &mutation.mutant.id;
        let verdict = decider.decide(id, None, &budget);
        assert_eq!(rechecker.recheck(id, &verdict, &budget), Ok(()));
        violating += usize::from(mutation.meaning.is_some());
        match verdict {
            Verdict::Killed(_) => {
                counts[0] += 1;
                if mutation.meaning.is_some() {
                    let is_needless = rechecker.contents().needless.contains(id);
                    killed.push((mutation.mutant.operator.clone(), is_needless));
                }
            }
            Verdict::Equivalent(_) => counts[1] += 1,
            Verdict::Inconsistent(_) => counts[2] += 1,
            other => panic!("{:?}: {other:?}", mutation.mutant),
        }
    }
    println!(
        "{} mutants, {counts:?}, {violating} violating, of them killed: {killed:?}",
        read.mutations.len()
    );
    // 85 transitions, as many as by hand: none is added where an input is always accepted.
    let of = |operator: &str| {
        let mutations = read.mutations.iter();
        mutations.filter(|m| m.mutant.operator == operator).count()
    };
    assert_eq!((read.mutations.len(), of("TMI")), (734, 85));
    // Their larger or smaller constant meets the sink's guard, so that they are not deterministic.
    assert_eq!(killed.len(), 8);
    assert!(killed.iter().all(|(_, is_needless)| !is_needless));
}
