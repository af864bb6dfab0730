//! Test strategies: indented text for people, and graphs for Graphviz.

use std::collections::BTreeSet;
use std::fmt::Write;

use hyperkill_core::events::{Calls, EventPort, Side, line};

use super::Style;
use super::valuation::calls;
use hyperkill_audit::documents::{Machine, MachineState, Valuation};
use hyperkill_audit::terminal::{harmless, in_a_line};

/// Number of lines, at most, of an indented strategy that are shown.
const MOST_LINES: usize = 120;

/// Returns an adaptive test (a strategy) as text, with one indented line per input. Outputs with a common successor share a line.
#[must_use]
pub fn tree(machine: &Machine, events: &[EventPort], style: Style) -> String {
    let mut arrivals = vec![0_usize; machine.states.len()];
    for state in &machine.states {
        for (next, _) in answers(state) {
            if let Some(count) = next.and_then(|next| arrivals.get_mut(next)) {
                *count += 1;
            }
        }
    }
    let mut writer = Writer {
        machine,
        calls: Calls::new(events),
        style,
        numbers: vec![None; arrivals.len()],
        arrivals,
        numbered: 0,
        lines: Vec::new(),
    };
    writer.state(0, 0);
    let mut text = style.dim("an answer that is not listed is a fail");
    text.push('\n');
    let cut = writer.lines.len() > MOST_LINES;
    for line in writer.lines.iter().take(MOST_LINES) {
        let _ = writeln!(text, "{line}");
    }
    if cut {
        text.push_str("… too large to be shown; its state machine is in the JSON documents\n");
    }
    text
}

/// Returns the outputs of a state grouped by successor (`None`: the test passes), in the order of their first occurrence.
fn answers(state: &MachineState) -> Vec<(Option<usize>, Vec<&Valuation>)> {
    let mut groups: Vec<(Option<usize>, Vec<&Valuation>)> = Vec::new();
    for branch in &state.branches {
        match groups.iter_mut().find(|(next, _)| *next == branch.next) {
            Some((_, outputs)) => outputs.push(&branch.outputs),
            None => groups.push((branch.next, vec![&branch.outputs])),
        }
    }
    groups
}

struct Writer<'a> {
    machine: &'a Machine,
    calls: Calls<'a>,
    style: Style,
    /// For each state the number of lines of the text that lead to it.
    arrivals: Vec<usize>,
    /// For each state the number by which other lines refer to it, if it has one.
    numbers: Vec<Option<usize>>,
    numbered: usize,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn state(&mut self, mut index: usize, indent: usize) {
        let blanks = " ".repeat(indent);
        loop {
            let Some(state) = self.machine.states.get(index) else {
                return;
            };
            if self.lines.len() > MOST_LINES {
                return;
            }
            if let Some(number) = self.numbers[index] {
                self.lines.push(format!("{blanks}go on at ({number})"));
                return;
            }
            let mut line = format!("{blanks}set {}", self.inputs(state));
            if self.arrivals[index] > 1 {
                self.numbered += 1;
                self.numbers[index] = Some(self.numbered);
                line = format!("{blanks}({}) {}", self.numbered, line.trim_start());
            }
            let answers = answers(state);
            if let [(next, outputs)] = answers.as_slice() {
                let _ = write!(line, "  see {}", self.alternatives(outputs));
                match next {
                    Some(next) => {
                        self.lines.push(line);
                        index = *next;
                        continue;
                    }
                    None => line.push_str(": pass"),
                }
                self.lines.push(line);
                return;
            }
            self.lines.push(line);
            for (next, outputs) in answers {
                let seen = self.alternatives(&outputs);
                match next {
                    Some(next) => {
                        self.lines.push(format!("{blanks}  see {seen}"));
                        self.state(next, indent + 4);
                    }
                    None => self.lines.push(format!("{blanks}  see {seen}: pass")),
                }
            }
            return;
        }
    }

    fn alternatives(&self, outputs: &[&Valuation]) -> String {
        let outputs = alternatives(&self.calls, outputs);
        let outputs = outputs.iter().map(|output| self.style.green(output));
        outputs.collect::<Vec<_>>().join(" or ")
    }

    fn inputs(&self, state: &MachineState) -> String {
        calls(&self.calls, Side::Inputs, &state.inputs)
    }
}

