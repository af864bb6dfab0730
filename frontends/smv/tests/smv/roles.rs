//! The roles of variables by heuristic, comment and option.

use hyperkill_core::system::{Init, InputRole, Translation};
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile};
use hyperkill_smv::SmvFrontend;

use crate::support::{Machine, model, translate};

/// Returns options without mutants, which would add choices.
fn options() -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    }
}

fn inputs(translation: &Translation) -> Vec<String> {
    let describe = |role| match role {
        InputRole::Test => "test",
        InputRole::Choice => "choice",
    };
    let inputs = translation.system.inputs.iter();
    inputs
        .map(|i| format!("{} {} : {}", describe(i.role), i.name, i.sort))
        .collect()
}

fn outputs(translation: &Translation) -> Vec<&str> {
    let outputs = translation.system.outputs.iter();
    outputs.map(|output| output.name.as_str()).collect()
}

#[test]
fn unassigned_variables_are_test_inputs_unless_a_comment_or_an_option_says_otherwise() {
    let text = "MODULE main
        IVAR
          a : boolean;
        VAR
          b : boolean;  -- @nd the weather
          -- @choice
          -- in a block of comments
          c : boolean; d : boolean;
          e : boolean;  /-- @input --/
          x : boolean;
        ASSIGN next(x) := a & b & c & d & e;";
    let plain = translate(text, &options()).unwrap();
    assert_eq!(
        inputs(&plain),
        [
            "test a : boolean",
            "choice b : boolean",
            "choice c : boolean",
            "choice d : boolean",
            "test e : boolean",
        ]
    );
    assert_eq!(
        plain.role_notes,
        [
            "`a` is a test input: nothing assigns it",
            "`x` is an output: no other assignment or DEFINE reads it",
        ]
    );
    let mut chosen = options();
    chosen.roles.inputs = Some(NamePredicate::names(["a", "b", "e"]));
    chosen.roles.choices = Some(NamePredicate::names(["e"]));
    assert_eq!(
        inputs(&translate(text, &chosen).unwrap()),
        [
            "test a : boolean",
            "test b : boolean",
            "choice c : boolean",
            "choice d : boolean",
            "choice e : boolean",
        ]
    );
}

#[test]
fn outputs_are_what_nothing_else_reads_unless_a_comment_or_an_option_says_otherwise() {
    let text = |x: &str, d: &str| {
        format!(
            "MODULE main
            VAR i : boolean;
                x : 0..3; {x}
                y : 0..3; z : boolean; w : boolean;
            DEFINE d := x > 1; {d}
                   low := 0; s := {{1, 2}}; f := next(x) = 1;
            ASSIGN next(x) := x; next(y) := {{x, low}}; z := i; next(w) := d | next(y) = 1;"
        )
    };
    let found = |x: &str, d: &str, options: &FrontendOptions| {
        let translation = translate(&text(x, d), options).unwrap();
        outputs(&translation).join(" ")
    };
    // `s` has no single value and `f` none at a step, so they are no candidates.
    assert_eq!(found("", "", &options()), "z w");
    assert_eq!(found("-- @output", "", &options()), "x");
    assert_eq!(found("-- @output", "-- @output", &options()), "x d");
    let mut chosen = options();
    chosen.roles.outputs = Some(NamePredicate::names(["d", "i", "y"]));
    assert_eq!(found("-- @output", "", &chosen), "i y d");
    let ring = "MODULE main VAR a : boolean; -- @ignore
        b : boolean; c : boolean;
        ASSIGN next(a) := b; next(b) := c; next(c) := a;";
    assert_eq!(outputs(&translate(ring, &options()).unwrap()), ["b", "c"]);
}

#[test]
fn variables_that_are_half_assigned_are_state_with_free_values() {
    let text = "MODULE main
        VAR i : boolean; a : 0..3; b : 0..3;
        FROZENVAR c : 0..3; d : 0..3;
        ASSIGN init(a) := 1; next(b) := i ? a : c; init(d) := 2;";
    let translation = translate(text, &options()).unwrap();
    assert_eq!(
        inputs(&translation),
        ["test i : boolean", "choice next.a : 0..3"]
    );
    let free: Vec<bool> = translation
        .system
        .states
        .iter()
        .map(|s| s.init == Init::Free)
        .collect();
    assert_eq!(free, [false, true, true, false]);
}

