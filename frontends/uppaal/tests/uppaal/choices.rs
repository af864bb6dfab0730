//! Branch points, priorities of processes, and numbers with a point.

use hyperkill_core::timed::{Automaton, Relation};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, ProcessOptions, SourceFile, apply,
};
use hyperkill_uppaal::{Model, UppaalFrontend, read, read_automaton};

use crate::models::model;

fn whole(text: &str, options: &FrontendOptions) -> Result<Model, Vec<Diagnostic>> {
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, options)?;
    read(&sources, options)
}

fn automaton(text: &str) -> Automaton {
    let options = FrontendOptions::default();
    read_automaton(text, &options).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// A process that answers `go` by one of two branches.
const BRANCHES: &str = "<template><name>P</name><declaration>clock x; int[0,9] v;</declaration>\
     <location id=\"a\"/><location id=\"b\"/><location id=\"c\"/><branchpoint id=\"p\"/><init ref=\"a\"/>\
     <transition><source ref=\"a\"/><target ref=\"p\"/><label kind=\"guard\">x &lt;= 5</label>\
     <label kind=\"synchronisation\">go?</label><label kind=\"assignment\">x = 0, v = 1</label></transition>\
     <transition><source ref=\"p\"/><target ref=\"b\"/><label kind=\"probability\">3</label>\
     <label kind=\"assignment\">v = v + 2</label></transition>\
     <transition><source ref=\"p\"/><target ref=\"c\"/><label kind=\"probability\">1</label></transition>\
     <transition><source ref=\"b\"/><target ref=\"a\"/><label kind=\"synchronisation\">done!</label></transition></template>";

#[test]
fn every_branch_may_be_taken_whatever_its_weight() {
    let text = model("chan go, done;", BRANCHES, "system P;");
    let read = automaton(&text);
    let names = read.locations.iter().map(|l| l.name.as_str());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["a[v=0]", "b[v=3]", "c[v=1]", "a[v=3]"]
    );
    let inputs = read.edges.iter().filter(|edge| edge.action.is_input);
    let ends: Vec<(usize, usize)> = inputs.map(|edge| (edge.source, edge.target)).collect();
    assert_eq!(ends, [(0, 1), (0, 2), (3, 1), (3, 2)]);
    let found = whole(&text, &FrontendOptions::default()).expect("a model");
    let warnings = found
        .warnings
        .iter()
        .map(|warning| warning.message.as_str());
    assert!(
        warnings
            .into_iter()
            .any(|w| w.contains("weights of branches"))
    );
}

#[test]
fn mutants_of_branches_are_models_that_differ() {
    let text = model("chan go, done;", BRANCHES, "system P;");
    let options = FrontendOptions::default();
    let sources = vec![SourceFile::new("model.xml", &text)];
    let sources = UppaalFrontend
        .prepare(sources, &options)
        .expect("no options");
    let found = read(&sources, &options).expect("a model");
    let count = |operator: &str| {
        let mutants = found.mutations.iter();
        mutants.filter(|m| m.mutant.operator == operator).count()
    };
    // Two branches and a transition; two locations; the guard in common once.
    assert_eq!(
        ["TMI", "SMI", "CXL", "CXS", "CCN"].map(count),
        [3, 2, 1, 1, 1]
    );
    for mutation in &found.mutations {
        let mutated = apply(&sources[0].text, &mutation.mutant).expect("its place");
        let read = read_automaton(&mutated, &options);
        let read = read.unwrap_or_else(|errors| panic!("{:?}: {errors:?}", mutation.mutant));
        assert_ne!(read, found.automaton, "{:?}", mutation.mutant);
    }
}

#[test]
fn the_textual_format_has_the_same_branch_points() {
    let text = "chan go, done; process P() { clock x; int[0,9] v; state a, b, c; branchpoint p; init a; trans \
         a -> p { guard x <= 5; sync go?; assign x = 0, v = 1; }, p -> b { assign v = v + 2; probability 3; }, \
         p -> c { probability 1; }, b -> a { sync done!; }; } system P;";
    let xml = model("chan go, done;", BRANCHES, "system P;");
    assert_eq!(automaton(text), automaton(&xml));
    let found = whole(text, &FrontendOptions::default()).expect("a model");
    assert_eq!(found.automaton, automaton(&xml));
}

#[test]
fn what_branch_points_cannot_be_is_refused_at_its_place() {
    let refused = |from: &str, to: &str, message: &str, place: &str| {
        assert!(BRANCHES.contains(from));
        let text = model("chan go, done;", &BRANCHES.replace(from, to), "system P;");
        let errors = whole(&text, &FrontendOptions::default()).expect_err(message);
        let there = errors[0].span.map_or("", |span| span.of(&text));
        assert!(errors[0].message.contains(message), "{errors:?}");
        assert!(there.starts_with(place), "{there}");
    };
    let init = "<init ref=\"a\"/>";
    refused(init, "<init ref=\"p\"/>", "starts in a location", "<init");
    let branch = "<source ref=\"p\"/><target ref=\"b\"/>";
    let again = "<source ref=\"p\"/><target ref=\"p\"/>";
    refused(branch, again, "leads to locations only", "<transition");
    let guarded = format!("{branch}<label kind=\"guard\">x &lt; 3</label>");
    refused(branch, &guarded, "weights and updates only", "<transition");
    let plain = "<source ref=\"b\"/><target ref=\"a\"/>";
    let weighed = format!("{plain}<label kind=\"probability\">2</label>");
    refused(plain, &weighed, "behind a branch point only", "<label");
}

