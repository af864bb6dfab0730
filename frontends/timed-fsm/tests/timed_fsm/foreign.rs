//! Machines in formats of other tools: their meaning, and errors with their places.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};
use hyperkill_timed_fsm::{TimedFsmFrontend, read, read_domain};

/// Returns the sources that the front end makes of a file, or the place and the message of its first error.
fn prepared(name: &str, text: &str) -> Result<Vec<SourceFile>, (usize, String)> {
    let sources = vec![SourceFile::new(name, text)];
    let prepared = TimedFsmFrontend.prepare(sources, &FrontendOptions::default());
    prepared.map_err(|errors| {
        let start = errors[0].span.map_or(usize::MAX, |span| span.start);
        (start, errors[0].message.clone())
    })
}

fn machine(name: &str, text: &str) -> Machine {
    let sources = prepared(name, text).expect("a machine");
    let read = read(&sources, &FrontendOptions::default());
    read.unwrap_or_else(|errors| panic!("{errors:?}\n{}", sources[0].text))
        .machine
}

const TIMED: &str = r#"digraph TFSM_TO {
__start0 [label="", shape=none];
__start0 -> 0 [label=""];
0 -> 0 [label="a / x [1]"];
0 -> "is open" [label="b / x [2]"];
0 -> "is open" [label="4 [3]"];
"is open" -> 0 [label="a / y [4]"];
"is open" -> "is open" [label="∞ [5]"];
0 -> 0 [style="dashed" label="b / y [6]"];
0 -> 0 [style="dashed" label="3 [7]"];
"is open" -> 0 [style="dashed" label="∞ [8]"];
}
"#;

#[test]
fn graphs_of_the_authors_tool_have_timeouts_and_mutated_transitions() {
    let read = machine("t.dot", TIMED);
    assert_eq!(read.states[0].name, "0");
    assert_eq!(read.states[1].name, "is open");
    assert_eq!(
        read.states[0].timeout,
        Some(Timeout {
            after: 4,
            target: 1
        })
    );
    assert_eq!(read.states[1].timeout, None);
    let to_0 = Answer {
        output: 1,
        target: 0,
    };
    assert_eq!(read.states[1].answers[&0], to_0);
    let sources = prepared("t.dot", TIMED).expect("a machine");
    let (_, domain) = read_domain(&sources, &FrontendOptions::default()).expect("a domain");
    // Never expiring to either state is written twice.
    assert_eq!(domain.mutated(), 3);
    assert_eq!(domain.mutants().to_string(), "7");
}

#[test]
fn machines_without_time_are_read_from_graphs_and_lists() {
    let dot =
        "digraph g {\n__start0 -> s0;\ns0 -> s1 [label=\"a/x\"];\ns1 -> s0 [label=\"a/y\"];\n}";
    let kiss = ".i 1\n.o 1\n.s 2\n.r s0\n1 s0 s1 x\n0 s0 s0 y # stays\n- s1 s0 y\n.e\n";
    let fsm = "0 a x 1\n1 a y 0\n";
    let both = machine("m.kiss2", kiss);
    assert_eq!(both.inputs, ["1", "0"]);
    assert_eq!(both.states[1].answers.len(), 2);
    let markup = "digraph g {\n__start0 -> s0  [label=<b<br />x>];\ns0 -> s1  [label=<a<br />x>];\n\
        s1 -> s0  [label=<a<br/>y>];\n}";
    for (name, text) in [("m.dot", dot), ("m.dot", markup), ("m.fsm", fsm)] {
        let read = machine(name, text);
        assert_eq!(read.states.len(), 2, "{name}");
        assert_eq!(
            read.states[0].answers[&0],
            Answer {
                output: 0,
                target: 1
            },
            "{name}"
        );
        assert_eq!(
            read.states[1].answers[&0],
            Answer {
                output: 1,
                target: 0
            },
            "{name}"
        );
        assert!(
            read.states.iter().all(|state| state.timeout.is_none()),
            "{name}"
        );
    }
}

#[test]
fn labels_in_markup_may_have_signs_of_it() {
    let text =
        "digraph g {\n__start0 -> s0;\ns0 -> s0 [label=<&lt;a&gt;<br />x &amp; y>, color=red];\n}";
    let read = machine("m.dot", text);
    assert_eq!(
        (read.inputs, read.outputs),
        (vec!["<a>".to_owned()], vec!["x & y".to_owned()])
    );
}

#[test]
fn what_is_wrong_in_them_is_said_with_its_place() {
    let graph = |line: &str| format!("digraph g {{\n__start0 -> s0;\n{line}\n}}");
    let line = 28;
    for (name, text, place, said) in [
        (
            "m.dot",
            "digraph g {\ns0 -> s0 [label=\"a/x\"];\n}".to_owned(),
            0,
            "__start0",
        ),
        (
            "m.dot",
            graph("s0 -> s0 [label=\"a/x/y\"];"),
            line,
            "several `/`",
        ),
        ("m.dot", graph("s0 -> s0 [label=\"a/\"];"), line, "lacks"),
        ("m.dot", graph("s0 -> s0 [label=\"0\"];"), line, "neither"),
        (
            "m.dot",
            graph("s0 -> s0 [label=\"4294967296\"];"),
            line,
            "neither",
        ),
        (
            "m.dot",
            graph("s0 -> s0 [label=\"a/x\"];\ns0 -> s1 [label=\"a/x\"];"),
            line + 24,
            "second transition",
        ),
        (
            "m.dot",
            graph("s0 -> s1 [label=\"a/x\"];\ns0 -> s1 [label=\"5\"];"),
            line,
            "state `s1` has no timeout",
        ),
        (
            "m.dot",
            graph("s0 -> s0 [label=\"5\"];\ns0 -> s0 [label=\"∞\"];"),
            line + 22,
            "second timeout",
        ),
        ("m.kiss2", ".i 1\n1 s0 s1\n".to_owned(), 5, "KISS2"),
        ("m.fsm", "0 1 2\n".to_owned(), 0, "a line is"),
        ("m.fsm", "\n".to_owned(), 0, "no transitions"),
    ] {
        let (found, message) = prepared(name, &text).expect_err(&text);
        assert!(message.contains(said), "{text}: {message}");
        assert_eq!(found, place, "{text}: {message}");
    }
}

/// Models of other authors, if they are available.
#[test]
fn domains_of_the_transfer_protocol_that_others_wrote_have_their_counts() {
    let Ok(folder) = std::env::var("HYPERKILL_MODELS") else {
        println!("skipped: models by others: HYPERKILL_MODELS names no folder");
        return;
    };
    for (name, mutated, mutants) in [
        ("figure1", 5, "31"),
        ("tftp3-A", 198, "863547424767"),
        ("tftp3-B", 360, "416135131039868649471"),
        ("tftp3-C", 632, "29107546081962796329270418316722175"),
    ] {
        let path = format!("{folder}/efsm_tfsm/tfsm/{name}.dot");
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("skipped: {path} is not there");
            continue;
        };
        let sources = prepared("m.dot", &text).expect("a machine");
        let (_, domain) = read_domain(&sources, &FrontendOptions::default()).expect("a domain");
        let found = (domain.mutated(), domain.mutants().to_string());
        assert_eq!(found, (mutated, mutants.to_owned()), "{name}");
    }
}
