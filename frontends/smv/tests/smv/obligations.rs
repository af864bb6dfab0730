//! Invalid models and mutants. The verdicts on models are those of NuSMV 2.5.4.

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;

use crate::support::{Machine, broken_obligations, model};

/// Returns the error of the original of a model over `x : 0..3`, `y : -2..2`, `g : {0, 2, 5}`, `b : boolean`, `i : boolean`.
fn wrong(assignments: &str) -> String {
    let text = format!(
        "MODULE main VAR x : 0..3; y : -2..2; g : {{0, 2, 5}}; b : boolean; i : boolean;\n\
         ASSIGN {assignments}"
    );
    let machine = match Machine::with_options(&text, &Default::default()) {
        Ok(machine) => machine,
        Err(errors) => return errors[0].message.clone(),
    };
    match broken_obligations(&machine, &[Variant::Original])[0] {
        None => "nothing".to_owned(),
        Some(index) => machine.translation.checks.obligations[index]
            .message
            .clone(),
    }
}

#[test]
fn values_outside_the_domain_are_found_in_all_states_reachable_or_not() {
    let outside = "`next(x)` gets a value outside 0..3";
    assert_eq!(wrong("init(x) := 0; next(x) := x + 1;"), outside);
    assert_eq!(
        wrong("next(x) := case x < 3 : x + 1; TRUE : 0; esac;"),
        "nothing"
    );
    assert_eq!(
        wrong("next(x) := case x < 9 : 1; TRUE : 77; esac;"),
        "nothing"
    );
    assert_eq!(wrong("next(x) := {1, 9};"), outside);
    assert_eq!(wrong("next(x) := {1, b ? 2 : 4};"), outside);
    let initially = "`init(x)` gets a value outside 0..3";
    assert_eq!(
        wrong("init(y) := 0; init(x) := y + 1; next(b) := i;"),
        initially
    );
    assert_eq!(
        wrong("x := y + 1; next(y) := 0;"),
        "`x` gets a value outside 0..3"
    );
    let gap = "`next(g)` gets a value outside {0, 2, 5}";
    assert_eq!(wrong("next(g) := g = 0 ? 2 : g - 2;"), gap);
    assert_eq!(
        wrong("next(g) := case g = 0 : 2; g = 2 : g + 3; TRUE : 0; esac;"),
        "nothing"
    );
}

#[test]
fn wires_and_coming_values_may_be_anything_of_their_types_whatever_they_are_assigned() {
    let outside = "`next(x)` gets a value outside 0..3";
    assert_eq!(wrong("y := 1; next(x) := y + 1;"), outside);
    assert_eq!(wrong("next(y) := 1; next(x) := next(y) + 1;"), outside);
    assert_eq!(wrong("next(x) := 1 + 1;"), "nothing");
    assert_eq!(wrong("DEFINE z := 1; ASSIGN next(x) := z + 1;"), "nothing");
    assert_eq!(
        wrong("y := 1; next(x) := y in -1..2 ? y + 1 : 0;"),
        "nothing"
    );
    assert_eq!(
        wrong("FROZENVAR f : -2..2; ASSIGN next(x) := next(f) = f ? 0 : 9;"),
        "nothing"
    );
    assert_eq!(
        wrong("FROZENVAR f : -2..2; ASSIGN init(f) := 0; next(x) := f;"),
        outside
    );
}

#[test]
fn a_case_must_have_a_true_condition_wherever_its_value_is_looked_at() {
    let missing = "no condition of this `case` is true, in the value of `next(x)`";
    assert_eq!(
        wrong("next(x) := case x < 2 : 1; x >= 2 : 0; esac;"),
        "nothing"
    );
    assert_eq!(
        wrong("next(x) := case x < 2 : 1; x > 2 : 0; esac;"),
        missing
    );
    assert_eq!(
        wrong("next(x) := case b : case b : 1; esac; TRUE : 0; esac;"),
        "nothing"
    );
    assert_eq!(
        wrong("next(x) := case i : case b : 1; esac; TRUE : 0; esac;"),
        missing
    );
    assert_eq!(
        wrong(
            "next(b) := b; DEFINE d := case x < 2 : 1; x > 2 : 0; esac; VAR z : 0..1; ASSIGN next(z) := x != 2 ? d : 0;"
        ),
        "nothing"
    );
}

#[test]
fn undefined_operands_do_no_harm_beside_operands_that_decide() {
    let divided = "division by zero, in the value of `next(b)`";
    for harmless in [
        "x != 0 & 3 / x = 1",
        "3 / x = 1 & x != 0",
        "x = 0 | 3 / x = 1",
        "3 mod x = 1 | x = 0",
        "x > 0 -> 3 / x = 1",
        "3 / x != 1 -> x = 0 | 3 / x > 1 | i",
        "x != 0 & (3 / x = 1 xor 3 / x = 2)",
        "x = 0 ? i : 3 / x = 1",
        "x != 0 & 3 / x in {1, 6 / x}",
    ] {
        assert_eq!(
            wrong(&format!("next(b) := {harmless};")),
            "nothing",
            "{harmless}"
        );
    }
    for harmful in [
        "3 / x = 1",
        "x != 0 | 3 / x = 1",
        "x = 0 & 3 / x = 1",
        "x = 0 -> 3 / x = 1",
        "(x = 0 ? 0 : 1) * (3 / x) = 1",
        "x != 0 xor 3 / x = 1",
        "3 / x = 1 & 3 / x = 2",
        "x in {1, 3 / x}",
    ] {
        assert_eq!(
            wrong(&format!("next(b) := {harmful};")),
            divided,
            "{harmful}"
        );
    }
}

