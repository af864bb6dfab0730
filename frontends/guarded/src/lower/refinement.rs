//! Refinement: a step offers an event, which is done or refused.
//!
//! The original may refuse every offer, and a mutant only disabled events. Otherwise a mutant could always refuse, and no kill would be
//! definite. If refusals are visible, both refuse exactly the disabled events. Machines either ignore disabled events, which is invisible,
//! or refuse them; then tests offer only events that are enabled in the model.

use hyperkill_core::events::Side;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Constraint, InputRole, When};
use hyperkill_core::term::TermId;
use hyperkill_frontend::Diagnostic;

use super::assembly::DONE;
use super::lowering::{Lowering, Stop};
use crate::fault::{Fault, planted};
use crate::tree::{Leaving, Refusal};

impl Lowering<'_> {
    pub(super) fn refinement(&mut self) -> Result<(), Stop> {
        let model = self.model;
        let labels = self.labels(&[], None);
        let event = self.input("event".to_owned(), labels.clone(), InputRole::Test);
        self.name_events("event", Side::Inputs, &[], None);
        let count = self.model.events.len();
        let parameters = (0..count).map(|event| self.parameters(event, InputRole::Test));
        let parameters = parameters.collect();
        let events = self.events(parameters)?;
        let (mut happening, mut doable) = (Vec::new(), Vec::new());
        for (index, found) in events.iter().enumerate() {
            let label = self.system.terms.constant(labels.clone(), index as u64);
            let happens = self.equal(event, label)?;
            let can = self.and(found.offered, found.able)?;
            doable.push(self.and(happens, can)?);
            happening.push(happens);
        }
        let can = self.any(doable)?;
        let done = match (self.reading.complete, model.system.refusal) {
            (true, _) | (_, Refusal::Ignored | Refusal::Seen) => can,
            (false, Refusal::AtWill) => {
                let refuse = self.input("refuse".to_owned(), Sort::Bool, InputRole::Choice);
                let mutated = self.mutated()?;
                let willing = self.not(refuse)?;
                let does = match planted(Fault::MutantRefusesAtWill) {
                    true => willing,
                    false => self.or(mutated, willing)?,
                };
                self.and(can, does)?
            }
        };
        let after = self.set_next(&events, &happening, done)?;
        if model.system.leaving == Leaving::EndsRuns
            && let Some(inside) = after.last()
        {
            self.constrain("in-ranges", *inside);
        }
        if self.reading.complete || model.system.refusal != Refusal::Ignored {
            self.output(DONE, done);
        }
        if !self.reading.complete && model.system.refusal == Refusal::Seen {
            // Tests offer only events that are enabled in the model.
            let mutated = self.mutated()?;
            let term = self.or(mutated, can)?;
            self.constrain("can-happen", term);
        }
        if !self.reading.complete && model.system.refusal != Refusal::Ignored {
            self.system.accepts = Some(DONE.to_owned());
            if self.system.outputs.is_empty() {
                let message =
                    "`done` is not observed, but only `done` shows which events the system accepts";
                let help = "observe it too, or say --complete";
                return Err(Stop::Model(Diagnostic::option(
                    message,
                    Some(help.to_owned()),
                )));
            }
        }
        self.output_state(after);
        Ok(())
    }

    /// Returns the condition that a mutant is selected.
    fn mutated(&mut self) -> Result<TermId, Stop> {
        let selectors = 0..self.system.selectors.len();
        let selectors = selectors.map(|s| self.system.terms.selector(s)).collect();
        self.any(selectors)
    }

    /// Adds a constraint that must hold in all steps.
    fn constrain(&mut self, name: &str, term: TermId) {
        self.system.constraints.push(Constraint {
            name: Some(name.to_owned()),
            term,
            when: When::Always,
            span: None,
        });
    }
}
