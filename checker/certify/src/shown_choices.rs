//! Choices that outputs show: one value is tried for all values that nothing else distinguishes.
//!
//! A port of choices is shown if there is an output for each of its bits. While a common condition holds, the outputs are the bits of a
//! value that the choice alone determines. Otherwise they are constants, the default. Two values are alike if nothing but these outputs
//! distinguishes them. Swapping them in a step of a run, in original and mutant, swaps the output and leaves the rest of the run unchanged.
//! So a set of positions that is closed under the steps with one value is closed under those with the other. The default is alike to itself
//! only, since it is also shown without the condition. A solver checks that a choice and the value shown for it are alike.
//!
//! The module shares nothing with the engines.

use std::collections::BTreeMap;

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;
use rustc_hash::FxHashMap;

use super::region::{CONFLICTS, Region, SAVED};
use super::steps::sequential_signals;

/// Choices that outputs show, with those of their values that are tried.
#[derive(Clone, Debug)]
pub(super) struct ShownChoices {
    /// Circuit inputs that are tried with these values only.
    pub(super) bits: Vec<usize>,
    /// The combinations of values that are tried, each with one bool per circuit input. Only these bits are read.
    pub(super) codes: Vec<Vec<bool>>,
}

/// Number of nodes (gates and inputs), at most, from which a bit of a shown value is computed.
const GATES: usize = 64;

/// A port of choices that outputs show.
struct Port<'a> {
    bits: &'a [usize],
    /// For each bit the output that shows it.
    shown: Vec<Shown>,
}

/// An output that shows a bit of a port while a condition holds, and else a constant.
#[derive(Clone, Copy)]
struct Shown {
    output: Lit,
    /// The condition under which the output shows the bit.
    when: Lit,
    /// The bit of the value: the output while the condition holds.
    value: Lit,
    /// The constant that the output is otherwise: the bit of the default.
    default: bool,
}

impl ShownChoices {
    /// Returns the empty set of choices, with one combination of values: all 0.
    pub(super) fn none(model: &ConditionalMutant) -> ShownChoices {
        ShownChoices {
            bits: Vec::new(),
            codes: vec![vec![false; model.aig.inputs().len()]],
        }
    }

    /// Returns the choices that outputs show in all of these variants, with one value of each class of alike values. For each variant,
    /// `meanings` has for each node an equal literal, and `reads` whether the node is read. At most `most` values are enumerated.
    pub(super) fn of(
        model: &ConditionalMutant,
        meanings: &[Vec<Lit>],
        reads: &[Vec<bool>],
        most: usize,
        budget: &Budget,
    ) -> ShownChoices {
        let mut all = ShownChoices::none(model);
        for port in &model.choices {
            let variants = || meanings.iter().zip(reads);
            let port = Some(&port.bits)
                .filter(|bits| bits.len() > SAVED)
                .and_then(|bits| Port::of(model, bits))
                .filter(|port| variants().all(|(m, r)| port.is_only_shown(model, m, r)));
            let most = most / all.codes.len();
            let Some(port) = port.filter(|_| most > 0) else {
                continue;
            };
            let Some(codes) = port.codes(model, variants(), most, budget) else {
                continue;
            };
            all.bits.extend(port.bits);
            let before = std::mem::take(&mut all.codes);
            for code in codes {
                all.codes.extend(before.iter().map(|others| {
                    let mut both = others.clone();
                    for (&bit, value) in port.bits.iter().zip(&code) {
                        both[bit] = *value;
                    }
                    both
                }));
            }
        }
        all
    }

    /// Whether the model has a port of choices that some outputs show and that is not among these: outputs may show it in only some of the
    /// variants.
    pub(super) fn lacks_a_port(&self, model: &ConditionalMutant) -> bool {
        let ports = model.choices.iter().map(|port| &port.bits);
        let mut lacking = ports.filter(|bits| bits.len() > SAVED && !self.holds(bits));
        lacking.any(|bits| Port::of(model, bits).is_some())
    }

    fn holds(&self, bits: &[usize]) -> bool {
        bits.iter().all(|bit| self.bits.contains(bit))
    }
}

