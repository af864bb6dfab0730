//! Verilog benches for designs whose clocks do not all tick in every step: each clock has a signal of its own.
//!
//! One assignment changes all clocks of a step, so that no register sees the new value of another one. A clock with one used edge makes a
//! pulse; a clock with two used edges changes its level.

use std::fmt::Write;

use hyperkill_core::sort::Value;
use hyperkill_frontend::hardware::{Clock, Pin, Ticks};

use crate::error::ExportError;
use crate::names::escaped;
use crate::testbench::{SETTLE, Writer, line, value_of};

impl Writer<'_> {
    /// Returns the clocks with their indices, which are parts of their names in the bench.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Clock)> {
        self.hardware.clocks.iter().enumerate()
    }

    /// Returns the clocks that ever tick, with their indices.
    fn ticking(&self) -> Vec<(usize, &Clock)> {
        let numbered = self.numbered();
        numbered
            .filter(|(_, clock)| clock.ticks != Ticks::Never)
            .collect()
    }

    /// Writes the declarations of the signals that drive clocks and of those that determine when they tick.
    pub(crate) fn declare_clocks(&self, text: &mut String) {
        for (number, clock) in self.numbered() {
            // SystemVerilog sets initial values before a block waits for an edge; a change from x would be an edge.
            line!(text, "  reg clock_{number} = {};", u8::from(!clock.rising));
            match &clock.ticks {
                Ticks::Chosen => line!(text, "  reg tick_{number};"),
                Ticks::Round(round) => line!(text, "  reg [{}:0] round_{number};", last(round)),
                Ticks::Always | Ticks::Never => {}
            }
        }
    }

    /// Adds for each clock the connection of its port with its signal in the bench.
    pub(crate) fn connect_clocks(&self, connections: &mut Vec<String>) {
        for (number, clock) in self.numbered() {
            connections.push(format!(".{}(clock_{number})", escaped(&clock.port)));
        }
    }

    /// Writes the initial values of the registers that say when clocks with periods (rounds) tick.
    pub(crate) fn begin_rounds(&self, text: &mut String) {
        for (number, clock) in self.numbered() {
            if let Ticks::Round(round) = &clock.ticks {
                let bits = round.iter().rev().map(|ticks| u8::from(*ticks).to_string());
                let bits: String = bits.collect();
                line!(text, "    round_{number} = {}'b{bits};", round.len());
            }
        }
    }

    /// Writes the task `tick` for the end of a step: the clocks that tick in this step get their edges, and periodic clocks advance.
    /// If the design has resets, also writes the task `tick_all`: all clocks except those that never tick get their edges. Neither task
    /// changes a reset.
    pub(crate) fn tasks(&self, text: &mut String) {
        let chosen = |number: usize, clock: &Clock| match clock.ticks {
            Ticks::Chosen => format!("tick_{number}"),
            Ticks::Round(_) => format!("round_{number}[0]"),
            Ticks::Always | Ticks::Never => "1'b1".to_owned(),
        };
        line!(text, "\n  // Which clocks tick: those of the step.");
        self.task("tick", chosen, true, text);
        if !self.hardware.resets.is_empty() {
            line!(text, "\n  // All clocks tick.");
            self.task("tick_all", |_, _| "1'b1".to_owned(), false, text);
        }
    }

    fn task(
        &self,
        name: &str,
        ticks: impl Fn(usize, &Clock) -> String,
        is_step: bool,
        text: &mut String,
    ) {
        let clocks = self.ticking();
        let joined = |parts: Vec<String>| parts.join(", ");
        let signals = |clocks: &[(usize, &Clock)]| {
            joined(
                clocks
                    .iter()
                    .map(|(number, _)| format!("clock_{number}"))
                    .collect(),
            )
        };
        let edges = clocks.iter().map(|(number, clock)| {
            let ticks = ticks(*number, clock);
            match (clock.both_edges, clock.rising) {
                (true, _) => format!("clock_{number} ^ {ticks}"),
                (false, true) => ticks,
                (false, false) => format!("~{ticks}"),
            }
        });
        line!(text, "  task {name};\n    begin\n      #{SETTLE};");
        line!(
            text,
            "      {{{}}} = {{{}}};",
            signals(&clocks),
            joined(edges.collect())
        );
        line!(text, "      #{SETTLE};");
        let pulses: Vec<(usize, &Clock)> = (clocks.iter().copied())
            .filter(|(_, clock)| !clock.both_edges)
            .collect();
        if !pulses.is_empty() {
            let idle = pulses
                .iter()
                .map(|(_, clock)| format!("1'b{}", u8::from(!clock.rising)));
            line!(
                text,
                "      {{{}}} = {{{}}};",
                signals(&pulses),
                joined(idle.collect())
            );
        }
        for (number, clock) in clocks.iter().filter(|_| is_step) {
            if let Ticks::Round(round) = &clock.ticks
                && round.len() > 1
            {
                let last = last(round);
                line!(
                    text,
                    "      round_{number} = {{round_{number}[0], round_{number}[{last}:1]}};"
                );
            }
        }
        line!(text, "    end\n  endtask");
    }

    /// Writes which of the chosen clocks (clocks whose ticks are inputs of the test) tick at the end of a step with these inputs. A clock
    /// without a value does not tick. Other clocks need no setting.
    ///
    /// # Errors
    /// If a value is no bit.
    pub(crate) fn set_ticks(
        &self,
        inputs: &[(String, Value)],
        indent: &str,
        text: &mut String,
    ) -> Result<(), ExportError> {
        for (number, clock) in self.numbered() {
            if clock.ticks == Ticks::Chosen {
                let pin = Pin {
                    name: clock.port.clone(),
                    width: 1,
                };
                let value = value_of(inputs, &pin)?;
                let value = value.unwrap_or_else(|| "0".to_owned());
                line!(text, "{indent}tick_{number} = {value};");
            }
        }
        Ok(())
    }
}

/// Returns the index of the last step of a round, the period in which a clock's ticks repeat.
fn last(round: &[bool]) -> usize {
    round.len().saturating_sub(1)
}
