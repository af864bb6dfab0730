//! Printed text is read as the same tree.

use hyperkill_action_systems::{LANGUAGE, read};
use hyperkill_frontend::SourceFile;
use hyperkill_guarded::printer::{command, expression};
use hyperkill_guarded::tree::System;

use crate::random::{cases, system};

/// Returns the actions of a system as they are printed, one text each.
fn printed(system: &System) -> Vec<String> {
    let operators = &LANGUAGE.operators;
    let actions = system.actions.iter();
    actions
        .map(|action| {
            let guard = expression(system, operators, action.guard.expect("a guard"));
            let body = command(system, operators, action.body);
            format!("({guard}) => ({body})")
        })
        .collect()
}

#[test]
fn random_systems_are_printed_and_read_again() {
    for seed in 0..cases(200) {
        let text = system(seed, false);
        let first = read(&SourceFile::new("m", text.clone())).expect("a system");
        let actions = printed(&first.system);
        let (before, _) = text.split_once("  actions (\n").expect("the actions");
        let (_, after) = text.split_once("\n  ),\n  dood").expect("the loop");
        let named = first
            .system
            .actions
            .iter()
            .zip(&actions)
            .map(|(action, body)| {
                let parameters: Vec<&str> =
                    action.parameters.iter().map(|p| p.text.as_str()).collect();
                let parameters = match parameters.is_empty() {
                    true => String::new(),
                    false => format!("({})", parameters.join(", ")),
                };
                format!("'{}'{parameters}::{body}", action.name.text)
            });
        let named: Vec<String> = named.collect();
        let again = format!(
            "{before}  actions (\n{}\n  ),\n  dood{after}",
            named.join(",\n")
        );
        let second = read(&SourceFile::new("m", again.clone()));
        let second = second.unwrap_or_else(|errors| panic!("seed {seed}: {errors:#?}\n{again}"));
        assert_eq!(
            printed(&second.system),
            actions,
            "seed {seed}:\n{text}\n{again}"
        );
    }
}
