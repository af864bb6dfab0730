//! Resolves a signal's name in a formula to wires of a conditional mutant and the sort of its values.
//!
//! Names are resolved and no gates are built.

use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, Lit};

/// A typed group of literals of the model's circuit, least significant bit first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The sort of its values.
    pub sort: Sort,
    /// Its literals, as many as the sort is wide.
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

/// Resolves a name in the order of [`SignalOf`](crate::ast::SignalOf); `None` if the model has no such signal.
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

/// Returns at most three names of the model that resemble this one, the most similar first.
#[must_use]
pub fn near(model: &ConditionalMutant, name: &str) -> Vec<String> {
    let aig = &model.aig;
    let ports = [&model.outputs, &model.inputs, &model.choices];
    let mut names: Vec<&str> = ports
        .into_iter()
        .flatten()
        .map(|port| port.name.as_str())
        .collect();
    names.extend(
        aig.latches()
            .iter()
            .filter_map(|latch| latch.name.as_deref()),
    );
    let most = name.chars().count() / 2 + 1;
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .map(|known| (distance(name, known), known))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    found.sort_unstable();
    found.dedup();
    let found = found.into_iter().take(3);
    found.map(|(_, known)| known.to_owned()).collect()
}

/// Returns the edit distance of two names, ignoring case.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
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

/// Returns `name[3]` as name and index; `None` for a text of another form.
pub(crate) fn split_index(name: &str) -> Option<(&str, usize)> {
    let (port, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((port, index.parse().ok()?))
}
