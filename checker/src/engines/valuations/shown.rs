//! Choices that outputs copy: of values that have the same effect, one represents all.
//!
//! A model that gives an output with a value chooses the value and shows it. Each output bit is a bit of the value while a condition holds,
//! and a bit of a constant, the default, otherwise. Assume that no other reader of the choice distinguishes two values. Then swapping them
//! in a step of a run gives a run with the same states, in which the output is swapped. Model and mutant can both do that, so agreement of
//! outputs, and the states after them, do not depend on the value. The default is never swapped, because it is also shown where the
//! condition fails.
//!
//! Codes beyond the last value of a port may be shown as a value. Such a code and the code shown for it must be in one class.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::sim::{ShownBit, Simulator};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::{FxHashMap, FxHashSet};

use super::groups::SAVED;
use super::partition::CLASS_NUMBER_BITS;
use super::{Cut, Group, Partition, bits_for};
use crate::schedule::engine_efforts::SHOWN_GATES;

/// For a choice that outputs copy, one code (valuation of its bits) for each class of values with the same effect.
#[derive(Clone, Debug)]
pub(crate) struct Representatives {
    /// The bits of the choice, with the representing codes as their classes.
    pub(crate) group: Group,
    /// For each input of the group the index of the output that copies it, and the bit of the default value that the output else shows.
    outputs: Vec<(usize, bool)>,
    /// For each class, whether it contains one value only.
    alone: Vec<bool>,
}

impl Representatives {
    /// Whether the value that these outputs show is not the default, and represents other values too.
    pub(crate) fn stand_for_others(&self, outputs: &[bool]) -> bool {
        // The default represents only itself.
        if self
            .outputs
            .iter()
            .all(|&(k, default)| outputs[k] == default)
        {
            return false;
        }
        let shown: Vec<bool> = self.outputs.iter().map(|&(k, _)| outputs[k]).collect();
        let class = self.group.classes.iter().position(|code| *code == shown);
        !class.is_some_and(|class| self.alone[class])
    }
}

/// A choice port and the outputs that copy it while a condition holds.
struct Shown {
    /// Its bits, by index of circuit input, the lowest first.
    inputs: Vec<usize>,
    /// The outputs that copy the choice, by index in the circuit, in the order of `inputs`.
    outputs: Vec<usize>,
    /// The gates of the outputs, with the condition under which they copy.
    bits: Vec<ShownBit>,
    /// The bits of the shown value, in the same order, as functions of the choice.
    values: Vec<Lit>,
    /// The bits of the default value, in the same order.
    default: Vec<bool>,
}

/// A decomposition of an output bit: a gate that has this value where the condition holds and this constant elsewhere.
struct Way {
    bit: ShownBit,
    value: Lit,
    other: bool,
}

/// Returns the ways to read an output bit as the value of a gate under a condition, with a constant elsewhere.
fn ways(aig: &Aig, gate: Lit) -> Vec<Way> {
    let way = |value, when, other| Way {
        bit: ShownBit { gate, when },
        value,
        other,
    };
    let mut ways = vec![way(gate, Lit::TRUE, false)];
    if let Node::And(a, b) = aig.node(gate.var()) {
        // The complement of a conjunction is a disjunction of complements.
        let one = gate.is_negated();
        ways.extend([way(a ^ one, b, one), way(b ^ one, a, one)]);
    }
    ways
}

/// Returns one code of each class of values, for each choice that outputs copy. Values are in one class if these variants distinguish them
/// only by the copies. Choices for which classes save too little are left out.
pub(crate) fn representatives(
    model: &ConditionalMutant,
    variants: &[&Simulator],
    budget: &Budget,
) -> Vec<Representatives> {
    let shown = model.choices.iter().filter_map(|port| {
        let is_read = |&bit: &usize| {
            let input = model.aig.inputs()[bit].var.lit();
            variants.iter().any(|variant| variant.contains(input))
        };
        let worth = port.bits.len() > SAVED && port.bits.iter().any(is_read);
        worth.then(|| Shown::of(model, &port.bits)).flatten()
    });
    shown
        .filter_map(|shown| shown.group(model, variants, budget).ok().flatten())
        .collect()
}

