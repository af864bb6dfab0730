//! A builder for conditional mutants, wire by wire: for examples in tests and for the generator.
//!
//! It assigns roles and names only (semantics.md §1); gates are made with the methods of [`Aig`] on [`Circuit::aig`].

use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};

/// A conditional mutant under construction; every port is one bit wide.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// The circuit so far: gates and constraints are added here.
    pub aig: Aig,
    inputs: Vec<Port>,
    choices: Vec<Port>,
    selectors: Vec<SelectorLatch>,
}

impl Circuit {
    /// Returns the empty circuit.
    #[must_use]
    pub fn new() -> Circuit {
        Circuit::default()
    }

    /// Adds a test input. Returns its literal.
    pub fn input(&mut self, name: &str) -> Lit {
        self.inputs.push(bit(name, self.aig.inputs().len()));
        self.aig.add_input(Some(name.to_owned()))
    }

    /// Adds a choice input, named `nd:NAME` in the circuit. Returns its literal.
    pub fn choice(&mut self, name: &str) -> Lit {
        self.choices.push(bit(name, self.aig.inputs().len()));
        self.aig.add_input(Some(format!("nd:{name}")))
    }

    /// Adds a selector, named `mut:ID` in the circuit. Returns its literal.
    pub fn selector(&mut self, id: &str) -> Lit {
        self.selectors.push(SelectorLatch {
            id: MutantId(id.to_owned()),
            latch: self.aig.latches().len(),
        });
        self.aig.add_latch(Reset::Free, Some(format!("mut:{id}")))
    }

    /// Adds a hidden latch and returns its literal. It keeps its value unless [`Circuit::set_next`] sets another next value.
    pub fn latch(&mut self, name: &str, reset: Reset) -> Lit {
        self.aig.add_latch(reset, Some(name.to_owned()))
    }

    /// Sets the next value of the latch whose current value is `latch`.
    ///
    /// # Panics
    ///
    /// If `latch` is not the positive literal of a latch.
    pub fn set_next(&mut self, latch: Lit, next: Lit) {
        let index = self
            .aig
            .latches()
            .iter()
            .position(|l| l.var.lit() == latch)
            .expect("the literal of a latch");
        self.aig.set_next(index, next);
    }

    /// Adds an observable output.
    pub fn output(&mut self, name: &str, lit: Lit) {
        self.aig.add_output(lit, Some(name.to_owned()));
    }

    /// Adds a condition that every step must satisfy.
    pub fn constrain(&mut self, lit: Lit) {
        self.aig
            .constraints
            .push(hyperkill_core::aig::Signal { lit, name: None });
    }

    /// Returns the finished conditional mutant.
    #[must_use]
    pub fn finish(self, name: &str) -> ConditionalMutant {
        let outputs = self.aig.outputs.iter().enumerate();
        ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: name.to_owned(),
            outputs: outputs
                .map(|(i, output)| bit(output.name.as_deref().unwrap_or_default(), i))
                .collect(),
            aig: self.aig,
            inputs: self.inputs,
            choices: self.choices,
            selectors: self.selectors,
            mutants: Vec::new(),
        }
    }
}

fn bit(name: &str, index: usize) -> Port {
    Port {
        name: name.to_owned(),
        sort: Sort::Bit,
        bits: vec![index],
    }
}
