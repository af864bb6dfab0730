//! What models mean: automata, mutants, and texts that were damaged.

use std::collections::BTreeMap;

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models::{LAMP, RICH, model};

fn cases(otherwise: u64) -> u64 {
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

#[test]
fn damaged_texts_are_read_or_refused_at_a_place_but_never_more() {
    for seed in 0..cases(1500) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut text: Vec<char> = [LAMP, RICH][(seed % 2) as usize].chars().collect();
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
        let text: String = text.into_iter().collect();
        let sources = prepared(&text);
        if let Err(errors) = read(&sources, &FrontendOptions::default()) {
            assert!(!errors.is_empty(), "seed {seed}");
            for error in errors {
                let span = error.span.unwrap_or_default();
                let text = &sources[0].text;
                let fits = span.start <= span.end && text.get(span.start..span.end).is_some();
                assert!(fits, "seed {seed}: {error:?}");
            }
        }
    }
}
