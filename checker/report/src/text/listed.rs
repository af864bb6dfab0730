//! Listed mutants and the signature of a model, as text for people.

use hyperkill_audit::documents::{MutantTable, PortDescription, Signature};
use hyperkill_core::events::Parameter;

use super::{Align, Style, Table, mutants};

/// Returns each mutant of a list with the difference of its source from the original.
#[must_use]
pub fn diffs(table: &MutantTable, style: Style) -> String {
    let mut text = String::new();
    for mutant in &table.mutants {
        let line = mutants::table([mutant], style);
        text.push_str(&line.to_string());
        let diff = mutant.diff.as_deref().unwrap_or_default();
        text.push_str(&mutants::colored_diff(diff, style));
        text.push('\n');
    }
    text
}

/// Returns the inputs, choices and outputs of a model as text.
#[must_use]
pub fn signature(table: &MutantTable, style: Style) -> String {
    let Signature {
        inputs,
        choices,
        outputs,
        events,
    } = &table.signature;
    let mut text = String::new();
    let of_mutants = |port: &&PortDescription| table.choices_of_mutants.contains(&port.name);
    let (only, choices): (Vec<_>, Vec<_>) = choices.iter().partition(of_mutants);
    let groups: [(&str, Vec<&PortDescription>); 4] = [
        ("test inputs", inputs.iter().collect()),
        ("choices", choices),
        ("choices that only mutants have", only),
        ("outputs", outputs.iter().collect()),
    ];
    for (title, ports) in groups {
        if ports.is_empty() && title == "choices that only mutants have" {
            continue;
        }
        text.push_str(&format!("{}\n", style.bold(title)));
        let mut rows = Table::new([Align::Left, Align::Left]).indented(2);
        for port in &ports {
            rows.row([port.name.clone(), format!("{} {}", port.kind, port.domain)]);
        }
        if ports.is_empty() {
            rows.row([style.dim("none")]);
        }
        text.push_str(&rows.to_string());
    }
    if !events.is_empty() {
        text.push_str(&format!("{}\n", style.bold("events")));
        let mut rows = Table::new([Align::Left, Align::Left]).indented(2);
        for of in events {
            for event in &of.events {
                let parameters = event.parameters.iter().map(|parameter| match parameter {
                    Parameter::Port(port) => port.clone(),
                    Parameter::Value(value) => value.to_string(),
                });
                let parameters: Vec<String> = parameters.collect();
                let call = match parameters.is_empty() {
                    true => event.label.clone(),
                    false => format!("{}({})", event.label, parameters.join(", ")),
                };
                rows.row([of.port.clone(), call]);
            }
        }
        text.push_str(&rows.to_string());
    }
    if !table.roles.is_empty() {
        text.push_str(&format!("{}\n", style.bold("how roles were found")));
        for note in &table.roles {
            text.push_str(&format!("  {note}\n"));
        }
    }
    text
}
