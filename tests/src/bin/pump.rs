//! The pump of `tests/adapters/pump` in Rust, behind hyperkill's adapter protocol: a line of inputs in, a line of outputs out.
//!
//! The motor starts after a free delay, and the pump reports dry running at once or a step later. With `--bug` the pump continues after the
//! alarm.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

struct Pump {
    bug: bool,
    motor: &'static str,
    alarm: bool,
    /// The number of steps until the motor is on.
    steps_left: u64,
    dry_before: bool,
}

impl Pump {
    fn new(bug: bool) -> Pump {
        Pump {
            bug,
            motor: "off",
            alarm: false,
            steps_left: 0,
            dry_before: false,
        }
    }

    fn outputs(&self) -> Value {
        json!({ "motor": self.motor, "alarm": self.alarm })
    }

    fn step(&mut self, button: &str, dry: bool, choices: &mut Choices) {
        let runs_dry = self.motor == "on" && dry;
        let stops = button == "stop" || self.alarm && !self.bug;
        if stops {
            self.motor = "off";
        } else if self.motor == "off" && button == "start" {
            self.motor = "starting";
            self.steps_left = choices.bit();
        } else if self.motor == "starting" && self.steps_left == 0 {
            self.motor = "on";
        } else if self.motor == "starting" {
            self.steps_left -= 1;
        }
        if button == "stop" {
            self.alarm = false;
        } else if runs_dry {
            self.alarm = self.dry_before || choices.bit() == 1;
        }
        self.dry_before = runs_dry;
    }
}

/// The pump's own choices: xorshift, so that a seed gives the same choices on every machine.
struct Choices(u64);

impl Choices {
    fn bit(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 40 & 1
    }
}

fn main() -> io::Result<()> {
    let bug = std::env::args().any(|arg| arg == "--bug");
    let run = std::env::var("HYPERKILL_RUN").ok();
    let run: u64 = run.and_then(|run| run.parse().ok()).unwrap_or(0);
    let mut choices = Choices(0x9e37_79b9_7f4a_7c15 ^ run);
    let mut pump = Pump::new(bug);
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let inputs: Value = serde_json::from_str(&line?)?;
        let answer = if inputs == "reset" {
            pump = Pump::new(bug);
            inputs
        } else {
            // A state model shows, in each step, the outputs before the inputs of the step take effect.
            let answer = pump.outputs();
            let button = inputs["button"].as_str().unwrap_or_default();
            pump.step(button, inputs["dry"] == "TRUE", &mut choices);
            answer
        };
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}
