//! Turns changes of a machine into mutants: edits of its text.

use std::collections::BTreeSet;

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Edit, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};

use crate::guard::Interval;
use crate::lexer::spelled;
use crate::machine::{Answer, Answers, Change, Machine, Part, State, Timeout};
use crate::moved;
use crate::syntax::{AnswersText, Limit, MachineText, StateText};

/// A mutant and its change.
pub type Mutation = mutation::Mutation<Change>;

type Rule = mutation::Rule<Does>;

/// The kind of change that an operator makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    Transfer,
    Output,
    Timeout,
    Guard,
    Any,
}

const RULES: Rules<Does> = Rules {
    usual: &[
        Rule {
            name: "transfer",
            summary: "leads to another state",
            example: "open / ok -> Ajar ⇒ open / ok -> Shut",
            edits: Does::Transfer,
        },
        Rule {
            name: "output",
            summary: "answers another output",
            example: "open / ok -> Ajar ⇒ open / beep -> Ajar",
            edits: Does::Output,
        },
        Rule {
            name: "timeout",
            summary: "halves a timeout, doubles it, makes it a unit shorter or longer, or lets it never expire",
            example: "after 3000 -> Shut ⇒ after 2999 -> Shut",
            edits: Does::Timeout,
        },
        Rule {
            name: "guard",
            summary: "lets a guard begin or end a unit sooner or later, with or without its bound, or shifts it by a unit",
            example: "push in [0,2) / ok -> Ajar ⇒ push in [0,3) / ok -> Ajar",
            edits: Does::Guard,
        },
    ],
    on_demand: &[Rule {
        name: "any",
        summary: "answers another output and leads to another state, or answers an input that nothing is said about",
        example: "open / ok -> Ajar ⇒ open / beep -> Shut",
        edits: Does::Any,
    }],
};

/// Returns the operators with their summaries and examples, as the catalogue for users shows them.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// Returns the operators that make a change, the most specific one first. If a guard grows over its complete neighbour, the neighbour has
/// another answer, so that the operator for other answers is listed too.
fn kinds(machine: &Machine, change: &Change) -> Vec<Does> {
    match *change {
        Change::Answer {
            state,
            input,
            answer,
        } => match machine.states[state].answers.get(&input) {
            Some(own) => vec![other(*own, answer)],
            None => vec![Does::Any],
        },
        Change::Guard { state, input, .. } => match machine.states.get(state) {
            Some(own) => kinds_of_guard(machine, (own, state, input), change),
            None => vec![Does::Guard],
        },
        Change::Timeout { state, timeout } => {
            let after = |timeout: Option<Timeout>| timeout.map(|timeout| timeout.after);
            match after(timeout) == after(machine.states[state].timeout) {
                true => vec![Does::Transfer],
                false => vec![Does::Timeout],
            }
        }
    }
}

/// Returns the operators that make a change at some delays.
fn kinds_of_guard(
    machine: &Machine,
    (own, state, input): (&State, usize, usize),
    change: &Change,
) -> Vec<Does> {
    let Some(changed) = change.answers(machine) else {
        return vec![Does::Guard];
    };
    let is_same = |parts: [Option<Part>; 2]| {
        let other = Change::Guard {
            state,
            input,
            parts,
        };
        other.answers(machine).as_ref() == Some(&changed)
    };
    let all = own.on(input);
    let answered = all.iter().find_map(|guarded| {
        let mut now = changed.answers.iter();
        let now = now.find(|now| now.during.holds(guarded.during.from))?;
        let part = Part {
            during: guarded.during,
            does: Some(now.answer),
        };
        let is_other = now.answer != guarded.answer && is_same([Some(part), None]);
        is_other.then_some((guarded.during, other(guarded.answer, now.answer)))
    });
    // Alternatives for delays that are no guard of the machine count as guard faults too.
    let Some((during, answered)) = answered else {
        return vec![Does::Guard];
    };
    // A guard that is widened grows by at most one unit.
    let is_short = during
        .until
        .is_some_and(|until| until - during.from <= moved::UNIT);
    let is_moved = is_short && moved::all(own, input).into_iter().any(is_same);
    let guard = is_moved.then_some(Does::Guard);
    std::iter::once(answered).chain(guard).collect()
}

/// Returns the kind of change from one answer to another.
fn other(own: Answer, answer: Answer) -> Does {
    match (own.output == answer.output, own.target == answer.target) {
        (true, _) => Does::Transfer,
        (false, true) => Does::Output,
        (false, false) => Does::Any,
    }
}

