//! The catalogue of mutants: what each operator makes of an expression, and what names and texts promise.

use std::collections::BTreeSet;

use hyperkill_core::SelectorId;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile, apply,
};
use hyperkill_smv::SmvFrontend;
use hyperkill_smv::mutate::BEFORE;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models;
use crate::support::{Machine, model, translate};

const MODELS: &[&str] = &[
    "beverage",
    "beverage-5",
    "beverage-20",
    "car-alarm",
    "car-alarm-timed",
    "elevator",
    "traffic-light",
    "fifo",
];

fn only(operator: &'static str) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::names([operator])),
        ..FrontendOptions::default()
    }
}

/// Returns all mutants of an operator in `next(b) := value`, written `original ⇒ replacement`.
fn mutants(operator: &'static str, value: &str) -> Vec<String> {
    let text = format!(
        "MODULE main VAR b : boolean; c : boolean; d : boolean; x : 0..9; y : 0..9; s : {{p, q, r}}; t : {{p, u}};
         DEFINE k := 4; e := c;
         ASSIGN next(b) := {value};"
    );
    let translation = translate(&text, &only(operator)).unwrap();
    let mutants = translation.catalogue.iter().map(|(mutant, _)| mutant);
    let here = mutants.filter(|m| m.path.starts_with("main/next(b)"));
    here.map(|m| format!("{} ⇒ {}", m.original, m.replacement))
        .collect()
}

#[test]
fn relational_operators_are_replaced_by_those_the_operands_allow() {
    assert_eq!(
        mutants("ROR", "x < y"),
        [
            "x < y ⇒ x = y",
            "x < y ⇒ x != y",
            "x < y ⇒ x <= y",
            "x < y ⇒ x > y",
            "x < y ⇒ x >= y",
        ]
    );
    assert_eq!(mutants("ROR", "s = p"), ["s = p ⇒ s != p"]);
    assert_eq!(mutants("ROR", "c != d"), ["c != d ⇒ c = d"]);
    assert_eq!(mutants("ROR", "x in {1, 2}"), [""; 0]);
}

#[test]
fn arithmetic_operators_are_replaced_with_parentheses_where_the_new_one_binds_differently() {
    assert_eq!(
        mutants("AOR", "x - y = 1"),
        [
            "x - y ⇒ x + y",
            "x - y ⇒ x * y",
            "x - y ⇒ x / y",
            "x - y ⇒ x mod y",
        ]
    );
    let nested = mutants("AOR", "x + y*2 = 1");
    assert!(
        nested.contains(&"x + y*2 ⇒ x * (y*2)".to_owned()),
        "{nested:?}"
    );
    assert!(nested.contains(&"y*2 ⇒ (y+2)".to_owned()), "{nested:?}");
    assert!(nested.contains(&"y*2 ⇒ y mod 2".to_owned()), "{nested:?}");
    assert!(mutants("AOR", "x * (y -1) = 1").contains(&"y -1 ⇒ y +1".to_owned()));
}

#[test]
fn logical_operators_are_replaced_and_comments_inside_survive() {
    assert_eq!(
        mutants("LOR", "c &d"),
        [
            "c &d ⇒ c |d",
            "c &d ⇒ c xor d",
            "c &d ⇒ c ->d",
            "c &d ⇒ c <->d",
        ]
    );
    let kept = mutants("LOR", "c xnor -- why\n d & e");
    assert!(
        kept.contains(&"c xnor -- why\n d & e ⇒ c & -- why\n (d & e)".to_owned()),
        "{kept:?}"
    );
    assert!(
        !kept.iter().any(|m| m.ends_with("c <-> -- why\n d & e")),
        "{kept:?}"
    );
    assert!(kept.contains(&"d & e ⇒ (d | e)".to_owned()), "{kept:?}");
}

