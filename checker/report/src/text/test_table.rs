//! Tests as tables, step by step.

use hyperkill_core::events::{Calls, EventPort, Side};
use hyperkill_core::sort::Value;

use super::valuation::assignments;
use super::{Align, Style, Table, strategy};
use hyperkill_audit::documents::{Machine, TestStep, Valuation};

/// Widest table of all variables, in columns; wider ones become lists of changes.
const WIDEST: usize = 160;

/// Number of allowed outputs, at most, that are listed one by one.
const LISTED: usize = 6;

/// Returns a test as text: inputs, outputs of the model, allowed outputs, and differing outputs of the mutant. `events` are shown in place
/// of their ports. A tree appears as its strategy, followed by one play. `initial` are the initial values that the test arranges.
#[must_use]
pub fn test(
    initial: &Valuation,
    steps: &[TestStep],
    machine: Option<&Machine>,
    events: &[EventPort],
    style: Style,
) -> String {
    let mut text = String::new();
    if let Some(machine) = machine {
        text.push_str(&strategy::tree(machine, events, style));
        text.push_str(&format!("\n{}\n", style.bold("a play of it")));
    }
    if !initial.is_empty() {
        text.push_str(&format!("arrange at first: {}\n", assignments(initial)));
    }
    let mut shown = Shown::all(steps, events);
    // A difference must be visible, even if the events of a circuit hide it.
    if shown.iter().any(Shown::hides_a_difference) {
        shown = Shown::all(steps, &[]);
    }
    let steps = shown;
    let tables =
        [Answers::All, Answers::Differing].map(|answers| full_table(&steps, answers, style));
    match tables.iter().find(|table| table.width() <= WIDEST) {
        Some(table) => text.push_str(&table.to_string()),
        None => text.push_str(&changes(&steps, style)),
    }
    text.extend(first_difference(&steps));
    text
}

/// A step in its displayed form, with events in place of some ports.
struct Shown<'a> {
    step: &'a TestStep,
    inputs: Valuation,
    outputs: Valuation,
    /// Content of the column of allowed outputs; `None` if the step lists none.
    allowed: Option<Vec<String>>,
    mutant_outputs: Option<Valuation>,
}

impl<'a> Shown<'a> {
    fn all(steps: &'a [TestStep], events: &[EventPort]) -> Vec<Shown<'a>> {
        let calls = Calls::new(events);
        steps.iter().map(|step| Shown::of(step, &calls)).collect()
    }

    fn of(step: &'a TestStep, calls: &Calls<'_>) -> Shown<'a> {
        let read = |side, values: &Valuation| {
            let shown = calls.read(side, &values.0).into_iter();
            let shown = shown.map(|(name, shown)| match shown {
                hyperkill_core::events::Shown::Value(value) => (name, value),
                call => (name, Value::Symbol(call.to_string())),
            });
            Valuation(shown.collect())
        };
        let allowed = step.allowed.as_ref().map(|allowed| {
            let allowed = allowed.iter().map(|outputs| outputs.0.as_slice());
            let allowed = calls.alternatives(Side::Outputs, allowed).into_iter();
            let allowed = allowed.map(|outputs| {
                let values = outputs.iter().map(|(_, shown)| shown.to_string());
                values.collect::<Vec<_>>().join(" ")
            });
            allowed.collect()
        });
        Shown {
            step,
            inputs: read(Side::Inputs, &step.inputs),
            outputs: read(Side::Outputs, &step.outputs),
            allowed,
            mutant_outputs: step.mutant_outputs.as_ref().map(|o| read(Side::Outputs, o)),
        }
    }

    fn hides_a_difference(&self) -> bool {
        let shown = self.mutant_outputs.as_ref();
        let differ = |outputs: &Valuation| *outputs != self.step.outputs;
        self.step.mutant_outputs.as_ref().is_some_and(differ) && shown == Some(&self.outputs)
    }
}

/// Rule that says which outputs of the mutant get a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    All,
    /// Outputs that differ at some step.
    Differing,
}

