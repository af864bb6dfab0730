//! Relevance: the inputs and free initial values that can affect some variants. The others are noise in a run.
//!
//! Runs with noise set to 0 are easier to read, and two tests that differ only in noise become one.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::aig::Node;
use crate::conditional::{Port, folded};
use crate::product::Variant;
use crate::trace::Stimulus;
use crate::{ConditionalMutant, Lit, SelectorId, Var};

/// The inputs and latches in the cone of influence of outputs or constraints.
#[derive(Clone, Debug)]
pub struct Relevance {
    /// Whether each input is relevant, by index.
    inputs: Vec<bool>,
    /// Whether each latch is relevant, by index.
    latches: Vec<bool>,
}

impl Relevance {
    /// Returns the inputs and latches that can reach an output or constraint of one of these variants, with constant selectors.
    #[must_use]
    pub fn to(model: &ConditionalMutant, variants: &[Variant]) -> Relevance {
        let mut relevance = Relevance {
            inputs: vec![false; model.aig.inputs().len()],
            latches: vec![false; model.aig.latches().len()],
        };
        for &variant in variants {
            relevance.add(model, variant);
        }
        relevance
    }

    fn add(&mut self, model: &ConditionalMutant, variant: Variant) {
        let images = model.images(|selector| Some(variant == Variant::Mutant(selector)));
        self.reach(model, |var| images[var.index()]);
    }

    /// Marks the inputs and latches in the cone of influence of outputs and constraints as relevant, given the image of each node. Returns
    /// for each node whether it is in the cone.
    fn reach(&mut self, model: &ConditionalMutant, image: impl Fn(Var) -> Lit) -> Vec<bool> {
        let aig = &model.aig;
        let mut reached = vec![false; aig.len()];
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let mut open: Vec<Lit> = signals.map(|signal| signal.lit).collect();
        while let Some(lit) = open.pop() {
            let var = image(lit.var()).var();
            if std::mem::replace(&mut reached[var.index()], true) {
                continue;
            }
            match aig.node(var) {
                Node::False => {}
                Node::Input(i) => self.inputs[i as usize] = true,
                Node::Latch(i) => {
                    self.latches[i as usize] = true;
                    open.push(aig.latches()[i as usize].next);
                }
                Node::And(a, b) => open.extend([a, b]),
            }
        }
        reached
    }

    /// Returns the run with the values of inputs and latches outside of the cone set to 0.
    #[must_use]
    pub fn without_noise(&self, run: &Stimulus) -> Stimulus {
        let keep = |row: &[bool], relevant: &[bool]| -> Vec<bool> {
            let pairs = row.iter().zip(relevant);
            pairs.map(|(&value, &relevant)| value && relevant).collect()
        };
        let first = run.initial.iter().zip(&self.latches);
        Stimulus {
            initial: first.map(|(value, &relevant)| value && relevant).collect(),
            steps: run
                .steps
                .iter()
                .map(|step| keep(step, &self.inputs))
                .collect(),
        }
    }

    /// Whether some input bit of the port is relevant.
    #[must_use]
    pub fn of_port(&self, port: &Port) -> bool {
        port.bits.iter().any(|&bit| self.inputs[bit])
    }

    /// Whether the circuit input is relevant.
    #[must_use]
    pub fn of_input(&self, input: usize) -> bool {
        self.inputs[input]
    }

    /// Whether the latch is relevant.
    #[must_use]
    pub fn of_latch(&self, latch: usize) -> bool {
        self.latches[latch]
    }
}

/// The relevance to each mutant of a circuit, for many mutants: for each only the nodes that it changes are examined again.
#[derive(Clone, Debug)]
pub struct Relevances<'a> {
    model: &'a ConditionalMutant,
    /// The images of nodes without mutants.
    images: Vec<Lit>,
    original: Relevance,
    /// For each node, whether it is in the cone of influence of the original.
    reached: Vec<bool>,
    /// The gates that read node n are `readers[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    readers: Vec<Var>,
}

