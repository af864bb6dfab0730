//! Guards: accepted texts, errors with their places, mutants as edits, and domains that are written and read back.

use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, MachineOptions, Severity, SourceFile, apply,
};
use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::pieces::Whole;
use hyperkill_timed_fsm::write::{dot, tfsm};
use hyperkill_timed_fsm::{TimedFsmFrontend, domain_size, read, read_domain, read_machine};

const LOCK: &str = "machine lock { input push, pull;  output click, open, beep;  time s
  state Idle { push / click -> Once;  pull / beep -> Idle }
  state Once { push in [0,1] / beep -> Idle;  push in (1,3) / open -> Idle;  push in [3,never) / beep -> Idle;
    pull / beep -> Once;  after 5 -> Idle } }
";

fn sources(text: &str) -> [SourceFile; 1] {
    [SourceFile::new("m.tfsm", text)]
}

fn errors(text: &str) -> Vec<Diagnostic> {
    read(&sources(text), &FrontendOptions::default())
        .err()
        .unwrap_or_default()
}

#[test]
fn bad_guards_are_refused_where_they_are_bad() {
    let no_delay = "this guard contains no delay";
    let whole = "a bound is a whole number of units from 0 to 2147483647";
    let twice =
        "state `Once` has some delays in two guards of `push`, so the machine is not deterministic";
    for (guard, place, message) in [
        ("[2,2)", "[2,2)", no_delay),
        ("(2,2]", "(2,2]", no_delay),
        ("[3,2]", "[3,2]", no_delay),
        ("[2.5,3)", "2", whole),
        ("[-1,3)", "-1", whole),
        ("[0,2147483648)", "2147483648", whole),
        ("[2,)", ")", "where the guard ends is expected, not `)`"),
        (
            "[2,never]",
            "[2,never]",
            "a guard without an end must close with `)`",
        ),
        ("2,3)", "2", "`[` or `(` is expected, not `2`"),
        ("(1,3]", "[3,never)", twice),
    ] {
        let text = LOCK.replace("in (1,3)", &format!("in {guard}"));
        let found = errors(&text);
        let said = |error: &Diagnostic| {
            let span = error.span.expect("a place");
            (span.of(&text).to_owned(), error.message.clone())
        };
        let said = found.first().map(said);
        assert_eq!(said, Some((place.to_owned(), message.to_owned())), "{text}");
    }
}

#[test]
fn bad_faults_of_guards_are_refused_where_they_are_bad() {
    for (fault, place, message) in [
        (
            "Once.push in [1,3): shifted",
            "[1,3)",
            "the machine has no such guard here",
        ),
        (
            "Once.pull: widened",
            "widened",
            "the machine has no guard here",
        ),
        (
            "Once.push in (1,2] / open -> Idle",
            "Once.push in (1,2] / open -> Idle",
            "the machine behaves so itself: this is not a fault",
        ),
    ] {
        let text = format!("{LOCK}faults {{ {fault} }}");
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{fault}: {found:?}");
        assert_eq!(found[0].message, message, "{fault}");
        assert_eq!(found[0].span.expect("a place").of(&text), place, "{fault}");
    }
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: Some("chaos:2:5".to_owned()),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    assert!(read(&sources(LOCK), &options).is_err());
}

#[test]
fn a_guard_that_begins_when_the_timeout_has_come_is_a_warning() {
    let text = LOCK.replace("[3,never)", "[5,never)");
    let model = read(&sources(&text), &FrontendOptions::default()).expect("a model");
    let warned: Vec<&str> = (model.warnings.iter())
        .filter(|warning| warning.severity == Severity::Warning)
        .filter_map(|warning| Some(warning.span?.of(&text)))
        .collect();
    assert_eq!(warned, ["[5,never)"]);
}

#[test]
fn neighbours_that_do_the_same_stay_two_and_the_whole_time_is_no_guard() {
    let machine = read_machine(TWINS).expect("a machine");
    assert!(machine.has_guards());
    let twins = machine.states[0].on(0);
    let during: Vec<String> = twins.iter().map(|g| g.during.to_string()).collect();
    assert_eq!(during, ["[0,2]", "(2,never)"]);
    let joined = machine.states[0].joined(0);
    assert_eq!((joined.len(), joined[0].during), (1, Interval::ALWAYS));
    let whole = TWINS.replace("a in [0,2] / x -> s; a in (2,never)", "a in [0,never)");
    assert!(!read_machine(&whole).expect("a machine").has_guards());
}

/// A machine with two adjacent guards that have the same answer.
const TWINS: &str =
    "machine m { input a; output x, y; state s { a in [0,2] / x -> s; a in (2,never) / x -> s } }
";

/// Returns the operator and the replacement text of each mutant.
fn mutants(text: &str) -> Vec<(String, String)> {
    let model = read(&sources(text), &FrontendOptions::default()).expect("a model");
    let mutants = model.mutations.into_iter();
    let mutants = mutants.map(|m| (m.mutant.operator, m.mutant.replacement));
    mutants.collect()
}

