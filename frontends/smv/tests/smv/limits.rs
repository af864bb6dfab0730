//! Large and deep texts: no stack is exhausted, nothing large is enumerated, the work grows with the text.

use std::fmt::Write;

use hyperkill_frontend::{FrontendOptions, RoleOptions};

use crate::support::translate;

fn message(text: &str) -> String {
    match translate(text, &FrontendOptions::default()) {
        Ok(_) => "accepted".to_owned(),
        Err(errors) => errors[0].message.clone(),
    }
}

/// Returns a model in which the next value of a variable is `value`.
fn with_value(value: &str) -> String {
    format!("MODULE main\nVAR x : boolean; n : 0..3;\nASSIGN next(x) := {value};\n")
}

/// Runs a test on a stack of the smallest size that threads of the tool have.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(test).unwrap().join().unwrap();
}

#[test]
fn nesting_at_the_limit_is_translated_and_deeper_nesting_is_refused() {
    on_a_small_stack(|| {
        let nests: [(&str, &str, &str); 9] = [
            ("(", "x", ")"),
            ("!", "x", ""),
            ("!(", "x", " & x)"),
            ("x -> ", "x", ""),
            ("x ? x : ", "x", ""),
            ("x ? ", "x", " : x"),
            ("case x : ", "x", "; TRUE : FALSE; esac"),
            ("case ", "x", " : x; TRUE : FALSE; esac"),
            ("{TRUE, ", "x", "}"),
        ];
        for (open, inner, close) in nests {
            let text = |n: usize| with_value(&(open.repeat(n) + inner + &close.repeat(n)));
            assert_eq!(message(&text(98)), "accepted", "{open}");
            for deep in [1_000, 100_000] {
                let message = message(&text(deep));
                assert!(message.contains("nests more than"), "{open}: {message}");
            }
        }
        let chain = |n: usize| with_value(&format!("x{}", " & x".repeat(n)));
        assert_eq!(message(&chain(990)), "accepted");
        assert!(message(&chain(100_000)).contains("operators high"));
        let union = |n: usize| with_value(&format!("x in (x{})", " union x".repeat(n)));
        assert_eq!(message(&union(990)), "accepted");
        let unclosed = message(&with_value(&"(".repeat(100_000)));
        assert!(unclosed.contains("nests more than"), "{unclosed}");
    });
}

#[test]
fn indices_within_indices_are_read_up_to_the_same_depth() {
    on_a_small_stack(|| {
        let text = |n: usize| {
            let index = "a[".repeat(n) + "i" + &"]".repeat(n);
            format!(
                "MODULE main VAR a : array 0..1 of 0..1; i : 0..1; x : 0..1; ASSIGN next(x) := {index};"
            )
        };
        assert_eq!(message(&text(98)), "accepted");
        assert!(message(&text(1_000)).contains("nests more than"));
    });
}

#[test]
fn models_that_explode_when_written_out_are_refused() {
    on_a_small_stack(|| {
        let mut modules = "MODULE main VAR m : m0; MODULE m50 VAR x : boolean;".to_owned();
        for i in 0..50 {
            let j = i + 1;
            write!(modules, " MODULE m{i} VAR a : m{j}; b : m{j};").unwrap();
        }
        assert!(message(&modules).contains("too many variables"));
        let arrays = "array 0..99 of ".repeat(20);
        let arrays = format!("MODULE main VAR a : {arrays}boolean;");
        assert!(message(&arrays).contains("too many variables"));
        let wide = "MODULE main VAR a : array 0..9999 of 0..9; i : 0..9; x : 0..9;
            DEFINE d := INDEX;";
        let index = "a[".repeat(190) + "i" + &"]".repeat(190);
        let wide = wide.replace("INDEX", &format!("{index} + {index} + {index}"));
        assert!(
            message(&wide).contains("too many expressions"),
            "{}",
            message(&wide)
        );
    });
}