impl<'a> Port<'a> {
    fn of(model: &ConditionalMutant, bits: &'a [usize]) -> Option<Port<'a>> {
        let aig = &model.aig;
        let inputs: Vec<Var> = bits.iter().map(|&bit| aig.inputs()[bit].var).collect();
        // By condition, in the order of the outputs.
        let mut by_condition: BTreeMap<Lit, Vec<Shown>> = BTreeMap::new();
        for output in &aig.outputs {
            let mut ways = vec![(output.lit, Lit::TRUE, false)];
            match (aig.node(output.lit.var()), output.lit.is_negated()) {
                (Node::And(a, b), false) => ways.extend([(a, b, false), (b, a, false)]),
                // ¬(a ∧ b) is ¬a where b holds, and 1 elsewhere.
                (Node::And(a, b), true) => ways.extend([(!a, b, true), (!b, a, true)]),
                _ => {}
            }
            for (value, when, default) in ways {
                if is_function_of(model, value, &inputs) {
                    by_condition.entry(when).or_default().push(Shown {
                        output: output.lit,
                        when,
                        value,
                        default,
                    });
                }
            }
        }
        let mut complete = by_condition.into_values();
        let shown = complete.find(|shown| shown.len() == bits.len())?;
        Some(Port { bits, shown })
    }

    /// Whether each gate that shows the port has in this variant the meaning of the original, or is constantly the default, and is read
    /// only by the outputs that show the port.
    fn is_only_shown(&self, model: &ConditionalMutant, meaning: &[Lit], read: &[bool]) -> bool {
        let means = |lit: Lit| meaning[lit.var().index()] ^ lit.is_negated();
        let gates = self.shown.iter().filter(|shown| shown.when != Lit::TRUE);
        let gates: Vec<&Shown> = gates.collect();
        let shows = |lit: Lit| gates.iter().any(|shown| shown.output.var() == lit.var());
        let reads_it = |(var, node): (Var, Node)| match node {
            Node::And(a, b) if read[var.index()] => shows(means(a)) || shows(means(b)),
            _ => false,
        };
        let is_shown = |lit: Lit| gates.iter().any(|shown| shown.output == lit);
        // In this variant another output may equal a gate that shows the port, or its complement.
        let mut outputs = model.aig.outputs.iter().map(|output| output.lit);
        let alike = outputs.any(|output| !is_shown(output) && shows(means(output)));
        let alike = alike && !fault::planted(Fault::ShownElsewhere);
        let mut others = sequential_signals(model, meaning, read).skip(model.aig.outputs.len());
        let is_as_shown = |shown: &&Shown| {
            let default = Lit::FALSE ^ shown.default;
            [shown.output, default].contains(&means(shown.output))
        };
        gates.iter().all(is_as_shown)
            && !model.aig.nodes().any(reads_it)
            && !alike
            && !others.any(shows)
    }

    /// Returns one code (value of the port, by bit) of each class of alike codes. `None` if there are more than `most`, or if a code is not
    /// alike to the one shown for it.
    fn codes<'m>(
        &self,
        model: &ConditionalMutant,
        variants: impl Iterator<Item = (&'m Vec<Lit>, &'m Vec<bool>)>,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<Vec<bool>>> {
        let mut inputs = self.bits.to_vec();
        inputs.sort_unstable();
        let mut region = Region::new(model, &inputs);
        let conditions = self.shown.iter().map(|shown| (shown.output, shown.when));
        let conditions: Vec<(Lit, Lit)> = conditions.collect();
        let mut values = Vec::new();
        for (meaning, read) in variants {
            let inside = region.add(model, meaning, read, &conditions);
            let number = |shown: &Shown| {
                let node = inside[shown.value.var().index()]?;
                Some(Shows {
                    node,
                    complemented: shown.value.is_negated(),
                    default: shown.default,
                })
            };
            let here: Option<Vec<Shows>> = self.shown.iter().map(number).collect();
            // A variant in which the port is not shown may lack the values.
            values = here.unwrap_or(values);
        }
        let places = self.bits.iter();
        let places: Option<Vec<usize>> = places.map(|&bit| region.place(bit)).collect();
        let codes = Codes {
            values: (!values.is_empty()).then_some(values)?,
            inputs: places?.into_iter().map(|place| place + 1).collect(),
            region,
        };
        codes.are_like_values(budget).then_some(())?;
        codes.classes(most, budget)
    }
}

/// The codes (valuations of the bits) of a port, and the values that outputs show for them.
struct Codes {
    region: Region,
    /// For each bit of the port its node in the region.
    inputs: Vec<usize>,
    /// For each bit of the shown value how it is computed.
    values: Vec<Shows>,
}

/// A bit of the value that is shown for a code.
#[derive(Clone, Copy)]
struct Shows {
    node: usize,
    complemented: bool,
    /// The bit of the default, which is shown if the condition does not hold.
    default: bool,
}

impl Codes {
    /// Whether each code has the effect of the value that outputs show for it, and outputs show this value for itself.
    fn are_like_values(&self, budget: &Budget) -> bool {
        let mut solver = Batsat::new();
        let mut of_code = FxHashMap::default();
        let values = self.encode_values(&mut solver, &mut of_code);
        let mut of_value: FxHashMap<usize, SatLit> =
            (self.inputs.iter().copied().zip(values)).collect();
        let read = self.region.frontier.iter().copied();
        let read = read.chain(self.values.iter().map(|shows| shows.node));
        let mut differences = Vec::new();
        for node in read {
            let a = self.region.encode(node, &mut solver, &mut of_code);
            let b = self.region.encode(node, &mut solver, &mut of_value);
            let differ = solver.new_lit();
            solver.add_clause(&[!differ, a, b]);
            solver.add_clause(&[!differ, !a, !b]);
            differences.push(differ);
        }
        solver.add_clause(&differences);
        solver.solve(&[], Some(CONFLICTS), budget) == Answer::Impossible
    }

