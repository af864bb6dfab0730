//! Machines and faults as plain data, and as the text that says them.

use std::fmt::{Display, Formatter, Result, Write};

/// A bound between delays: at a number of units, or right after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bound {
    pub(crate) units: u32,
    pub(crate) behind: bool,
}

impl Bound {
    pub(crate) const START: Bound = Bound {
        units: 0,
        behind: false,
    };

    /// Whether a delay, in quarters of a unit, is at the bound or later.
    pub(crate) fn is_passed(self, quarters: u64) -> bool {
        let at = 4 * u64::from(self.units);
        if self.behind {
            quarters > at
        } else {
            quarters >= at
        }
    }

    /// Returns a delay at the bound, in quarters of a unit.
    pub(crate) fn quarters(self) -> u64 {
        4 * u64::from(self.units) + u64::from(self.behind)
    }

    pub(crate) fn later(self, units: u32) -> Bound {
        Bound {
            units: self.units + units,
            ..self
        }
    }

    /// Returns the bound a number of units earlier; `None` before time 0.
    pub(crate) fn sooner(self, units: u32) -> Option<Bound> {
        let units = self.units.checked_sub(units)?;
        Some(Bound { units, ..self })
    }
}

/// A guard: the delays from a bound to another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Guard {
    pub(crate) from: Bound,
    /// The end of the delays; `None` if they have no end.
    pub(crate) until: Option<Bound>,
}

impl Guard {
    pub(crate) const ALWAYS: Guard = Guard {
        from: Bound::START,
        until: None,
    };

    pub(crate) fn holds(&self, quarters: u64) -> bool {
        self.from.is_passed(quarters) && !self.until.is_some_and(|until| until.is_passed(quarters))
    }

    pub(crate) fn has_delays(&self) -> bool {
        self.until.is_none_or(|until| self.from < until)
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.from.behind { "(" } else { "[" })?;
        write!(f, "{},", self.from.units)?;
        match self.until {
            None => f.write_str("never)"),
            Some(until) => write!(f, "{}{}", until.units, if until.behind { "]" } else { ")" }),
        }
    }
}

/// An answer: the output, and the next state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Answer {
    pub(crate) output: usize,
    pub(crate) target: usize,
}

/// The answers of a state to an input, guard by guard, in the order of delays.
pub(crate) type Guards = Vec<(Guard, Answer)>;

/// A timeout: the length in units, and the next state.
pub(crate) type Timeout = (u32, usize);

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The answers of the state by input.
    pub(crate) on: Vec<Guards>,
    pub(crate) timeout: Option<Timeout>,
}

#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) inputs: usize,
    pub(crate) states: Vec<State>,
}

/// The names of outputs.
pub(crate) const OUTPUTS: [&str; 2] = ["x", "y"];

/// The names of inputs.
pub(crate) const INPUTS: [&str; 2] = ["a", "b"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Transfer,
    Output,
    Any,
    Never,
    Narrowed,
    Widened,
    Shifted,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Transfer => "transfer",
            Kind::Output => "output",
            Kind::Any => "any",
            Kind::Never => "never",
            Kind::Narrowed => "narrowed",
            Kind::Widened => "widened",
            Kind::Shifted => "shifted",
        }
    }
}

/// The target of other timeouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum To {
    Same,
    Every,
    One(usize),
}

/// A line of `faults`; `None` for a state, an input, an output or a target is `*`.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Group {
        state: Option<usize>,
        input: Option<usize>,
        guard: Option<Guard>,
        kind: Kind,
    },
    Transition {
        state: Option<usize>,
        input: Option<usize>,
        guard: Option<Guard>,
        output: Option<usize>,
        target: Option<usize>,
    },
    Timeouts {
        state: Option<usize>,
        lengths: Vec<Option<u32>>,
        to: To,
    },
    OtherTargets {
        state: Option<usize>,
    },
}