#[test]
fn negations_come_and_go_but_never_twice() {
    assert_eq!(
        mutants("NI", "c & !d | x > 1 | x in {1} | TRUE"),
        [
            "c & !d | x > 1 | x in {1} | TRUE ⇒ !(c & !d | x > 1 | x in {1} | TRUE)",
            "c & !d ⇒ !(c & !d)",
            "c ⇒ !c",
            "x in {1} ⇒ !(x in {1})",
        ]
    );
    assert_eq!(
        mutants("NI", "(c | d) & e"),
        [
            "(c | d) & e ⇒ !((c | d) & e)",
            "(c | d) ⇒ !(c | d)",
            "c ⇒ !c",
            "d ⇒ !d",
            "e ⇒ !e",
        ]
    );
    assert_eq!(
        mutants("NR", "!c & !(d | e)"),
        ["!c ⇒ c", "!(d | e) ⇒ (d | e)"]
    );
    assert_eq!(mutants("NR", "c xor!d"), ["!d ⇒  d"]);
}

#[test]
fn constants_are_replaced_by_their_neighbours() {
    assert_eq!(
        mutants("ICR", "x = 1 + k"),
        ["1 ⇒ 0", "1 ⇒ 2", "k ⇒ (k - 1)", "k ⇒ (k + 1)"]
    );
    assert_eq!(
        mutants("ICR", "x -0 = -3"),
        ["0 ⇒ (-1)", "0 ⇒ 1", "3 ⇒ 2", "3 ⇒ 4"]
    );
    assert_eq!(
        mutants("ICR", "x in {0, k}"),
        ["0 ⇒ -1", "0 ⇒ 1", "k ⇒ k - 1", "k ⇒ k + 1"]
    );
    assert_eq!(mutants("ECR", "s = p"), ["p ⇒ q", "p ⇒ r"]);
    assert_eq!(mutants("ECR", "p = t"), ["p ⇒ u"]);
    assert_eq!(mutants("ECR", "t in {u, p}"), ["u ⇒ p", "p ⇒ u"]);
    assert_eq!(
        mutants("ECR", "s = (c ? q : r)"),
        ["q ⇒ p", "q ⇒ r", "r ⇒ p", "r ⇒ q"]
    );
    assert_eq!(
        mutants("BCR", "case c : TRUE; FALSE : d; TRUE : FALSE; esac"),
        ["TRUE ⇒ FALSE", "FALSE ⇒ TRUE", "FALSE ⇒ TRUE",]
    );
}

#[test]
fn branches_and_assignments_are_deleted() {
    assert_eq!(
        mutants("CBD", "case c : d; TRUE : case d : c; TRUE : d; esac; esac"),
        [
            "c : d; ⇒ ",
            "TRUE : case d : c; TRUE : d; esac; ⇒ ",
            "d : c; ⇒ ",
            "TRUE : d; ⇒ ",
        ]
    );
    assert_eq!(mutants("CBD", "case TRUE : c; esac"), [""; 0]);
    assert_eq!(mutants("MA", "c"), ["next(b) := c; ⇒ "]);
}

#[test]
fn every_operator_is_described_and_makes_mutants_of_the_models() {
    let operators = SmvFrontend.operators();
    let names: Vec<&str> = operators.iter().map(|o| o.name.as_str()).collect();
    let (by_default, on_demand) = names.split_at(10);
    assert_eq!(
        by_default,
        [
            "MA", "CBD", "ROR", "AOR", "LOR", "NI", "NR", "ICR", "ECR", "BCR"
        ]
    );
    assert_eq!(
        on_demand,
        [
            "VRR", "NXD", "DLY", "UOI", "IVC", "ASR", "MCO", "CCR", "STK", "CBS", "CBV", "SER",
            "SEA", "RBC"
        ]
    );
    assert!(
        operators
            .iter()
            .all(|o| !o.summary.is_empty() && o.example.contains('⇒'))
    );
    let mut used = BTreeSet::new();
    for name in MODELS {
        let translation = translate(&model(name), &FrontendOptions::default()).unwrap();
        used.extend(translation.catalogue.into_iter().map(|(m, _)| m.operator));
    }
    assert_eq!(used.len(), by_default.len());
}

