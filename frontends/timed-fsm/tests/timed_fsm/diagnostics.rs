//! Bad input is refused where it is bad.

use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, MachineOptions, ModelOption, Severity, SourceFile,
};
use hyperkill_timed_fsm::{TimedFsmFrontend, read};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DOOR: &str = "machine door { input open, push;  output ok, beep;  time ms
  state Shut { open / ok -> Ajar;  push / beep -> Shut }
  state Ajar { open, push / ok -> Ajar;  after 3000 -> Shut } }
faults { Shut.open: transfer;  Shut.push: output;  Ajar.push: any;  Ajar.after: 1000, 5000, never;
         Shut.open / beep -> Ajar }";

fn errors(text: &str) -> Vec<Diagnostic> {
    let sources = [SourceFile::new("m.tfsm", text)];
    match read(&sources, &FrontendOptions::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors,
    }
}

/// Returns the messages about a text, each with the text at its place.
fn said(text: &str) -> Vec<(String, String)> {
    let found = errors(text).into_iter().map(|error| {
        let span = error.span.expect("a place");
        (span.of(text).to_owned(), error.message)
    });
    found.collect()
}

#[test]
fn bad_input_is_refused_where_it_is_bad() {
    let changes = [
        (
            "after 3000",
            "after 0",
            "0",
            "a timeout is a whole number of units from 1 to 4294967295",
        ),
        (
            "after 3000",
            "after -1",
            "-1",
            "a timeout is a whole number of units from 1 to 4294967295",
        ),
        (
            "after 3000",
            "after 4294967296",
            "4294967296",
            "a timeout is a whole number of units from 1 to 4294967295",
        ),
        (
            "after 3000",
            "after 3.5",
            "3",
            "a timeout is a whole number of units from 1 to 4294967295",
        ),
        (
            "after 3000 -> Shut",
            "after 3000",
            "after 3000",
            "the timeout leads nowhere",
        ),
        (
            "3000 -> Shut",
            "3000 -> Shut; after 5 -> Ajar",
            "after 5 -> Ajar",
            "state `Ajar` has a second timeout",
        ),
        (
            "push / beep -> Shut",
            "push, open / beep -> Shut",
            "open",
            "state `Shut` has two transitions on `open`, so the machine is not deterministic",
        ),
        (
            "push / beep -> Shut",
            "psh / beep -> Shut",
            "psh",
            "there is no input `psh`",
        ),
        (
            "push / beep -> Shut",
            "push / bep -> Shut",
            "bep",
            "there is no output `bep`",
        ),
        (
            "push / beep -> Shut",
            "push / beep -> Shu",
            "Shu",
            "there is no state `Shu`",
        ),
        (
            "3000 -> Shut",
            "3000 -> Open",
            "Open",
            "there is no state `Open`",
        ),
        (
            "input open, push",
            "input open, push, open",
            "open",
            "input `open` is declared twice",
        ),
        (
            "state Ajar",
            "state Shut",
            "Shut",
            "state `Shut` is declared twice",
        ),
        (
            "output ok, beep;",
            "",
            "door",
            "machine `door` has no output",
        ),
        (
            "time ms",
            "time ms time s",
            "time",
            "the unit of time is said twice",
        ),
        (
            "open / ok",
            "* / ok",
            "*",
            "an input, `after` or `}` is expected, not `*`",
        ),
        (
            "open / ok",
            "after / ok",
            "/",
            "a number of time units, or `never`, is expected, not `/`",
        ),
        ("open / ok", "open ! ok", "!", "`!` means nothing here"),
        (
            "open / ok",
            "\"open / ok",
            "\"open / ok -> Ajar;  push / beep -> Shut }",
            "the quotes are never closed",
        ),
        (
            "Shut.push: output",
            "Shut.push / beep -> Shut",
            "Shut.push / beep -> Shut",
            "the machine behaves so itself: this is not a fault",
        ),
        (
            "1000, 5000",
            "1000, 3000",
            "3000",
            "the machine behaves so itself: this is not a fault",
        ),
        (
            "Shut.open: transfer",
            "Shut.opn: transfer",
            "opn",
            "there is no input `opn`",
        ),
        (
            "Shut.open: transfer",
            "Sht.open: transfer",
            "Sht",
            "there is no state `Sht`",
        ),
        (
            "Shut.open: transfer",
            "Shut.open: transfers",
            "transfers",
            "`transfer`, `output` or `any` is expected, not `transfers`",
        ),
        (
            "Shut.open: transfer",
            "Shut.after: 5",
            "5",
            "state `Shut` has no timeout, so no target can be kept",
        ),
        (
            "Shut.open: transfer",
            "state Ajar { }",
            "Ajar",
            "state `Ajar` is declared twice",
        ),
        (
            "-> Ajar }",
            "-> Ajar",
            "",
            "`;` is expected, not the end of the file",
        ),
    ];
    assert_eq!(said(DOOR), []);
    for (before, after, place, message) in changes {
        // The last change is at the end of the text, where it stands twice.
        let at = if place.is_empty() {
            DOOR.rfind(before)
        } else {
            DOOR.find(before)
        };
        let at = at.unwrap();
        let text = [&DOOR[..at], after, &DOOR[at + before.len()..]].concat();
        let found = said(&text);
        let expected = (place.to_owned(), message.to_owned());
        assert!(found.contains(&expected), "{after}: {found:?}");
    }
}

