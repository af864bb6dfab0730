//! Writes a test as a process beside the system under test, in one file for Uppaal. The process gives the inputs of the test at their
//! times, and reaches PASS, FAIL or INCONCLUSIVE.
//!
//! The system is written as it was unfolded, so that any automaton with the same channels can replace it, such as a mutant. It signals the
//! refusal of an input on a separate channel, since a tester cannot observe it otherwise. Times are multiplied by a common factor that
//! makes them integers.

use std::collections::BTreeSet;
use std::fmt::Write;

use hyperkill_core::time::Time;
use hyperkill_core::timed::{Atom, Automaton, Edge};

use crate::rules::{left_open, sign};
use crate::unfold::TAU;
use crate::xml::escaped;
use crate::xml::label;

/// An interval of time since the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The beginning of the interval.
    pub from: Time,
    /// Whether the beginning is included.
    pub has_from: bool,
    /// The end of the interval.
    pub to: Time,
    /// Whether the end is included.
    pub has_to: bool,
}

/// The action of a tester at the end of a wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Then {
    /// The tester gives an input.
    Gives(String),
    /// The tester expects an output.
    Expects(String),
    /// The test ends, and passes if no earlier output was wrong.
    Passes,
    /// The test ends, and fails unless an output came before.
    Fails,
}

/// A wait of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The time at which the wait ends.
    pub until: Time,
    /// The outputs that the model allows, each with its intervals, in order and disjoint.
    pub windows: Vec<(String, Times)>,
    /// The action at the end of the wait.
    pub then: Then,
}

/// A tester to write: the system and the test.
#[derive(Clone, Copy, Debug)]
pub struct Tester<'a> {
    /// The automaton of the system under test.
    pub system: &'a Automaton,
    /// The name of the system.
    pub name: &'a str,
    /// The waits of the test, one after the other.
    pub stages: &'a [Stage],
    /// Whether inputs that the system does not know change nothing.
    pub stays_at_unknown_inputs: bool,
}

/// Names and the unique identifiers that stand for them in the file.
#[derive(Default)]
struct Names(Vec<(String, String)>);

impl Names {
    /// Returns the identifier that stands for a name, always the same one for the same name.
    fn word(&mut self, name: &str) -> String {
        let known = self.0.iter().find(|(known, _)| known == name);
        match known.map(|(_, word)| word.clone()) {
            Some(word) => word,
            None => self.fresh(name),
        }
    }

    /// Returns a new identifier for a name, unlike all identifiers in use.
    fn fresh(&mut self, name: &str) -> String {
        let part = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut word: String = name.chars().map(part).collect();
        let first = word.chars().next();
        if !first.is_some_and(|c| c.is_ascii_alphabetic()) || crate::parser::is_keyword(&word) {
            word.insert_str(0, "n_");
        }
        let used = |word: &str| self.0.iter().any(|(_, known)| known == word);
        let mut free = word.clone();
        let mut number = 2;
        while used(&free) {
            free = format!("{word}_{number}");
            number += 1;
        }
        self.0.push((name.to_owned(), free.clone()));
        free
    }
}

struct Writer<'a> {
    tester: Tester<'a>,
    /// The factor by which all times are multiplied.
    scale: i64,
    /// The identifiers in use. Each object has a unique one, since declarations of a process hide global ones.
    names: Names,
    outputs: Vec<String>,
    given: Vec<String>,
    /// The clock of the tester.
    clock: String,
}

