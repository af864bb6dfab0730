//! Translates a typed transition system to a circuit with roles, and keeps the map back to typed values (ports).
//!
//! Every variable becomes as many inputs or latches as its sort is wide, every output as many outputs. They are named `name[i]` (plain
//! `name` if it is one bit; choices with the prefix `nd:`; selectors `mut:ID`). Aliases of code words are resolved ([`crate::sort`]), also
//! in state variables, so any valuation of the circuit's inputs and latches is a valuation of the model's variables. Obligations are
//! translated to literals and not checked.

mod bits;
mod codes;
mod error;
mod evaluate;
mod initial;
mod words;

pub use error::BitBlastError;

use bits::Bits;
use evaluate::{Environment, Evaluator};

use crate::aig::{Reset, Signal};
use crate::conditional::{FIRST_STEP, Port, SelectorLatch, bit_name, sorts};
use crate::events::fitting;
use crate::paths::of_paths;
use crate::sort::Sort;
use crate::system::{InputRole, TransitionSystem, When};
use crate::term::TermId;
use crate::{Aig, ConditionalMutant, Lit};

/// A transition system as a circuit.
#[derive(Clone, Debug)]
pub struct Blasted {
    /// The circuit and its roles.
    pub model: ConditionalMutant,
    /// For each obligation of the system, in order, its condition as a literal of the model's circuit.
    ///
    /// It must be true under *every* valuation of the circuit's inputs and latches that the selectors allow. Latches are to be read as free
    /// variables, whatever their resets: [`When::Always`] refers to all states, and a condition [`When::Initially`] is already expressed
    /// over initial values.
    pub obligations: Vec<Lit>,
}

/// Translates a system into a circuit. Its runs are paths: see [`crate::paths`].
///
/// Constant initial values become resets. A latch [`FIRST_STEP`] selects the others at step 0 (they read inputs, choices, selectors or free
/// initial values).
///
/// # Errors
/// If initial values are circular, or the system is ill-formed.
pub fn bit_blast(system: &TransitionSystem) -> Result<Blasted, BitBlastError> {
    let system = of_paths(system)?;
    let mut blaster = Blaster::new(&system)?;
    blaster.set_initial_values()?;
    blaster.set_next_values()?;
    blaster.finish()
}

/// The circuit under construction.
struct Blaster<'a> {
    system: &'a TransitionSystem,
    aig: Aig,
    inputs: Vec<Port>,
    choices: Vec<Port>,
    input_values: Vec<Bits>,
    /// Code words of the inputs, with aliases resolved.
    input_codes: Vec<Vec<Lit>>,
    /// The latch indices of each state variable.
    latches: Vec<Vec<usize>>,
    selectors: Vec<Lit>,
    /// The latch that is 1 at step 0 only, if it exists yet.
    first: Option<Lit>,
    selector_latches: Vec<SelectorLatch>,
    /// Values at step 0.
    initial_states: Vec<Option<Bits>>,
    initial: Evaluator<'a>,
    /// Values at the current step.
    states: Vec<Option<Bits>>,
    /// Code words of the states, with aliases resolved.
    state_codes: Vec<Vec<Lit>>,
    current: Evaluator<'a>,
}

