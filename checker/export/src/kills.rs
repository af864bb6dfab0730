//! The two runs of a kill: their hidden choices, and both as waveforms (VCD).
//!
//! The waveforms show the inputs and the outputs of model and mutant side by side, on request with latches. A step takes ten nanoseconds.

use std::collections::BTreeMap;
use std::io;

use hyperkill_audit::certificates::read_run;
use hyperkill_audit::documents::{Choices, Hidden, TestRuns, Valuation};
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::trace::{Stimulus, Trace, decode, replay};
use hyperkill_core::values::{free_values, inputs_of};
use hyperkill_core::{ConditionalMutant, SelectorId};
use vcd::{IdCode, SimulationCommand, TimescaleUnit, VarType, Writer};

use crate::error::ExportError;

/// Prefix of the names of choices among inputs.
const CHOICE: &str = "nd:";

/// One of the two runs of a kill: that of the model or that of the mutant.
struct Side {
    run: Stimulus,
    trace: Trace,
}

/// The two runs of a kill, with the circuit that they are runs of.
pub struct Kill<'a> {
    model: &'a ConditionalMutant,
    mutant: SelectorId,
    /// The run of the model and the run of the mutant.
    sides: [Side; 2],
}

impl<'a> Kill<'a> {
    /// Returns the kill of mutant `id` with these runs, after a replay of one run on the model and the other on the mutant.
    ///
    /// # Errors
    /// If the model has no mutant `id`, or a run does not fit this model.
    pub fn read(
        model: &'a ConditionalMutant,
        id: &str,
        runs: &TestRuns,
    ) -> Result<Kill<'a>, ExportError> {
        let Some(mutant) = model.selector_of_mutant(id) else {
            let message = format!("the model has no mutant {id}");
            return Err(ExportError::Evidence(message.into()));
        };
        let side = |variant, initial: &str, steps: &[String]| -> Result<Side, ExportError> {
            let run = read_run(model, initial, steps);
            let run = run.map_err(|error| ExportError::Evidence(error.into()))?;
            let trace = replay(model, variant, &run);
            let trace = trace.map_err(|error| ExportError::Evidence(error.into()))?;
            Ok(Side { run, trace })
        };
        let variant = Variant::Mutant(mutant);
        let sides = [
            side(Variant::Original, &runs.model_initial, &runs.model_steps)?,
            side(variant, &runs.mutant_initial, &runs.mutant_steps)?,
        ];
        Ok(Kill {
            model,
            mutant,
            sides,
        })
    }

    /// Returns the two variants of the circuit, in the order of `sides`: model and mutant.
    fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }

    /// Returns the hidden choices of both runs: initial values and non-deterministic choices, which a tester does not see.
    #[must_use]
    pub fn hidden(&self) -> Hidden {
        let [model, mutant] = &self.sides;
        Hidden {
            model: self.choices(&model.run),
            mutant: self.choices(&mutant.run),
        }
    }

    /// Returns the choices of one of the runs, without those that can affect neither the model nor the mutant.
    fn choices(&self, run: &Stimulus) -> Choices {
        let model = self.model;
        let relevance = Relevance::to(model, &self.variants());
        let chosen = run.steps.iter().map(|bits| {
            let values = inputs_of(model, bits, Some(&relevance)).into_iter();
            let values = values.filter_map(|(name, value)| {
                let name = name.strip_prefix(CHOICE)?.to_owned();
                Some((name, value))
            });
            Valuation(values.collect())
        });
        Choices {
            initial: Valuation(free_values(model, run, &relevance)),
            steps: chosen.collect(),
        }
    }
}

/// Nanoseconds of a step in the waveforms.
const STEP: u64 = 10;

/// A variable of the waveform file, with its values.
struct Signal {
    id: IdCode,
    is_text: bool,
    /// The value of the signal at each step.
    values: Vec<Shown>,
}

/// Value of a signal.
#[derive(Clone, PartialEq, Eq)]
enum Shown {
    /// Bits, the least significant first.
    Bits(Vec<bool>),
    Text(String),
}

