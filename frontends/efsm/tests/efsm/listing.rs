//! A list without a circuit has the mutants of the circuit, and all of them are models.

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::system::Translation;
use hyperkill_efsm::{MachineFrontend, read, read_models};
use hyperkill_frontend::{
    EventOptions, Frontend, FrontendOptions, Listed, NamePredicate, SourceFile, apply,
};
use hyperkill_guarded::interpret::{initial, occurrences};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::tree::System;

use crate::random::{cases, machine};
use crate::sizes::ring;
use crate::steps::given;
use crate::support::{Circuit, everything};
use crate::walks::{random, shop};

/// Every how many mutants one is decided on the circuit.
const ASKED: usize = 5;

fn listed(
    frontend: &dyn Frontend,
    source: &SourceFile,
    options: &FrontendOptions,
    shows_ports: bool,
) -> Option<Translation> {
    let listed = frontend.listed(std::slice::from_ref(source), options, shows_ports);
    match listed.unwrap_or_else(|errors| panic!("{errors:#?}\n{}", source.text)) {
        Listed::Ports(translation) => Some(translation),
        Listed::Whole(_) => None,
    }
}

/// Whether a variant (a mutant or the original) can make a first step.
fn begins(model: &Model<'_>, circuit: &Circuit) -> bool {
    let state = initial(model);
    let variables = model.system.variables.iter().zip(&state);
    let here: Vec<(String, Value)> = variables
        .map(|(variable, value)| (variable.name.text.clone(), value.clone()))
        .collect();
    let mut offers = (0..model.events.len()).flat_map(|event| occurrences(model, event));
    offers.any(|offer| {
        let given = given(model, &offer);
        let given: Vec<(&str, Value)> = given
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        !circuit.shown(&here, &given).is_empty()
    })
}

/// Checks that the listings of a system, without and with ports, have the mutants and warnings of its translation. Returns for each listing
/// whether it is made without a circuit.
fn compare(
    frontend: &dyn Frontend,
    source: &SourceFile,
    system: &System,
    options: &FrontendOptions,
) -> [bool; 2] {
    let whole = frontend.translate(std::slice::from_ref(source), options);
    let whole = whole.unwrap_or_else(|errors| panic!("{errors:#?}\n{}", source.text));
    let [plain, ports] = [false, true].map(|ports| listed(frontend, source, options, ports));
    for found in [&plain, &ports].into_iter().flatten() {
        assert_eq!(found.catalogue, whole.catalogue, "{}", source.text);
        assert_eq!(found.warnings, whole.warnings, "{}", source.text);
        assert_eq!(found.role_notes, whole.role_notes, "{}", source.text);
        assert_eq!(found.places, whole.places, "{}", source.text);
    }
    if let Some(found) = &ports {
        let (found, whole) = (&found.system, &whole.system);
        assert_eq!(found.inputs, whole.inputs, "{}", source.text);
        assert_eq!(found.events, whole.events, "{}", source.text);
        let outputs = |system: &hyperkill_core::system::TransitionSystem| {
            let outputs = system.outputs.iter();
            let described = outputs.map(|o| (o.name.clone(), system.terms.sort(o.term).clone()));
            described.collect::<Vec<_>>()
        };
        assert_eq!(outputs(found), outputs(whole), "{}", source.text);
    }
    if plain.is_some() {
        let model = check(system).expect("a model");
        let live = (whole.catalogue.iter()).filter(|(_, problem)| problem.is_none());
        for index in (0..live.count()).step_by(ASKED) {
            let circuit = Circuit::new(&whole, Variant::Mutant(SelectorId(index)));
            assert!(begins(&model, &circuit), "mutant {index}\n{}", source.text);
        }
        let circuit = Circuit::new(&whole, Variant::Original);
        assert!(begins(&model, &circuit), "the original of\n{}", source.text);
    }
    [plain.is_some(), ports.is_some()]
}