#[test]
fn a_state_that_nothing_leads_to_is_a_warning_and_an_empty_domain_has_no_mutants() {
    let text = "machine m { input a; output x; state S { a / x -> S } state T { after 3 -> S } } faults { }";
    let sources = [SourceFile::new("m.tfsm", text)];
    let model = read(&sources, &FrontendOptions::default()).unwrap();
    assert!(model.mutations.is_empty());
    let [warning] = model.warnings.as_slice() else {
        panic!("{:?}", model.warnings);
    };
    assert_eq!(warning.severity, Severity::Warning);
    assert_eq!(warning.message, "nothing leads to state `T`");
    assert_eq!(warning.span.unwrap().of(text), "T");
}

#[test]
fn a_specification_outside_of_its_domain_is_a_warning_where_it_is() {
    let options = |domain: &str| FrontendOptions {
        machines: MachineOptions {
            domain: Some(domain.to_owned()),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("m.tfsm", DOOR)];
    let model = read(&sources, &options("chaos:2:2999")).unwrap();
    let [warning] = model.warnings.as_slice() else {
        panic!("{:?}", model.warnings);
    };
    assert_eq!(warning.severity, Severity::Warning);
    assert_eq!(warning.span.unwrap().of(DOOR), "3000");
    let model = read(&sources, &options("chaos:2:3000")).unwrap();
    assert!(model.warnings.is_empty());
}

#[test]
fn a_machine_that_leaves_something_open_is_no_circuit_and_none_takes_options_of_circuits() {
    let sources = [SourceFile::new("m.tfsm", DOOR)];
    let options = FrontendOptions::default();
    let circuit = TimedFsmFrontend.translate(&sources, &options).unwrap();
    assert_eq!(circuit.system.selectors.len(), circuit.catalogue.len());
    let open = DOOR.replace("open, push / ok -> Ajar", "push / ok -> Ajar");
    assert_ne!(open, DOOR);
    let open = [SourceFile::new("m.tfsm", open)];
    let errors = TimedFsmFrontend.translate(&open, &options).unwrap_err();
    assert_eq!(errors[0].span.unwrap().of(&open[0].text), "Ajar");
    let defined = FrontendOptions {
        machines: MachineOptions {
            everything_defined: true,
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    assert!(read(&open, &defined).is_err() && read(&open, &options).is_ok());
    assert!(read(&sources, &defined).is_ok());
    let twice = [sources[0].clone(), sources[0].clone()];
    assert!(read(&twice, &options).is_err() && read(&[], &options).is_err());
    let options = TimedFsmFrontend.options();
    assert!(!options.contains(&ModelOption::Define) && !options.contains(&ModelOption::Reset));
}

#[test]
fn damaged_texts_are_read_or_refused_at_a_place_inside_them() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let pieces = [
        "{", "}", ";", "/", "->", "*", ".", "after", "never", "-1", "\"", "é", "//", "state", ",",
    ];
    let mut refused = 0;
    for _ in 0..2000 {
        let mut text = DOOR.to_owned();
        for _ in 0..rng.random_range(1..4) {
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let from = starts[rng.random_range(0..starts.len())];
            let to = starts[rng.random_range(0..starts.len())].clamp(from, from + 5);
            let to = (to..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap();
            text.replace_range(from..to, pieces[rng.random_range(0..pieces.len())]);
        }
        let found = errors(&text);
        refused += usize::from(!found.is_empty());
        for error in found {
            let span = error.span.unwrap();
            assert!(
                text.get(span.start..span.end).is_some(),
                "{error:?}\n{text}"
            );
        }
    }
    assert!(refused > 1000, "{refused}");
}