impl<'a> Relevances<'a> {
    /// Computes the relevance to the original, and the readers of each node.
    #[must_use]
    pub fn of(model: &'a ConditionalMutant) -> Relevances<'a> {
        let aig = &model.aig;
        let gates = || {
            aig.nodes().filter_map(|(var, node)| match node {
                Node::And(a, b) => Some((var, [a.var().index(), b.var().index()])),
                _ => None,
            })
        };
        let mut first = vec![0; aig.len() + 1];
        for operand in gates().flat_map(|(_, operands)| operands) {
            first[operand + 1] += 1;
        }
        for node in 0..aig.len() {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut readers = vec![Lit::FALSE.var(); first[aig.len()] as usize];
        for (var, operands) in gates() {
            for operand in operands {
                readers[next[operand] as usize] = var;
                next[operand] += 1;
            }
        }
        let images = model.images(|_| Some(false));
        let mut original = Relevance::to(model, &[]);
        let reached = original.reach(model, |var| images[var.index()]);
        Relevances {
            model,
            images,
            original,
            reached,
            first,
            readers,
        }
    }

    /// Returns the inputs and latches that are relevant to the original or this mutant, like [`Relevance::to`].
    #[must_use]
    pub fn with(&self, mutant: SelectorId) -> Relevance {
        let changed = self.changed(mutant);
        let image = |var: Var| {
            let own = changed.get(&var).copied();
            own.unwrap_or(self.images[var.index()])
        };
        let mut relevance = self.original.clone();
        if self.adds_leaves(&changed, image) {
            relevance.reach(self.model, image);
        }
        relevance
    }

    /// Whether the nodes that a mutant changes may bring an input or latch into the cone of influence. `changed` has their new images,
    /// `image` gives the image of every node. The cone of the mutant is otherwise part of the original's, as far as inputs and latches go:
    /// every path that leaves the original's cone does so at a changed node.
    fn adds_leaves(&self, changed: &FxHashMap<Var, Lit>, image: impl Fn(Var) -> Lit) -> bool {
        let aig = &self.model.aig;
        let mut seen: FxHashSet<Var> = FxHashSet::default();
        let mut open: Vec<Var> = changed.values().map(|image| image.var()).collect();
        while let Some(var) = open.pop() {
            if self.reached[var.index()] || !seen.insert(var) {
                continue;
            }
            match aig.node(var) {
                Node::False => {}
                Node::Input(_) | Node::Latch(_) => return true,
                Node::And(a, b) => open.extend([a, b].map(|lit| image(lit.var()).var())),
            }
        }
        false
    }

    /// Returns the nodes whose image this mutant changes, with the new images.
    fn changed(&self, mutant: SelectorId) -> FxHashMap<Var, Lit> {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[mutant.0].latch].var;
        let mut changed: FxHashMap<Var, Lit> = FxHashMap::default();
        changed.insert(switch, Lit::TRUE);
        let mut open: BTreeSet<Var> = self.readers(switch).iter().copied().collect();
        // Readers have larger indices than their operands.
        while let Some(var) = open.pop_first() {
            let Node::And(a, b) = aig.node(var) else {
                continue;
            };
            let of = |lit: Lit| {
                let own = changed.get(&lit.var()).copied();
                let image = own.unwrap_or(self.images[lit.var().index()]);
                if lit.is_negated() { !image } else { image }
            };
            let image = folded(var, [of(a), of(b)]);
            if image != self.images[var.index()] {
                changed.insert(var, image);
                open.extend(self.readers(var));
            }
        }
        changed
    }

    fn readers(&self, node: Var) -> &[Var] {
        let [from, to] = [node.index(), node.index() + 1].map(|at| self.first[at] as usize);
        &self.readers[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aig, Reset};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns a model of random gates, some of which are relevant for mutants only.
    fn random(seed: u64) -> ConditionalMutant {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut aig = Aig::new();
        let mut nodes: Vec<Lit> = (0..4).map(|_| aig.add_input(None)).collect();
        let mut selectors = Vec::new();
        for at in 0..6 {
            let latch = aig.add_latch(Reset::Free, Some(format!("l{at}")));
            nodes.push(latch);
            if at >= 3 {
                aig.set_next(at, latch);
                let id = crate::mutant::MutantId(format!("m{at}"));
                selectors.push(crate::conditional::SelectorLatch { id, latch: at });
            }
        }
        let mut any = |nodes: &[Lit]| {
            let lit = nodes[rng.random_range(0..nodes.len())];
            if rng.random_bool(0.5) { lit } else { !lit }
        };
        for _ in 0..30 {
            let [a, b] = [any(&nodes), any(&nodes)];
            nodes.push(aig.and(a, b));
        }
        for at in 0..3 {
            aig.set_next(at, any(&nodes));
        }
        let shown = any(&nodes);
        aig.add_output(shown, None);
        ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: String::new(),
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            mutants: Vec::new(),
            selectors,
            aig,
        }
    }

    #[test]
    fn of_many_mutants_the_same_is_said_as_of_each() {
        for seed in 0..500 {
            let model = random(seed);
            let relevances = Relevances::of(&model);
            for mutant in model.selector_ids() {
                let variants = [Variant::Original, Variant::Mutant(mutant)];
                let alone = Relevance::to(&model, &variants);
                let together = relevances.with(mutant);
                assert_eq!(alone.inputs, together.inputs, "seed {seed}");
                assert_eq!(alone.latches, together.latches, "seed {seed}");
            }
        }
    }
}