/// Returns all mutants of an operator in a model, written `original ⇒ replacement`.
fn mutants_of(operator: &'static str, text: &str) -> Vec<String> {
    let translation = translate(text, &only(operator)).unwrap();
    let mutants = translation.catalogue.iter();
    mutants
        .map(|(m, _)| format!("{} ⇒ {}", m.original, m.replacement))
        .collect()
}

#[test]
fn variables_are_replaced_by_others_of_their_type() {
    assert_eq!(mutants("VRR", "x < 3"), ["x ⇒ y"]);
    assert_eq!(mutants("VRR", "c & k = 4"), ["c ⇒ d", "c ⇒ b"]);
    // There is no state yet when an initial value is computed.
    let text = "MODULE main VAR a : boolean; b : boolean; i : boolean;
        ASSIGN init(a) := i; next(a) := b; init(b) := a;";
    assert_eq!(mutants_of("VRR", text), ["b ⇒ i", "b ⇒ a", "a ⇒ i"]);
}

#[test]
fn numbers_change_their_signs_and_operators_their_order() {
    assert_eq!(
        mutants("UOI", "x - y = k"),
        ["x - y ⇒ -(x - y)", "x ⇒ (-x)", "y ⇒ (-y)"]
    );
    assert_eq!(mutants("ASR", "x - y + k = 1"), ["x - y + k ⇒ x - (y + k)"]);
    assert_eq!(mutants("ASR", "x + y + k = 1"), [""; 0]);
    assert_eq!(mutants("ASR", "x * y / 3 = 1"), ["x * y / 3 ⇒ x * (y / 3)"]);
}

#[test]
fn conditions_lose_operands_and_are_stuck() {
    assert_eq!(
        mutants("MCO", "c & (d | e)"),
        [
            "c & (d | e) ⇒ c",
            "c & (d | e) ⇒ (d | e)",
            "d | e ⇒ d",
            "d | e ⇒ e",
        ]
    );
    assert_eq!(
        mutants("STK", "case c : d; TRUE : x = 1; esac"),
        [
            "case c : d; TRUE : x = 1; esac ⇒ TRUE",
            "case c : d; TRUE : x = 1; esac ⇒ FALSE",
            "c ⇒ TRUE",
            "c ⇒ FALSE",
            "d ⇒ TRUE",
            "d ⇒ FALSE",
            "x = 1 ⇒ TRUE",
            "x = 1 ⇒ FALSE",
        ]
    );
}

#[test]
fn branches_change_places_and_values() {
    let value = "case c : d; d : e; TRUE : FALSE; esac";
    assert_eq!(
        mutants("CBS", value),
        [
            "case c : d; d : e; TRUE : FALSE; esac ⇒ case d : e; c : d; TRUE : FALSE; esac",
            "case c : d; d : e; TRUE : FALSE; esac ⇒ case c : d; TRUE : FALSE; d : e; esac",
        ]
    );
    assert_eq!(mutants("CBV", value), ["d ⇒ e", "e ⇒ FALSE", "FALSE ⇒ e"]);
}

#[test]
fn choices_have_fewer_and_more_values() {
    let text = "MODULE main VAR s : {p, q, r}; n : 0..9; b : boolean;
        ASSIGN next(s) := {p, q}; next(n) := 3..4; next(b) := {TRUE};";
    assert_eq!(mutants_of("SER", text), ["{p, q} ⇒ {q}", "{p, q} ⇒ {p}"]);
    assert_eq!(
        mutants_of("SEA", text),
        ["{p, q} ⇒ {p, q, r}", "{TRUE} ⇒ {TRUE, FALSE}"]
    );
    assert_eq!(
        mutants_of("RBC", text),
        ["3..4 ⇒ 2..4", "3..4 ⇒ 4..4", "3..4 ⇒ 3..3", "3..4 ⇒ 3..5"]
    );
}

