//! Timed tests on a lamp with a virtual clock, which only advances while the tester listens.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use hyperkill_checker::testgen::running::{Values, Verdict};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_exec::adapter::{Adapter, Agreement, NoAnswer};
use hyperkill_exec::closing::Closing;
use hyperkill_exec::dialogue::{Dialogue, Ended, Heard};
use hyperkill_exec::following::{TimedTest, play};
use hyperkill_exec::systems::{Clocked, Scale, Told};
use hyperkill_exec::waiting::Timer;
use hyperkill_frontend::decision::{Decision, Follower};
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_uppaal_decide::UppaalDecision;
use serde_json::json;

const MODEL: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/models/uppaal/lamp/model.xml"
));

const PARTS: i64 = 1000;

fn follower() -> Box<dyn Follower> {
    let sources = [SourceFile::new("model.xml", MODEL)];
    let decider = UppaalDecision.read(&sources, &FrontendOptions::default());
    let decider = decider.unwrap_or_else(|errors| panic!("{errors:?}"));
    decider.follower(PARTS).unwrap().unwrap()
}

/// A lamp with all times in milliseconds; a unit is a second.
struct Lamp {
    now: u64,
    state: &'static str,
    since: u64,
    dims_after: u64,
    closes_from: u64,
    /// The delay in both directions: between the output of a line and its arrival, and between an input and its arrival.
    lag: u64,
    lines: VecDeque<(u64, String)>,
}

impl Lamp {
    fn due(&self) -> Option<(u64, &'static str, &'static str)> {
        match self.state {
            "dimming" => Some((self.since + self.dims_after, "dim", "low")),
            "brightening" => Some((self.since, "bright", "high")),
            "closing" => Some((self.since, "off", "dark")),
            _ => None,
        }
    }

    fn acts(&mut self, until: u64) {
        while let Some((due, output, state)) = self.due().filter(|(due, ..)| *due <= until) {
            (self.state, self.since) = (state, due);
            let line = json!({ "output": output }).to_string();
            self.lines.push_back((due + self.lag, line));
        }
    }

    fn press(&mut self) {
        let now = self.now + self.lag;
        self.acts(now);
        let next = match self.state {
            "dark" => "dimming",
            "low" if now - self.since < self.closes_from => "brightening",
            "low" | "high" => "closing",
            _ => "",
        };
        let given = !next.is_empty();
        if given {
            (self.state, self.since) = (next, now);
        }
        let line = json!({ "given": given }).to_string();
        self.lines.push_back((now + self.lag, line));
    }
}

struct World(Mutex<Lamp>);

impl Timer for World {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.lock().unwrap().now)
    }

    fn sleep(&self, _: Duration) {}
}

impl Dialogue for &World {
    fn say(&mut self, line: String) {
        assert_eq!(line, r#"{"input":"press"}"#);
        self.0.lock().unwrap().press();
    }

    fn listen(&mut self, _: &Budget) -> Result<Heard, Stop> {
        unreachable!("it has a clock")
    }

    fn hear(&mut self, within: Duration) -> Option<(Heard, Duration)> {
        let mut lamp = self.0.lock().unwrap();
        let end = lamp.now + within.as_millis() as u64;
        loop {
            let heard = lamp.lines.front().map(|(at, _)| *at);
            let due = lamp.due().map(|(due, ..)| due);
            match (heard, due) {
                (Some(at), due) if at <= end && due.is_none_or(|due| at <= due) => {
                    lamp.now = lamp.now.max(at);
                    let line = lamp.lines.pop_front();
                    return line.map(|(_, line)| (Heard::Line(line), Duration::ZERO));
                }
                (_, Some(due)) if due <= end => lamp.acts(due),
                _ => {
                    lamp.now = end;
                    return None;
                }
            }
        }
    }

    fn hang_up(&mut self) {}

    fn ended(&mut self, _: &Budget) -> Result<Ended, Stop> {
        unreachable!("it never ends")
    }
}

fn symbol(name: &str, value: &str) -> Values {
    vec![(name.to_owned(), Value::Symbol(value.to_owned()))]
}

/// A timed step: `?` gives an input, `!` expects an output.
fn step((at, what): &(&str, &str)) -> Step {
    let (inputs, outputs) = match (what.strip_suffix('?'), what.strip_suffix('!')) {
        (Some(input), _) => (symbol("input", input), vec![]),
        (_, Some(output)) => (vec![], symbol("output", output)),
        _ => (vec![], vec![]),
    };
    Step {
        at: Some(at.parse::<Time>().unwrap()),
        inputs,
        outputs,
        ..Step::default()
    }
}

fn steps(test: &[(&str, &str)]) -> Vec<Step> {
    test.iter().map(step).collect()
}

fn test_of(steps: &[Step]) -> TimedTest<'_> {
    TimedTest {
        steps,
        parts: PARTS,
        output: "output",
    }
}