#[test]
fn invalid_mutants_of_the_beverage_machine_are_those_that_leave_the_tank_or_miss_a_case() {
    let machine = Machine::new(&model("beverage"));
    let live: Vec<_> = (machine.translation.catalogue.iter())
        .filter(|(_, rejected)| rejected.is_none())
        .map(|(mutant, _)| mutant)
        .collect();
    let variants: Vec<Variant> = (0..live.len())
        .map(SelectorId)
        .map(Variant::Mutant)
        .collect();
    let broken = broken_obligations(&machine, &variants);
    let mut found = Vec::new();
    for (mutant, broken) in live.iter().zip(broken) {
        if let Some(index) = broken {
            let message = &machine.translation.checks.obligations[index].message;
            found.push(format!(
                "{} `{}` ⇒ `{}`: {message}",
                mutant.operator, mutant.original, mutant.replacement
            ));
        }
    }
    insta::assert_snapshot!("invalid_mutants_of_beverage", found.join("\n"));
    assert_eq!(broken_obligations(&machine, &[Variant::Original]), [None]);
}

#[test]
fn an_obligation_that_one_mutant_breaks_holds_for_all_others() {
    let machine = Machine::new(&model("car-alarm"));
    let live = machine.translation.system.selectors.len();
    let variants: Vec<Variant> = (0..live).map(SelectorId).map(Variant::Mutant).collect();
    let broken = broken_obligations(&machine, &variants);
    let (mutant, _) = machine.mutant("main/next(phase)/case[6]", "");
    let invalid: Vec<usize> = (0..live).filter(|i| broken[*i].is_some()).collect();
    assert_eq!(invalid.len(), 1);
    assert_eq!(
        machine.translation.system.selectors[invalid[0]].id,
        mutant.id
    );
}

#[test]
fn an_invariant_without_a_value_leaves_the_model_one() {
    let questions = |invariant: &str| {
        let text = format!(
            "MODULE main VAR x : 0..3; a : array 0..2 of boolean; ASSIGN next(x) := x; INVARSPEC {invariant}"
        );
        let translation = Machine::new(&text).translation;
        assert!(translation.checks.obligations.is_empty());
        let questions = translation.invariant_checks.obligations.into_iter();
        questions.map(|o| o.message).collect::<Vec<_>>()
    };
    let divided = "division by zero, in an INVARSPEC";
    assert_eq!(questions("3 / x > 0"), [divided]);
    assert_eq!(questions("3 / 0 > 0"), [divided]);
    let outside = "the index is outside the array, in an INVARSPEC";
    assert_eq!(questions("a[x]"), [outside]);
    assert!(questions("x = 3").is_empty());
}

/// Returns the part of the text that the first broken obligation of the original marks.
fn marked(assignments: &str) -> String {
    let text = format!(
        "MODULE main VAR x : 0..3; y : -2..2; g : {{0, 2, 5}}; b : boolean; i : boolean;\n\
         ASSIGN {assignments}"
    );
    let span = match Machine::with_options(&text, &Default::default()) {
        Ok(machine) => {
            let broken = broken_obligations(&machine, &[Variant::Original])[0];
            let (start, end) = machine.translation.checks.obligations[broken.unwrap()]
                .span
                .unwrap();
            start..end
        }
        Err(errors) => {
            let span = errors[0].span.unwrap();
            span.start..span.end
        }
    };
    text[span].to_owned()
}

#[test]
fn a_value_outside_the_domain_is_marked_at_the_branch_that_gives_it() {
    for (value, there) in [
        ("case b : 1; i : x + 1; TRUE : 0; esac", "x + 1"),
        ("case b : 1; i : 0; TRUE : x + 2; esac", "x + 2"),
        ("b ? 1 : x + 1", "x + 1"),
        ("b ? x - 1 : i ? 0 : 1", "x - 1"),
        ("case b : case i : 3; TRUE : y; esac; TRUE : 0; esac", "y"),
        ("{1, x + 1, 0}", "x + 1"),
        ("b ? {1, 2} : {3, i ? 0 : 9}", "9"),
        ("case b : 9; i : 0; TRUE : 9; esac", "9"),
        ("x + 1", "x + 1"),
        ("9", "9"),
    ] {
        assert_eq!(marked(&format!("next(x) := {value};")), there, "{value}");
    }
    assert_eq!(marked("next(x) := case b & !b : 9; TRUE : (8); esac;"), "8");
    assert_eq!(
        marked("DEFINE d := b ? x + 1 : 0; ASSIGN next(x) := i ? d : 0;"),
        "d"
    );
    assert_eq!(
        marked("next(g) := case b : 2; TRUE : g - 2; esac;"),
        "g - 2"
    );
}

#[test]
fn many_branches_are_asked_about_together_and_none_is_forgotten() {
    let branches = |bad: usize| {
        let branch = |k: usize| {
            let value = if k == bad { "x + 1" } else { "x - (x - y)" };
            format!("b & y = {k} : {value};")
        };
        let all: Vec<String> = (0..50).map(branch).collect();
        format!("next(x) := case {} TRUE : 0; esac;", all.join(" "))
    };
    let text = format!(
        "MODULE main VAR x : 0..63; y : 0..63; b : boolean; ASSIGN {}",
        branches(40)
    );
    let machine = Machine::with_options(&text, &Default::default()).unwrap();
    let obligations = &machine.translation.checks.obligations;
    let outside = obligations.iter().filter(|o| o.message.contains("outside"));
    assert_eq!(outside.count(), 8);
    let broken = broken_obligations(&machine, &[Variant::Original])[0].unwrap();
    let (start, end) = obligations[broken].span.unwrap();
    assert!(text[start..end].contains("x + 1"));
}