/// Returns the two runs of a kill as waveforms (VCD): inputs, and outputs of both sides; with `with_hidden` also choices and latches.
///
/// # Errors
/// If the file cannot be written.
pub fn waves(kill: &Kill<'_>, with_hidden: bool) -> io::Result<Vec<u8>> {
    let model = kill.model;
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    let id = &model.selectors[kill.mutant.0].id;
    writer.comment(&format!("model and mutant {id}, by hyperkill"))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    writer.add_module("kill")?;
    let mut signals = Vec::new();
    let inputs = &kill.sides[0].run.steps;
    add(
        &mut writer,
        "inputs",
        of_ports(&model.inputs, inputs),
        &mut signals,
    )?;
    for (name, side) in ["model", "mutant"].iter().zip(&kill.sides) {
        let mut shown = of_ports(&model.outputs, &side.trace.outputs);
        if with_hidden {
            shown.extend(of_ports(&model.choices, &side.run.steps));
            shown.extend(of_latches(model, kill, &side.trace.states));
        }
        add(&mut writer, name, shown, &mut signals)?;
    }
    writer.upscope()?;
    writer.enddefinitions()?;
    let steps = signals.iter().map(|signal| signal.values.len()).max();
    let steps = steps.unwrap_or(0);
    for step in 0..steps {
        writer.timestamp(step as u64 * STEP)?;
        if step == 0 {
            writer.begin(SimulationCommand::Dumpvars)?;
        }
        for signal in &signals {
            let Some(value) = signal.values.get(step) else {
                continue;
            };
            if step > 0 && signal.values.get(step - 1) == Some(value) {
                continue;
            }
            match value {
                Shown::Text(text) => writer.change_string(signal.id, text)?,
                Shown::Bits(bits) => match bits.as_slice() {
                    [bit] if !signal.is_text => writer.change_scalar(signal.id, *bit)?,
                    bits => {
                        writer.change_vector(signal.id, bits.iter().rev().map(|&bit| bit.into()))?
                    }
                },
            }
        }
        if step == 0 {
            writer.end()?;
        }
    }
    writer.timestamp(steps as u64 * STEP)?;
    Ok(bytes)
}

/// A signal to be declared in a waveform file.
struct Named {
    name: String,
    /// Number of bits; `None` for a text.
    width: Option<usize>,
    /// The value of the signal at each step.
    values: Vec<Shown>,
}

/// Returns the ports of the model as signals with their values. `rows` has one row per step, whose bits the ports refer to by index.
fn of_ports(ports: &[Port], rows: &[Vec<bool>]) -> Vec<Named> {
    let ports = ports.iter().map(|port| {
        let is_word = matches!(port.sort, Sort::Bit | Sort::Bool | Sort::Word { .. });
        let values = rows.iter().map(|row| match is_word {
            true => Shown::Bits(port.bits.iter().map(|&bit| row[bit]).collect()),
            false => {
                let value = decode(std::slice::from_ref(port), row).pop();
                let text = value.map(|(_, value): (String, Value)| value.to_string());
                Shown::Text(written(&text.unwrap_or_default()))
            }
        });
        let width = is_word.then(|| port.bits.len().max(1));
        Named {
            name: written(&port.name),
            width,
            values: values.collect(),
        }
    });
    ports.collect()
}

/// Returns the latches that may affect the model or the mutant as signals, with their values in `rows`, one row per step. Latches named
/// `x[0]`, `x[1]`, … form the signal `x`.
fn of_latches(model: &ConditionalMutant, kill: &Kill<'_>, rows: &[Vec<bool>]) -> Vec<Named> {
    let relevance = Relevance::to(model, &kill.variants());
    let selectors = model.selector_of_latch();
    let mut groups: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    for (index, latch) in model.aig.latches().iter().enumerate() {
        if selectors[index].is_some() || !relevance.of_latch(index) {
            continue;
        }
        let name = latch
            .name
            .clone()
            .unwrap_or_else(|| format!("latch{index}"));
        let bit = name
            .strip_suffix(']')
            .and_then(|name| name.rsplit_once('['));
        let bit = bit.and_then(|(name, bit)| Some((name.to_owned(), bit.parse().ok()?)));
        let (name, bit) = bit.unwrap_or((name, 0));
        groups.entry(name).or_default().insert(bit, index);
    }
    let groups = groups.into_iter().map(|(name, bits)| {
        let values = rows.iter();
        let values =
            values.map(|row| Shown::Bits(bits.values().map(|&latch| row[latch]).collect()));
        Named {
            name: written(&format!("{name}:held")),
            width: Some(bits.len()),
            values: values.collect(),
        }
    });
    groups.collect()
}

/// Declares signals in a scope of this name in a waveform file, and appends them to `signals`.
fn add(
    writer: &mut Writer<&mut Vec<u8>>,
    scope: &str,
    named: Vec<Named>,
    signals: &mut Vec<Signal>,
) -> io::Result<()> {
    writer.add_module(scope)?;
    for Named {
        name,
        width,
        values,
    } in named
    {
        let id = match width {
            Some(width) => writer.add_var(VarType::Wire, width as u32, &name, None)?,
            None => writer.add_var(VarType::String, 1, &name, None)?,
        };
        signals.push(Signal {
            id,
            is_text: width.is_none(),
            values,
        });
    }
    writer.upscope()?;
    Ok(())
}

/// Returns a name or text with `_` in place of blanks and control characters, since blanks end it in the file.
fn written(name: &str) -> String {
    let harmless = |c: char| match c.is_whitespace() || c.is_control() {
        true => '_',
        false => c,
    };
    name.chars().map(harmless).collect()
}