/// Timed outputs are not answers to steps.
fn nothing_agreed() -> Agreement<'static> {
    Agreement {
        outputs: &[],
        step_timeout: None,
    }
}

/// Runs a test on a lamp with a clock.
fn clocked(test: &[(&str, &str)], dims_after: u64, closes_from: u64, lag: u64) -> Closing {
    let world = World(Mutex::new(Lamp {
        now: 5000,
        state: "dark",
        since: 0,
        dims_after,
        closes_from,
        lag,
        lines: VecDeque::new(),
    }));
    let budget = Budget::unlimited();
    let agreement = nothing_agreed();
    let mut adapter = Adapter::of(Box::new(&world), &agreement);
    let mut system = Clocked {
        adapter: &mut adapter,
        budget: &budget,
        scale: Scale {
            timer: &world,
            unit: Duration::from_secs(1),
            tolerance: Duration::from_millis(100),
            parts: PARTS,
        },
        zero: Duration::from_secs(5),
        step_timeout: Some(Duration::from_secs(1)),
        patience: None,
    };
    let mut model = follower();
    let steps = steps(test);
    let played = play(
        test_of(&steps),
        &mut system,
        model.as_mut(),
        &mut Vec::new(),
    );
    match played {
        Ok(closing) => closing,
        Err(NoAnswer::Broken(broken)) => panic!("{broken:?}"),
        Err(NoAnswer::Interrupted) => panic!("nobody interrupts"),
    }
}

/// Expects off after a late press, and bright after an early press.
const EARLY: &[(&str, &str)] = &[("0", "press?"), ("1", "dim!"), ("5", "press?"), ("5", "")];
const LATE_PRESS: &[(&str, &str)] = &[
    ("0", "press?"),
    ("2", "dim!"),
    ("7", "press?"),
    ("7", "off!"),
    ("8", ""),
];