/// A domain of faults as it is written; the states that only implementations have follow those of the machine.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    pub(crate) extra: bool,
    pub(crate) lines: Vec<Fault>,
}

/// Returns the name of a state; the machine has `own` states.
fn name(state: usize, own: usize) -> String {
    if state < own {
        format!("s{state}")
    } else {
        "Extra".to_owned()
    }
}

fn or_all(text: Option<String>) -> String {
    text.unwrap_or_else(|| "*".to_owned())
}

fn within(guard: Option<Guard>) -> String {
    guard.map_or_else(String::new, |guard| format!(" in {guard}"))
}

impl Machine {
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "machine m {{ input {}; output x, y;\n",
            INPUTS[..self.inputs].join(", ")
        );
        for (state, own) in self.states.iter().enumerate() {
            write!(text, "  state s{state} {{ ").expect("a string");
            for (input, guards) in own.on.iter().enumerate() {
                for (guard, answer) in guards {
                    let guard = Some(*guard).filter(|guard| *guard != Guard::ALWAYS);
                    let (input, guard) = (INPUTS[input], within(guard));
                    let output = OUTPUTS[answer.output];
                    write!(text, "{input}{guard} / {output} -> s{}; ", answer.target)
                        .expect("a string");
                }
            }
            if let Some((after, target)) = own.timeout {
                write!(text, "after {after} -> s{target}").expect("a string");
            }
            text += " }\n";
        }
        text + "}\n"
    }
}

impl Faults {
    pub(crate) fn text(&self, own: usize) -> String {
        let mut text = String::from("faults {\n");
        // Groups stand outside of the state that they are about.
        let is_group = |line: &Fault| matches!(line, Fault::Group { .. });
        let extra = |line: &&Fault| line.state() == Some(own) && !is_group(line);
        if self.extra {
            let lines = self.lines.iter().filter(extra);
            let lines: Vec<String> = lines.map(|line| line.text(own, " ")).collect();
            writeln!(text, "  state Extra {{ {} }}", lines.join("; ")).expect("a string");
        }
        for line in self.lines.iter().filter(|line| !extra(line)) {
            let state = or_all(line.state().map(|state| name(state, own)));
            writeln!(text, "  {state}.{};", line.text(own, ": ")).expect("a string");
        }
        text + "}\n"
    }
}

impl Fault {
    pub(crate) fn state(&self) -> Option<usize> {
        match *self {
            Fault::Group { state, .. }
            | Fault::Transition { state, .. }
            | Fault::Timeouts { state, .. }
            | Fault::OtherTargets { state } => state,
        }
    }

    /// Returns the text of the line without its state. `colon` stands after `after`; the machine has `own` states.
    fn text(&self, own: usize, colon: &str) -> String {
        let on = |input: &Option<usize>| or_all(input.map(|input| INPUTS[input].to_owned()));
        let to = |target: &Option<usize>| or_all(target.map(|target| name(target, own)));
        match self {
            Fault::Group {
                input, guard, kind, ..
            } => format!("{}{}: {}", on(input), within(*guard), kind.word()),
            Fault::Transition {
                input,
                guard,
                output,
                target,
                ..
            } => {
                let output = or_all(output.map(|output| OUTPUTS[output].to_owned()));
                let (input, guard, target) = (on(input), within(*guard), to(target));
                format!("{input}{guard} / {output} -> {target}")
            }
            Fault::Timeouts {
                lengths, to: there, ..
            } => {
                let lengths = lengths.iter();
                let lengths: Vec<String> = lengths
                    .map(|length| length.map_or("never".to_owned(), |units| units.to_string()))
                    .collect();
                let target = match there {
                    To::Same => String::new(),
                    To::Every => " -> *".to_owned(),
                    To::One(target) => format!(" -> {}", name(*target, own)),
                };
                format!("after{colon}{}{target}", lengths.join(", "))
            }
            Fault::OtherTargets { .. } => "after: transfer".to_owned(),
        }
    }
}