    /// Returns a code for each valuation of the nodes that are read, among the codes that are shown for themselves. The default is a class
    /// of its own. `None` if there are more than `most`.
    fn classes(&self, most: usize, budget: &Budget) -> Option<Vec<Vec<bool>>> {
        let mut solver = Batsat::new();
        let mut lits = FxHashMap::default();
        let values = self.encode_values(&mut solver, &mut lits);
        let inputs: Vec<SatLit> = (self.inputs.iter())
            .map(|&input| self.region.encode(input, &mut solver, &mut lits))
            .collect();
        let is_default = solver.new_lit();
        let mut some = vec![is_default];
        for ((&input, value), shows) in inputs.iter().zip(values).zip(&self.values) {
            solver.add_clause(&[input, !value]);
            solver.add_clause(&[!input, value]);
            let differs = if shows.default { !input } else { input };
            solver.add_clause(&[!is_default, !differs]);
            some.push(differs);
        }
        solver.add_clause(&some);
        let mut read = vec![is_default];
        if !fault::planted(Fault::ShownValuesUnchecked) {
            for &node in &self.region.frontier {
                read.push(self.region.encode(node, &mut solver, &mut lits));
            }
        }
        let mut codes = Vec::new();
        loop {
            match solver.solve(&[], Some(CONFLICTS), budget) {
                Answer::Impossible => return Some(codes),
                Answer::Undecided(_) => return None,
                Answer::Possible if codes.len() == most => return None,
                Answer::Possible => {}
            }
            codes.push(inputs.iter().map(|&input| solver.value(input)).collect());
            let other = read.iter();
            let other = other.map(|&lit| if solver.value(lit) { !lit } else { lit });
            let other: Vec<SatLit> = other.collect();
            solver.add_clause(&other);
        }
    }

    fn encode_values(
        &self,
        solver: &mut Batsat,
        lits: &mut FxHashMap<usize, SatLit>,
    ) -> Vec<SatLit> {
        let values = self.values.iter().map(|shows| {
            let lit = self.region.encode(shows.node, solver, lits);
            if shows.complemented { !lit } else { lit }
        });
        values.collect()
    }
}

/// Whether a literal is computed from these inputs alone, by at most [`GATES`] nodes.
fn is_function_of(model: &ConditionalMutant, lit: Lit, inputs: &[Var]) -> bool {
    let mut open = vec![lit.var()];
    let mut looked_at = 0;
    while let Some(var) = open.pop() {
        looked_at += 1;
        match model.aig.node(var) {
            _ if looked_at > GATES => return false,
            Node::Input(_) if inputs.contains(&var) => {}
            Node::And(a, b) => open.extend([a.var(), b.var()]),
            _ => return false,
        }
    }
    true
}
