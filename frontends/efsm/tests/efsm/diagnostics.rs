//! Errors are at their places, and say what to do.

use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{Diagnostic, EventOptions, Frontend, FrontendOptions, SourceFile};

const BEFORE: &str = "location A, B;\nvar n: 0..9 = 0;\nvar b: bool = false;\nevent coin(v: 1..2);\nevent take;\noutput paid(n: 0..9);\n";

fn errors(text: &str) -> Vec<Diagnostic> {
    let source = SourceFile::new("m.efsm", text);
    let read = MachineFrontend::Efsm.translate(&[source], &FrontendOptions::default());
    read.expect_err(text)
}

/// Returns the first error of a text: the text at its place, its message and its help.
fn refused(text: &str) -> (String, String, String) {
    let error = errors(text).swap_remove(0);
    let place = error.span.map_or("", |span| span.of(text)).to_owned();
    (place, error.message, error.help.unwrap_or_default())
}

#[test]
fn a_byte_order_mark_is_no_error_and_moves_places_by_its_bytes() {
    let wrong = format!("{BEFORE}from A on take to C;\n");
    let marked = format!("\u{feff}{wrong}");
    let places = [&wrong, &marked].map(|text| {
        let found = errors(text).into_iter();
        found.map(|error| (error.message, error.span.map(|span| span.start)))
    });
    let [found, moved] = places.map(Iterator::collect::<Vec<_>>);
    let found = found.into_iter();
    let expected: Vec<_> = found.map(|(m, at)| (m, at.map(|at| at + 3))).collect();
    assert_eq!(moved, expected);
}

#[test]
fn errors_are_where_they_belong() {
    for (transition, place, message) in [
        ("from C on take to A", "C", "there is no location `C`"),
        ("from A on take to C", "C", "there is no location `C`"),
        ("from A on tak to B", "tak", "there is no event `tak`"),
        ("from A on paid to B", "paid", "there is no event `paid`"),
        (
            "from A on coin(w) to B",
            "w",
            "the parameters of `coin` have other names",
        ),
        ("from A on take { m := 1; } to B", "m", "`m` is no variable"),
        (
            "from A on take { n := 10; } to B",
            "10",
            "`n` cannot be 10, which is not in 0..9",
        ),
        (
            "from A on take { emit pad(1); } to B",
            "pad",
            "there is no output `pad`",
        ),
        (
            "from A on take { emit paid; } to B",
            "paid",
            "`paid` has 1 parameter and is given 0 values",
        ),
        (
            "from A on take { emit paid(10); } to B",
            "10",
            "`n` cannot be 10, which is not in 0..9",
        ),
        (
            "from A on take { emit paid(b); } to B",
            "b",
            "`n` is a number, but this is a truth value",
        ),
        (
            "from A on take if n { } to B",
            "n",
            "a guard is true or false, but this is a number",
        ),
        (
            "from A on take if b & n { } to B",
            "n",
            "a truth value is expected, but this is a number",
        ),
        (
            "from A on take if v > 0 { } to B",
            "v",
            "`v` is neither a variable nor a parameter of the action",
        ),
        (
            "from A on take { n := n + 1 } to B",
            "}",
            "`}` stands where `;` is expected",
        ),
        (
            "from A on take { n := n + 1;",
            "",
            "the text ends where `}` is expected",
        ),
        (
            "from A on take",
            "",
            "the text ends where `{`, `to` or `;` is expected",
        ),
        (
            "from A take to B",
            "take",
            "`take` stands where `on` is expected",
        ),
        (
            "from A on take if 0 < n < 3 to B",
            "<",
            "two comparisons in a row",
        ),
        ("var n: 0..3 = 0;", "n", "a second variable is called `n`"),
        ("event take;", "take", "a second action is called `take`"),
        (
            "output coin(v: 0..9);",
            "coin",
            "`coin` is the name of this output and of another event",
        ),
        ("location A;", "A", "a second location is called `A`"),
        (
            "refuse; ignore;",
            "ignore;",
            "the behaviour for other events is declared twice",
        ),
        ("var m: 3..1 = 1;", "3..1", "3..1 is empty"),
        (
            "var m: int = 1;",
            "int",
            "`int` stands where a type is expected",
        ),
        (
            "var m: 0..3 = 4;",
            "4",
            "`m` is 4 at first, which is not in 0..3",
        ),
        (
            "var done: bool = false;",
            "done",
            "`done` is a name that tests need for something else",
        ),
        (
            "offer take or coin(0..3, bool);",
            "coin(0..3, bool)",
            "`coin` has 1 parameter and is given 2 values",
        ),
        (
            "from A on take { n := 99999999999999999999; } to B",
            "99999999999999999999",
            "`99999999999999999999` is greater than 9007199254740992, the largest number",
        ),
        ("§", "§", "`§` means nothing here"),
        (
            "wait;\nfrom A on take { emit paid(1); } to B",
            "emit paid(1)",
            "a transition cannot `emit` an output if the tester may wait",
        ),
    ] {
        let text = format!("{BEFORE}{transition}");
        let (found, said, _) = refused(&text);
        assert_eq!(
            (found.as_str(), said.as_str()),
            (place, message),
            "{transition}"
        );
    }
}

#[test]
fn near_names_and_ways_out_are_helped_with() {
    for (transition, help) in [
        ("from A on tak to B", "did you mean `take`?"),
        ("from A on coin(w) to B", "write `on coin(v)`"),
        (
            "from A on paid to B",
            "it is an output: transitions `emit` it, unless the tester may `wait;`",
        ),
        (
            "var m: int = 1;",
            "a type is `bool`, a range `0..9`, or symbols `{a, b}`",
        ),
    ] {
        let text = format!("{BEFORE}{transition}");
        assert_eq!(refused(&text).2, help, "{transition}");
    }
}

#[test]
fn deep_nesting_is_refused_and_no_overflow() {
    let deep = format!(
        "{BEFORE}on take {} {}",
        "{".repeat(5_000),
        "}".repeat(5_000)
    );
    assert!(refused(&deep).1.contains("nested more than"));
    let deep = format!(
        "{BEFORE}on take if {}b{} {{}}",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    assert!(refused(&deep).1.contains("nested more than"));
    let deep = format!(
        "{BEFORE}offer {}take{};",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    assert!(refused(&deep).1.contains("nested more than"));
}

#[test]
fn machines_that_show_nothing_are_refused_where_only_outputs_are_observed() {
    let source = SourceFile::new("m.efsm", "location A, B;\nevent e;\nfrom A on e to B\n");
    let options = FrontendOptions {
        events: EventOptions {
            observe: Some("outputs".to_owned()),
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [source];
    let error = MachineFrontend::Efsm
        .translate(&sources, &options)
        .expect_err("nothing is seen");
    assert!(error[0].about_option && error[0].help.is_some());
    let state = MachineFrontend::Efsm.translate(&sources, &FrontendOptions::default());
    let outputs = state.expect("states are seen").system.outputs;
    assert_eq!(outputs.len(), 1);
}
