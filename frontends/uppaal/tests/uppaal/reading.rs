//! The meaning of models: automata, mutants, and damaged texts.

use std::collections::BTreeMap;

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, NamePredicate, ProcessOptions, SourceFile, apply,
};
use hyperkill_uppaal::compose::{Together, together};
use hyperkill_uppaal::ecdar::EcdarFrontend;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models::{LAMP, RICH, model};

pub(crate) fn cases(otherwise: u64) -> u64 {
    let said = std::env::var("HYPERKILL_CASES").ok();
    said.map_or(otherwise, |text| text.parse().expect("a number"))
}

fn prepared(text: &str) -> Vec<SourceFile> {
    let sources = vec![SourceFile::new("model.xml", text)];
    UppaalFrontend
        .prepare(sources, &FrontendOptions::default())
        .expect("no options")
}

#[test]
fn data_functions_and_parameters_are_unfolded() {
    let automaton = read_automaton(RICH, &FrontendOptions::default()).expect("a model");
    // Three clocks of the process, and the one that is 0 where time stops; y[1] counts only if it is turn 2, which comes.
    assert_eq!(automaton.clocks, ["w", "y[0]", "y[1]", "urgent"]);
    let names: Vec<&str> = automaton
        .locations
        .iter()
        .map(|l| l.name.as_str())
        .collect();
    assert!(
        names[0].starts_with("Start[") && names[0].contains("turn=1"),
        "{names:?}"
    );
    assert!(
        names
            .iter()
            .any(|name| name.starts_with("Middle") && name.contains("total=4")),
        "{names:?}"
    );
    let actions = automaton.actions(true);
    assert_eq!(
        actions.into_iter().collect::<Vec<_>>(),
        ["tick[0]", "tick[2]"]
    );
    let outputs = automaton.actions(false);
    assert_eq!(outputs.into_iter().collect::<Vec<_>>(), ["done", "tau"]);
    let at_most = |clock, constant| Atom {
        clock,
        relation: Relation::AtMost,
        constant,
    };
    assert_eq!(
        automaton.locations[0].invariant,
        [at_most(0, 5), at_most(1, 6)]
    );
    let middle = automaton
        .locations
        .iter()
        .position(|l| l.name.starts_with("Middle"));
    assert_eq!(
        automaton.locations[middle.expect("reached")].invariant,
        [at_most(3, 0)]
    );
    let silent = automaton
        .edges
        .iter()
        .filter(|edge| edge.action.name == "tau");
    let guards: Vec<usize> = silent.map(|edge| edge.guard.len()).collect();
    assert!(
        !guards.is_empty()
            && guards.iter().all(|count| *count == 1)
            && guards.len().is_multiple_of(2)
    );
}

#[test]
fn time_stops_while_an_urgent_output_is_possible() {
    let template = "<template><name>P</name><location id=\"a\"/><location id=\"b\"/><init ref=\"a\"/><transition><source ref=\"a\"/>\
         <target ref=\"b\"/><label kind=\"synchronisation\">now!</label></transition></template>";
    let text = model("urgent broadcast chan now;", template, "system P;");
    let automaton = read_automaton(&text, &FrontendOptions::default()).expect("a model");
    let invariants: Vec<usize> = automaton
        .locations
        .iter()
        .map(|l| l.invariant.len())
        .collect();
    assert_eq!(invariants, [1, 0]);
}

