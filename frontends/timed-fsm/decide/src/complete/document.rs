//! Documents about fault domains, with names: proofs, and the differences of implementations.

use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};
use serde_json::{Value as Document, json};

use super::outcome::Shown;

/// Returns the proof that tests are complete as a document (certificates.md).
pub(crate) fn proof(machine: &Machine, domain: &MutationMachine, shown: &Shown) -> Document {
    let mutation = shown.hull.as_ref().unwrap_or(domain);
    let classes = shown.classes.iter().map(|class| {
        let answers = class.answers.iter().map(|(&(state, input), allowed)| {
            let group = &mutation.answers[state][input];
            let allowed = allowed.iter().map(|at| match group[*at].does {
                Some(answer) => {
                    let output = &machine.outputs[answer.output];
                    json!([output, mutation.states[answer.target]])
                }
                None => Document::Null,
            });
            json!({
                "state": mutation.states[state],
                "input": machine.inputs[input],
                "allowed": allowed.collect::<Vec<Document>>(),
            })
        });
        let timeouts = class.timeouts.iter().map(|(&state, allowed)| {
            let group = &mutation.timeouts[state];
            let allowed = allowed.iter().map(|at| match group[*at].does {
                Some(timeout) => json!([timeout.after, mutation.states[timeout.target]]),
                None => Document::Null,
            });
            json!({
                "state": mutation.states[state],
                "allowed": allowed.collect::<Vec<Document>>(),
            })
        });
        json!({
            "answers": answers.collect::<Vec<Document>>(),
            "timeouts": timeouts.collect::<Vec<Document>>(),
        })
    });
    let classes = classes.collect::<Vec<Document>>();
    let mut document = json!({ "kind": "timed-complete", "classes": classes });
    if shown.hull.is_some() {
        document["hull"] = true.into();
    }
    if shown.names.is_empty() {
        return document;
    }
    let names = shown.names.iter().map(|name| {
        let access = name.access.iter();
        let access = access.map(|(delay, input)| json!([delay, machine.inputs[*input]]));
        json!({
            "state": mutation.states[name.state],
            "access": access.collect::<Vec<Document>>(),
        })
    });
    document["names"] = names.collect::<Vec<Document>>().into();
    document
}

/// Returns an implementation as a document (certificates.md): its own states, and the transitions in which it differs from the
/// specification.
pub(crate) fn implementation(
    machine: &Machine,
    mutation: &MutationMachine,
    selection: &Selection,
) -> Document {
    let (mut answers, mut timeouts) = (Vec::new(), Vec::new());
    for (state, name) in mutation.states.iter().enumerate() {
        let is_said = |at: usize| at > 0 || state >= mutation.own_states;
        for (input, group) in mutation.answers[state].iter().enumerate() {
            let at = selection.answers[state][input];
            if is_said(at) {
                let does = group[at].does.map(|answer| {
                    let output = &machine.outputs[answer.output];
                    json!([output, mutation.states[answer.target]])
                });
                answers
                    .push(json!({ "state": name, "input": machine.inputs[input], "does": does }));
            }
        }
        let at = selection.timeouts[state];
        if is_said(at) {
            let does = mutation.timeouts[state][at].does;
            let does = does.map(|timeout| json!([timeout.after, mutation.states[timeout.target]]));
            timeouts.push(json!({ "state": name, "does": does }));
        }
    }
    json!({ "kind": "timed-mutant", "answers": answers, "timeouts": timeouts })
}

/// Returns the differences of an implementation from the specification, one line each.
pub(crate) fn choices(
    machine: &Machine,
    mutation: &MutationMachine,
    selection: &Selection,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (state, name) in mutation.states.iter().enumerate() {
        for (input, group) in mutation.answers[state].iter().enumerate() {
            let at = selection.answers[state][input];
            let input = &machine.inputs[input];
            let [own, other] = [0, at].map(|at| answer(machine, mutation, group[at].does));
            if state >= mutation.own_states {
                lines.push(format!("{name}: {input} / {other}"));
            } else if at > 0 {
                lines.push(format!("{name}: {input} / {own} ⇒ {input} / {other}"));
            }
        }
        let group = &mutation.timeouts[state];
        let at = selection.timeouts[state];
        let [own, other] = [0, at].map(|at| timeout(mutation, group[at].does));
        if state >= mutation.own_states {
            lines.push(format!("{name}: after {other}"));
        } else if at > 0 {
            lines.push(format!("{name}: after {own} ⇒ after {other}"));
        }
    }
    lines
}

fn answer(machine: &Machine, mutation: &MutationMachine, does: Option<Answer>) -> String {
    does.map_or("nothing".to_owned(), |answer| {
        let target = &mutation.states[answer.target];
        format!("{} -> {target}", machine.outputs[answer.output])
    })
}

fn timeout(mutation: &MutationMachine, does: Option<Timeout>) -> String {
    does.map_or("never".to_owned(), |timeout| {
        format!("{} -> {}", timeout.after, mutation.states[timeout.target])
    })
}