#[test]
fn initial_values_coming_values_and_constraints_change() {
    let text = "MODULE main VAR s : {p, q, r}; b : boolean; c : boolean;
        ASSIGN init(s) := p; next(b) := next(s) = p;
        TRANS next(c) = b & (c | b)";
    assert_eq!(mutants_of("IVC", text), ["p ⇒ q", "p ⇒ r"]);
    assert_eq!(mutants_of("NXD", text), ["next(s) ⇒ s", "next(c) ⇒ c"]);
    assert_eq!(
        mutants_of("CCR", text),
        [
            "next(c) = b & (c | b) ⇒ TRUE",
            "next(c) = b ⇒ TRUE",
            "c | b ⇒ TRUE",
        ]
    );
}

#[test]
fn a_mutant_of_a_module_is_one_of_all_its_instances_in_the_words_of_the_module() {
    let text = "MODULE main VAR p : cell(5); q : cell(6); x : boolean;
        MODULE cell(k)
        VAR n : 0..9; m : 0..9; DEFINE low := 2;
        ASSIGN next(n) := case n < k : low; TRUE : n; esac;";
    assert_eq!(mutants_of("VRR", text), ["n ⇒ m", "n ⇒ m"]);
    let integers = mutants_of("ICR", text);
    assert!(
        integers.contains(&"low ⇒ low + 1".to_owned()),
        "{integers:?}"
    );
    let translation = translate(text, &only("ROR")).unwrap();
    let paths: Vec<&str> = (translation.catalogue.iter())
        .map(|(m, _)| m.path.as_str())
        .collect();
    assert_eq!(paths, ["cell/next(n)/case[0]/condition"; 5]);
}

#[test]
fn values_of_the_step_before_are_kept_in_one_more_variable() {
    let text = "MODULE main IVAR i : 2..4; VAR b : boolean; p : cell(b);
        DEFINE d := b | p.c; ASSIGN next(b) := i = 3;
        MODULE cell(k) VAR c : boolean; ASSIGN init(c) := k; next(c) := next(k);";
    let declared = |domain: &str, start: &str, name: &str| {
        let keeps = format!("{BEFORE} : {domain}; ASSIGN init({BEFORE}) := {start}");
        format!("VAR {keeps}; next({BEFORE}) := {name}; ")
    };
    assert_eq!(
        mutants_of("DLY", text),
        [
            format!(
                "d := b | p.c ⇒ {}DEFINE d := {BEFORE} | p.c",
                declared("boolean", "b", "b")
            ),
            format!(
                "d := b | p.c ⇒ {}DEFINE d := b | {BEFORE}",
                declared("boolean", "p.c", "p.c")
            ),
            format!(
                "next(b) := i = 3 ⇒ {}next(b) := {BEFORE} = 3",
                declared("2..4", "2", "i")
            ),
        ]
    );
    let process = "MODULE main VAR b : boolean; p : process cell(b);
        MODULE cell(k) VAR c : boolean; ASSIGN next(c) := k;";
    assert_eq!(mutants_of("DLY", process), [""; 0]);
    // The argument of an instance is no statement, wherever the module of the instance stands.
    let before = "MODULE cell(k) VAR c : boolean; ASSIGN init(c) := FALSE; next(c) := k;
        MODULE main VAR b : boolean; p : cell(!b);";
    assert_eq!(mutants_of("DLY", before), [""; 0]);
}