#[test]
fn each_set_is_a_choice_with_just_its_values() {
    let text = "MODULE main
        VAR i : 0..3; s : {p, q, r}; n : 0..9; m : 0..9; b : boolean; k : {7};
        DEFINE d := {1, 2};
        ASSIGN
          init(s) := {r, p};
          next(s) := case i = 0 : {p, q}; i = 1 : {p}; TRUE : {q, r}; esac;
          init(n) := {1, 3, 7};
          next(n) := {2, 1, 3, 4};
          init(m) := 2..5;
          next(m) := {n, 5, 0..2};
          init(b) := {TRUE, FALSE};
          next(b) := n in {1, 2} union {m};
          init(k) := 7;
          next(k) := d = d ? {7, 7} : 7;
        VAR u : 0..9; v : 0..9;
        ASSIGN next(u) := d; next(v) := d union {i};";
    let text = text.replace("d = d ? {7, 7} : 7", "{7, 7}");
    let translation = translate(&text, &options()).unwrap();
    assert_eq!(
        inputs(&translation),
        [
            "test i : 0..3",
            "choice next.s : {p, q}",
            "choice next.s.2 : {q, r}",
            "choice next.n : 1..4",
            "choice next.m : 0..2",
            "choice next.m.2 : 0..2",
            "choice next.k : 0..1",
            "choice next.u : 1..2",
            "choice next.v : 0..1",
            "choice next.v.2 : 1..2",
            "choice init.s : {r, p}",
            "choice init.n : {1, 3, 7}",
            "choice init.m : 2..5",
            "choice init.b : boolean",
        ]
        .map(|line| line.replace("{7}", "7..7"))
    );
}

#[test]
fn a_constant_on_the_command_line_changes_types_values_and_texts() {
    let source = SourceFile::new("beverage/model.smv", model("beverage"));
    let mut options = options();
    options.constants = vec![("capacity".to_owned(), "2 + 3".to_owned())];
    let prepared = SmvFrontend.prepare(vec![source.clone()], &options).unwrap();
    let translation = SmvFrontend.translate(&prepared, &options).unwrap();
    assert_eq!(translation.system.name, "beverage");
    assert_eq!(translation.system.states[1].sort.to_string(), "0..5");
    assert_eq!(
        prepared[0].text,
        source.text.replace("capacity := 2", "capacity := 2 + 3")
    );
    for (name, value, message) in [
        (
            "volume",
            "5",
            "no DEFINE is called `volume`, so it cannot be set",
        ),
        ("wtr", "5", "no DEFINE is called `wtr`, so it cannot be set"),
        (
            "capacity",
            "5; x := 2",
            "`capacity` cannot be set to `5; x := 2`: expected the end of the expression, found `;`",
        ),
        (
            "capacity",
            "",
            "`capacity` cannot be set to ``: expected an expression, found the end of the text",
        ),
    ] {
        options.constants = vec![(name.to_owned(), value.to_owned())];
        let errors = SmvFrontend
            .prepare(vec![source.clone()], &options)
            .unwrap_err();
        assert_eq!(errors[0].message, message);
    }
    let machine = Machine::new(&model("beverage-5"));
    assert_eq!(
        machine.translation.system.states[1].sort.to_string(),
        "0..5"
    );
}

#[test]
fn two_files_are_no_smv_model() {
    let source = SourceFile::new("x.smv", "MODULE main");
    let errors = SmvFrontend
        .translate(&[source.clone(), source], &options())
        .unwrap_err();
    assert_eq!(
        errors[0].message,
        "an SMV model is one file, but 2 were given"
    );
}

#[test]
fn what_is_read_over_or_means_nothing_is_noted() {
    let text = "MODULE main
        VAR x : boolean;  -- @ouput
        ASSIGN next(x) := !x;
        SPEC AG x
        FAIRNESS x
        SPEC EF !x;";
    let translation = translate(text, &options()).unwrap();
    assert_eq!(
        translation.role_notes,
        [
            "line 2: the annotation `@ouput` means nothing",
            "`x` is an output: no other assignment or DEFINE reads it",
            "`FAIRNESS` sections are not used",
            "`SPEC` sections are not used",
        ]
    );
}