/// Whether operators on demand are selected by name.
#[must_use]
pub fn asks_for_more(options: &FrontendOptions) -> bool {
    let mut on_demand = RULES.on_demand.iter();
    let chosen = options.operators.as_ref();
    on_demand.any(|rule| chosen.is_some_and(|chosen| chosen.holds(rule.name)))
}

fn chosen(options: &FrontendOptions, written: bool) -> Vec<&'static Rule> {
    match (written, &options.operators) {
        (true, None) => RULES.usual.iter().chain(RULES.on_demand).collect(),
        _ => RULES.chosen(options),
    }
}

/// Returns a predicate on changes: whether the selected operators make it. It holds for all behaviour of additional states. `written` says
/// whether the domain is written in the model, which selects all operators by default.
pub fn asked_for(
    machine: &Machine,
    options: &FrontendOptions,
    written: bool,
) -> impl Fn(&Change) -> bool {
    let chosen = chosen(options, written);
    let count = machine.states.len();
    let own = machine.clone();
    move |change| {
        let is_extra = change.state() >= count;
        let kinds = || kinds(&own, change);
        is_extra || chosen.iter().any(|rule| kinds().contains(&rule.edits))
    }
}

/// Returns the mutants of these changes in the order of the text. `written` says whether the domain is written in the model, which selects
/// all of its changes.
///
/// # Errors
/// If there are too many mutants.
pub fn mutations(
    sources: &[SourceFile],
    (text, machine): (&MachineText, &Machine),
    (changes, written): (impl IntoIterator<Item = Change>, bool),
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let chosen = chosen(options, written);
    let mut catalogue = Catalogue::new(sources);
    // A shifted guard may equal a narrowed one.
    let mut found: BTreeSet<Answers> = BTreeSet::new();
    for change in changes {
        let of = |does: Does| chosen.iter().find(|rule| rule.edits == does);
        let Some(rule) = kinds(machine, &change).into_iter().find_map(of) else {
            continue;
        };
        let answers = change.answers(machine);
        if answers.is_some_and(|answers| !found.insert(answers)) {
            continue;
        }
        let (path, edit) = match change {
            Change::Answer {
                state,
                input,
                answer,
            } => {
                let event = &machine.inputs[input];
                let path = path(machine, state, event);
                let items = text.states[state].answers.iter();
                let mut of_input =
                    items.filter(|i| i.inputs.iter().any(|name| name.text == *event));
                let edit = match of_input.any(|item| item.guard.is_some()) {
                    true => guard_edit(&text.states[state], machine, &change, (state, input)),
                    false => answer_edit(&text.states[state], machine, event, answer),
                };
                (path, edit)
            }
            Change::Guard { state, input, .. } => {
                let path = path(machine, state, &machine.inputs[input]);
                let edit = guard_edit(&text.states[state], machine, &change, (state, input));
                (path, edit)
            }
            Change::Timeout { state, timeout } => {
                let path = path(machine, state, "after");
                (path, timeout_edit(&text.states[state], machine, timeout))
            }
        };
        catalogue.add(rule.name, &path, edit, change, |_, _| ())?;
    }
    Ok(catalogue.in_order_of_places())
}

fn path(machine: &Machine, state: usize, event: &str) -> String {
    format!("{}/{}.{event}", machine.name, machine.states[state].name)
}

fn answer_edit(state: &StateText, machine: &Machine, input: &str, answer: Answer) -> Edit {
    let output = spelled(&machine.outputs[answer.output]);
    let target = spelled(&machine.states[answer.target].name);
    let is_of = |item: &&AnswersText| item.inputs.iter().any(|name| name.text == input);
    let Some(item) = state.answers.iter().find(is_of) else {
        return Edit {
            span: state.inside,
            replacement: format!(" {} / {output} -> {target};", spelled(input)),
        };
    };
    if item.inputs.len() > 1 {
        let others = item.inputs.iter().filter(|name| name.text != input);
        let others: Vec<String> = others.map(|name| spelled(&name.text)).collect();
        let (others, input) = (others.join(", "), spelled(input));
        let (own, there) = (spelled(&item.output.text), spelled(&item.target.text));
        return Edit {
            span: item.span,
            replacement: format!("{others} / {own} -> {there}; {input} / {output} -> {target}"),
        };
    }
    let own = (item.output.text.as_str(), item.target.text.as_str());
    let is_same = (
        own.0 == machine.outputs[answer.output],
        own.1 == machine.states[answer.target].name,
    );
    let (span, replacement) = match is_same {
        (true, _) => (item.target.span, target),
        (false, true) => (item.output.span, output),
        (false, false) => {
            let both = item.output.span.to(item.target.span);
            (both, format!("{output} -> {target}"))
        }
    };
    Edit { span, replacement }
}

