//! The conditional mutant (semantics.md §1): a circuit that holds the original and all mutants, with roles.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::aig::{Latch, Node, Reset, Signal};
use crate::events::EventPort;
use crate::mutant::{Mutant, MutantId};
use crate::sort::Sort;
use crate::{Aig, Lit, Var};

/// What the names of latches begin with that keep what was state one step before.
pub const BEFORE: &str = "was:";

/// Name of the latch that is 1 at step 0 only; there if some initial value is not constant, or some constraint is about
/// step 0.
pub const FIRST_STEP: &str = "hyperkill:first";

/// A typed group of wires: one variable of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Port {
    /// Name in the model (choices without their `nd:` mark).
    pub name: String,
    /// The values that its bits stand for.
    pub sort: Sort,
    /// Indices into the circuit's inputs or outputs, least significant bit first; as many as the sort is wide.
    pub bits: Vec<usize>,
}

impl Port {
    /// Name of bit `index` in a symbol table, without the mark of choices.
    #[must_use]
    pub fn bit_name(&self, index: usize) -> String {
        bit_name(&self.name, self.bits.len(), index)
    }
}

/// Names and types of ports.
#[must_use]
pub fn sorts(ports: &[Port]) -> Vec<(&str, &Sort)> {
    let ports = ports.iter();
    ports.map(|port| (&*port.name, &port.sort)).collect()
}

/// Name of one bit of a variable of `width` bits: `name[index]`, or plain `name` for the only bit.
#[must_use]
pub fn bit_name(name: &str, width: usize, index: usize) -> String {
    match width {
        1 => name.to_owned(),
        _ => format!("{name}[{index}]"),
    }
}

/// A mutant of a circuit, by the place of its selector in [`ConditionalMutant::selectors`].
///
/// It means something together with its circuit only: a circuit that holds fewer mutants numbers them anew. A mutant's name in documents
/// is its [`MutantId`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SelectorId(pub usize);

impl fmt::Display for SelectorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The mutant selector: a latch that keeps its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectorLatch {
    /// Which mutant it switches on.
    pub id: MutantId,
    /// Index into the circuit's latches.
    pub latch: usize,
}

/// A circuit with roles for all its inputs, latches and outputs.
///
/// Every input bit belongs to exactly one port of `inputs` or `choices`, every output bit to exactly one
/// port of `outputs`, every latch is either a selector's or hidden state.
#[derive(Clone, Debug)]
pub struct ConditionalMutant {
    /// Name of the model, for people.
    pub name: String,
    /// The circuit. A selector latch has `next` = itself and a free reset.
    pub aig: Aig,
    /// Test inputs, in declaration order. Ports index `aig.inputs()`.
    pub inputs: Vec<Port>,
    /// Non-deterministic choices. Ports index `aig.inputs()`.
    pub choices: Vec<Port>,
    /// Observables. Ports index `aig.outputs`.
    pub outputs: Vec<Port>,
    /// The output of one bit that says whether the step's input has been accepted, where constraints do not say it (semantics.md §2).
    pub accepts: Option<String>,
    /// Ports that are read as events.
    pub events: Vec<EventPort>,
    /// The mutants in the circuit.
    pub selectors: Vec<SelectorLatch>,
    /// Source information on mutants, where known; any order, possibly fewer than selectors.
    pub mutants: Vec<Mutant>,
}