/// Returns a model of three processes: an output of the process under test, and a step of the others at time three.
fn three(system: &str) -> String {
    let process = |name: &str, clock: &str, label: &str| {
        format!(
            "<template><name>{name}</name><declaration>{clock}</declaration><location id=\"{name}0\"/><init ref=\"{name}0\"/>\
             <transition><source ref=\"{name}0\"/><target ref=\"{name}0\"/>{label}</transition></template>"
        )
    };
    let sync = |label: &str| format!("<label kind=\"synchronisation\">{label}</label>");
    let guard = "<label kind=\"guard\">y == 3</label>";
    let templates = [
        process("S", "", &sync("a!")),
        process("E", "", &sync("a?")),
        process("F", "clock y;", guard),
    ];
    model("chan a;", &templates.concat(), system)
}

#[test]
fn a_step_waits_while_processes_of_a_higher_priority_make_another_one() {
    let guards = |system: &str| {
        let options = FrontendOptions {
            processes: ProcessOptions {
                sut: Some("S".to_owned()),
                environment: Some("network".to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let read = read_automaton(&three(system), &options).expect("a model");
        let sent = read.edges.iter().filter(|edge| edge.action.name == "a");
        let guards = sent.map(|edge| {
            let atoms = edge.guard.iter().map(|atom| (atom.relation, atom.constant));
            atoms.collect::<Vec<_>>()
        });
        guards.collect::<Vec<_>>()
    };
    let waits = [vec![(Relation::Less, 3)], vec![(Relation::Greater, 3)]];
    assert_eq!(guards("system S, E, F;"), [Vec::new()]);
    assert_eq!(guards("system S, E &lt; F;"), waits);
    // The highest priority of the participants counts.
    assert_eq!(guards("system S &lt; E, F;"), [Vec::new()]);
    assert_eq!(guards("system F &lt; S, E;"), [Vec::new()]);
    // Priorities of channels come first.
    let channels = |said: &str| {
        let text = three("system S, E &lt; F;");
        text.replace("chan a;", &format!("chan a; chan priority {said};"))
    };
    for (said, count) in [("default &lt; a", 1), ("a &lt; default", 2)] {
        let options = FrontendOptions {
            processes: ProcessOptions {
                sut: Some("S".to_owned()),
                environment: Some("network".to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let read = read_automaton(&channels(said), &options).expect("a model");
        let sent = read.edges.iter().filter(|edge| edge.action.name == "a");
        assert_eq!(sent.count(), count, "{said}");
    }
}

#[test]
fn guidelines_say_nothing_where_some_steps_go_before_others() {
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: Some("S".to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let violating = |text: &str| {
        let found = whole(text, &options).expect("a model");
        found
            .mutations
            .iter()
            .filter(|m| m.meaning.is_some())
            .count()
    };
    assert!(violating(&three("system S, E, F;")) > 0);
    assert_eq!(violating(&three("system S, E &lt; F;")), 0);
}

#[test]
fn priorities_of_channels_name_channels_and_the_others_once() {
    for (said, message) in [
        ("a, b", "where `default` is"),
        ("default &lt; v", "a channel is expected"),
        ("default, default", "where `default` is"),
        ("a &lt; default; chan priority b &lt; default", "said once"),
    ] {
        let declared = format!("chan a, b; int v; chan priority {said};");
        let text = model(&declared, &crate::models::template("", ""), "system P;");
        let errors = whole(&text, &FrontendOptions::default()).expect_err(said);
        assert!(errors[0].message.contains(message), "{errors:?}");
    }
}

#[test]
fn constants_with_a_point_are_data_that_no_clock_sees() {
    let guard = |guard: &str| {
        let declared = "const double P = 2.5, Q = P / 2; const int N = 3; double half(const double d) { return d / 2; }";
        let template = crate::models::template(guard, "");
        let template = template.replace("<name>P</name>", "<name>R</name>");
        model(declared, &template, "system R;")
    };
    for (said, edges) in [
        ("P &gt; 2", 1),
        ("Q == 1.25 &amp;&amp; x &lt; 3", 1),
        ("half(P) + 1 &lt; N - 1", 0),
        ("-P &lt; 0.5e-3", 1),
    ] {
        assert_eq!(automaton(&guard(said)).edges.len(), edges, "{said}");
    }
    for (said, message) in [
        (
            "x &lt; P",
            "this is a number with a point, where a whole number is expected",
        ),
        (
            "x - x &lt; 0.5",
            "this is a number with a point, where a whole number is expected",
        ),
        (
            "P % 2 == 0",
            "this is a number with a point, where a whole number is expected",
        ),
    ] {
        let errors = whole(&guard(said), &FrontendOptions::default()).expect_err(said);
        assert!(errors[0].message.contains(message), "{errors:?}");
    }
}