fn timeout_edit(state: &StateText, machine: &Machine, timeout: Option<Timeout>) -> Edit {
    let spelled_target = |timeout: Timeout| spelled(&machine.states[timeout.target].name);
    let Some(item) = state.timeouts.first() else {
        let replacement = timeout.map_or_else(String::new, |timeout| {
            format!(" after {} -> {};", timeout.after, spelled_target(timeout))
        });
        return Edit {
            span: state.inside,
            replacement,
        };
    };
    let (limit, target) = (item.limit.span, item.target.as_ref());
    let whole = target.map_or(limit, |target| limit.to(target.span));
    let Some(timeout) = timeout else {
        return Edit {
            span: whole,
            replacement: "never".to_owned(),
        };
    };
    let keeps_target = target.is_some_and(|t| t.text == machine.states[timeout.target].name);
    let keeps_limit = item.limit.limit == Limit::After(timeout.after);
    let (span, replacement) = match (keeps_target, target) {
        (true, _) => (limit, timeout.after.to_string()),
        (false, Some(target)) if keeps_limit => (target.span, spelled_target(timeout)),
        _ => (
            whole,
            format!("{} -> {}", timeout.after, spelled_target(timeout)),
        ),
    };
    Edit { span, replacement }
}

/// Returns an edit that rewrites all transitions of an input with guards, and the text between them, since guards depend on each other.
fn guard_edit(
    text: &StateText,
    machine: &Machine,
    change: &Change,
    (state, input): (usize, usize),
) -> Edit {
    let name = machine.inputs[input].as_str();
    let own = &machine.states[state];
    let changed = &machine.with(change).states[state];
    let is_of = |item: &&AnswersText| item.inputs.iter().any(|input| input.text == name);
    let items: Vec<&AnswersText> = text.answers.iter().filter(is_of).collect();
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        let all = answered(machine, changed, input).into_iter();
        let all: String = all.map(|item| format!(" {item};")).collect();
        return Edit {
            span: text.inside,
            replacement: all,
        };
    };
    if let [only] = items.as_slice()
        && let (true, Some(guard)) = (only.inputs.len() == 1, only.guard)
        && let ([before], [after]) = (own.on(input).as_slice(), changed.on(input).as_slice())
        && before.answer == after.answer
    {
        return Edit {
            span: guard.span,
            replacement: after.during.to_string(),
        };
    }
    let span = first.span.to(last.span);
    let inside = |other: Span| span.start <= other.start && other.end <= span.end;
    let mut kept: Vec<String> = Vec::new();
    for item in text.answers.iter().filter(|item| inside(item.span)) {
        let others = item.inputs.iter().filter(|input| input.text != name);
        let others: Vec<String> = others.map(|input| spelled(&input.text)).collect();
        if !others.is_empty() {
            let guard = item.guard.map(|guard| format!(" in {}", guard.during));
            let (output, target) = (spelled(&item.output.text), spelled(&item.target.text));
            let (others, guard) = (others.join(", "), guard.unwrap_or_default());
            kept.push(format!("{others}{guard} / {output} -> {target}"));
        }
    }
    for item in text.timeouts.iter().filter(|item| inside(item.span)) {
        let target = item.target.as_ref();
        let target = target.map(|target| format!(" -> {}", spelled(&target.text)));
        let limit = match item.limit.limit {
            Limit::After(after) => after.to_string(),
            Limit::Never => "never".to_owned(),
        };
        kept.push(format!("after {limit}{}", target.unwrap_or_default()));
    }
    kept.extend(answered(machine, changed, input));
    Edit {
        span,
        replacement: kept.join("; "),
    }
}

/// Returns the texts of a state's transitions on an input.
fn answered(machine: &Machine, state: &State, input: usize) -> Vec<String> {
    let all = state.on(input).into_iter().map(|guarded| {
        let guard = match guarded.during {
            Interval::ALWAYS => String::new(),
            during => format!(" in {during}"),
        };
        let output = spelled(&machine.outputs[guarded.answer.output]);
        let target = spelled(&machine.states[guarded.answer.target].name);
        let input = spelled(&machine.inputs[input]);
        format!("{input}{guard} / {output} -> {target}")
    });
    all.collect()
}