impl<'a> Blaster<'a> {
    /// Declares inputs, latches and selectors.
    fn new(system: &'a TransitionSystem) -> Result<Blaster<'a>, BitBlastError> {
        let mut blaster = Blaster {
            system,
            aig: Aig::new(),
            inputs: Vec::new(),
            choices: Vec::new(),
            input_values: Vec::new(),
            input_codes: Vec::new(),
            latches: Vec::new(),
            selectors: Vec::new(),
            first: None,
            selector_latches: Vec::new(),
            initial_states: vec![None; system.states.len()],
            initial: Evaluator::new(&system.terms),
            states: vec![None; system.states.len()],
            state_codes: Vec::new(),
            current: Evaluator::new(&system.terms),
        };
        for input in &system.inputs {
            check_sort(&input.name, &input.sort)?;
            let prefix = match input.role {
                InputRole::Test if input.name.starts_with("nd:") => {
                    return Err(BitBlastError::ReservedName {
                        name: input.name.clone(),
                    });
                }
                InputRole::Test => "",
                InputRole::Choice => "nd:",
            };
            let first = blaster.aig.inputs().len();
            let code: Vec<Lit> = bit_names(prefix, &input.name, input.sort.width())
                .map(|name| blaster.aig.add_input(Some(name)))
                .collect();
            let port = Port {
                name: input.name.clone(),
                sort: input.sort.clone(),
                bits: (first..first + code.len()).collect(),
            };
            let code = bits::without_alias(&mut blaster.aig, &input.sort, &code);
            let value = bits::decode(&mut blaster.aig, &input.sort, &code);
            blaster.input_values.push(value);
            blaster.input_codes.push(code);
            match input.role {
                InputRole::Test => blaster.inputs.push(port),
                InputRole::Choice => blaster.choices.push(port),
            }
        }
        for state in &system.states {
            check_sort(&state.name, &state.sort)?;
            // A state variable must not have the name of a selector in the file.
            let is_reserved = state.name == "mut" || state.name.starts_with("mut:");
            let prefix = if is_reserved { "state:" } else { "" };
            let first = blaster.aig.latches().len();
            for name in bit_names(prefix, &state.name, state.sort.width()) {
                blaster.aig.add_latch(Reset::Free, Some(name));
            }
            blaster
                .latches
                .push((first..blaster.aig.latches().len()).collect());
        }
        for selector in &system.selectors {
            let latch = blaster.aig.latches().len();
            let name = format!("mut:{}", selector.id);
            let lit = blaster.aig.add_latch(Reset::Free, Some(name));
            blaster.selectors.push(lit);
            blaster.selector_latches.push(SelectorLatch {
                id: selector.id.clone(),
                latch,
            });
        }
        Ok(blaster)
    }

    /// Returns the literals of a state variable's latches.
    fn latch_lits(&self, state: usize) -> Vec<Lit> {
        self.latches[state]
            .iter()
            .map(|&latch| self.aig.latches()[latch].var.lit())
            .collect()
    }

    /// Returns the value of a term at the current step.
    fn value(&mut self, term: TermId) -> Result<Bits, BitBlastError> {
        let environment = Environment {
            inputs: &self.input_values,
            states: &self.states,
            selectors: &self.selectors,
        };
        self.current
            .value(&mut self.aig, &environment, term)
            .cloned()
    }

    /// Returns the value of a term at step 0, over the initial values known so far.
    fn initial_value(&mut self, term: TermId) -> Result<Bits, BitBlastError> {
        let environment = Environment {
            inputs: &self.input_values,
            states: &self.initial_states,
            selectors: &self.selectors,
        };
        self.initial
            .value(&mut self.aig, &environment, term)
            .cloned()
    }

    /// Returns `value`, the value of `term`, as a code word of `to`.
    ///
    /// # Errors
    /// If the sort of the term does not fit `to`; the error says that this is the sort of `name`.
    fn code_word(
        &mut self,
        value: &Bits,
        term: TermId,
        to: &Sort,
        name: &str,
    ) -> Result<Vec<Lit>, BitBlastError> {
        let from = self.system.terms.sort(term);
        bits::encode(&mut self.aig, value, from, to).ok_or_else(|| BitBlastError::SortMismatch {
            name: name.to_owned(),
            expected: to.to_string(),
            found: from.to_string(),
        })
    }

    /// Returns a term at the current step as a code word of `to`.
    ///
    /// # Errors
    /// If the sort of the term does not fit `to`; the error says that this is the sort of `name`.
    fn current_code(
        &mut self,
        term: TermId,
        to: &Sort,
        name: &str,
    ) -> Result<Vec<Lit>, BitBlastError> {
        if let Some(code) = self.code_of_choice(term, to)? {
            return Ok(code);
        }
        let value = self.value(term)?;
        self.code_word(&value, term, to, name)
    }

    fn set_next_values(&mut self) -> Result<(), BitBlastError> {
        let system = self.system;
        for (i, state) in system.states.iter().enumerate() {
            let code = self.current_code(state.next, &state.sort, &state.name)?;
            for (bit, next) in code.into_iter().enumerate() {
                self.aig.set_next(self.latches[i][bit], next);
            }
        }
        Ok(())
    }

    /// Adds outputs, constraints and obligations.
    fn finish(mut self) -> Result<Blasted, BitBlastError> {
        let system = self.system;
        let mut outputs = Vec::new();
        for output in &system.outputs {
            let sort = system.terms.sort(output.term);
            check_sort(&output.name, sort)?;
            let code = self.current_code(output.term, sort, &output.name)?;
            let first = self.aig.outputs.len();
            for (name, &lit) in bit_names("", &output.name, code.len()).zip(&code) {
                self.aig.add_output(lit, Some(name));
            }
            outputs.push(Port {
                name: output.name.clone(),
                sort: sort.clone(),
                bits: (first..first + code.len()).collect(),
            });
        }
        for constraint in &system.constraints {
            let value = self.value(constraint.term)?;
            let name = constraint.name.as_deref().unwrap_or("constraint");
            let mut lit = self.truth(&value, constraint.term, name)?;
            if constraint.when == When::Initially {
                let first = self.first_step();
                lit = !self.aig.and(first, !lit);
            }
            self.aig.constraints.push(Signal {
                lit,
                name: constraint.name.clone(),
            });
        }
        for invariant in &system.invariants {
            let value = self.value(invariant.term)?;
            let lit = !self.truth(&value, invariant.term, &invariant.name)?;
            let name = Some(invariant.name.clone());
            self.aig.bad.push(Signal { lit, name });
        }
        let mut obligations = Vec::new();
        for obligation in &system.obligations {
            let value = match obligation.when {
                When::Always | When::Leaving => self.value(obligation.term)?,
                When::Initially => self.initial_value(obligation.term)?,
            };
            obligations.push(self.truth(&value, obligation.term, &obligation.message)?);
        }
        let events = fitting(&system.events, &sorts(&self.inputs), &sorts(&outputs));
        Ok(Blasted {
            model: ConditionalMutant {
                accepts: system.accepts.clone(),
                events,
                name: system.name.clone(),
                aig: self.aig,
                inputs: self.inputs,
                choices: self.choices,
                outputs,
                selectors: self.selector_latches,
                mutants: Vec::new(),
            },
            obligations,
        })
    }

    fn truth(&self, value: &Bits, term: TermId, name: &str) -> Result<Lit, BitBlastError> {
        match value {
            Bits::Truth(lit) => Ok(*lit),
            _ => Err(BitBlastError::SortMismatch {
                name: name.to_owned(),
                expected: Sort::Bool.to_string(),
                found: self.system.terms.sort(term).to_string(),
            }),
        }
    }
}

/// Returns the names of a variable's bits in the circuit, each with this prefix, least significant bit first.
fn bit_names<'a>(
    prefix: &'a str,
    name: &'a str,
    width: usize,
) -> impl Iterator<Item = String> + 'a {
    (0..width).map(move |i| format!("{prefix}{}", bit_name(name, width, i)))
}

fn check_sort(name: &str, sort: &Sort) -> Result<(), BitBlastError> {
    if sort.is_well_formed() {
        return Ok(());
    }
    Err(BitBlastError::UnusableSort {
        name: name.to_owned(),
        sort: sort.to_string(),
    })
}
