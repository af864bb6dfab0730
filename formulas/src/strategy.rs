//! Strategies as circuits, in the format of MCHyper: some traces are functions of others, step by step.
//!
//! Inputs and outputs are called `NAME_k`: the input NAME of the trace at position k of the prefix. The inputs of the strategy may also be
//! outputs and latches of a trace. In a file without names, the inputs are all inputs of the given traces, trace by trace. Its outputs are
//! all inputs of the chosen traces.

use std::collections::HashMap;

use hyperkill_core::aig::{Leaf, Node, Reset};
use hyperkill_core::aiger::{AigerError, read, write_ascii};
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit};

use crate::limits::STRATEGY_STEPS;
use crate::signals::resolve;

/// A strategy whose inputs and outputs all have names.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The circuit.
    pub(crate) aig: Aig,
    /// For each input of the circuit, what it reads: the position of a trace, and a literal of the model.
    pub(crate) reads: Vec<(usize, Lit)>,
    /// For each output of the circuit, what it chooses: the position of a trace, and the index of an input of the model.
    pub(crate) chooses: Vec<(usize, usize)>,
}

/// The reason why a file is no strategy for a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StrategyError {
    /// The file is not AIGER.
    #[error(transparent)]
    Aiger(#[from] AigerError),
    /// Only some of the inputs and outputs have names.
    #[error("some inputs and outputs have no names: name all of them `NAME_k`, or none")]
    HalfNamed,
    /// In a file without names, the number of inputs or outputs is wrong.
    #[error("without names it should have {expected} {what}, and it has {found}")]
    Count {
        /// Inputs or outputs.
        what: &'static str,
        /// The required number.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A name does not consist of a signal of the model and a trace.
    #[error("`{0}` is no signal of one bit of the model with the number of a trace, as in `req_0`")]
    Name(String),
    /// It reads a signal of a chosen trace, or chooses an input of a given one.
    #[error(
        "`{0}` is of a trace on the wrong side: inputs belong to universal traces, outputs to existential ones"
    )]
    Side(String),
    /// Two outputs choose one input of one trace.
    #[error("outputs o{first} and o{second} both choose `{name}`: keep one of them")]
    Twice {
        /// The name of the second output.
        name: String,
        /// The index of the first output.
        first: usize,
        /// The index of the second output.
        second: usize,
    },
    /// It has constraints or properties.
    #[error("a strategy has inputs, latches and outputs only")]
    Properties,
    /// A latch has a free first value.
    #[error("a latch of a strategy starts with 0 or 1")]
    FreeLatch,
}

impl Strategy {
    /// Reads a strategy for traces of a model; the prefix has `traces` traces. The strategy chooses the traces in `chosen`.
    ///
    /// # Errors
    /// If the file is no such strategy.
    pub fn read(
        bytes: &[u8],
        model: &ConditionalMutant,
        traces: usize,
        chosen: &std::ops::Range<usize>,
    ) -> Result<Strategy, StrategyError> {
        let mut aig = read(bytes)?;
        let inputs = aig.inputs().iter().map(|input| input.name.clone());
        let outputs = aig.outputs.iter().map(|output| output.name.clone());
        let names: Vec<Option<String>> = inputs.chain(outputs).collect();
        if names.iter().all(Option::is_none) {
            name_all(&mut aig, model, traces, chosen)?;
        } else if names.contains(&None) {
            return Err(StrategyError::HalfNamed);
        }
        let has_more = !(aig.constraints.is_empty() && aig.bad.is_empty());
        if has_more || !aig.justice.is_empty() || !aig.fairness.is_empty() {
            return Err(StrategyError::Properties);
        }
        if aig.latches().iter().any(|latch| latch.reset == Reset::Free) {
            return Err(StrategyError::FreeLatch);
        }
        let place = |name: &Option<String>| -> Result<(usize, Lit), StrategyError> {
            let name = name.clone().unwrap_or_default();
            let parts = name.rsplit_once('_');
            let known = parts.and_then(|(signal, trace)| {
                let trace: usize = trace.parse().ok().filter(|trace| *trace < traces)?;
                match resolve(model, signal)?.bits[..] {
                    [bit] => Some((trace, bit)),
                    _ => None,
                }
            });
            known.ok_or(StrategyError::Name(name))
        };
        let mut reads = Vec::new();
        for input in aig.inputs() {
            let (trace, lit) = place(&input.name)?;
            if chosen.contains(&trace) {
                return Err(StrategyError::Side(input.name.clone().unwrap_or_default()));
            }
            reads.push((trace, lit));
        }
        let mut chooses = Vec::new();
        for (second, output) in aig.outputs.iter().enumerate() {
            let (trace, lit) = place(&output.name)?;
            let name = output.name.clone().unwrap_or_default();
            let choice = match model.aig.node(lit.var()) {
                Node::Input(input) if !lit.is_negated() => (trace, input as usize),
                _ => return Err(StrategyError::Name(name)),
            };
            if !chosen.contains(&trace) {
                return Err(StrategyError::Side(name));
            }
            if let Some(first) = chooses.iter().position(|&earlier| earlier == choice) {
                return Err(StrategyError::Twice {
                    name,
                    first,
                    second,
                });
            }
            chooses.push(choice);
        }
        aig.comments.clear();
        Ok(Strategy {
            aig,
            reads,
            chooses,
        })
    }

