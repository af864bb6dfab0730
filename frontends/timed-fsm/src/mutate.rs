//! Changes of a machine as mutants: edits of its text.

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Edit, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};

use crate::lexer::spelled;
use crate::machine::{Answer, Change, Machine, Timeout};
use crate::syntax::{AnswersText, MachineText, StateText};

/// A mutant and its change.
pub type Mutation = mutation::Mutation<Change>;

type Rule = mutation::Rule<Does>;

/// What operators are told apart by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    Transfer,
    Output,
    Timeout,
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
    ],
    on_demand: &[Rule {
        name: "any",
        summary: "answers another output and leads to another state, or answers an input that nothing is said about",
        example: "open / ok -> Ajar ⇒ open / beep -> Shut",
        edits: Does::Any,
    }],
};

/// The catalogue of operators.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

fn kind(machine: &Machine, change: &Change) -> Does {
    match *change {
        Change::Answer {
            state,
            input,
            answer,
        } => match machine.states[state].answers.get(&input) {
            Some(own) if own.output == answer.output => Does::Transfer,
            Some(own) if own.target == answer.target => Does::Output,
            _ => Does::Any,
        },
        Change::Timeout { state, timeout } => {
            let after = |timeout: Option<Timeout>| timeout.map(|timeout| timeout.after);
            match after(timeout) == after(machine.states[state].timeout) {
                true => Does::Transfer,
                false => Does::Timeout,
            }
        }
    }
}

/// Whether operators that only somebody who asks for them gets are asked for by name.
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

/// Whether the operators asked for make a change of the machine; what states do that it lacks is theirs alone.
pub fn asked_for(
    machine: &Machine,
    options: &FrontendOptions,
    written: bool,
) -> impl Fn(&Change) -> bool {
    let chosen = chosen(options, written);
    let count = machine.states.len();
    let own = machine.clone();
    move |change| {
        let is_extra = change.ends().0 >= count;
        is_extra || chosen.iter().any(|rule| rule.edits == kind(&own, change))
    }
}

/// The mutants of these changes in the order of the text. `written`: somebody wrote the domain, and so asked for what is in it.
///
/// # Errors
/// If there are more than anybody can keep.
pub fn mutations(
    sources: &[SourceFile],
    (text, machine): (&MachineText, &Machine),
    (changes, written): (impl IntoIterator<Item = Change>, bool),
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let chosen = chosen(options, written);
    let mut catalogue = Catalogue::new(sources);
    for change in changes {
        let does = kind(machine, &change);
        let Some(rule) = chosen.iter().find(|rule| rule.edits == does) else {
            continue;
        };
        let (path, edit) = match change {
            Change::Answer {
                state,
                input,
                answer,
            } => {
                let event = &machine.inputs[input];
                let path = path(machine, state, event);
                (
                    path,
                    answer_edit(&text.states[state], machine, event, answer),
                )
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
    let keeps_limit = item.limit.limit == crate::syntax::Limit::After(timeout.after);
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