#[test]
fn a_lamp_that_does_what_the_model_may_do_never_fails() {
    for dims_after in [1000, 1050, 1500, 1950, 2000] {
        for lag in [0, 3, 40, 100] {
            for test in [EARLY, LATE_PRESS] {
                let closing = clocked(test, dims_after, 5000, lag);
                let Closing {
                    verdict, message, ..
                } = closing;
                assert_ne!(
                    verdict,
                    Verdict::Fail,
                    "{dims_after} {lag} {test:?}: {message}"
                );
                if lag < 40 {
                    assert_eq!(
                        verdict,
                        Verdict::Pass,
                        "{dims_after} {lag} {test:?}: {message}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_lamp_whose_times_are_wrong_by_more_than_the_tolerance_fails() {
    let late = clocked(EARLY, 2250, 5000, 3);
    assert_eq!(
        (late.verdict, late.step),
        (Verdict::Fail, 1),
        "{}",
        late.message
    );
    assert!(
        late.message.contains("does not allow this delay"),
        "{}",
        late.message
    );
    let early = clocked(EARLY, 800, 5000, 3);
    assert_eq!(
        (early.verdict, early.step),
        (Verdict::Fail, 1),
        "{}",
        early.message
    );
    let hasty = clocked(EARLY, 1000, 3900, 3);
    assert_eq!(
        (hasty.verdict, hasty.step),
        (Verdict::Fail, 3),
        "{}",
        hasty.message
    );
    assert_eq!(hasty.instead, [symbol("output", "bright")]);
    // A difference within the tolerance is not detectable.
    assert_eq!(clocked(EARLY, 2080, 5000, 3).verdict, Verdict::Pass);
}

#[test]
fn an_input_whose_moment_matters_too_exactly_ends_the_test_without_a_verdict() {
    // A lamp refuses a press while it dims.
    let test = [("0", "press?"), ("1/2", "press?"), ("1", "")];
    let closing = clocked(&test, 1000, 5000, 3);
    assert_eq!(
        (closing.verdict, closing.reason),
        (Verdict::Inconclusive, "refused")
    );
    let test = [
        ("0", "press?"),
        ("1", "dim!"),
        ("1", "press?"),
        ("1", "press?"),
        ("2", ""),
    ];
    let closing = clocked(&test, 1000, 5000, 40);
    assert_ne!(closing.verdict, Verdict::Fail, "{}", closing.message);
}

/// A program that answers with these lines.
struct Script(VecDeque<String>, Vec<String>);

impl Dialogue for &mut Script {
    fn say(&mut self, line: String) {
        self.1.push(line);
    }

    fn listen(&mut self, _: &Budget) -> Result<Heard, Stop> {
        Ok(Heard::Line(self.0.pop_front().unwrap_or_default()))
    }

    fn hear(&mut self, _: Duration) -> Option<(Heard, Duration)> {
        unreachable!("it is told the time")
    }

    fn hang_up(&mut self) {}

    fn ended(&mut self, _: &Budget) -> Result<Ended, Stop> {
        unreachable!("it never ends")
    }
}

/// Runs a test on a program with virtual time. Returns the result or the error in its lines, and the lines that it received.
fn told(test: &[(&str, &str)], answers: &[&str]) -> (Result<Closing, String>, Vec<String>) {
    let answers = answers.iter().map(|line| (*line).to_owned());
    let mut lines = Script(answers.collect(), Vec::new());
    let budget = Budget::unlimited();
    let agreement = nothing_agreed();
    let mut adapter = Adapter::of(Box::new(&mut lines), &agreement);
    let mut system = Told {
        adapter: &mut adapter,
        budget: &budget,
        parts: PARTS,
        now: 0,
    };
    let steps = steps(test);
    let mut model = follower();
    let closing = play(
        test_of(&steps),
        &mut system,
        model.as_mut(),
        &mut Vec::new(),
    );
    let closing = closing.map_err(|no| match no {
        NoAnswer::Broken(broken) => broken.message,
        NoAnswer::Interrupted => "interrupted".to_owned(),
    });
    drop(adapter);
    (closing, lines.1)
}

#[test]
fn a_system_without_a_clock_is_told_how_much_time_passes() {
    let answers = [
        r#"{"waited":0}"#,
        r#"{"given":true}"#,
        r#"{"waited":"1","output":"dim"}"#,
        r#"{"waited":"4"}"#,
        r#"{"given":true}"#,
        r#"{"waited":0,"output":"bright"}"#,
        r#"{"waited":"0.0"}"#,
    ];
    let (closing, said) = told(EARLY, &answers);
    let closing = closing.unwrap();
    assert_eq!(closing.verdict, Verdict::Pass, "{}", closing.message);
    assert_eq!(closing.reason, "allowed");
    let expected = [
        r#"{"wait":0}"#,
        r#"{"input":"press"}"#,
        r#"{"wait":1}"#,
        r#"{"wait":4}"#,
        r#"{"input":"press"}"#,
        r#"{"wait":0}"#,
        r#"{"wait":0}"#,
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_system_that_is_silent_for_too_long_or_refuses_an_input_fails() {
    let answers = [
        r#"{"waited":0}"#,
        r#"{"given":true}"#,
        r#"{"waited":1}"#,
        r#"{"waited":"1.001"}"#,
    ];
    let (closing, said) = told(EARLY, &answers);
    let closing = closing.unwrap();
    assert_eq!(
        (closing.verdict, closing.step),
        (Verdict::Fail, 1),
        "{}",
        closing.message
    );
    assert_eq!(closing.instead, [symbol("output", "dim")]);
    // No output came in its window, so the tester waits for as long as the model allows.
    assert_eq!(said.last().unwrap(), r#"{"wait":"1001/1000"}"#);
    let (closing, _) = told(EARLY, &[r#"{"waited":0}"#, r#"{"given":false}"#]);
    let closing = closing.unwrap();
    assert_eq!(
        (closing.verdict, closing.step),
        (Verdict::Fail, 0),
        "{}",
        closing.message
    );
}

#[test]
fn lines_that_nobody_asked_for_are_errors() {
    let begun = r#"{"waited":0}"#;
    let wrong = [
        (vec![r#"{"waited":1}"#], "longer"),
        (vec![r#"{"waited":-1}"#], "no number"),
        (vec![r#"{"waited":"1/3","output":"dim"}"#], "no number"),
        (vec![r#"{"output":"dim"}"#], "no number"),
        (vec![r#"{"waited":0,"output":1}"#], "no text"),
        (vec![r#"{"waited":0,"output":"dim","at":1}"#], "no `at`"),
        (vec!["dim"], "no JSON object"),
        (vec![begun, r#"{"given":1}"#], "neither true nor false"),
        (
            vec![begun, r#"{"given":true}"#, r#"{"waited":"1/2"}"#],
            "shorter",
        ),
    ];
    for (answers, why) in wrong {
        let (closing, _) = told(EARLY, &answers);
        let error = closing.map(|closing| closing.message).unwrap_err();
        assert!(error.contains(why), "{answers:?}: {error}");
    }
}