/// Returns outputs with a common successor, each as one line of text; events stand for their ports.
fn alternatives(calls: &Calls<'_>, outputs: &[&Valuation]) -> Vec<String> {
    let outputs = outputs.iter().map(|outputs| outputs.0.as_slice());
    let outputs = calls.alternatives(Side::Outputs, outputs);
    outputs
        .iter()
        .map(|shown| in_a_line(&line(shown)))
        .collect()
}

/// Returns an adaptive test as a graph called `name`, in the language of Graphviz.
#[must_use]
pub fn dot(events: &[EventPort], name: &str, machine: &Machine) -> String {
    let reader = Calls::new(events);
    let mut text = format!("digraph {} {{\n  node [shape=box];\n", quoted(name));
    let mut ends: BTreeSet<&str> = BTreeSet::new();
    // Writing to a string cannot fail.
    for (number, state) in machine.states.iter().enumerate() {
        let inputs = quoted(&calls(&reader, Side::Inputs, &state.inputs));
        let _ = writeln!(text, "  s{number} [label={inputs}];");
        for (next, outputs) in answers(state) {
            let outputs = alternatives(&reader, &outputs);
            let label = quoted(&outputs.join("\n"));
            let target = next.map_or_else(|| "pass".to_owned(), |next| format!("s{next}"));
            if next.is_none() {
                ends.insert("pass");
            }
            let _ = writeln!(text, "  s{number} -> {target} [label={label}];");
        }
        let _ = writeln!(text, "  s{number} -> fail [label=\"else\", style=dashed];");
        ends.insert("fail");
    }
    for end in &ends {
        let _ = writeln!(text, "  {end} [shape=doublecircle];");
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    let escaped = harmless(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use hyperkill_core::sort::Value;

    use super::*;
    use hyperkill_audit::documents::MachineBranch;

    fn valuation(name: &str, value: &str) -> Valuation {
        Valuation(vec![(name.to_owned(), Value::Symbol(value.to_owned()))])
    }

    fn state(input: &str, branches: &[(&str, Option<usize>)]) -> MachineState {
        MachineState {
            inputs: valuation("in", input),
            branches: branches
                .iter()
                .map(|(output, next)| MachineBranch {
                    outputs: valuation("out", output),
                    next: *next,
                })
                .collect(),
        }
    }

    fn example() -> Machine {
        Machine {
            states: vec![
                state("coin", &[("ok", Some(1))]),
                state(
                    "req",
                    &[("coff", Some(2)), ("tea", Some(2)), ("eps", Some(3))],
                ),
                state("fill", &[("eps", Some(3))]),
                state("end \"1\"", &[("eps", None)]),
            ],
        }
    }

    #[test]
    fn answers_with_one_consequence_stand_together_and_repetitions_are_referred_to() {
        let expected = "\
an answer that is not listed is a fail
set in=coin  see out=ok
set in=req
  see out=coff or out=tea
    set in=fill  see out=eps
    (1) set in=end \"1\"  see out=eps: pass
  see out=eps
    go on at (1)
";
        assert_eq!(tree(&example(), &[], Style::new(false)), expected);
    }

    #[test]
    fn a_graph_has_every_state_and_quotes_what_needs_it() {
        let text = dot(&[], "t-001", &example());
        assert!(text.starts_with("digraph \"t-001\" {\n"), "{text}");
        assert!(
            text.contains("s1 -> s2 [label=\"out=coff\\nout=tea\"];"),
            "{text}"
        );
        assert!(text.contains("s3 [label=\"in=end \\\"1\\\"\"];"), "{text}");
        assert!(text.contains("s3 -> pass"), "{text}");
        assert!(text.contains("pass [shape=doublecircle];"), "{text}");
    }
}
