//! Work is at most linear in the text: terms, gates and mutants are counted, and no clock is read. A quadratic reader would not end in
//! these tests.

use std::fmt::Write;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::Translation;
use hyperkill_efsm::{MachineFrontend, read, read_models};
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};

use crate::support::translated;

/// Returns options with the only operator GFL, which makes guards false.
fn missing() -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|name| name == "GFL")),
        ..FrontendOptions::default()
    }
}

/// Returns a ring of vertices with a chord from each. Edges have different names, or all the same one. If `is_turned`, the last edges come
/// first.
pub(crate) fn ring(edges: usize, is_one_event: bool, is_turned: bool) -> SourceFile {
    let vertices = edges / 2;
    let places = (0..vertices).map(|i| format!(r#"{{"id": "v{i}", "name": "v_{i}"}}"#));
    let places: Vec<String> = places.collect();
    let edge = |i: usize| {
        let name = if is_one_event { 0 } else { i };
        let (from, to) = (i % vertices, (i + 1 + i / vertices * 7) % vertices);
        let script = match i % 3 {
            0 => r#""guard": "n < 5", "actions": ["n++;"]"#,
            _ => r#""actions": ["n = 0;"]"#,
        };
        format!(
            r#"{{"id": "e{i}", "name": "e_{name}", "sourceVertexId": "v{from}", "targetVertexId": "v{to}", {script}}}"#
        )
    };
    let mut all: Vec<String> = (0..edges).map(edge).collect();
    if is_turned {
        all.reverse();
    }
    let text = format!(
        r#"{{"models": [{{"name": "Ring", "startElementId": "v0", "actions": ["n = 0;"], "vertices": [{}], "edges": [{}]}}]}}"#,
        places.join(",\n"),
        all.join(",\n")
    );
    SourceFile::new("ring.json", text)
}

/// Returns a chain in which each edge sets a variable first, and the next edge reads it.
fn first_values(edges: usize) -> SourceFile {
    let vertices = (0..=edges).map(|i| format!(r#"{{"id": "v{i}"}}"#));
    let vertices: Vec<String> = vertices.collect();
    let edge = |i: usize| {
        let value = match i {
            0 => "0".to_owned(),
            _ => format!("x{}", i - 1),
        };
        let to = i + 1;
        format!(
            r#"{{"id": "e{i}", "sourceVertexId": "v{i}", "targetVertexId": "v{to}", "actions": ["x{i} = {value};"]}}"#
        )
    };
    let edges: Vec<String> = (0..edges).map(edge).rev().collect();
    let text = format!(
        r#"{{"models": [{{"name": "Chain", "startElementId": "v0", "vertices": [{}], "edges": [{}]}}]}}"#,
        vertices.join(",\n"),
        edges.join(",\n")
    );
    SourceFile::new("chain.json", text)
}

/// Returns a machine with `locations` locations, each with two outgoing events.
fn machine(locations: usize) -> SourceFile {
    let names: Vec<String> = (0..locations).map(|i| format!("S{i}")).collect();
    let mut text = format!(
        "location {};\nvar n: 0..7 = 0;\nevent go(c: bool);\nevent back;\noutput shown(n: 0..7);\n",
        names.join(", ")
    );
    for i in 0..locations {
        let (ahead, behind, value) = ((i + 1) % locations, i / 2, i % 8);
        let written = writeln!(
            text,
            "from S{i} on go if c {{ n := {value}; emit shown(n); }} to S{ahead}\nfrom S{i} on back to S{behind}"
        );
        written.expect("strings can be written to");
    }
    SourceFile::new("machine.efsm", text)
}

/// Returns a machine with `events` events that offers only the first enabled event.
fn priorities(events: usize) -> SourceFile {
    let mut text = String::from("var n: 0..7 = 0;\noutput shown(n: 0..7);\nrefuse;\n");
    for i in 0..events {
        let value = i % 8;
        let written = writeln!(
            text,
            "event e{i};\non e{i} if n == {value} {{ n := {value}; }}"
        );
        written.expect("strings can be written to");
    }
    let names: Vec<String> = (0..events).map(|i| format!("e{i}")).collect();
    text += &format!("offer {};\n", names.join(" else "));
    SourceFile::new("priorities.efsm", text)
}

fn of_walks(source: &SourceFile) -> Translation {
    MachineFrontend::GraphWalker
        .translate(std::slice::from_ref(source), &missing())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the numbers of terms, gates and mutants.
fn work(translation: &Translation) -> [usize; 3] {
    let gates = bit_blast(&translation.system).expect("a circuit").model.aig;
    [
        translation.system.terms.len(),
        gates.len(),
        translation.catalogue.len(),
    ]
}

/// Checks that a text of double size makes at most 2.2 times the terms, gates and mutants. `of` translates the text of a size.
fn grows_linearly(of: impl Fn(usize) -> Translation, small: usize) {
    let (first, second) = (work(&of(small)), work(&of(2 * small)));
    for (first, second) in first.into_iter().zip(second) {
        assert!(second * 10 <= first * 22, "{first}, then {second}");
    }
}

#[test]
fn work_is_linear_in_the_number_of_edges() {
    grows_linearly(|edges| of_walks(&ring(edges, false, false)), 2_000);
    grows_linearly(|edges| of_walks(&ring(edges, true, false)), 2_000);
}

#[test]
fn work_is_linear_in_the_number_of_locations() {
    grows_linearly(|count| translated(&machine(count), &missing()), 2_000);
}

#[test]
fn edges_of_a_large_model_are_few_gates_each() {
    let [_, gates, mutants] = work(&of_walks(&ring(8_000, false, false)));
    assert_eq!(mutants, 8_000);
    assert!(gates < 16 * 8_000, "{gates} gates");
}

#[test]
fn a_hundred_thousand_edges_are_read() {
    for source in [
        ring(100_000, false, false),
        ring(100_000, true, false),
        ring(100_000, false, true),
    ] {
        let system = read_models(&source, &[]);
        let system = system.unwrap_or_else(|errors| panic!("{:#?}", &errors[..1]));
        // The walk begins with a step of its own.
        assert_eq!(system.variables.len(), 2);
        assert!(system.stmts.len() > 400_000);
    }
}

#[test]
fn machines_with_many_events_and_locations_are_translated() {
    let walks = of_walks(&ring(20_000, false, true));
    assert_eq!(walks.catalogue.len(), 20_000);
    assert!(walks.warnings.is_empty());
    let machine = translated(&machine(20_000), &missing());
    assert_eq!(machine.catalogue.len(), 40_000);
    let priorities = translated(&priorities(20_000), &missing());
    assert_eq!(priorities.catalogue.len(), 20_000);
    assert!(read(&self::priorities(20_000)).is_ok());
}

#[test]
fn values_that_variables_get_one_after_the_other_are_found() {
    let system = read_models(&first_values(1_000), &[]);
    let system = system.unwrap_or_else(|errors| panic!("{:#?}", &errors[..1]));
    assert_eq!(system.variables.len(), 1_001);
}