#[test]
fn what_reads_a_step_late_does_what_its_plain_source_does() {
    let mut texts: Vec<String> = MODELS.iter().map(|name| model(name)).collect();
    texts.push(
        "MODULE main
         IVAR i : {0, 2, 5}; VAR go : boolean; w : unsigned word[2]; s : 0..3; t : 0..3; p : cell(go, s); q : cell(p.c, t);
         DEFINE d := s + t; e := w[1:1] = 0b_1; f := q.c & p.c;
         ASSIGN init(w) := 0ud2_1; init(s) := 1; init(t) := 0; next(w) := w + (go ? 0ud2_1 : 0ud2_2);
           next(s) := d > 3 ? 0 : (i = 2 ? s : t); next(t) := e & f ? 3 : s;
         MODULE cell(k, n)
         VAR c : boolean; wire : boolean; ASSIGN init(c) := k; wire := k | n = 2; next(c) := wire xor c;"
            .to_owned(),
    );
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut same, mut other) = (0, 0);
    for text in texts {
        let machine = Machine::with_options(&text, &only("DLY")).unwrap();
        let outputs = machine.translation.system.outputs.iter();
        let outputs: Vec<String> = outputs.map(|output| output.name.clone()).collect();
        let plain_options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| false)),
            roles: RoleOptions {
                outputs: Some(NamePredicate::names(outputs)),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let aig = &machine.blasted.model.aig;
        for _ in 0..5 {
            let steps = (0..12).map(|_| aig.inputs().iter().map(|_| rng.random()).collect());
            let steps: Vec<Vec<bool>> = steps.collect();
            let shown = |machine: &Machine, variant| {
                let stimulus = Stimulus {
                    initial: vec![false; machine.blasted.model.aig.latches().len()].into(),
                    steps: steps.clone(),
                };
                let trace = replay(&machine.blasted.model, variant, &stimulus).unwrap();
                let outputs = trace.outputs.iter();
                let mut shown: Vec<_> = outputs
                    .map(|bits| decode(&machine.blasted.model.outputs, bits))
                    .collect();
                for step in &mut shown {
                    step.sort();
                }
                shown
            };
            let original = shown(&machine, Variant::Original);
            for (index, (mutant, rejected)) in machine.translation.catalogue.iter().enumerate() {
                assert_eq!(*rejected, None);
                let mutated = apply(&text, mutant).unwrap();
                let plain = Machine::with_options(&mutated, &plain_options).unwrap();
                let found = shown(&machine, Variant::Mutant(SelectorId(index)));
                assert_eq!(found, shown(&plain, Variant::Original), "{mutated}");
                match found == original {
                    true => same += 1,
                    false => other += 1,
                }
            }
        }
    }
    assert!(same > 50 && other > 50, "{same} {other}");
}

#[test]
fn nothing_is_made_by_operators_that_nobody_asked_for() {
    let text = model("elevator");
    let translation = translate(&text, &FrontendOptions::default()).unwrap();
    let made: BTreeSet<&str> = (translation.catalogue.iter())
        .map(|(mutant, _)| mutant.operator.as_str())
        .collect();
    let wanted = [
        "AOR", "BCR", "CBD", "ECR", "ICR", "LOR", "MA", "NI", "NR", "ROR",
    ];
    assert!(
        made.iter().all(|operator| wanted.contains(operator)),
        "{made:?}"
    );
}

#[test]
fn every_mutant_has_its_own_id_its_own_text_and_a_plain_source_that_is_read() {
    for name in MODELS {
        let text = model(name);
        let translation = translate(&text, &FrontendOptions::default()).unwrap();
        let (mut ids, mut texts) = (BTreeSet::new(), BTreeSet::new());
        let mut live = Vec::new();
        for (mutant, rejected) in &translation.catalogue {
            let mutated = apply(&text, mutant).unwrap();
            assert_ne!(mutated, text, "{name} {mutant:?}");
            assert!(ids.insert(mutant.id.clone()), "{name} {mutant:?}");
            assert!(texts.insert(mutated.clone()), "{name} {mutant:?}");
            if rejected.is_none() {
                live.push(mutant.id.clone());
                let read = hyperkill_smv::parser::parse(&mutated);
                assert!(read.is_ok(), "{name} {mutant:?} {read:?}");
            }
        }
        let selectors = translation.system.selectors.iter();
        assert_eq!(selectors.map(|s| s.id.clone()).collect::<Vec<_>>(), live);
    }
}

