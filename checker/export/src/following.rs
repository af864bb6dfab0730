//! Adaptive tests as state machines in Verilog: they continue after every output that the model may give.

use std::fmt::Write;

use hyperkill_checker::testgen::running::{Observer, Place, Then};

use crate::error::ExportError;
use crate::plays::Play;
use crate::testbench::{Chosen, SETTLE, Writer, differs, line};

/// Number of the next place (state of the test's machine) after a failure. Places are numbered from 0.
const FAILS: i64 = -1;
const PASSES: i64 = -2;
const STOPS: i64 = -3;
/// Number of allowed answers, at most, that a failure message lists.
const SHOWN: usize = 4;

impl Writer<'_> {
    /// Writes the steps of an adaptive test as a loop over the places of its state machine. `play` has the choices, which depend on the
    /// step.
    pub(crate) fn follow(
        &self,
        id: &str,
        machine: &Observer,
        play: &Play,
        text: &mut String,
    ) -> Result<(), ExportError> {
        line!(
            text,
            "      integer at, next, step;\n      at = 0;\n      step = 0;"
        );
        line!(text, "      while (at >= 0) begin\n        case (at)");
        // Choices depend on the step, not on the place.
        let apart = play.choices.first().map_or(&[][..], Vec::as_slice);
        for (number, place) in machine.places.iter().enumerate() {
            line!(text, "          {number}: begin");
            self.set(&place.inputs, Chosen::Apart(apart), "            ", text)?;
            line!(text, "          end");
        }
        line!(text, "        endcase");
        self.choose(play, text)?;
        line!(
            text,
            "        #{SETTLE};\n        next = {FAILS};\n        case (at)"
        );
        for (number, place) in machine.places.iter().enumerate() {
            self.answers(id, number, place, text)?;
        }
        line!(text, "        endcase");
        if let Some((_, steps)) = &play.of_mutant {
            line!(
                text,
                "        if (next >= 0 && step == {}) next = {PASSES};",
                steps.saturating_sub(1)
            );
        }
        line!(
            text,
            "        if (next == {FAILS}) verdict = 2;\n        else if (next == {STOPS}) begin\n          verdict = 1;\n          \
             $display(\"INCONCLUSIVE {id} step %0d: the model accepts no further input\", step);\n        end"
        );
        if self.has_clock() {
            line!(text, "        else if (next >= 0) tick;");
        }
        line!(
            text,
            "        at = next;\n        step = step + 1;\n      end"
        );
        Ok(())
    }

    /// Writes the assignment of input ports that are choices, in each step of a play; they keep their values after the last step.
    fn choose(&self, play: &Play, text: &mut String) -> Result<(), ExportError> {
        if play.choices.iter().all(Vec::is_empty) {
            return Ok(());
        }
        line!(text, "        case (step)");
        let last = play.choices.len().saturating_sub(1);
        for (number, chosen) in play.choices.iter().enumerate() {
            match number == last {
                true => line!(text, "          default: begin"),
                false => line!(text, "          {number}: begin"),
            }
            for (name, value) in self.chosen(chosen)? {
                line!(text, "            {name} = {value};");
            }
            line!(text, "          end");
        }
        line!(text, "        endcase");
        Ok(())
    }

    /// Writes the transitions from place `number` to the next places, one for each output allowed there. Other outputs fail, with a message
    /// that names the test `id` and the expected outputs.
    fn answers(
        &self,
        id: &str,
        number: usize,
        place: &Place,
        text: &mut String,
    ) -> Result<(), ExportError> {
        line!(text, "          {number}: begin");
        let mut word = "if";
        let mut expected = Vec::new();
        let mut shown = (Vec::new(), Vec::new());
        for (answer, then) in &place.answers {
            let outputs = self.outputs(answer)?;
            let next = match then {
                Then::At(place) => *place as i64,
                Then::Passes => PASSES,
                Then::Stops => STOPS,
            };
            let condition = match outputs.is_empty() {
                true => "1".to_owned(),
                false => format!("!({})", differs(&outputs)),
            };
            line!(text, "            {word} ({condition}) next = {next};");
            word = "else if";
            let outputs = outputs.iter();
            let named = |name: &str| name.trim_start_matches("out_").to_owned();
            let values = outputs
                .clone()
                .map(|(name, value)| format!("{}={value}", named(name)));
            expected.push(values.collect::<Vec<String>>().join(" "));
            shown = outputs
                .map(|(name, _)| (format!("{}=%h", named(name)), name.clone()))
                .unzip();
        }
        let more = match expected.len() > SHOWN {
            true => " or others",
            false => "",
        };
        expected.truncate(SHOWN);
        let arguments: String = shown.1.iter().map(|name| format!(", {name}")).collect();
        line!(
            text,
            "            else $display(\"FAIL {id} step %0d: {} (expected {}{more})\", step{arguments});",
            shown.0.join(" "),
            expected.join(" or ")
        );
        line!(text, "          end");
        Ok(())
    }
}
