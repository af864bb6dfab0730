//! Errors stand where something is wrong, and say what to write instead.

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_frontend::{
    Diagnostic, EventOptions, Frontend, FrontendOptions, RoleOptions, SourceFile,
};

use crate::support::{model, translated};

/// A small system in parts, one of which is replaced in a test.
const PARTS: [&str; 7] = [
    "type(int, X) :- X in 0..270.",
    "var([a, b], int).",
    "state_def([a, b]).",
    "init([6, 0]).",
    "'after'(W)::(true) => ((W #= 20) => (a := 2; b := 1))",
    "'Lock'::(a #= 6) => (a := 5)",
    "'Lock' [] [X:int]:'after'(X)",
];

fn text(parts: [&str; 7]) -> String {
    let [types, variables, state, init, after, lock, block] = parts;
    format!(
        "{types}\n{variables}\n{state}\n{init}\nas :-\n  actions (\n    {after},\n    {lock}\n  ),\n  dood ({block}).\n"
    )
}

fn with(part: usize, by: &str) -> String {
    let mut parts = PARTS;
    parts[part] = by;
    text(parts)
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let source = SourceFile::new("m.as", text);
    let found = ActionSystemFrontend.translate(&[source], &FrontendOptions::default());
    found.map(drop).err().unwrap_or_default()
}

#[test]
fn the_system_that_tests_spoil_is_one() {
    assert_eq!(errors(&text(PARTS)), []);
    assert_eq!(errors(&with(6, "'Lock' [] [X:int] 'after'(X)")), []);
    assert_eq!(
        errors(&with(6, "'Lock' // ([X:int]:'after'(X) [] 'Lock')")),
        []
    );
}

#[test]
fn each_error_has_its_place() {
    // A part, what stands for it, where the error is, and some of its words.
    let cases: &[(usize, &str, &str, &str)] = &[
        (0, "type(int, X) :- X in inf..sup.", "inf", "has no bound"),
        (0, "type(int, X).", "type(int, X)", "has no range"),
        (0, "type(int, X) :- Y in 0..1.", "Y", "`X` is expected"),
        (0, "type(int, X) :- X in 3..2.", "3..2", "empty"),
        (
            0,
            "type(int, X) :- X in 0..99999999999999999999.",
            "99999999999999999999",
            "greater than",
        ),
        (1, "var([a, a, b], int).", "a, b], int", "second variable"),
        (1, "var([a, b, c], int).", "c", "no part of the state"),
        (1, "var([a, b], nat).", "nat", "no type `nat`"),
        (2, "state_def([a, b, c]).", "c", "no variable `c`"),
        (2, "state_def([a, a, b]).", "a, b]).", "twice"),
        (3, "init([6]).", "init([6])", "`b` has no initial value"),
        (3, "init([6, 0, 1]).", "1]", "3 values for 2 variables"),
        (3, "init([6, 271]).", "271", "not in 0..270"),
        (
            4,
            "'after'(W, W)::(true) => (skip)",
            "W)::",
            "second parameter",
        ),
        (4, "'after'(a)::(true) => (skip)", "a)::", "is a variable"),
        (
            4,
            "'after'(W)::(true) => ((V #= 20) => (a := 2))",
            "V #=",
            "neither a variable nor a parameter",
        ),
        (
            4,
            "'after'(W)::(true) => (W := 2)",
            "W := 2",
            "nothing is assigned to it",
        ),
        (4, "'after'(W)::(true) => (c := 2)", "c := 2", "no variable"),
        (
            4,
            "'after'(W)::(true) => (a := 271)",
            "271",
            "not in 0..270",
        ),
        (
            4,
            "'after'(W)::(true) => (a := W #= 1)",
            "W #= 1",
            "is a number",
        ),
        (4, "'after'(W)::(W) => (skip)", "(W) =>", "a guard"),
        (
            4,
            "'after'(W)::(true) => (W #= 1 #= 2 => skip)",
            "#= 2",
            "two comparisons",
        ),
        (
            4,
            "'after'(W)::(true) => (a := 1; b := 2 [] a := 2)",
            "a := 1; b := 2",
            "ambiguous",
        ),
        (
            4,
            "'after'(W)::(true) => (W #= 1 => a := 1; b := 2)",
            "W #= 1 => a := 1",
            "ambiguous",
        ),
        (
            4,
            "'after'(W)::(true) => a := 1; b := 2",
            "a := 1",
            "ambiguous",
        ),
        (4, "'after'(W)::(true) => (W #= 1)", ")", "`=>`"),
        (
            4,
            "'after'(W)::(W == 1) => skip",
            "==",
            "`==` means nothing",
        ),
        (
            4,
            "'after'(W)::(W <= 1) => skip",
            "<=",
            "`<=` means nothing",
        ),
        (
            5,
            "'after'(V)::(true) => (skip)",
            "'after'(V)",
            "second action",
        ),
        (6, "'Lock' [] 'Unlock'", "'Unlock'", "no action `Unlock`"),
        (6, "'Lock' [] 'after'(X)", "X", "not bound"),
        (6, "'Lock' [] 'after'(20)", "20", "`20` stands"),
        (
            6,
            "'Lock' [] 'after'",
            "'after'",
            "has 1 parameter and is given 0 values",
        ),
        (
            6,
            "'Lock' [] [X:int, Y:int]:'after'(X)",
            "Y:int",
            "no parameter",
        ),
        (6, "'Lock' [] [X:nat]:'after'(X)", "nat", "no type"),
        (
            6,
            "'Lock'; [X:int]:'after'(X)",
            "; [",
            "cannot have a sequence",
        ),
        (6, "'Lock' []", ").", "the label of an action"),
    ];
    for (part, by, place, words) in cases {
        let text = with(*part, by);
        let found = errors(&text);
        let first = found
            .first()
            .unwrap_or_else(|| panic!("no error in\n{text}"));
        let start = text.find(by).expect("the part") + by.rfind(place).unwrap_or(by.len());
        let span = first.span.unwrap_or_else(|| panic!("{first:?}"));
        assert!(first.message.contains(words), "{by}: {first:?}");
        assert_eq!(span.start, start, "{by}: {first:?} at `{}`", span.of(&text));
    }
}

