//! Expressions as texts: precedence by the table, printing, and parentheses around operators that are exchanged.

use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile};
use hyperkill_guarded::model::check;
use hyperkill_guarded::mutate::mutations;
use hyperkill_guarded::printer::expression;

use crate::language::{LANGUAGE, system};

fn printed(text: &str) -> String {
    let system = system(text, "true");
    expression(
        &system,
        &LANGUAGE.operators,
        system.actions[0].guard.expect("a guard"),
    )
}

#[test]
fn operators_bind_as_the_table_says() {
    for (text, printed_as) in [
        ("n+1*2<3", "n + 1 * 2 < 3"),
        ("(n+1)*2<3", "(n + 1) * 2 < 3"),
        ("on||true&&n<2", "on || true && n < 2"),
        ("(on||true)&&n<2", "(on || true) && n < 2"),
        ("n-(1-1)<2", "n - (1 - 1) < 2"),
        ("on==(n<2)", "on == n < 2"),
        ("!(n<2)", "! (n < 2)"),
        ("n - -1 < 2", "n - -1 < 2"),
    ] {
        assert_eq!(printed(text), printed_as);
        assert_eq!(printed(printed_as), printed_as);
    }
}

/// Returns the texts that the mutants of an operator make of a guard.
fn mutated(guard: &str, operator: &str) -> Vec<String> {
    let system = system(guard, "true");
    let model = check(&system).expect("a model");
    let source = SourceFile::new("m", guard);
    let options = FrontendOptions {
        operators: Some(NamePredicate::names([operator])),
        ..FrontendOptions::default()
    };
    let found = mutations(&model, &source, &LANGUAGE, &[], &options).expect("mutants");
    let text = |place: &hyperkill_core::mutant::Place, by: &str| {
        [&guard[..place.start], by, &guard[place.end..]].concat()
    };
    found
        .iter()
        .map(|m| text(&m.mutant.place, &m.mutant.replacement))
        .collect()
}

#[test]
fn an_operator_that_binds_otherwise_brings_parentheses() {
    let found = mutated("n + 1 < 3 == on", "ROR");
    assert!(
        found.contains(&"(n + 1 == 3) == on".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"n + 1 >= 3 == on".to_owned()), "{found:?}");
    let found = mutated("n + 1 * 2 < 3", "AOR");
    assert!(found.contains(&"n * (1 * 2) < 3".to_owned()), "{found:?}");
    assert!(found.contains(&"n + (1 + 2) < 3".to_owned()), "{found:?}");
    let found = mutated("on && n < 2 || on", "LOR");
    assert_eq!(found, ["on && n < 2 && on", "on || n < 2 || on"]);
}

#[test]
fn signs_do_not_grow_together() {
    let found = mutated("n<-1", "ROR");
    assert!(found.contains(&"n>-1".to_owned()), "{found:?}");
    // A sign of the language that two others would make.
    let found = mutated("n-1>0", "AOR");
    assert_eq!(found, ["n+1>0", "n*1>0"]);
}