#[test]
fn every_operator_makes_its_mutants_and_each_is_a_text_that_is_read() {
    let sources = prepared(LAMP);
    let options = FrontendOptions::default();
    let model = read(&sources, &options).expect("a model");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for mutation in &model.mutations {
        let mutant = &mutation.mutant;
        *counts.entry(mutant.operator.as_str()).or_default() += 1;
        let text = apply(&sources[0].text, mutant).expect("its place is there");
        let automaton = read_automaton(&text, &options);
        let automaton = automaton.unwrap_or_else(|errors| panic!("{mutant:?}: {errors:?}"));
        assert_ne!(automaton, model.automaton, "{mutant:?}");
    }
    let expected = [
        ("CCN", 3),
        ("CXL", 6),
        ("CXS", 3),
        ("SMI", 5),
        ("TAD", 72),
        ("TMI", 7),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn smaller_constants_stay_at_one_at_least_and_equalities_are_not_negated() {
    let place = |guard: &str| {
        let text = model(
            "const int N = 1;",
            &crate::models::template(guard, ""),
            "system P;",
        );
        let sources = prepared(&text);
        let model = read(&sources, &FrontendOptions::default()).expect("a model");
        let changed = model.mutations.into_iter().map(|mutation| mutation.mutant);
        let changed =
            changed.filter(|mutant| !["TAD", "TMI", "SMI"].contains(&mutant.operator.as_str()));
        changed
            .map(|m| format!("{} {}", m.operator, m.replacement))
            .collect::<Vec<String>>()
    };
    assert_eq!(place("x &lt;= 1"), ["CXL 2", "CCN x &gt; 1"]);
    assert_eq!(place("x == 2"), ["CXL 3", "CXS 1"]);
    assert_eq!(
        place("N + 1 &lt; x"),
        ["CXL (N + 1) + 1", "CXS (N + 1) - 1", "CCN N + 1 &gt;= x"]
    );
    assert_eq!(place("<![CDATA[x < 3]]>"), ["CXL 4", "CXS 2", "CCN x >= 3"]);
    assert_eq!(place("x &lt; 3 &amp;&amp; x &gt; 1"), [] as [&str; 0]);
    assert_eq!(place("N == 1"), [] as [&str; 0]);
}

/// Returns the text with one to three random changes.
pub(crate) fn damaged(random: &mut ChaCha8Rng, text: &str) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..text.len());
        let to = (at + random.random_range(1..12)).min(text.len());
        match random.random_range(0..4) {
            0 => drop(text.drain(at..to)),
            1 => {
                let copied: Vec<char> = text[at..to].to_vec();
                let target = random.random_range(0..text.len());
                text.splice(target..target, copied);
            }
            2 => {
                let odd = [
                    '<', '&', '(', ')', '{', '}', '[', ']', '\'', '"', 'é', '9', '-', '=', ';',
                    '\u{0}',
                ];
                text.insert(at, odd[random.random_range(0..odd.len())]);
            }
            _ => text[at] = char::from(random.random_range(32..127_u8)),
        }
    }
    text.into_iter().collect()
}

/// Checks that there are errors, and that their places are in the text.
pub(crate) fn assert_placed(errors: Vec<Diagnostic>, text: &str, what: &str) {
    assert!(!errors.is_empty(), "{what}");
    for error in errors {
        let span = error.span.unwrap_or_default();
        let fits = span.start <= span.end && text.get(span.start..span.end).is_some();
        assert!(fits, "{what}: {error:?}");
    }
}

#[test]
fn damaged_texts_are_read_or_refused_at_a_place_but_never_more() {
    for seed in 0..cases(1500) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let text = damaged(&mut random, [LAMP, RICH][(seed % 2) as usize]);
        let what = format!("seed {seed}");
        let source = vec![SourceFile::new("model.xml", text.as_str())];
        let sources = match UppaalFrontend.prepare(source, &FrontendOptions::default()) {
            Ok(sources) => sources,
            // A text that is no XML is read as the textual format.
            Err(errors) => {
                assert_placed(errors, &text, &what);
                continue;
            }
        };
        match read(&sources, &FrontendOptions::default()) {
            Err(errors) => assert_placed(errors, &sources[0].text, &what),
            Ok(model) => {
                // A model that can be read can be written for other tools, and is completed or refused.
                let last = model.mutations.last().map(|mutation| &mutation.mutant);
                let mutant = last.map(|mutant| apply(&sources[0].text, mutant).expect("its place"));
                let options = FrontendOptions::default();
                if let Some(Ok((emitted, _))) = mutant.map(|m| UppaalFrontend.emitted(&m, &options))
                {
                    let again = read_automaton(&emitted, &options);
                    assert!(again.is_ok(), "{what}: {again:?}\n{emitted}");
                }
                let options = FrontendOptions {
                    processes: ProcessOptions {
                        totalise: Some(["sink", "self-loop"][(seed / 2 % 2) as usize].to_owned()),
                        ..options.processes
                    },
                    ..options
                };
                let source = vec![SourceFile::new("model.xml", text.as_str())];
                match UppaalFrontend.prepare(source, &options) {
                    Err(errors) => assert_placed(errors, &text, &what),
                    Ok(sources) => {
                        let read = read_automaton(&sources[0].text, &options);
                        assert!(read.is_ok(), "{what}: {read:?}\n{}", sources[0].text);
                    }
                }
            }
        }
    }
}