    /// Returns the strategy as text in the AIGER format, with names.
    #[must_use]
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&write_ascii(&self.aig)).into_owned()
    }

    /// Returns the traces of a strategy that reads nothing, as runs until all of them recur, and the step from which on they repeat. Inputs
    /// that the strategy does not choose are 0.
    ///
    /// `variants` has the variant of each trace. Returns `None` if the strategy reads something, or the runs do not recur within a limit of
    /// steps.
    #[must_use]
    pub fn traces(
        &self,
        model: &ConditionalMutant,
        variants: &[Variant],
    ) -> Option<(Vec<Stimulus>, usize)> {
        if !self.reads.is_empty() {
            return None;
        }
        let mut runs = vec![
            Stimulus {
                initial: FirstValues::zeros(model.aig.latches().len()),
                steps: Vec::new(),
            };
            variants.len()
        ];
        let resets = self.aig.latches().iter();
        let mut own: Vec<bool> = resets.map(|latch| latch.reset == Reset::One).collect();
        let mut seen: HashMap<Vec<bool>, usize> = HashMap::new();
        for step in 0..STRATEGY_STEPS {
            let values = self.aig.evaluate(|leaf| match leaf {
                Leaf::Input(_) => false,
                Leaf::Latch(latch) => own[latch],
            });
            for run in &mut runs {
                run.steps.push(vec![false; model.aig.inputs().len()]);
            }
            for (&(trace, input), output) in self.chooses.iter().zip(&self.aig.outputs) {
                runs[trace].steps[step][input] = values.of(output.lit);
            }
            let mut state = own.clone();
            for (run, &variant) in runs.iter().zip(variants) {
                let trace = replay(model, variant, run).ok()?;
                state.extend(trace.states.get(step)?);
            }
            if let Some(&back) = seen.get(&state) {
                runs.iter_mut().for_each(|run| run.steps.truncate(step));
                return Some((runs, back));
            }
            seen.insert(state, step);
            let latches = self.aig.latches().iter();
            own = latches.map(|latch| values.of(latch.next)).collect();
        }
        None
    }
}

/// Names all inputs and outputs of a file without names, in the order of the model's inputs. The file's inputs belong to the traces outside
/// of `chosen`, its outputs to the chosen ones.
///
/// # Errors
/// If the file has another number of outputs, or has inputs and another number of them.
fn name_all(
    aig: &mut Aig,
    model: &ConditionalMutant,
    traces: usize,
    chosen: &std::ops::Range<usize>,
) -> Result<(), StrategyError> {
    let names = |traces: &mut dyn Iterator<Item = usize>| -> Vec<Option<String>> {
        let mut names = Vec::new();
        for trace in traces {
            let inputs = model.aig.inputs().iter();
            names.extend(inputs.map(|input| Some(format!("{}_{trace}", input.name.as_ref()?))));
        }
        names
    };
    let given = names(&mut (0..traces).filter(|trace| !chosen.contains(trace)));
    let answers = names(&mut chosen.clone());
    let counts = [
        ("inputs", given.len(), aig.inputs().len()),
        ("outputs", answers.len(), aig.outputs.len()),
    ];
    for (what, expected, found) in counts {
        // A strategy that reads nothing needs no inputs.
        if expected != found && !(what == "inputs" && found == 0) {
            return Err(StrategyError::Count {
                what,
                expected,
                found,
            });
        }
    }
    for (input, name) in given.into_iter().enumerate().take(aig.inputs().len()) {
        aig.set_input_name(input, name);
    }
    for (output, name) in aig.outputs.iter_mut().zip(answers) {
        output.name = name;
    }
    Ok(())
}
