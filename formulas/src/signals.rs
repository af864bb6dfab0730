//! What a signal's name in a formula means in a conditional mutant: which wires, and how they spell a value.
//!
//! Resolves names and never builds gates.

use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, Lit};

/// A typed group of literals of the model's circuit, least significant bit first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The sort of its values.
    pub sort: Sort,
    /// Its literals; as many as the sort is wide.
    pub bits: Vec<Lit>,
}

impl Signal {
    pub(crate) fn bit(lit: Lit) -> Signal {
        Signal {
            sort: Sort::Bit,
            bits: vec![lit],
        }
    }
}

/// Looks a name up in the order that [`SignalOf`](crate::ast::SignalOf) promises; `None` if the model has no such signal.
#[must_use]
pub fn resolve(model: &ConditionalMutant, name: &str) -> Option<Signal> {
    let aig = &model.aig;
    let output = |bit: usize| aig.outputs[bit].lit;
    let input = |bit: usize| aig.inputs()[bit].var.lit();
    let ports = |name: &str| {
        find(&model.outputs, name)
            .map(|port| typed(port, output))
            .or_else(|| find(&model.inputs, name).map(|port| typed(port, input)))
            .or_else(|| find(&model.choices, name).map(|port| typed(port, input)))
    };
    let bit_of_port = || {
        let (port, index) = split_index(name)?;
        ports(port)?.bits.get(index).copied().map(Signal::bit)
    };
    let symbol = || {
        let outputs = aig.outputs.iter().map(|s| (s.name.as_deref(), s.lit));
        let inputs = aig.inputs().iter();
        let inputs = inputs.map(|i| (i.name.as_deref(), i.var.lit()));
        let latches = aig.latches().iter();
        let latches = latches.map(|l| (l.name.as_deref(), l.var.lit()));
        outputs
            .chain(inputs)
            .chain(latches)
            .find(|(symbol, _)| *symbol == Some(name))
            .map(|(_, lit)| Signal::bit(lit))
    };
    ports(name).or_else(bit_of_port).or_else(symbol)
}

fn find<'m>(ports: &'m [Port], name: &str) -> Option<&'m Port> {
    ports.iter().find(|port| port.name == name)
}

fn typed(port: &Port, lit: impl Fn(usize) -> Lit) -> Signal {
    Signal {
        sort: port.sort.clone(),
        bits: port.bits.iter().map(|&bit| lit(bit)).collect(),
    }
}

/// `name[3]` as name and index.
fn split_index(name: &str) -> Option<(&str, usize)> {
    let (port, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((port, index.parse().ok()?))
}