#[test]
fn long_chains_of_defines_need_no_deep_stack() {
    on_a_small_stack(|| {
        let mut text =
            "MODULE main\nVAR x : boolean; r : 0..n5000;\nDEFINE d0 := x; n0 := 1;\n".to_owned();
        for i in 1..=5_000 {
            // Read before and after they are defined.
            let j = i - 1;
            writeln!(text, "d{i} := !d{j}; n{i} := n{j}; b{j} := b{i};").unwrap();
        }
        text += "b5000 := x; ASSIGN next(x) := d5000 & b0; init(r) := n5000; next(r) := r;\n";
        assert_eq!(message(&text), "accepted");
    });
}

#[test]
fn large_ranges_are_bits_and_never_enumerated() {
    let text = "MODULE main
        VAR x : 0..1000000000; y : -1000000000..1000000000; z : boolean; i : 0..4000000000;
        ASSIGN init(x) := 0..1000000000; next(x) := {y, 3, 5..999999999};
        init(y) := -1000000000..1000000000;
        next(z) := i in 7..3999999999 union {x};
        next(y) := case x in 5..1000000000 : x; TRUE : 0; esac;";
    let text = text.replace("next(x) := {y,", "next(x) := {x,");
    let translation = translate(&text, &FrontendOptions::default()).unwrap();
    assert!(translation.system.terms.len() < 300);
    let widths: Vec<usize> = (translation.system.inputs.iter())
        .map(|input| input.sort.width())
        .collect();
    assert!(widths.iter().all(|width| *width <= 32), "{widths:?}");
}

#[test]
fn integers_beyond_sixty_two_bits_are_located_errors() {
    let big = "1000000000";
    let text =
        format!("MODULE main\nVAR n : 0..3;\nASSIGN next(n) := n * {big} * {big} * {big};\n");
    let errors = translate(&text, &FrontendOptions::default()).unwrap_err();
    assert_eq!(errors.len(), 1);
    let there = errors[0].span.unwrap().of(&text);
    assert_eq!(there, format!("n * {big} * {big}"));
    assert!(errors[0].message.contains("62 bits"));
}

#[test]
fn mutants_beyond_sixty_two_bits_are_listed_with_the_reason_and_get_no_selector() {
    let text = "MODULE main
        VAR n : 0..2000000000;
        ASSIGN next(n) := case n > 9 : (n + 2000000000 + 2000000000) / (n + 2000000000) mod 3; TRUE : 0; esac;";
    let translation = translate(text, &FrontendOptions::default()).unwrap();
    let rejected: Vec<_> = translation
        .catalogue
        .iter()
        .filter(|(_, r)| r.is_some())
        .collect();
    let live = translation.catalogue.len() - rejected.len();
    assert!(!rejected.is_empty());
    assert_eq!(translation.system.selectors.len(), live);
    for (mutant, reason) in rejected {
        assert!(mutant.replacement.contains('*'), "{mutant:?}");
        assert!(reason.as_ref().unwrap().contains("62 bits"));
    }
}

#[test]
fn defines_of_sets_that_double_at_each_step_are_refused() {
    let mut text = "MODULE main\nVAR x : boolean;\nDEFINE d0 := {TRUE, FALSE};\n".to_owned();
    for i in 1..40 {
        let j = i - 1;
        writeln!(text, "d{i} := x ? d{j} : (d{j} union d{j});").unwrap();
    }
    text += "ASSIGN next(x) := d39; init(x) := x in d39;\n";
    let text = text.replace("init(x) := x in d39;", "");
    assert_eq!(message(&text), "too many choices");
}

#[test]
fn terms_grow_linearly_with_the_model() {
    let size = |n: usize| {
        let mut text = "MODULE main\nVAR x : 0..7; i : 0..7;\nASSIGN next(x) := case\n".to_owned();
        for k in 0..n {
            writeln!(text, "i = {} & x < {} | x > i : {};", k % 8, k % 5, k % 7).unwrap();
        }
        text += "TRUE : x; esac;\n";
        let system = translate(&text, &FrontendOptions::default())
            .unwrap()
            .system;
        (system.terms.len(), system.selectors.len())
    };
    let ((small, few), (large, many)) = (size(50), size(500));
    assert!(many > 9 * few, "{few} {many}");
    assert!(large < 11 * small, "{small} {large}");
}

