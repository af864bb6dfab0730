//! Conditional mutants built by hand, wire by wire: for examples in tests and for the generator.
//!
//! Knows roles and names (semantics.md §1), nothing else; gates are made with the methods of
//! [`Aig`] on [`Circuit::aig`].

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
    /// The empty circuit.
    #[must_use]
    pub fn new() -> Circuit {
        Circuit::default()
    }

    /// A test input.
    pub fn input(&mut self, name: &str) -> Lit {
        self.inputs.push(bit(name, self.aig.inputs().len()));
        self.aig.add_input(Some(name.to_owned()))
    }

    /// A choice input, named `nd:NAME` in the circuit.
    pub fn choice(&mut self, name: &str) -> Lit {
        self.choices.push(bit(name, self.aig.inputs().len()));
        self.aig.add_input(Some(format!("nd:{name}")))
    }

    /// A selector, named `mut:ID` in the circuit.
    pub fn selector(&mut self, id: &str) -> Lit {
        self.selectors.push(SelectorLatch {
            id: MutantId(id.to_owned()),
            latch: self.aig.latches().len(),
        });
        self.aig.add_latch(Reset::Free, Some(format!("mut:{id}")))
    }

    /// A hidden latch; it keeps its value until [`Circuit::set_next`] says otherwise.
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

    /// An observable.
    pub fn output(&mut self, name: &str, lit: Lit) {
        self.aig.add_output(lit, Some(name.to_owned()));
    }

    /// A condition that every step must satisfy.
    pub fn constrain(&mut self, lit: Lit) {
        self.aig
            .constraints
            .push(hyperkill_core::aig::Signal { lit, name: None });
    }

    /// Finishes the circuit.
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
