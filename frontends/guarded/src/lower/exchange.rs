//! Inputs and outputs: in each step the tester gives an enabled input, or waits and observes an output or quiescence.

use hyperkill_core::events::Side;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Constraint, InputRole, When};
use hyperkill_core::term::TermId;

use super::assembly::{DONE, Event, must_not_be, port};
use super::lowering::{Lowering, Stop};
use crate::fault::{Fault, planted};

/// The tester's value for no input.
const WAIT: &str = "wait";

/// The output if no output occurs while the tester waits.
const QUIESCENT: &str = "quiescent";

/// The output in a step with an input.
const NONE: &str = "none";

impl Lowering<'_> {
    pub(super) fn exchange(&mut self) -> Result<(), Stop> {
        let model = self.model;
        for event in 0..model.events.len() {
            let taken = match model.events[event].is_input {
                true => &[WAIT][..],
                false => &[QUIESCENT, NONE],
            };
            must_not_be(&model.action(event).name, taken)?;
        }
        let given = self.labels(&[WAIT], Some(true));
        let input = self.input("event".to_owned(), given.clone(), InputRole::Test);
        self.name_events("event", Side::Inputs, &[WAIT], Some(true));
        let shown = self.labels(&[QUIESCENT], Some(false));
        let chosen = self.input("output".to_owned(), shown.clone(), InputRole::Choice);
        let mut parameters = Vec::new();
        for event in &model.events {
            let role = match event.is_input {
                true => InputRole::Test,
                false => InputRole::Choice,
            };
            parameters.push(self.parameters(parameters.len(), role));
        }
        let events = self.events(parameters)?;
        let zero = self.system.terms.constant(given.clone(), 0);
        let waits = self.equal(input, zero)?;
        let (mut inputs, mut outputs) = (0, 0);
        let (mut happening, mut doable, mut possible) = (Vec::new(), Vec::new(), Vec::new());
        for (index, event) in events.iter().enumerate() {
            let can = self.and(event.offered, event.able)?;
            let terms = &mut self.system.terms;
            let happens = match model.events[index].is_input {
                true => {
                    inputs += 1;
                    let label = terms.constant(given.clone(), inputs);
                    self.equal(input, label)?
                }
                false => {
                    outputs += 1;
                    let label = terms.constant(shown.clone(), outputs);
                    possible.push(self.with_any(can, event, model.events[index].span)?);
                    let is_chosen = self.equal(chosen, label)?;
                    self.and(waits, is_chosen)?
                }
            };
            doable.push(self.and(happens, can)?);
            happening.push(happens);
        }
        let done = self.any(doable)?;
        let after = self.set_next(&events, &happening, done)?;
        let some_output = self.any(possible)?;
        self.limit(waits, chosen, some_output, done)?;
        self.show(waits, chosen, &events, &happening)?;
        if self.reading.complete {
            let answered = self.or(waits, done)?;
            self.output(DONE, answered);
        }
        self.output_state(after);
        Ok(())
    }

    /// Constrains steps: a shown output is enabled, quiescence requires that no output is, and an input is enabled unless it may be
    /// refused.
    fn limit(
        &mut self,
        waits: TermId,
        chosen: TermId,
        some_output: TermId,
        done: TermId,
    ) -> Result<(), Stop> {
        let sort = self.system.terms.sort(chosen).clone();
        let quiescent = self.system.terms.constant(sort, 0);
        let is_quiet = self.equal(chosen, quiescent)?;
        let silent = self.not(some_output)?;
        let silent = match () {
            () if planted(Fault::QuiescenceUnchecked) => self.system.terms.bool(true),
            () if planted(Fault::QuiescenceForgotten) => self.system.terms.bool(false),
            () => silent,
        };
        let answer = self.ite(is_quiet, silent, done)?;
        let given = match self.reading.complete {
            true => self.system.terms.bool(true),
            false => done,
        };
        let term = self.ite(waits, answer, given)?;
        self.system.constraints.push(Constraint {
            name: Some("can-happen".to_owned()),
            term,
            when: When::Always,
            span: None,
        });
        Ok(())
    }

    /// Adds the outputs of the circuit, with their values in a step.
    fn show(
        &mut self,
        waits: TermId,
        chosen: TermId,
        events: &[Event],
        happening: &[TermId],
    ) -> Result<(), Stop> {
        let model = self.model;
        let none = self.system.terms.symbol(NONE);
        let label = self.ite(waits, chosen, none)?;
        // A system without inputs is never given one, so the label has no value `NONE`.
        let others = match self.system.terms.sort(label) {
            Sort::Enum { values } if values.iter().any(|value| value == NONE) => {
                &[QUIESCENT, NONE][..]
            }
            _ => &[QUIESCENT],
        };
        self.name_events("output", Side::Outputs, others, Some(false));
        self.output("output", label);
        for (event, happens) in happening.iter().enumerate() {
            if model.events[event].is_input {
                continue;
            }
            let action = model.action(event);
            let values = action.parameters.iter().zip(&events[event].parameters);
            for (name, value) in values {
                let sort = self.system.terms.sort(*value).clone();
                let nothing = self.system.terms.constant(sort, 0);
                let shown = self.ite(*happens, *value, nothing)?;
                self.output(port(&action.name, name), shown);
            }
        }
        Ok(())
    }
}