impl Shown {
    /// Returns the choice with the outputs that copy these inputs: as many outputs as bits, with a common condition. `None` if there are
    /// none, or if several conditions are possible.
    fn of(model: &ConditionalMutant, inputs: &[usize]) -> Option<Shown> {
        let aig = &model.aig;
        let own: FxHashSet<Var> = inputs.iter().map(|&bit| aig.inputs()[bit].var).collect();
        let mut by_condition: FxHashMap<Lit, Vec<(usize, Way)>> = FxHashMap::default();
        for (index, output) in model.aig.outputs.iter().enumerate() {
            for way in ways(aig, output.lit) {
                if reads_only(aig, way.value, &own) {
                    let shown = by_condition.entry(way.bit.when).or_default();
                    shown.push((index, way));
                }
            }
        }
        let shown = by_condition.into_iter();
        let mut shown = shown.filter(|(_, bits)| bits.len() == inputs.len());
        let (_, bits) = shown.next()?;
        if shown.next().is_some() {
            return None;
        }
        Some(Shown {
            inputs: inputs.to_vec(),
            outputs: bits.iter().map(|(index, _)| *index).collect(),
            bits: bits.iter().map(|(_, way)| way.bit).collect(),
            values: bits.iter().map(|(_, way)| way.value).collect(),
            default: bits.iter().map(|(_, way)| way.other).collect(),
        })
    }

    /// Returns one code of each class of the choice's values, as a group of inputs. `None` if there are too many classes, or if a code is
    /// in another class than the code that is shown for it.
    fn group(
        &self,
        model: &ConditionalMutant,
        variants: &[&Simulator],
        budget: &Budget,
    ) -> Result<Option<Representatives>, Stop> {
        let mut inputs = self.inputs.clone();
        inputs.sort_unstable();
        let mut cut = Cut::new(model, &inputs);
        let mut frontier = Vec::new();
        for variant in variants {
            frontier.extend(cut.add_showing(model, variant, &self.bits));
        }
        frontier.sort_unstable();
        frontier.dedup();
        let codes: Vec<Lit> = (self.inputs.iter())
            .filter_map(|&input| cut.image(input))
            .collect();
        let values = cut.copy(model, &self.values);
        let graph = &mut cut.graph;
        let places: FxHashMap<Var, Lit> = (codes
            .iter()
            .map(|code| code.var())
            .zip(values.iter().copied()))
        .collect();
        let alike: Vec<Lit> = (frontier.iter().chain(&values))
            .map(|&function| {
                let of_value = graph.substitute(function, &places);
                graph.iff(function, of_value)
            })
            .collect();
        let same: Vec<Lit> = (codes.iter().zip(&values))
            .map(|(&code, &value)| graph.iff(code, value))
            .collect();
        let is_value = graph.and_all(&same);
        let differs = values.iter().zip(&self.default);
        let differs: Vec<Lit> = differs.map(|(&value, &other)| value ^ other).collect();
        let is_not_default = graph.or_all(&differs);
        let mut functions = vec![is_value, is_not_default];
        if !fault::planted(Fault::ShownValuesMerged) {
            functions.extend(&frontier);
        }
        let all: Vec<Lit> = functions.iter().chain(&alike).copied().collect();
        let mut partition = Partition::new(&cut, &all, budget)?;
        for function in alike {
            if !partition.always(function)? {
                return Ok(None);
            }
        }
        partition.keep(is_value)?;
        let most = (inputs.len() - SAVED).min(CLASS_NUMBER_BITS);
        for function in functions {
            if !partition.refine(function, 1 << most)? {
                return Ok(None);
            }
        }
        let (group, alone) = partition.group(&inputs)?;
        let output = |input: &usize| {
            let bit = self.inputs.iter().position(|own| own == input);
            bit.map(|bit| (self.outputs[bit], self.default[bit]))
        };
        Ok(
            (bits_for(group.classes.len()) <= most).then(|| Representatives {
                outputs: inputs.iter().filter_map(output).collect(),
                group,
                alone,
            }),
        )
    }
}

/// Whether a literal is a function of these inputs alone, with few gates.
fn reads_only(aig: &Aig, lit: Lit, inputs: &FxHashSet<Var>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![lit.var()];
    while let Some(var) = open.pop() {
        if inputs.contains(&var) || !seen.insert(var) {
            continue;
        }
        match aig.node(var) {
            Node::And(a, b) if seen.len() <= SHOWN_GATES => open.extend([a.var(), b.var()]),
            _ => return false,
        }
    }
    true
}