#[test]
fn a_branch_takes_a_value_of_the_set_that_the_next_one_has() {
    let values = [
        "case c : p; d : {p, q}; TRUE : s; esac",
        "case c : p; TRUE : case d : {p, r}; TRUE : q; esac; esac",
        "case c : case d : {q, r}; TRUE : p; esac; TRUE : q; esac",
    ];
    for value in values {
        let text = format!(
            "MODULE main VAR s : {{p, q, r}}; c : boolean; d : boolean; x : 0..4; y : boolean;
             ASSIGN next(s) := {value};
               next(x) := case c : x; d : 2..4; TRUE : {{0, 3}}; esac;
               next(y) := case c : !y; TRUE : {{TRUE, FALSE}}; esac;"
        );
        let translation = translate(&text, &only("CBV")).unwrap();
        assert!(translation.catalogue.len() >= 7, "{value}");
        for (mutant, rejected) in &translation.catalogue {
            assert_eq!(*rejected, None, "{mutant:?} of\n{text}");
        }
    }
}

#[test]
fn what_is_set_aside_for_its_type_is_no_model_or_not_supported_yet() {
    let (mut refused, mut unsupported) = (0, 0);
    for seed in 0..60 {
        let text = models::text(seed);
        let all = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        let Ok(translation) = translate(&text, &all) else {
            continue;
        };
        for (mutant, rejected) in &translation.catalogue {
            let Some(reason) = rejected else {
                continue;
            };
            if reason.contains("not supported yet") {
                unsupported += 1;
                continue;
            }
            let plain = apply(&text, mutant).unwrap();
            let alone = translate(&plain, &FrontendOptions::default());
            assert!(alone.is_err(), "seed {seed}: {reason}: {mutant:?}\n{plain}");
            refused += 1;
        }
    }
    println!("{refused} refused, {unsupported} not supported");
    assert!(refused + unsupported > 0);
}

#[test]
fn ids_survive_edits_elsewhere() {
    let ids = |text: &str| -> BTreeSet<String> {
        let translation = translate(text, &FrontendOptions::default()).unwrap();
        translation
            .catalogue
            .iter()
            .map(|(m, _)| m.id.to_string())
            .collect()
    };
    let before = model("car-alarm");
    let after = before
        .replace("MODULE main", "-- edited\nMODULE main")
        .replace("init(sound) := FALSE;", "  init(sound) := FALSE; -- silent")
        .replace("VAR\n", "VAR\n  extra : boolean;\n")
        .replace(
            "next(sound) :=",
            "next(extra) := event = open & extra;\n  next(sound) :=",
        );
    assert_ne!(before, after);
    let (before, after) = (ids(&before), ids(&after));
    assert!(before.is_subset(&after));
    assert!(after.len() > before.len());
}

#[test]
fn mutants_are_listed_in_the_order_of_their_places() {
    for name in MODELS {
        let translation = translate(&model(name), &FrontendOptions::default()).unwrap();
        let places: Vec<usize> = translation
            .catalogue
            .iter()
            .map(|(m, _)| m.place.start)
            .collect();
        assert!(places.is_sorted(), "{name}");
    }
}

#[test]
fn constants_that_shape_types_are_listed_with_the_reason() {
    let translation = translate(&model("fifo"), &only("ICR")).unwrap();
    let rejected: Vec<(&Mutant, &String)> = (translation.catalogue.iter())
        .filter_map(|(mutant, reason)| Some((mutant, reason.as_ref()?)))
        .collect();
    assert_eq!(rejected.len(), 2);
    for (mutant, reason) in rejected {
        assert_eq!(mutant.path, "main/define(size)");
        assert_eq!(reason, "it would change the type of `head`");
    }
}

#[test]
fn a_wire_whose_coming_value_is_read_is_guessed_a_step_ahead_without_its_assignment() {
    let text = "MODULE main VAR x : boolean; y : boolean;
        z : boolean; -- @output
        ASSIGN y := x; next(x) := !x; init(z) := FALSE; next(z) := next(y);";
    let machine = Machine::with_options(text, &only("MA")).unwrap();
    let (_, freed) = machine.mutant("main/y", "");
    let free = ["next.any.y=TRUE", "next.any.y=FALSE", "next.any.y=TRUE", ""];
    assert_eq!(
        machine.run(freed, &free),
        ["z=FALSE", "z=TRUE", "z=FALSE", "z=TRUE"]
    );
    assert_eq!(
        machine.run(Variant::Original, &free),
        ["z=FALSE", "z=TRUE", "z=FALSE", "z=TRUE"]
    );
}