#[test]
fn texts_and_cdata_side_by_side_are_one_text() {
    let whole = read_automaton(RICH, &FrontendOptions::default()).expect("a model");
    // The declaration of new channels stands in front of the CDATA.
    let prepared = prepared(RICH);
    let read = read_automaton(&prepared[0].text, &FrontendOptions::default());
    assert_eq!(read.expect("a model"), whole);
    let parts = model(
        "int i; <![CDATA[int[0,3] ]]>j<!-- here --> <![CDATA[= 1;]]> chan a;",
        "<template><name>P</name><location id=\"l\"/><init ref=\"l\"/><transition><source ref=\"l\"/><target ref=\"l\"/>\
         <label kind=\"guard\" x=\"1\" >j &lt; <![CDATA[2 && i < 1]]></label><label kind=\"synchronisation\">a?</label>\
         </transition></template>",
        "system P;",
    );
    let read = read_automaton(&parts, &FrontendOptions::default()).expect("a model");
    assert_eq!(read.edges.len(), 1);
}

const DOOR: &str = r#"{ "name": "Door", "declarations": "clock x; int[0,1] v;",
  "locations": [ { "id": "L0", "nickname": "Shut", "invariant": "", "type": "INITIAL", "urgency": "NORMAL" },
                 { "id": "L1", "nickname": "", "invariant": "x<=2 && v == 0", "type": "NORMAL", "urgency": "URGENT" } ],
  "edges": [ { "sourceLocation": "L0", "targetLocation": "L1", "status": "INPUT", "update": "x=0, v = 0", "sync": "push" },
             { "sourceLocation": "L1", "targetLocation": "L0", "status": "OUTPUT", "guard": "x>=1 && x<2", "sync": "click" } ] }"#;

#[test]
fn damaged_projects_are_read_or_refused_at_a_place_but_never_more() {
    let mut read_ones = 0;
    for seed in 0..cases(1500) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let text = damaged(&mut random, DOOR);
        let options = FrontendOptions::default();
        let source = vec![SourceFile::new("Door.json", text.as_str())];
        match EcdarFrontend.prepare(source, &options) {
            Err(errors) => assert_placed(errors, &text, &format!("seed {seed}")),
            Ok(sources) => match read(&sources, &options) {
                Err(errors) => assert_placed(errors, &sources[0].text, &format!("seed {seed}")),
                Ok(_) => read_ones += 1,
            },
        }
    }
    println!("{read_ones} are read");
    assert!(read_ones > 20);
}

#[test]
fn mutants_with_new_transitions_are_models_where_inputs_and_outputs_are_listed() {
    let text = "<nta><declaration>chan a, b;</declaration><template><name>P</name><location id=\"l\"/><init ref=\"l\"/>\
                <transition><source ref=\"l\"/><target ref=\"l\"/><label kind=\"synchronisation\">a?</label></transition>\
                </template><system>system P; IO P { a?, b! }</system></nta>";
    for order in [1, 2] {
        let options = FrontendOptions {
            order: Some(order),
            ..FrontendOptions::default()
        };
        let sources = vec![SourceFile::new("model.xml", text)];
        let sources = UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit");
        let mutations = read(&sources, &options).expect("a model").mutations;
        assert_eq!(mutations.len(), if order == 1 { 3 } else { 2 + 4 + 4 });
        for mutation in mutations {
            let mutant = apply(&sources[0].text, &mutation.mutant).expect("its place is there");
            let read = read_automaton(&mutant, &options);
            assert!(read.is_ok(), "{:?}: {read:?}", mutation.mutant);
        }
    }
    // A name of the file's own is not let through.
    let wrong = text
        .replace("a?</label>", "added_input?</label>")
        .replace("chan a, b", "chan b, added_input");
    let read = read_automaton(&wrong, &FrontendOptions::default());
    assert!(read.is_err_and(|errors| errors[0].message.contains("IO")));
}