#[test]
fn machines_are_listed_as_their_circuits_say() {
    let mut counts = [0, 0];
    for seed in 0..cases(40) {
        let source = SourceFile::new("random.efsm", machine(seed));
        let system = read(&source).expect("a machine").system;
        for complete in [false, true] {
            let found = compare(
                &MachineFrontend::Efsm,
                &source,
                &system,
                &everything(complete),
            );
            counts[0] += usize::from(found[0]);
            counts[1] += usize::from(found[1]);
        }
    }
    println!("{counts:?} without a circuit");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn walks_are_listed_as_their_circuits_say() {
    let mut counts = [0, 0];
    let sources = (0..cases(40)).map(random).chain([shop()]);
    for source in sources {
        let options = FrontendOptions {
            events: EventOptions {
                ranges: vec![("global.x".to_owned(), (0, 4)), ("x".to_owned(), (0, 4))],
                ..everything(false).events
            },
            ..everything(false)
        };
        let given = options.events.ranges.iter().filter(|(name, _)| {
            let alone = std::slice::from_ref(&(name.clone(), (0, 4))).to_vec();
            read_models(&source, &alone).is_ok()
        });
        let ranges: Vec<_> = given.cloned().collect();
        let options = FrontendOptions {
            events: EventOptions {
                ranges,
                ..options.events
            },
            ..options
        };
        let Ok(system) = read_models(&source, &options.events.ranges) else {
            continue;
        };
        let found = compare(&MachineFrontend::GraphWalker, &source, &system, &options);
        counts[0] += usize::from(found[0]);
        counts[1] += usize::from(found[1]);
    }
    println!("{counts:?} without a circuit");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// Returns a model of GraphWalker with one event, whose first step is an edge with this action.
fn one_event(action: &str) -> SourceFile {
    let edge = |id: &str, rest: &str| {
        format!(r#"{{"id": "{id}", "name": "e", "targetVertexId": "v", {rest}}}"#)
    };
    let edges = [
        edge("e1", &format!(r#""actions": ["{action}"]"#)),
        edge("e2", r#""sourceVertexId": "v""#),
    ];
    let text = format!(
        r#"{{"models": [{{"startElementId": "e1", "actions": ["n = 0;"], "vertices": [{{"id": "v"}}], "edges": [{}]}}]}}"#,
        edges.join(", ")
    );
    SourceFile::new("walk.json", text)
}

#[test]
fn only_the_circuit_tells_which_mutants_leave_their_ranges_at_once() {
    let options = |range| FrontendOptions {
        events: EventOptions {
            ranges: vec![("n".to_owned(), range)],
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let is_plain = |action: &str, range| {
        let source = one_event(action);
        listed(
            &MachineFrontend::GraphWalker,
            &source,
            &options(range),
            false,
        )
        .is_some()
    };
    assert!(is_plain("n = n + 1;", (-9, 9)));
    // The mutant n = n - 1 leaves the range.
    assert!(!is_plain("n = n + 1;", (0, 9)));
    // The original itself leaves the range.
    assert!(!is_plain("n = n - 1;", (0, 9)));
}

#[test]
fn what_the_tree_does_not_show_is_asked_of_the_circuit() {
    let is_plain = |text: &str| {
        let source = SourceFile::new("machine.efsm", text);
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        listed(&MachineFrontend::Efsm, &source, &options, false).is_some()
    };
    let machine = |range: &str, body: &str, offer: &str| {
        format!(
            "var n: {range} = 0;\nevent a;\nevent b;\noutput o;\non a {{ {body} emit o; }}\non b {{ n := 0; }}\n{offer}"
        )
    };
    assert!(is_plain(&machine("0..9", "n := 1;", "")));
    // A product of great numbers has no term.
    assert!(!is_plain(&machine("0..2000000", "n := n * n;", "")));
    assert!(!is_plain(&machine("0..9", "n := 1;", "offer a else b;\n")));
    assert!(is_plain(&machine("0..9", "n := 2;", "offer a or b;\n")));
    let choice = "choose { n := 1; } or { n := 2; }";
    assert!(!is_plain(&machine("0..9", choice, "")));
}

#[test]
fn a_listing_without_a_circuit_has_no_selectors_and_few_terms() {
    let edges = 4_000;
    let source = ring(edges, false, false);
    let found = listed(
        &MachineFrontend::GraphWalker,
        &source,
        &FrontendOptions::default(),
        false,
    );
    let found = found.expect("no circuit");
    assert!(found.catalogue.len() > 5 * edges);
    assert!(found.system.selectors.is_empty());
    let terms = found.system.terms.len();
    assert!(terms < 4 * edges, "{terms} terms");
}

#[test]
fn a_byte_order_mark_moves_places_and_changes_nothing_else() {
    let plain = shop();
    let marked = SourceFile::new(plain.name.clone(), format!("\u{feff}{}", plain.text));
    let of = |source: &SourceFile| {
        let sources = std::slice::from_ref(source);
        let translation = MachineFrontend::GraphWalker.translate(sources, &everything(false));
        let catalogue = translation.expect("a model").catalogue;
        catalogue.into_iter().map(|(mutant, _)| mutant)
    };
    let mut compared = 0;
    for (mut there, here) in of(&marked).zip(of(&plain)) {
        assert_eq!(apply(&marked.text, &there).map(drop), Ok(()));
        there.place.start -= '\u{feff}'.len_utf8();
        there.place.end -= '\u{feff}'.len_utf8();
        assert_eq!(there, here);
        compared += 1;
    }
    assert_eq!(compared, of(&marked).count());
    assert_eq!(compared, of(&plain).count());
    assert!(compared > 20, "{compared}");
}