#[test]
fn a_pattern_for_outputs_passes_over_what_cannot_be_one() {
    let text = "MODULE main VAR x : 0..3; DEFINE few := {1, 2}; late := next(x) > 1; big := x > 1; ASSIGN next(x) := few;";
    let outputs = |chosen: fn(&str) -> bool| {
        let options = FrontendOptions {
            roles: RoleOptions {
                outputs: Some(NamePredicate::new(chosen)),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        crate::support::translate(text, &options).map(|translation| {
            let outputs = translation.system.outputs.iter();
            let names: Vec<String> = outputs.map(|output| output.name.clone()).collect();
            (names, translation.role_notes)
        })
    };
    let (names, notes) = outputs(|_| true).unwrap();
    assert_eq!(names, ["x", "big"]);
    assert_eq!(
        notes[notes.len() - 2..],
        [
            "`few` cannot be an output: it is a set",
            "`late` cannot be an output: it reads coming values"
        ]
    );
    let errors = outputs(|name| name == "few").unwrap_err();
    assert_eq!(errors[0].message, "`few` cannot be an output: it is a set");
}

/// Returns the names of the outputs that are guessed for a model.
fn guessed(text: &str) -> String {
    let translation = translate(text, &options()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    outputs(&translation).join(" ")
}

#[test]
fn constants_are_not_seen_and_what_is_only_true_or_false_hides_nothing() {
    let counter = |defines: &str| {
        format!(
            "MODULE main VAR i : boolean; n : 0..7; ASSIGN init(n) := 0; next(n) := i ? (n + 1) mod 8 : n;
             DEFINE {defines}"
        )
    };
    assert_eq!(guessed(&counter("")), "n");
    assert_eq!(guessed(&counter("size := 8; two := size - 6;")), "n");
    assert_eq!(guessed(&counter("full := n = 7; safe := !full;")), "n safe");
    assert_eq!(
        guessed(&counter("shown := case n < 4 : 0; TRUE : 1; esac;")),
        "shown"
    );
    let kept = "MODULE main VAR c : 0..3; k : 0..3; x : 0..3; FROZENVAR f : 0..3;
        ASSIGN next(c) := c; k := 2; next(x) := (x + 1) mod 4; init(f) := 1;";
    assert_eq!(guessed(kept), "x");
    let flag = "MODULE main VAR n : 0..7; alarm : boolean; ASSIGN next(n) := (n + 1) mod 8; next(alarm) := n = 7;";
    assert_eq!(guessed(flag), "n alarm");
    let more = flag.replace("VAR", "VAR lamp : boolean;") + " next(lamp) := n = 3;";
    assert_eq!(guessed(&more), "lamp alarm");
    let only = "MODULE main VAR c : 0..3; ASSIGN init(c) := 1; next(c) := c;";
    assert_eq!(guessed(only), "c");
}

#[test]
fn circles_that_nothing_outside_reads_are_seen_whole() {
    let text = "MODULE main VAR a : boolean; b : boolean; c : boolean; u : boolean; v : boolean; w : boolean;
        ASSIGN next(a) := !b; next(b) := a; next(c) := d; next(u) := v; next(v) := u; w := v;
        DEFINE d := a & e; e := c;";
    // `w` shows `u` and `v`; `c` is read by itself through DEFINEs.
    assert_eq!(guessed(text), "c w");
    let text = text.replace("next(c) := d", "next(c) := FALSE");
    assert_eq!(guessed(&text), "a b c w d");
}

#[test]
fn a_model_in_which_nothing_is_driven_shows_all_its_variables_and_says_so() {
    let text = "MODULE main IVAR i : boolean; VAR x : boolean; y : 0..3; DEFINE one := 1;";
    let translation = translate(text, &options()).unwrap();
    assert_eq!(outputs(&translation), ["x", "y"]);
    let noted = translation
        .role_notes
        .contains(&"`x` is an output: no variable is assigned, so all of them are".to_owned());
    assert!(noted, "{:?}", translation.role_notes);
    let none = "MODULE main IVAR i : boolean; DEFINE d := 1;";
    let errors = translate(none, &options()).unwrap_err();
    assert_eq!(errors[0].message, "the model has nothing to observe");
}

#[test]
fn what_a_trans_reads_only_to_say_what_comes_next_is_a_test_input() {
    let of = |constraints: &str| {
        let text = format!(
            "MODULE main VAR action : {{stop, go}}; x : 0..3; DEFINE going := action = go; {constraints}"
        );
        let translation = translate(&text, &options()).unwrap();
        let line = inputs(&translation)
            .into_iter()
            .find(|line| line.contains("action"));
        line.unwrap_or_default()
    };
    let steered = "test action : {stop, go}";
    assert_eq!(
        of("TRANS (action = go & x < 3 & next(x) = x + 1) | (action = stop & next(x) = 0)"),
        steered
    );
    assert_eq!(
        of("TRANS (going -> next(x) = 1) & (!going -> next(x) = x) INVAR x < 3"),
        steered
    );
    let chosen = "choice action : {stop, go}";
    // A constraint determines its value.
    assert_eq!(of("TRANS going -> next(x) = 1 INIT !going"), chosen);
    assert_eq!(
        of("TRANS going -> next(x) = 1 INVAR x = 3 -> going"),
        chosen
    );
    assert_eq!(
        of("TRANS (x = 1 -> going) & (going -> next(x) = 1)"),
        chosen
    );
    let ahead = "choice next.action : {stop, go}";
    assert_eq!(of("TRANS going -> next(x) = 1 & next(going)"), ahead);
}