/// Returns a table with one column per variable: inputs, outputs of the model, and outputs of the mutant. `answers` selects the outputs of
/// the mutant.
fn full_table(steps: &[Shown<'_>], answers: Answers, style: Style) -> Table {
    let inputs = variables(steps.iter().map(|step| &step.inputs));
    let given = || steps.iter().flat_map(|step| &step.mutant_outputs);
    let outputs = variables(steps.iter().map(|step| &step.outputs).chain(given()));
    let is_beside = given().next().is_some();
    let of_mutant: Vec<&str> = match (is_beside, answers) {
        (false, _) => Vec::new(),
        (true, Answers::All) => outputs.clone(),
        (true, Answers::Differing) => (outputs.iter().copied())
            .filter(|name| steps.iter().any(|step| differs(step, name)))
            .collect(),
    };
    let columns = std::iter::once(Align::Right).chain(std::iter::repeat_n(
        Align::Left,
        inputs.len() + outputs.len() + of_mutant.len() + 6,
    ));
    let with_allowed = steps.iter().any(|step| step.allowed.is_some());
    let is_timed = steps.iter().any(|step| step.step.at.is_some());
    let mut table = Table::new(columns);
    let heading = |text: &&str| style.bold(text);
    let times: &[&str] = if is_timed { &["at", "delay"] } else { &[] };
    let bar = || "│".to_owned();
    if is_beside {
        let blank = std::iter::repeat_n(String::new(), 1 + times.len() + inputs.len());
        let rest = std::iter::repeat_n(String::new(), outputs.len().saturating_sub(1));
        table.row(
            blank
                .chain([bar(), style.bold("model")])
                .chain(rest)
                .chain([bar(), style.bold("mutant")]),
        );
    }
    table.row(
        (["step"].iter().chain(times).chain(&inputs).map(heading))
            .chain([bar()])
            .chain(outputs.iter().map(heading))
            .chain(is_beside.then(bar))
            .chain(of_mutant.iter().map(heading))
            .chain(with_allowed.then(|| heading(&"allowed"))),
    );
    for (number, step) in steps.iter().enumerate() {
        let mut row = vec![number.to_string()];
        if is_timed {
            row.extend(
                [step.step.at, step.step.delay]
                    .map(|time| time.map_or_else(String::new, |t| t.to_string())),
            );
        }
        let inputs = inputs.iter().map(|name| spelled(value(&step.inputs, name)));
        row.extend(inputs);
        row.push(bar());
        row.extend(outputs.iter().map(|name| {
            let own = spelled(value(&step.outputs, name));
            match differs(step, name) {
                true => style.green(&own),
                false => own,
            }
        }));
        row.extend(is_beside.then(bar));
        row.extend(of_mutant.iter().map(|name| {
            let other = spelled(answer(step, name).flatten());
            match differs(step, name) {
                true => style.red(&other),
                false => other,
            }
        }));
        if with_allowed {
            row.push(allowed(step));
        }
        if outputs.iter().any(|name| differs(step, name)) {
            row.push(mark(step, style));
        }
        table.row(row);
    }
    table
}

/// Returns a sentence on the first difference of the mutant's outputs; `None` if there is no difference.
fn first_difference(steps: &[Shown<'_>]) -> Option<String> {
    let (number, step) = (steps.iter().enumerate()).find(|(_, step)| {
        let outputs = variables([&step.outputs].into_iter().chain(&step.mutant_outputs));
        outputs.iter().any(|name| differs(step, name))
    })?;
    let outputs = variables([&step.outputs].into_iter().chain(&step.mutant_outputs));
    let differing = outputs.into_iter().filter(|name| differs(step, name));
    let differing = differing.map(|name| {
        let own = spelled(value(&step.outputs, name));
        let other = spelled(answer(step, name).flatten());
        format!("{name} is {own} in the model and {other} in the mutant")
    });
    let differing: Vec<String> = differing.collect();
    Some(format!(
        "first difference: step {number}, {}\n",
        differing.join("; ")
    ))
}

/// Returns the variables of some valuations, in the order of their first occurrence. A step of a timed test has only some of them.
fn variables<'a>(valuations: impl Iterator<Item = &'a Valuation>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in valuations.flat_map(|valuation| &valuation.0) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn value<'a>(valuation: &'a Valuation, name: &str) -> Option<&'a Value> {
    let mut values = valuation.0.iter();
    values
        .find(|(known, _)| known == name)
        .map(|(_, value)| value)
}

/// Returns a value as text, with a dash for a missing one.
fn spelled(value: Option<&Value>) -> String {
    value.map_or_else(|| "–".to_owned(), Value::to_string)
}

/// Returns the mutant's value of an output at a step: `None` if unknown, `Some(None)` if it has no value.
fn answer<'a>(step: &'a Shown<'_>, name: &str) -> Option<Option<&'a Value>> {
    let answers = step.mutant_outputs.as_ref()?;
    Some(value(answers, name))
}

fn differs(step: &Shown<'_>, name: &str) -> bool {
    answer(step, name).is_some_and(|other| other != value(&step.outputs, name))
}

/// Returns a mark for a differing output of the mutant: that the test allows it, or that it differs.
fn mark(step: &Shown<'_>, style: Style) -> String {
    let step = step.step;
    let allowed = step.allowed.as_ref().zip(step.mutant_outputs.as_ref());
    if allowed.is_some_and(|(allowed, outputs)| allowed.contains(outputs)) {
        style.dim("allowed")
    } else {
        style.red("◄ differs")
    }
}

/// Returns the allowed outputs of a step as `{coff, tea}`; with several outputs `{coff 1, tea 0}`, in the order of the columns.
fn allowed(step: &Shown<'_>) -> String {
    let Some(allowed) = &step.allowed else {
        return String::new();
    };
    let mut spelled: Vec<String> = allowed.iter().take(LISTED).cloned().collect();
    if allowed.len() > LISTED {
        spelled.push(format!("… {} in all", allowed.len()));
    }
    if step.step.allowed_complete == Some(false) {
        spelled.push("… perhaps more".to_owned());
    }
    format!("{{{}}}", spelled.join(", "))
}