#[test]
fn what_two_rules_of_one_operator_make_of_a_place_is_one_mutant() {
    for text in [
        "MODULE main VAR v : boolean; i : boolean; ASSIGN init(v) := FALSE; next(v) := i & i;",
        "MODULE main VAR v : {p, q}; i : boolean; ASSIGN init(v) := {p, p}; next(v) := i ? p : q;",
    ] {
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        let sources = [SourceFile::new("m.smv", text)];
        let translation = SmvFrontend.translate(&sources, &options).expect("a model");
        let ids = translation.catalogue.iter().map(|(mutant, _)| &mutant.id);
        let ids: Vec<_> = ids.collect();
        let different: BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len(), "{text}: {ids:?}");
    }
}

/// Returns the mutants of a text as `line: original ⇒ replacement`, with lines from 0.
fn placed(text: &str) -> BTreeSet<String> {
    let translation = translate(text, &FrontendOptions::default()).unwrap();
    let mutants = translation.catalogue.iter().map(|(mutant, _)| {
        let line = mutant.place.line - 1;
        format!("{line}: {} ⇒ {}", mutant.original, mutant.replacement)
    });
    mutants.collect()
}

#[test]
fn comments_exclude_their_line_or_all_up_to_the_next_comment_and_nothing_else() {
    let text = "MODULE main
VAR a : boolean; n : 0..7;
DEFINE
  low := n < 2;
  high := n > 5;
ASSIGN
  next(n) := case
    low & a : n + 1;
    high : n - 1;
    TRUE : n;
  esac;
";
    let all = placed(text);
    let lines = |mutants: &BTreeSet<String>| -> BTreeSet<usize> {
        let numbers = mutants.iter().map(|m| m.split_once(':').unwrap().0);
        numbers.map(|number| number.parse().unwrap()).collect()
    };
    assert_eq!(lines(&all), BTreeSet::from([3, 4, 6, 7, 8, 9]));
    // Comments at ends of lines move nothing.
    let of = |remarks: &[(usize, &str)]| {
        let edited = text.lines().enumerate().map(|(number, line)| {
            let remark = remarks.iter().find(|(at, _)| *at == number);
            format!("{line}{}\n", remark.map_or("", |(_, remark)| remark))
        });
        placed(&edited.collect::<String>())
    };
    let without = |off: &[usize]| -> BTreeSet<String> {
        let kept = all.iter().filter(|mutant| {
            let (line, _) = mutant.split_once(':').unwrap();
            !off.contains(&line.parse().unwrap())
        });
        kept.cloned().collect()
    };
    assert_eq!(of(&[(3, " -- hyperkill: off")]), without(&[3]));
    // An assignment that extends into an excluded line is excluded as a unit.
    assert_eq!(of(&[(8, " -- hyperkill: off")]), without(&[6, 8]));
    assert_eq!(of(&[(4, " -- hyperkill: offline"), (3, " -- off")]), all);
    // Directives on lines of their own, in place of empty ones. A second directive changes nothing, and one without an end extends to the
    // end of the text.
    let with = |first: usize, last: Option<usize>| {
        let mut edited = String::new();
        for (number, line) in text.lines().enumerate() {
            if number == first {
                edited += "  -- hyperkill: off\n  /-- hyperkill: off --/\n";
            }
            edited += line;
            edited.push('\n');
            if Some(number) == last {
                edited += "  --   hyperkill:  on  \n";
            }
        }
        let found = placed(&edited).into_iter();
        found
            .map(|mutant| mutant.split_once(':').unwrap().1.to_owned())
            .collect::<BTreeSet<_>>()
    };
    let texts = |mutants: BTreeSet<String>| -> BTreeSet<String> {
        mutants
            .iter()
            .map(|mutant| mutant.split_once(':').unwrap().1.to_owned())
            .collect()
    };
    assert_eq!(with(3, Some(4)), texts(without(&[3, 4])));
    assert_eq!(with(5, None), texts(without(&[6, 7, 8, 9])));
}