#[test]
fn what_is_missing_is_said_at_the_end() {
    for (missing, words) in [
        (2, "the state is missing"),
        (3, "the initial values are missing"),
    ] {
        let text = with(missing, "");
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains(words), "{found:?}");
        assert_eq!(found[0].span.map(|span| span.start), Some(text.len()));
    }
    let found = errors("type(int, X) :- X in 0..270.\n");
    assert!(found[0].message.contains("itself is missing"), "{found:?}");
    let inputs = format!("input(['Lock', 'Unlock', 'Lock']).\n{}", text(PARTS));
    let found = errors(&inputs);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_byte_order_mark_is_read_and_moves_places_by_its_bytes() {
    let marked = |text: &str| format!("\u{feff}{text}");
    let plain = model("till/model.as");
    let options = FrontendOptions::default();
    let source = SourceFile::new(&plain.name, marked(&plain.text));
    let (plain, marked_one) = (translated(&plain, &options), translated(&source, &options));
    assert_eq!(plain.catalogue.len(), marked_one.catalogue.len());
    for ((mutant, _), (moved, _)) in plain.catalogue.iter().zip(&marked_one.catalogue) {
        let (place, there) = (&mutant.place, &moved.place);
        assert_eq!(
            (&mutant.id, place.line, place.column),
            (&moved.id, there.line, there.column)
        );
        assert_eq!(place.start + 3, there.start);
    }
    let wrong = with(6, "'Look'");
    let (found, moved) = (errors(&wrong), errors(&marked(&wrong)));
    assert_eq!(found.len(), moved.len());
    for (found, moved) in found.iter().zip(&moved) {
        assert_eq!(found.message, moved.message);
        assert_eq!(
            found.span.map(|span| span.start + 3),
            moved.span.map(|span| span.start)
        );
    }
    let inside = errors(&format!(" {}", marked(&wrong)));
    assert!(
        inside[0].message.contains(r"`\u{feff}` means nothing"),
        "{inside:?}"
    );
}

#[test]
fn every_cut_of_a_file_is_read_or_refused_inside_it() {
    let whole = model("till/model.as").text;
    let mut refused = 0;
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        for error in errors(&whole[..end]) {
            let span = error.span.expect("a place");
            assert!(
                span.start <= span.end && span.end <= end,
                "{error:?} in {end} bytes"
            );
            refused += 1;
        }
    }
    assert!(refused > whole.len() * 9 / 10, "{refused}");
}

