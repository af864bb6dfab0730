//! The figures of \[4\] as machines: locations are line numbers, and the parameter of the only event stands for free conditions.
//!
//! A step is an observable unit of time here and not in \[4\]. Branches are therefore padded to equal length with empty steps; otherwise
//! every mutant would be killed by its delay.

use std::fmt::Write;

/// A figure: its name, the mutant that \[4\] examines, and the expected result.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of the figure's file, without extension.
    pub name: String,
    /// The text of the machine.
    pub text: String,
    /// The constant that replaces the mutated guard: the guard of the first transition of line 2 (in `equal-branches`, of line 1).
    pub becomes: bool,
    /// Whether a test of outputs kills the mutant.
    pub is_killed: bool,
}

/// Returns all figures, each with its machine and the expected result.
#[must_use]
pub fn figures() -> Vec<Figure> {
    let figure = |name: &str, becomes, is_killed, text: String| Figure {
        name: name.to_owned(),
        text,
        becomes,
        is_killed,
    };
    vec![
        figure("figure-1a", false, true, figure_1a()),
        figure("figure-1b", true, true, figure_1b()),
        figure("figure-1c", false, true, figure_1c()),
        figure("figure-5-twice", false, true, example_4(2)),
        figure("figure-5-once", false, false, example_4(1)),
        figure("figure-6", false, false, example_5(3)),
        figure("equal-branches", false, false, equal_branches()),
    ]
}

/// A machine that walks through lines, numbered in the order of their creation.
struct Lines {
    text: String,
    locations: Vec<String>,
    transitions: String,
}

impl Lines {
    fn new(remark: &str) -> Lines {
        Lines {
            text: format!("// [4], {remark}.\n"),
            locations: Vec::new(),
            transitions: String::new(),
        }
    }

    fn location(&mut self, name: &str) {
        if !self.locations.iter().any(|known| known == name) {
            self.locations.push(name.to_owned());
        }
    }