/// Returns the file for Uppaal with the model and the tester; `None` if its times are too large for Uppaal.
#[must_use]
pub fn written(tester: Tester<'_>) -> Option<String> {
    let mut scale = 1;
    for stage in tester.stages {
        let ends = stage.windows.iter().flat_map(|(_, t)| [t.from, t.to]);
        for time in ends.chain([stage.until]) {
            scale = least_common(scale, i64::try_from(time.parts().1).ok()?)?;
        }
    }
    let mut given = BTreeSet::new();
    let mut outputs: BTreeSet<&str> = tester.system.actions(false);
    for stage in tester.stages {
        outputs.extend(stage.windows.iter().map(|(output, _)| output.as_str()));
        match &stage.then {
            Then::Gives(input) => _ = given.insert(input.clone()),
            Then::Expects(output) => _ = outputs.insert(output),
            Then::Passes | Then::Fails => {}
        }
    }
    let mut writer = Writer {
        scale,
        names: Names::default(),
        outputs: outputs.into_iter().map(str::to_owned).collect(),
        given: given.into_iter().collect(),
        clock: String::new(),
        tester,
    };
    writer.file()
}

fn least_common(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|scale| *scale <= LARGEST)
}

/// The largest constant that Uppaal takes everywhere.
const LARGEST: i64 = 1 << 29;