#[test]
fn deep_nesting_is_refused_where_it_is_too_deep() {
    let deep = |open: &str, inside: &str, close: &str, depth: usize| {
        format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
    };
    for depth in [300, 100_000] {
        for (part, by) in [
            (
                4,
                format!("'after'(W)::(true) => {}", deep("(", "a := 1", ")", depth)),
            ),
            (
                4,
                format!("'after'(W)::{} => (skip)", deep("(", "true", ")", depth)),
            ),
            (
                4,
                format!(
                    "'after'(W)::(true) => (a := {})",
                    deep("- (", "1", ")", depth)
                ),
            ),
            (
                4,
                format!("'after'(W)::(true) => ({}skip)", "true => ".repeat(depth)),
            ),
            (
                4,
                format!(r"'after'(W)::({} true) => (skip)", r"#\ ".repeat(depth)),
            ),
            (6, deep("(", "'Lock' [] [X:int]:'after'(X)", ")", depth)),
        ] {
            let found = errors(&with(part, &by));
            assert!(found[0].message.contains("levels deep"), "{found:?}");
        }
    }
    let fine = format!("'after'(W)::(true) => {}", deep("(", "a := 1", ")", 90));
    assert_eq!(errors(&with(4, &fine)), []);
}

#[test]
fn names_that_ports_have_are_refused() {
    let text = with(1, "var([a, b, done], int).").replace("[a, b]).", "[a, b, done]).");
    let text = text.replace("[6, 0]", "[6, 0, 1]");
    let found = errors(&text);
    assert!(found[0].message.contains("`done`"), "{found:?}");
    let text = format!(
        "input([]).\n{}",
        self::text(PARTS).replace("'Lock'", "'quiescent'")
    );
    let found = errors(&text);
    assert!(found[0].message.contains("`quiescent`"), "{found:?}");
}

#[test]
fn what_may_not_be_intended_is_a_warning() {
    let text = with(6, "'Lock'").replace("a #= 6", "a #= 271");
    let source = SourceFile::new("m.as", text);
    let found = translated(&source, &FrontendOptions::default()).warnings;
    let messages: Vec<&str> = found
        .iter()
        .map(|warning| warning.message.as_str())
        .collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].contains("never offered"), "{messages:?}");
    assert!(messages[1].contains("never 271"), "{messages:?}");
}

#[test]
fn a_value_outside_its_range_that_the_model_reaches_is_a_warning() {
    let text = with(4, "'after'(W)::(W #> 260) => (a := W + b; b := b + 5)");
    let source = SourceFile::new("m.as", text.clone());
    let found = translated(&source, &FrontendOptions::default()).warnings;
    let places: Vec<&str> = found.iter().map(|w| &text[w.bytes.0..w.bytes.1]).collect();
    assert_eq!(places, ["a := W + b"], "{found:?}");
    assert!(found[0].message.contains("not in 0..270"), "{found:?}");
    for path in [
        "car-alarm/model.as",
        "lift/model.as",
        "token-ring/model.as",
        "till/model.as",
    ] {
        let found = translated(&model(path), &FrontendOptions::default()).warnings;
        assert_eq!(found, [], "{path}");
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let translate = |options: &FrontendOptions| {
        let found = ActionSystemFrontend.translate(&[model("till/model.as")], options);
        found.map(drop).expect_err("an error")
    };
    let observe = FrontendOptions {
        events: EventOptions {
            observe: Some("stat".to_owned()),
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = translate(&observe);
    assert!(
        found[0].about_option && found[0].help.is_some(),
        "{found:?}"
    );
    let hidden = FrontendOptions {
        roles: RoleOptions {
            outputs: Some(hyperkill_frontend::NamePredicate::names(["amount"])),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = translate(&hidden);
    assert!(found[0].about_option, "{found:?}");
    let two = [model("till/model.as"), model("lift/model.as")];
    assert!(
        ActionSystemFrontend
            .translate(&two, &FrontendOptions::default())
            .is_err()
    );
}

#[test]
fn signs_of_other_languages_are_refused_with_those_to_write() {
    let cases = [
        ("W == 1", "`#=` compares"),
        ("W <= 1", "`#=<` compares"),
        ("W = 1", "`:=` assigns"),
        ("true & true", r"`#/\` is the conjunction"),
        ("W / 2 #= 1", "no division"),
    ];
    for (guard, help) in cases {
        let found = errors(&with(4, &format!("'after'(W)::({guard}) => skip")));
        let advice = found[0].help.as_deref().unwrap_or_default();
        assert!(advice.contains(help), "{guard}: {found:?}");
    }
}