#[test]
fn operators_on_request_make_models_that_differ_in_what_they_say() {
    let text = "<nta><declaration>chan a, b;</declaration><template><name>P</name><declaration>clock x, y;</declaration>\
                <location id=\"l\"><label kind=\"invariant\">x &lt;= 5 &amp;&amp; y &lt;= 6</label></location>\
                <location id=\"m\"/><init ref=\"l\"/>\
                <transition><source ref='l'/><target ref=\"m\"/><label kind=\"guard\">x &gt; 2 &amp;&amp; y &lt; 4</label>\
                <label kind=\"synchronisation\">a?</label><label kind=\"assignment\">x = 0</label></transition>\
                <transition><source ref=\"m\"/><target ref=\"l\"/><label kind=\"synchronisation\">b!</label></transition>\
                </template><system>system P;</system></nta>";
    let expected = [
        ("CAL", 4),
        ("CAS", 4),
        ("CAN", 2),
        ("CSL", 2),
        ("CTL", 2),
        ("CAC", 2),
        ("IRS", 4),
        ("TAX", 8),
    ];
    let original = read_automaton(text, &FrontendOptions::default()).expect("a model");
    for (operator, count) in expected {
        let options = FrontendOptions {
            operators: Some(NamePredicate::names([operator])),
            ..FrontendOptions::default()
        };
        let sources = prepared(text);
        let mutations = read(&sources, &options).expect("a model").mutations;
        assert_eq!(mutations.len(), count, "{operator}");
        for mutation in mutations {
            let mutant = apply(&sources[0].text, &mutation.mutant).expect("its place is there");
            let read = read_automaton(&mutant, &options);
            let read = read.unwrap_or_else(|errors| panic!("{:?}: {errors:?}", mutation.mutant));
            assert_ne!(read, original, "{:?}", mutation.mutant);
            assert_eq!(mutation.meaning, None);
        }
    }
    let usual = read(&prepared(text), &FrontendOptions::default()).expect("a model");
    let mut names = usual.mutations.iter().map(|m| m.mutant.operator.as_str());
    assert!(names.all(|name| expected.iter().all(|(other, _)| *other != name)));
}

#[test]
fn mutants_for_other_tools_are_the_same_automata_and_name_all_that_they_know() {
    let with_io = LAMP.replace("system Lamp;", "system Lamp; IO Lamp { press? }");
    for text in [LAMP.to_owned(), with_io] {
        let sources = prepared(&text);
        let options = FrontendOptions::default();
        let Ok(model) = read(&sources, &options) else {
            // An output that is not listed is refused.
            assert!(text.contains("IO"));
            continue;
        };
        for mutation in model.mutations {
            let mutant = apply(&sources[0].text, &mutation.mutant).expect("its place is there");
            let (emitted, extension) = UppaalFrontend.emitted(&mutant, &options).expect("a model");
            assert_eq!(extension, Some("xml"));
            let own = read_automaton(&mutant, &options).expect("a model");
            let mut other = read_automaton(&emitted, &options).expect("a model");
            for action in own.edges.iter().map(|edge| &edge.action) {
                assert!(other.declared.contains(action), "{action:?}\n{emitted}");
            }
            other.declared.clone_from(&own.declared);
            assert_eq!(own, other, "{emitted}");
        }
    }
}

#[test]
fn clocks_of_one_name_are_told_apart() {
    let text = "<nta><declaration>clock x;</declaration><template><name>P</name><parameter>clock &amp;y</parameter>\
                <declaration>clock x;</declaration>\
                <location id=\"l\"><label kind=\"invariant\">x &lt;= 5 &amp;&amp; y &lt;= 6</label></location>\
                <init ref=\"l\"/></template><system>Q = P(x); system Q;</system></nta>";
    let automaton = read_automaton(text, &FrontendOptions::default()).expect("a model");
    assert_eq!(automaton.clocks, ["x", "x#2"]);
    let both = together(&automaton, &automaton, Together::Conjunction).expect("they fit");
    assert_eq!(both.clocks, ["x", "x#2", "x#3", "x#2#2"]);
}