    /// Adds a transition from line `from` to line `to` that executes the statements `does`.
    fn line(&mut self, from: &str, does: &str, to: &str) {
        self.location(from);
        self.location(to);
        let block = match does.is_empty() {
            true => String::new(),
            false => format!(" {{ {does} }}"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(self.transitions, "from {from} on step{block} to {to}");
    }

    /// Adds two transitions: `from` goes to `then` if the condition holds, and otherwise to `other`.
    fn branch(&mut self, from: &str, condition: &str, then: &str, other: &str) {
        for location in [from, then, other] {
            self.location(location);
        }
        let _ = writeln!(
            self.transitions,
            "from {from} on step if {condition} to {then}\nfrom {from} on step else to {other}"
        );
    }

    fn finished(self, declarations: &str) -> String {
        format!(
            "{}location {};\n{declarations}\n{}",
            self.text,
            self.locations.join(", "),
            self.transitions
        )
    }
}

fn figure_1a() -> String {
    let mut lines = Lines::new("Fig. 1a: divergence in an output");
    lines.line("L1", "A := 0;", "L2");
    lines.branch("L2", "A == 0", "L3", "L6");
    lines.line("L3", "", "L4");
    lines.line("L4", "emit ok;", "L8");
    lines.line("L6", "", "L7");
    lines.line("L7", "emit end;", "L8");
    lines.finished("var A: 0..1 = 0;\nevent step;\noutput ok;\noutput end;\n")
}

fn figure_1b() -> String {
    let mut lines = Lines::new("Fig. 1b: divergence in the parameter of an output");
    lines.line("L1", "A := 0; B := 0; C := 0;", "L2");
    lines.branch("L2", "c", "L3", "L5");
    lines.line("L3", "A := 1;", "P3");
    lines.line("P3", "", "L9");
    lines.branch("L5", "c", "L6", "L8");
    lines.line("L6", "B := 1;", "L9");
    lines.line("L8", "C := 1;", "L9");
    lines.branch("L9", "c", "L10", "P10");
    lines.line("L10", "C := 2;", "L11");
    lines.line("P10", "", "L11");
    lines.line("L11", "Z := C;", "L12");
    lines.branch("L12", "c", "L13", "P13");
    lines.line("L13", "emit out(Z);", "L14");
    lines.line("P13", "", "L14");
    lines.finished(
        "var A: 0..1 = 0;\nvar B: 0..1 = 0;\nvar C: 0..2 = 0;\nvar Z: 0..2 = 0;\nevent step(c: bool);\noutput out(z: 0..2);\n",
    )
}

fn figure_1c() -> String {
    let mut lines = Lines::new("Fig. 1c: divergence that [4] does not notice");
    lines.line("L1", "A := 0; B := 0; C := 0;", "L2");
    lines.branch("L2", "c", "L3", "L5");
    lines.line("L3", "A := 1;", "L6");
    lines.line("L5", "B := 1;", "L6");
    lines.branch("L6", "B == 1", "L7", "P7");
    lines.line("L7", "C := 1;", "L8");
    lines.line("P7", "", "L8");
    lines.line("L8", "Z := C;", "L9");
    lines.branch("L9", "c", "L10", "P10");
    lines.line("L10", "emit out(Z);", "L11");
    lines.line("P10", "", "L11");
    lines.finished(
        "var A: 0..1 = 0;\nvar B: 0..1 = 0;\nvar C: 0..1 = 0;\nvar Z: 0..1 = 0;\nevent step(c: bool);\noutput out(z: 0..1);\n",
    )
}

/// Returns the machine of Fig. 5 with this number of turns of its loop.
#[must_use]
pub fn example_4(turns: usize) -> String {
    let mut lines = Lines::new(&format!("Fig. 5 (example 4), N = {turns}"));
    lines.line("L1", "A := 0; F := 0; i := 0;", "L2");
    lines.branch("L2", "c", "L3", "L5");
    lines.line("L3", "A := 1;", "L6");
    lines.line("L5", "F := 1;", "L6");
    lines.branch("L6", &format!("i < {turns}"), "L7", "L13");
    lines.branch("L7", "c", "L8", "L10");
    lines.line("L8", "B := A;", "P8");
    lines.line("P8", "", "L12");
    lines.line("L10", "X := B;", "L11");
    lines.line("L11", "emit out(X);", "L12");
    lines.line("L12", "i := i + 1;", "L6");
    lines.finished(&format!(
        "var A: 0..1 = 0;\nvar B: 0..1 = 0;\nvar F: 0..1 = 0;\nvar X: 0..1 = 0;\nvar i: 0..{turns} = 0;\nevent step(c: bool);\n\
         output out(x: 0..1);\n"
    ))
}

/// Returns the machine of Fig. 6 with this number of output variables; A is never output.
#[must_use]
pub fn example_5(count: usize) -> String {
    let mut lines = Lines::new(&format!("Fig. 6 (example 5), n = {count}"));
    let zero: String = (1..=count).map(|i| format!(" X{i} := 0;")).collect();
    lines.line("L1", &format!("A := 0;{zero}"), "L2");
    lines.branch("L2", "c", "L3", "P3");
    lines.line("L3", "A := 1;", "L4");
    lines.line("P3", "", "L4");
    for i in 1..=count {
        let [test, output, pad, next] = [
            format!("L{}", 2 * i + 2),
            format!("L{}", 2 * i + 3),
            format!("P{}", 2 * i + 3),
            format!("L{}", 2 * i + 4),
        ];
        lines.branch(&test, "c", &output, &pad);
        lines.line(&output, &format!("emit out(X{i});"), &next);
        lines.line(&pad, "", &next);
    }
    let variables: String = (1..=count)
        .map(|i| format!("var X{i}: 0..1 = 0;\n"))
        .collect();
    lines.finished(&format!(
        "var A: 0..1 = 0;\n{variables}event step(c: bool);\noutput out(x: 0..1);\n"
    ))
}

fn equal_branches() -> String {
    let mut lines = Lines::new("§4: `if (cond) then out := 0 else out := 0`");
    lines.branch("L1", "c", "L2", "L3");
    lines.line("L2", "out := 0;", "L4");
    lines.line("L3", "out := 0;", "L4");
    lines.line("L4", "emit shown(out);", "L5");
    lines.finished("var out: 0..1 = 0;\nevent step(c: bool);\noutput shown(out: 0..1);\n")
}