#[test]
fn faults_are_in_either_of_two_neighbours_that_do_the_same() {
    let first = "a in [0,2] / y -> s; a in (2,never) / x -> s";
    let second = "a in [0,2] / x -> s; a in (2,never) / y -> s";
    let found = mutants(&format!("{TWINS}faults {{ s.a: output }}"));
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, [first, second]);
    let found = mutants(&format!("{TWINS}faults {{ s.a in [0,2]: output }}"));
    assert_eq!(found.len(), 1, "{found:?}");
    // Moving the bound between two equal guards changes nothing, and equal changes are one mutant.
    let found = mutants(TWINS);
    let guards = found.iter().filter(|(operator, _)| operator == "guard");
    let guards: Vec<&str> = guards.map(|(_, text)| text.as_str()).collect();
    let later = "a in [1,2] / x -> s; a in (2,never) / x -> s";
    let open = "a in (0,2] / x -> s; a in (2,never) / x -> s";
    assert_eq!(guards, [open, later], "{found:?}");
}

#[test]
fn a_guard_that_grows_over_all_of_its_neighbour_is_a_mutant() {
    let text = "machine m { input a; output x, y; state s { a in [0,2) / x -> s; a in [2,3) / y -> t; a in [3,never) / x -> t }
        state t { a / x -> t } }";
    let found = mutants(text);
    let grown = "a in [0,3) / x -> s; a in [3,never) / x -> t";
    let of = found.iter().find(|(_, text)| text == grown);
    assert_eq!(
        of.map(|(operator, _)| operator.as_str()),
        Some("guard"),
        "{found:?}"
    );
}

#[test]
fn guards_that_are_shorter_than_a_unit_are_shifted_by_a_unit() {
    let text = "machine m { input a; output x, y; state s { a in [0,2) / x -> s; a in [2,2] / y -> s; a in (2,never) / x -> s } }
        faults { s.a in [2,2]: shifted }";
    let found = mutants(text);
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    let later = "a in [0,3) / x -> s; a in [3,3] / y -> s; a in (3,never) / x -> s";
    let sooner = "a in [0,1) / x -> s; a in [1,1] / y -> s; a in (1,never) / x -> s";
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(
        texts.contains(&later) && texts.contains(&sooner),
        "{texts:?}"
    );
}

#[test]
fn mutants_of_guards_are_edits_that_say_what_they_do() {
    let model = read(&sources(LOCK), &FrontendOptions::default()).expect("a model");
    let mut guards = 0;
    for mutation in &model.mutations {
        let text = apply(LOCK, &mutation.mutant).expect("a place in the text");
        let mutant = read_machine(&text).expect("a machine");
        assert_eq!(mutant, model.machine.with(&mutation.meaning), "{text}");
        assert_ne!(mutant, model.machine, "{text}");
        guards += usize::from(mutation.mutant.operator == "guard");
    }
    // Three shifted by a unit or back, where bounds allow it, and both bounds sooner, later, open or closed.
    assert!(guards >= 10, "{guards}");
}

#[test]
fn domains_with_guards_are_written_and_read_back() {
    for faults in [
        "",
        "faults { Once.push: narrowed, widened;  Once.push in [0,2): never;  Once.after: 4, never }",
        "faults { *.*: transfer;  Idle.push in [2,4] / open -> *;  state Extra { * in [0,2) / * -> *;  after 1, never -> * } }",
    ] {
        let text = format!("{LOCK}{faults}");
        written_and_read_back(&text);
    }
    for faults in [
        "",
        "faults { s.a: output }",
        "faults { s.a in [1,3) / y -> s }",
    ] {
        written_and_read_back(&format!("{TWINS}{faults}"));
    }
}

fn written_and_read_back(text: &str) {
    let options = FrontendOptions::default();
    let (_, domain) = read_domain(&sources(text), &options).expect("a domain");
    let machine = read_machine(text).expect("a machine");
    let written = tfsm(&machine, Some(&domain));
    let (_, again) = read_domain(&sources(&written), &options).expect("a domain");
    assert_eq!(
        domain_size(&domain).mutants,
        domain_size(&again).mutants,
        "{written}"
    );
    assert_eq!(tfsm(&machine, Some(&again)), written);
    assert_eq!(read_machine(&written), Ok(machine.clone()));
    if let Ok(graph) = dot(&machine, Some(&domain)) {
        let graph = vec![SourceFile::new("lock.dot", graph.as_str())];
        let graph = TimedFsmFrontend.prepare(graph, &options).expect("a graph");
        let (_, of_graph) = read_domain(&graph, &options).expect("a domain");
        let size = Whole::of(&of_graph).mutants();
        assert_eq!(size, Whole::of(&domain).mutants(), "{}", graph[0].text);
        let own = read_machine(&graph[0].text).expect("a machine");
        // Outputs may have other numbers, and a graph has no unit.
        let states = |machine: &Machine| {
            let text = tfsm(machine, None);
            let (_, states) = text.split_once("  state ").expect("states");
            states.to_owned()
        };
        assert_eq!(states(&own), states(&machine), "{}", graph[0].text);
    }
}