#[test]
fn words_have_up_to_sixty_four_bits() {
    let text = "MODULE main VAR w : word[64]; s : signed word[64]; h : word[32];
        ASSIGN init(w) := uwconst(-1, 64); next(w) := (w << 60) + 0ud64_2;
        init(s) := -0sd64_9223372036854775808; next(s) := s >> 64;
        init(h) := 0uh_89abcdef; next(h) := h;
        DEFINE both := h :: w[63:32]; more := extend(h, 32);";
    let options = FrontendOptions {
        roles: RoleOptions {
            outputs: Some(hyperkill_frontend::NamePredicate::new(|name| {
                ["both", "more", "w", "s"].contains(&name)
            })),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let machine = crate::support::Machine::with_options(text, &options).unwrap();
    let lines = machine.run(hyperkill_core::product::Variant::Original, &["", ""]);
    let expected = [
        "w=0xffffffffffffffff s=0x8000000000000000 both=0x89abcdefffffffff more=0x0000000089abcdef",
        "w=0xf000000000000002 s=0xffffffffffffffff both=0x89abcdeff0000000 more=0x0000000089abcdef",
    ];
    assert_eq!(lines, expected);
    for width in [0, 65] {
        let wrong = format!("words have 1 to 64 bits, not {width}");
        assert_eq!(
            message(&format!("MODULE main VAR w : word[{width}];")),
            wrong
        );
    }
    let far = "MODULE main VAR w : word[64]; n : 0..9; ASSIGN next(n) := toint(w);";
    assert_eq!(
        message(far),
        "integer result of `toint` does not fit into 62 bits"
    );
}

/// Returns the number of terms of a model with its mutants, and the number of mutants.
fn size(text: &str) -> (usize, usize) {
    let translation = translate(text, &FrontendOptions::default()).unwrap();
    let terms = translation.system.terms.len() + translation.checks.terms.len();
    (terms, translation.catalogue.len())
}

/// The name of a test case, and a function from a number to a text whose size grows with it.
type Growing = (&'static str, fn(usize) -> String);

const GROWING: [Growing; 7] = [
    ("symbols, each used", |n| {
        let next = |i: usize| format!("x = v{i} : v{};", (i + 1) % n);
        format!(
            "MODULE main VAR x : {{{}}}; ASSIGN init(x) := v0; next(x) := case {} TRUE : x; esac;",
            list(n, |i| format!("v{i}"), ", "),
            list(n, next, " ")
        )
    }),
    ("branches of a case", |n| {
        let branch = |i: usize| format!("i = {} : {};", i % 1024, i % 8);
        let branches = list(n, branch, " ");
        format!(
            "MODULE main VAR x : 0..7; i : 0..1023; ASSIGN next(x) := case {branches} TRUE : x; esac;"
        )
    }),
    ("numbers of a set", |n| {
        let (most, all) = (3 * n, list(n, |i| (3 * i).to_string(), ", "));
        format!("MODULE main VAR x : 0..{most}; ASSIGN next(x) := {{{all}}};")
    }),
    ("numbers with gaps", |n| {
        let all = list(n, |i| (3 * i).to_string(), ", ");
        format!("MODULE main VAR x : {{{all}}}; b : boolean; ASSIGN next(x) := b ? x : 3;")
    }),
    ("assigned booleans", |n| {
        let variables = list(n, |i| format!("b{i} : boolean;"), " ");
        let assigned = list(n, |i| format!("next(b{i}) := !b{};", (i + 1) % n), " ");
        format!("MODULE main VAR {variables} ASSIGN {assigned}")
    }),
    ("names with indices", |n| {
        let variables = list(n, |i| format!("b[{i}] : boolean;"), " ");
        let assigned = list(n, |i| format!("next(b[{i}]) := !b[{}];", (i + 1) % n), " ");
        format!("MODULE main VAR {variables} ASSIGN {assigned}")
    }),
    ("elements of an array of symbols", |n| {
        let assigned = list(n, |i| format!("next(a[{i}]) := s1;"), " ");
        format!("MODULE main VAR a : array 0..{n} of {{s0, s1, s2, s3}}; ASSIGN {assigned}")
    }),
];

fn list(n: usize, item: impl Fn(usize) -> String, between: &str) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(between)
}

#[test]
fn terms_and_mutants_grow_as_the_text_does() {
    for (what, text) in GROWING {
        let (small, few) = size(&text(100));
        let (large, many) = size(&text(400));
        assert!(large <= 5 * small, "{what}: {small} terms, then {large}");
        assert!(many <= 5 * few, "{what}: {few} mutants, then {many}");
    }
}

#[test]
fn circuits_grow_as_the_text_does() {
    // For each mutant only the few bits of a sort's code are built again.
    for (what, text) in GROWING {
        let gates = |n: usize| {
            let translation = translate(&text(n), &FrontendOptions::default()).unwrap();
            let blast = |system| hyperkill_core::bit_blast::bit_blast(system).unwrap();
            let (steps, checks) = (blast(&translation.system), blast(&translation.checks));
            steps.model.aig.len() + checks.model.aig.len()
        };
        let (small, large) = (gates(100), gates(400));
        assert!(large <= 6 * small, "{what}: {small} gates, then {large}");
    }
}

#[test]
fn a_symbol_of_a_long_enumeration_is_replaced_by_eight_others_with_a_note() {
    let text = |n: usize| {
        format!(
            "MODULE main VAR x : {{{}}}; ASSIGN init(x) := v62; next(x) := x;",
            list(n, |i| format!("v{i}"), ", ")
        )
    };
    let replaced = |n: usize| {
        let translation = translate(&text(n), &FrontendOptions::default()).unwrap();
        let mutants = translation.catalogue.into_iter().map(|(mutant, _)| mutant);
        let symbols = mutants.filter(|mutant| mutant.operator == "ECR");
        let symbols: Vec<String> = symbols.map(|mutant| mutant.replacement).collect();
        let noted = |note: &String| note.starts_with("ECR replaces a symbol of more than 65");
        (symbols, translation.role_notes.iter().any(noted))
    };
    assert_eq!((replaced(65).0.len(), replaced(65).1), (64, false));
    let (symbols, noted) = replaced(66);
    assert!(noted);
    // After v65 comes v0.
    assert_eq!(symbols, ["v63", "v64", "v65", "v0", "v1", "v2", "v3", "v4"]);
}

#[test]
fn enumerations_that_explode_when_written_out_are_refused() {
    let values = list(1_000, |i| format!("v{i}"), ", ");
    let text = format!("MODULE main VAR a : array 0..99999 of {{{values}}};");
    let errors = translate(&text, &FrontendOptions::default()).unwrap_err();
    assert!(errors[0].message.contains("more than 1000000 values"));
    assert!(errors[0].span.is_some());
}

#[test]
fn long_cases_sets_and_enumerations_are_refused_where_they_become_too_long() {
    let case = |n: usize| {
        with_value(&format!(
            "case {}TRUE : x; esac",
            "n = 1 : x; ".repeat(n - 1)
        ))
    };
    let set = |n: usize| with_value(&format!("n in {{{}}}", list(n, |i| i.to_string(), ", ")));
    let enumeration = |n: usize| {
        let all = list(n, |i| format!("v{i}"), ", ");
        format!("MODULE main VAR x : {{{all}}}; ASSIGN next(x) := v0;")
    };
    let most = |what: &str| format!("more than {what}");
    assert_eq!(message(&case(1_000)), "accepted");
    assert!(message(&case(1_001)).contains(&most("1000 branches")));
    assert_eq!(message(&set(10_000)), "accepted");
    assert!(message(&set(100_000)).contains(&most("10000 elements")));
    assert_eq!(message(&enumeration(10_000)), "accepted");
    let text = enumeration(10_001);
    let errors = translate(&text, &FrontendOptions::default()).unwrap_err();
    assert!(errors[0].message.contains(&most("10000 values")));
    assert_eq!(errors[0].span.unwrap().of(&text), "v10000");
}
