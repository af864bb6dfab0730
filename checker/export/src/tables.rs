//! Tests as plain tables: comma-separated values, and bits of AIGER stimuli.

use hyperkill_audit::documents::{Signature, SuiteTest, TestStep};
use hyperkill_checker::judge::run_of;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::aiger::stimulus::write_stimulus;
use hyperkill_core::budget::Budget;
use hyperkill_core::events::{Calls, Side};
use hyperkill_core::product::Variant;

use crate::csv;
use crate::error::ExportError;
use crate::plays;

/// Returns tests as comma-separated values, which `score --suite` reads: a column for each input and output, a row for each step, an empty
/// line between tests. An event is one column with calls.
#[must_use]
pub fn comma_separated(signature: &Signature, tests: &[SuiteTest]) -> String {
    let table = Columns::of(signature);
    let mut text = csv::line(table.names()) + "\n";
    for (number, test) in tests.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        for step in &test.steps {
            text += &csv::line(table.cells(step));
            text.push('\n');
        }
    }
    text
}

/// Columns of a table of steps: inputs first, with events in place of their ports.
pub(crate) struct Columns<'a> {
    signature: &'a Signature,
    calls: Calls<'a>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(signature: &'a Signature) -> Columns<'a> {
        let calls = Calls::new(&signature.events);
        Columns { signature, calls }
    }

    fn on(&self, side: Side) -> Vec<&str> {
        let ports = match side {
            Side::Inputs => &self.signature.inputs,
            Side::Outputs => &self.signature.outputs,
        };
        let names = ports.iter().map(|port| port.name.as_str());
        self.calls.columns(side, names)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.on(Side::Inputs)
            .into_iter()
            .chain(self.on(Side::Outputs))
    }

    /// Returns the cells of a step, one for each column; a variable without a value has an empty cell.
    pub(crate) fn cells(&self, step: &TestStep) -> Vec<String> {
        let sides = [(Side::Inputs, &step.inputs), (Side::Outputs, &step.outputs)];
        let cells = sides.into_iter().flat_map(|(side, values)| {
            let shown = self.calls.read(side, &values.0);
            let columns = self.on(side).into_iter();
            let cells = columns.map(|name| {
                let found = shown.iter().find(|(other, _)| other == name);
                found.map_or_else(String::new, |(_, shown)| shown.to_string())
            });
            cells.collect::<Vec<_>>()
        });
        cells.collect()
    }
}

/// A run of the model as a stimulus in the AIGER format.
pub struct Stimulus {
    /// A line of bits for each step: all inputs of the circuit, including choices.
    pub text: String,
    /// Warning about registers that have to start at 1, which a stimulus cannot set; `None` if there are none.
    pub remark: Option<String>,
}

/// Returns a run of the model that matches the test as a stimulus, with a remark if a free latch has to start at 1.
///
/// # Errors
/// If the model has no such run.
pub fn stimulus(
    model: &ConditionalMutant,
    test: &SuiteTest,
    budget: &Budget,
) -> Result<Stimulus, ExportError> {
    let (inputs, outputs) = plays::bits_of(model, test)?;
    let run = run_of(model, Variant::Original, &inputs, &outputs, budget);
    let run = run.ok_or_else(|| plays::no_run(test))?;
    let latches = model.aig.latches().iter().zip(&run.initial);
    let set = latches.filter(|(latch, value)| latch.reset == Reset::Free && *value);
    let names: Vec<&str> = set
        .map(|(latch, _)| latch.name.as_deref().unwrap_or("a latch without a name"))
        .collect();
    let remark = (!names.is_empty()).then(|| {
        format!(
            "{}: a stimulus cannot say that this starts at 1: {}",
            test.id,
            names.join(", ")
        )
    });
    let steps = run.steps.into_iter();
    let known = steps.map(|step| step.into_iter().map(Some).collect());
    let text = write_stimulus(&known.collect::<Vec<Vec<Option<bool>>>>());
    Ok(Stimulus { text, remark })
}