impl Writer<'_> {
    fn file(&mut self) -> Option<String> {
        // Steps without a label are visible like others, so each needs a label here.
        self.names.0 = vec![(TAU.to_owned(), "unlabelled".to_owned())];
        let waits = (0..self.tester.stages.len()).map(|number| format!("Wait{number}"));
        let verdicts = [PASS, FAIL, INCONCLUSIVE].map(str::to_owned);
        let kept = waits.chain(verdicts).map(|name| (String::new(), name));
        self.names.0.extend(kept);
        let mut names = BTreeSet::new();
        for edge in &self.tester.system.edges {
            names.insert(self.names.word(&edge.action.name));
        }
        for name in self.outputs.clone().into_iter().chain(self.given.clone()) {
            names.insert(self.names.word(&name));
        }
        for input in self.given.clone() {
            names.insert(self.refusal(&input));
        }
        let tester = self.names.fresh("Tester");
        let system = self.names.fresh(self.tester.name);
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n");
        let names: Vec<String> = names.into_iter().collect();
        if self.scale != 1 {
            let scale = self.scale;
            let _ = writeln!(
                text,
                "<!-- One unit of the model is {scale} units here. -->"
            );
        }
        let declared = match names.is_empty() {
            true => String::new(),
            false => format!("chan {};", names.join(", ")),
        };
        let _ = writeln!(text, "<declaration>{declared}</declaration>");
        self.system(&mut text, &system)?;
        self.tester(&mut text, &tester)?;
        let _ = writeln!(text, "<system>system {system}, {tester};</system>");
        text.push_str("<queries>\n");
        for (query, says) in [
            (
                format!("A[] not {tester}.FAIL"),
                "the system passes whatever happens",
            ),
            (format!("E<> {tester}.PASS"), "the test can come to its end"),
            (
                format!("E<> {tester}.INCONCLUSIVE"),
                "the system can leave the test without a fault",
            ),
        ] {
            let query = escaped(&query);
            let _ = writeln!(
                text,
                "<query><formula>{query}</formula><comment>{says}</comment></query>"
            );
        }
        text.push_str("</queries>\n</nta>\n");
        Some(text)
    }

    fn refusal(&mut self, input: &str) -> String {
        self.names.word(&format!("refuses {input}"))
    }

    fn system(&mut self, text: &mut String, name: &str) -> Option<()> {
        let system = self.tester.system;
        let clocks = system.clocks.iter().map(|clock| self.names.fresh(clock));
        let clocks: Vec<String> = clocks.collect();
        let declared = match clocks.is_empty() {
            true => String::new(),
            false => format!("clock {};", clocks.join(", ")),
        };
        let _ = writeln!(
            text,
            "<template>\n<name>{name}</name>\n<declaration>{declared}</declaration>"
        );
        for (number, location) in system.locations.iter().enumerate() {
            let name = self.names.fresh(&location.name);
            let invariant = label("invariant", &self.atoms(&clocks, &location.invariant)?);
            let _ = writeln!(
                text,
                "<location id=\"m{number}\"><name>{name}</name>{invariant}</location>"
            );
        }
        let _ = writeln!(text, "<init ref=\"m{}\"/>", system.initial);
        for edge in &system.edges {
            let sign = if edge.action.is_input { "?" } else { "!" };
            let channel = format!("{}{sign}", self.names.word(&edge.action.name));
            self.edge(text, &clocks, edge, &channel)?;
        }
        for input in self.given.clone() {
            let is_known = system.actions(true).contains(input.as_str());
            let stays = self.tester.stays_at_unknown_inputs && !is_known;
            let channel = match stays {
                true => format!("{}?", self.names.word(&input)),
                false => format!("{}!", self.refusal(&input)),
            };
            for number in 0..system.locations.len() {
                for guard in left_open(system, number, &input) {
                    let edge = Edge {
                        source: number,
                        target: number,
                        action: hyperkill_core::timed::Action {
                            name: input.clone(),
                            is_input: stays,
                        },
                        guard,
                        updates: Vec::new(),
                    };
                    self.edge(text, &clocks, &edge, &channel)?;
                }
            }
        }
        text.push_str("</template>\n");
        Some(())
    }

    fn edge(&self, text: &mut String, clocks: &[String], edge: &Edge, sync: &str) -> Option<()> {
        let mut updates = Vec::new();
        for (clock, value) in &edge.updates {
            updates.push(format!("{} = {}", clocks[*clock], self.longer(*value)?));
        }
        let guard = self.atoms(clocks, &edge.guard)?;
        transition(
            text,
            (&format!("m{}", edge.source), &format!("m{}", edge.target)),
            (&guard, sync, &updates.join(", ")),
        );
        Some(())
    }

    fn longer(&self, constant: i64) -> Option<i64> {
        let longer = constant.checked_mul(self.scale);
        longer.filter(|longer| longer.abs() <= LARGEST)
    }

    fn atoms(&self, clocks: &[String], atoms: &[Atom]) -> Option<String> {
        let written = atoms.iter().map(|atom| {
            let constant = self.longer(atom.constant)?;
            let relation = sign(atom.relation);
            Some(format!("{} {relation} {constant}", clocks[atom.clock]))
        });
        Some(written.collect::<Option<Vec<_>>>()?.join(" && "))
    }

    fn time(&self, time: Time) -> Option<i64> {
        let (numerator, denominator) = time.parts();
        let parts = self.scale / i64::try_from(denominator).ok()?;
        let longer = i64::try_from(numerator).ok()?.checked_mul(parts);
        longer.filter(|longer| *longer <= LARGEST)
    }

    fn tester(&mut self, text: &mut String, name: &str) -> Option<()> {
        self.clock = self.names.fresh("t");
        let clock = &self.clock;
        let _ = writeln!(
            text,
            "<template>\n<name>{name}</name>\n<declaration>clock {clock};</declaration>"
        );
        for (number, stage) in self.tester.stages.iter().enumerate() {
            // A tester that waits for an output must detect that it is late.
            let until = match stage.then {
                Then::Gives(_) | Then::Fails => {
                    format!("{} <= {}", self.clock, self.time(stage.until)?)
                }
                Then::Expects(_) | Then::Passes => String::new(),
            };
            let invariant = label("invariant", &until);
            let _ = writeln!(
                text,
                "<location id=\"w{number}\"><name>Wait{number}</name>{invariant}</location>"
            );
        }
        for verdict in [PASS, FAIL, INCONCLUSIVE] {
            let _ = writeln!(
                text,
                "<location id=\"{verdict}\"><name>{verdict}</name></location>"
            );
        }
        text.push_str("<init ref=\"w0\"/>\n");
        for number in 0..self.tester.stages.len() {
            self.stage(text, number)?;
        }
        text.push_str("</template>\n");
        Some(())
    }

    fn stage(&mut self, text: &mut String, number: usize) -> Option<()> {
        let stages = self.tester.stages;
        let stage = &stages[number];
        let here = format!("w{number}");
        let is_last = number + 1 == stages.len();
        let next = match is_last {
            true => PASS.to_owned(),
            false => format!("w{}", number + 1),
        };
        let until = self.time(stage.until)?;
        let clock = self.clock.clone();
        let now = format!("{clock} == {until}");
        match &stage.then {
            Then::Gives(input) => {
                let gives = format!("{}!", self.names.word(input));
                let refused = format!("{}?", self.refusal(input));
                transition(text, (&here, &next), (&now, &gives, ""));
                transition(text, (&here, FAIL), (&now, &refused, ""));
            }
            Then::Expects(output) => {
                let sees = format!("{}?", self.names.word(output));
                transition(text, (&here, &next), (&now, &sees, ""));
                let late = format!("{clock} > {until}");
                transition(text, (&here, INCONCLUSIVE), (&late, "", ""));
            }
            Then::Passes => {
                let late = format!("{clock} > {until}");
                transition(text, (&here, PASS), (&late, "", ""));
            }
            Then::Fails => transition(text, (&here, FAIL), (&now, "", "")),
        }
        for output in self.outputs.clone() {
            let sees = format!("{}?", self.names.word(&output));
            let expected = matches!(&stage.then, Then::Expects(name) if *name == output);
            let windows = stage.windows.iter().filter(|(name, _)| *name == output);
            let windows: Vec<Times> = windows.map(|(_, times)| *times).collect();
            for times in &windows {
                let mut times = *times;
                if expected && times.to == stage.until {
                    times.has_to = false;
                }
                if times.from < times.to || times.has_from && times.has_to {
                    let guard = self.within(&times)?;
                    transition(text, (&here, INCONCLUSIVE), (&guard, &sees, ""));
                }
            }
            for guard in self.outside(&windows, until, expected)? {
                transition(text, (&here, FAIL), (&guard, &sees, ""));
            }
        }
        Some(())
    }

    fn within(&self, times: &Times) -> Option<String> {
        let clock = &self.clock;
        let (from, to) = (self.time(times.from)?, self.time(times.to)?);
        if from == to {
            return Some(format!("{clock} == {from}"));
        }
        let (least, most) = (
            if times.has_from { ">=" } else { ">" },
            if times.has_to { "<=" } else { "<" },
        );
        Some(format!("{clock} {least} {from} && {clock} {most} {to}"))
    }

    /// Returns guards for the times up to `until`, the end of a wait, that are in none of the `windows`. For an `expected` output the end
    /// itself is excluded. `None` if a time is too large.
    fn outside(&self, windows: &[Times], until: i64, expected: bool) -> Option<Vec<String>> {
        let clock = &self.clock;
        let mut guards = Vec::new();
        let mut from = String::new();
        let mut is_over = false;
        for times in windows {
            let sign = if times.has_from { "<" } else { "<=" };
            let begin = self.time(times.from)?;
            // No time precedes the start.
            if !(begin == 0 && times.has_from) {
                guards.push(format!("{from}{clock} {sign} {begin}"));
            }
            let end = self.time(times.to)?;
            let sign = if times.has_to { ">" } else { ">=" };
            from = format!("{clock} {sign} {end} && ");
            is_over = end == until && (times.has_to || expected);
        }
        if !is_over {
            let sign = if expected { "<" } else { "<=" };
            guards.push(format!("{from}{clock} {sign} {until}"));
        }
        Some(guards)
    }
}

const PASS: &str = "PASS";
const FAIL: &str = "FAIL";
const INCONCLUSIVE: &str = "INCONCLUSIVE";

fn transition(
    text: &mut String,
    (source, target): (&str, &str),
    (guard, sync, update): (&str, &str, &str),
) {
    let _ = writeln!(
        text,
        "<transition><source ref=\"{source}\"/><target ref=\"{target}\"/>{}{}{}</transition>",
        label("guard", guard),
        label("synchronisation", sync),
        label("assignment", update)
    );
}
