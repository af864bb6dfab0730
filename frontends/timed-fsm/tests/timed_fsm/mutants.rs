//! Mutants are edits of the text, with the operators and in the order that they are listed in.

use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile, apply};
use hyperkill_timed_fsm::{Model, read, read_machine, without_faults};

/// Returns one line for each mutant: operator, path, replaced text and replacement. Checks that its text is read as the changed machine.
fn table(text: &str, options: &FrontendOptions) -> Vec<String> {
    let sources = [SourceFile::new("m.tfsm", text)];
    let Model {
        machine, mutations, ..
    } = read(&sources, options).expect("a model");
    let rows = mutations.iter().map(|mutation| {
        let mutant = &mutation.mutant;
        let text = apply(text, mutant).expect("a place in the text");
        let read = read_machine(&text).expect("a machine");
        assert_eq!(read, machine.with(&mutation.meaning), "{mutant:?}");
        assert_ne!(read, machine, "{mutant:?}");
        let (from, to) = (&mutant.original, &mutant.replacement);
        format!("{} {}: {from} ⇒ {to}", mutant.operator, mutant.path)
    });
    rows.collect()
}

const MACHINE: &str = "machine door { input open, push;  output ok, \"a beep\";
  state Shut { open / ok -> Ajar }
  state Ajar { open, push / ok -> Ajar;  after 3 -> Shut } }";

#[test]
fn without_a_domain_targets_outputs_and_timeouts_are_mutated_everywhere() {
    let expected = [
        "output door/Shut.open: ok ⇒ \"a beep\"",
        "transfer door/Shut.open: Ajar ⇒ Shut",
        "transfer door/Ajar.open: open, push / ok -> Ajar ⇒ push / ok -> Ajar; open / ok -> Shut",
        "output door/Ajar.open: open, push / ok -> Ajar ⇒ push / ok -> Ajar; open / \"a beep\" -> Ajar",
        "transfer door/Ajar.push: open, push / ok -> Ajar ⇒ open / ok -> Ajar; push / ok -> Shut",
        "output door/Ajar.push: open, push / ok -> Ajar ⇒ open / ok -> Ajar; push / \"a beep\" -> Ajar",
        "timeout door/Ajar.after: 3 ⇒ 1",
        "timeout door/Ajar.after: 3 ⇒ 2",
        "timeout door/Ajar.after: 3 ⇒ 4",
        "timeout door/Ajar.after: 3 ⇒ 6",
        "timeout door/Ajar.after: 3 -> Shut ⇒ never",
        "transfer door/Ajar.after: Shut ⇒ Ajar",
    ];
    let mut found = table(MACHINE, &FrontendOptions::default());
    // Edits that begin at one place have the order in which they were made.
    let mut expected = expected.map(str::to_owned).to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_domain_names_changes_and_what_is_written_is_asked_for() {
    let faults = "faults { Shut.push / ok -> Shut;  Shut.after: 5 -> Ajar;  Ajar.after: 3, 7 -> *;
        *.open: output;  Shut.open / * -> Shut;  Ajar.after: transfer, }";
    let text = format!("{MACHINE} {}", faults.replace("transfer,", "transfer"));
    let expected = [
        "any door/Shut.push:  ⇒  push / ok -> Shut;",
        "timeout door/Shut.after:  ⇒  after 5 -> Ajar;",
        "output door/Shut.open: ok ⇒ \"a beep\"",
        "any door/Shut.open: ok -> Ajar ⇒ \"a beep\" -> Shut",
        "transfer door/Shut.open: Ajar ⇒ Shut",
        "output door/Ajar.open: open, push / ok -> Ajar ⇒ push / ok -> Ajar; open / \"a beep\" -> Ajar",
        "timeout door/Ajar.after: 3 -> Shut ⇒ 7 -> Ajar",
        "timeout door/Ajar.after: 3 ⇒ 7",
        "transfer door/Ajar.after: Shut ⇒ Ajar",
    ];
    let mut found = table(&text, &FrontendOptions::default());
    let mut expected = expected.map(str::to_owned).to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn operators_are_chosen_by_name_and_changes_of_both_parts_only_if_asked_for() {
    let only = |name: &'static str| FrontendOptions {
        operators: Some(NamePredicate::names([name])),
        ..FrontendOptions::default()
    };
    let counts = ["transfer", "output", "timeout", "any"];
    let counts = counts.map(|name| table(MACHINE, &only(name)).len());
    assert_eq!(counts, [4, 3, 5, 3]);
}

#[test]
fn reserved_words_are_names_between_quotes_and_stay_so_in_mutants() {
    let text = "machine m { input \"input\"; output 0, 1; state \"state\" { \"input\" / 0 -> two } state two { after 1 -> \"state\" } }";
    let found = table(text, &FrontendOptions::default());
    assert!(
        found.contains(&"transfer m/state.input: two ⇒ \"state\"".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"output m/state.input: 0 ⇒ 1".to_owned()),
        "{found:?}"
    );
}

#[test]
fn faults_are_left_out_where_they_begin_and_nothing_else_is() {
    let text =
        "machine m { input a; output \"faults\"; state S { a / \"faults\" -> S } } // faults {\n";
    assert_eq!(without_faults(text), text);
    let with = format!("{text}faults {{ S.a: any }}");
    assert_eq!(without_faults(&with), text);
    assert_eq!(without_faults("faults"), "");
    assert_eq!(without_faults("} faults \""), "} faults \"");
}