impl ConditionalMutant {
    /// Indices (into the circuit's inputs) of all test input bits, in port order.
    pub fn input_bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().flat_map(|p| p.bits.iter().copied())
    }

    /// Indices (into the circuit's inputs) of all choice bits, in port order.
    pub fn choice_bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.choices.iter().flat_map(|p| p.bits.iter().copied())
    }

    /// The model whose runs are those that accept all inputs: that of acceptance. `None` if the output that says so is missing.
    #[must_use]
    pub fn accepting(&self) -> Option<Cow<'_, ConditionalMutant>> {
        let Some(name) = &self.accepts else {
            return Some(Cow::Borrowed(self));
        };
        let port = self.outputs.iter().find(|port| port.name == *name)?;
        let [bit] = *port.bits else {
            return None;
        };
        let lit = self.aig.outputs.get(bit)?.lit;
        let mut model = self.clone();
        let name = Some(name.clone());
        model.aig.constraints.push(Signal { lit, name });
        model.accepts = None;
        Some(Cow::Owned(model))
    }

    /// The model without outputs. Its runs say only which inputs are accepted.
    #[must_use]
    pub fn silent(&self) -> ConditionalMutant {
        let mut model = self.clone();
        model.aig.outputs.clear();
        model.outputs.clear();
        model.accepts = None;
        model
    }

    /// The model with the latches named `was:…` as further outputs, after its own.
    ///
    /// What such a latch holds was the state one step before and was decided by that step's choices: it belongs to the state of the step
    /// before and not to that of its own. Runs with the same states before a step are those that show the same here, also where nothing
    /// else reads the latch.
    #[must_use]
    pub fn showing_state_before(&self) -> ConditionalMutant {
        let mut model = self.clone();
        let is_before = |name: &str| name.starts_with(BEFORE);
        for latch in self.aig.latches() {
            let Some(name) = latch.name.as_deref().filter(|name| is_before(name)) else {
                continue;
            };
            model.outputs.push(Port {
                name: name.to_owned(),
                sort: Sort::Bool,
                bits: vec![model.aig.outputs.len()],
            });
            model.aig.add_output(latch.var.lit(), Some(name.to_owned()));
        }
        model
    }

    /// Whether anything is left to chance in a run: choices, or first values of latches that are no selectors.
    #[must_use]
    pub fn leaves_choices(&self) -> bool {
        let selectors = self.selector_of_latch();
        let mut latches = self.aig.latches().iter().zip(selectors);
        let free = |(latch, selector): (&Latch, Option<SelectorId>)| {
            latch.reset == Reset::Free && selector.is_none()
        };
        self.choice_bits().next().is_some() || latches.any(free)
    }

    /// Whether there are no constraints that could fail.
    #[must_use]
    pub fn is_unconstrained(&self) -> bool {
        let mut constraints = self.aig.constraints.iter();
        constraints.all(|constraint| constraint.lit == Lit::TRUE)
    }

    /// The selectors of all mutants in the circuit, in the order of [`ConditionalMutant::selectors`].
    pub fn selector_ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = SelectorId> + ExactSizeIterator + Clone + use<> {
        (0..self.selectors.len()).map(SelectorId)
    }

    /// The selector of the mutant with this id.
    #[must_use]
    pub fn selector_of_mutant(&self, id: &str) -> Option<SelectorId> {
        let position = self.selectors.iter().position(|s| s.id.0 == id);
        position.map(SelectorId)
    }

    /// The selector that a latch is, if it is one; a table over all latches.
    #[must_use]
    pub fn selector_of_latch(&self) -> Vec<Option<SelectorId>> {
        let mut table = vec![None; self.aig.latches().len()];
        for (id, selector) in self.selector_ids().zip(&self.selectors) {
            table[selector.latch] = Some(id);
        }
        table
    }

    /// The latches that are no selectors, ascending.
    #[must_use]
    pub fn hidden_latches(&self) -> Vec<usize> {
        let selectors = self.selector_of_latch();
        let latches = selectors.iter().enumerate();
        let hidden = latches.filter(|(_, selector)| selector.is_none());
        hidden.map(|(latch, _)| latch).collect()
    }

    /// What each node is where these selectors have these values: a constant, an older node or its complement, or itself. Nothing is
    /// folded but 0 ∧ x, 1 ∧ x and x ∧ x, so that three-valued simulation shows no more of the images than of the graph as it is.
    #[must_use]
    pub fn images(&self, value: impl Fn(SelectorId) -> Option<bool>) -> Vec<Lit> {
        let selectors = self.selector_of_latch();
        let mut images: Vec<Lit> = Vec::with_capacity(self.aig.len());
        for (var, node) in self.aig.nodes() {
            let of = |lit: Lit| {
                let image = images[lit.var().index()];
                if lit.is_negated() { !image } else { image }
            };
            let image = match node {
                Node::False => Lit::FALSE,
                Node::Input(_) => var.lit(),
                Node::Latch(i) => {
                    let value = selectors[i as usize].and_then(&value);
                    value.map_or(var.lit(), Lit::constant)
                }
                Node::And(a, b) => folded(var, [of(a), of(b)]),
            };
            images.push(image);
        }
        images
    }

    /// The nodes that outputs, constraints and latches read, in topological order, where these selectors have these values. Operands of
    /// gates are images ([`ConditionalMutant::images`]); a signal that is another's image is a gate with that operand twice. Else
    /// nothing is simplified.
    #[must_use]
    pub fn nodes_read(&self, value: impl Fn(SelectorId) -> Option<bool>) -> Vec<(Var, Node)> {
        let aig = &self.aig;
        let images = self.images(value);
        let of = |lit: Lit| {
            let image = images[lit.var().index()];
            if lit.is_negated() { !image } else { image }
        };
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let next = aig.latches().iter().map(|latch| latch.next.var());
        let mut open: Vec<Var> = signals.map(|s| s.lit.var()).chain(next).collect();
        let mut read = vec![false; aig.len()];
        while let Some(var) = open.pop() {
            if std::mem::replace(&mut read[var.index()], true) {
                continue;
            }
            match (images[var.index()], aig.node(var)) {
                (image, Node::And(a, b)) if image == var.lit() => {
                    open.extend([of(a).var(), of(b).var()]);
                }
                (image, _) => open.push(image.var()),
            }
        }
        let nodes = aig.nodes().filter(|(var, _)| read[var.index()]);
        let nodes = nodes.map(|(var, node)| match (images[var.index()], node) {
            (image, Node::And(a, b)) if image == var.lit() => (var, Node::And(of(a), of(b))),
            (image, _) if image == var.lit() => (var, node),
            (image, _) => (var, Node::And(image, image)),
        });
        nodes.collect()
    }
}

/// What a gate is whose operands are these: one of them, a constant, or itself.
pub(crate) fn folded(gate: Var, operands: [Lit; 2]) -> Lit {
    match operands {
        [a, b] if a == Lit::FALSE || b == Lit::FALSE => Lit::FALSE,
        [a, b] if a == Lit::TRUE || a == b => b,
        [a, b] if b == Lit::TRUE => a,
        _ => gate.lit(),
    }
}