/// Returns the values of an output in model and mutant as `2, mutant 1`.
fn difference(model: &str, mutant: &str, style: Style) -> String {
    let model = style.green(model);
    let mutant = style.red(&format!("mutant {mutant}"));
    format!("{model}, {mutant}")
}

/// Returns a test as text with one entry per step: the changes since the step before, and every difference of the mutant.
fn changes(steps: &[Shown<'_>], style: Style) -> String {
    let mut text = String::new();
    let mut before: Option<&Shown<'_>> = None;
    for (number, step) in steps.iter().enumerate() {
        let changed = |now: &Valuation, then: Option<&Valuation>| {
            let changed = now.0.iter().enumerate().filter(|(i, entry)| {
                then.is_none_or(|then| then.0.get(*i).is_none_or(|old| old != *entry))
            });
            let changed = changed.map(|(_, (name, value))| format!("{name}={value}"));
            let changed: Vec<String> = changed.collect();
            if changed.is_empty() {
                "as before".to_owned()
            } else {
                changed.join(" ")
            }
        };
        let at = step
            .step
            .at
            .map_or_else(String::new, |at| format!("at {at} "));
        text.push_str(&format!(
            "{number:>4}  {at}set {}\n      see {}\n",
            changed(&step.inputs, before.map(|b| &b.inputs)),
            changed(&step.outputs, before.map(|b| &b.outputs))
        ));
        if step.allowed.as_ref().is_some_and(|set| set.len() > 1) {
            text.push_str(&format!("      or {}\n", allowed(step)));
        }
        let answers = variables([&step.outputs].into_iter().chain(&step.mutant_outputs));
        for name in answers.into_iter().filter(|name| differs(step, name)) {
            let own = spelled(value(&step.outputs, name));
            let other = spelled(answer(step, name).flatten());
            let difference = difference(&own, &other, style);
            let mark = mark(step, style);
            text.push_str(&format!("      {name}: {difference} {mark}\n"));
        }
        before = Some(step);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valuation(entries: &[(&str, i64)]) -> Valuation {
        let entries = entries.iter();
        Valuation(
            entries
                .map(|(n, v)| ((*n).to_owned(), Value::Int(*v)))
                .collect(),
        )
    }

    fn step(input: i64, output: i64, mutant: i64) -> TestStep {
        TestStep {
            delay: None,
            at: None,
            free: Vec::new(),
            inputs: valuation(&[("coin", input)]),
            outputs: valuation(&[("water", output)]),
            allowed: None,
            allowed_complete: None,
            windows: None,
            mutant_outputs: Some(valuation(&[("water", mutant)])),
        }
    }

    #[test]
    fn only_the_differing_output_is_marked() {
        let text = test(
            &Valuation::default(),
            &[step(0, 2, 2), step(1, 1, 2)],
            None,
            &[],
            Style::new(false),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "            │  model  │  mutant");
        assert_eq!(lines[1], "step  coin  │  water  │  water");
        assert_eq!(lines[2], "   0  0     │  2      │  2");
        assert_eq!(lines[3], "   1  1     │  1      │  2       ◄ differs");
        assert_eq!(
            lines[4],
            "first difference: step 1, water is 1 in the model and 2 in the mutant"
        );
    }

    #[test]
    fn allowed_outputs_are_listed_and_an_allowed_difference_is_no_fail() {
        let with = |outputs: &[i64], complete, step: TestStep| TestStep {
            allowed: Some(
                outputs
                    .iter()
                    .map(|&v| valuation(&[("water", v)]))
                    .collect(),
            ),
            allowed_complete: complete,
            ..step
        };
        let steps = [
            with(&[1, 2], None, step(0, 1, 2)),
            with(&[1], Some(false), step(1, 1, 3)),
        ];
        let text = test(&Valuation::default(), &steps, None, &[], Style::new(false));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "step  coin  │  water  │  water   allowed");
        assert_eq!(
            lines[2],
            "   0  0     │  1      │  2       {1, 2}               allowed"
        );
        assert_eq!(
            lines[3],
            "   1  1     │  1      │  3       {1, … perhaps more}  ◄ differs"
        );
    }

    #[test]
    fn very_wide_tests_are_listed_by_changes() {
        let wide = |value: i64| {
            let names: Vec<String> = (0..40).map(|i| format!("signal{i:02}")).collect();
            let entries: Vec<(&str, i64)> = names.iter().map(|n| (n.as_str(), value)).collect();
            let mut step = step(0, 1, 1);
            step.inputs = valuation(&entries);
            step
        };
        let text = test(
            &Valuation::default(),
            &[wide(1), wide(1)],
            None,
            &[],
            Style::new(false),
        );
        assert!(text.contains("signal39=1"), "{text}");
        assert!(
            text.contains("   1  set as before\n      see as before\n"),
            "{text}"
        );
    }
}
