//! The conditional mutant (semantics.md §1): a circuit of the original and all mutants, with roles.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::aig::{Latch, Node, Reset, Signal};
use crate::events::EventPort;
use crate::mutant::{Mutant, MutantId};
use crate::sort::Sort;
use crate::{Aig, Lit, Var};

/// Prefix of the names of latches that store the state of the previous step.
pub const BEFORE: &str = "was:";

/// Name of the latch that is 1 at step 0 only. It exists if some initial value is not constant, or if some constraint applies to step 0.
pub const FIRST_STEP: &str = "hyperkill:first";

/// A typed group of wires: one variable of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Port {
    /// The name in the model (choices without their `nd:` mark).
    pub name: String,
    /// The type of its values.
    pub sort: Sort,
    /// Indices into the circuit's inputs or outputs, least significant bit first; as many as the sort is wide.
    pub bits: Vec<usize>,
}

impl Port {
    /// Returns the name of bit `index` in a symbol table, without the mark of choices.
    #[must_use]
    pub fn bit_name(&self, index: usize) -> String {
        bit_name(&self.name, self.bits.len(), index)
    }
}

/// Returns the name and the type of each port.
#[must_use]
pub fn sorts(ports: &[Port]) -> Vec<(&str, &Sort)> {
    let ports = ports.iter();
    ports.map(|port| (&*port.name, &port.sort)).collect()
}

/// Returns the name of one bit of a variable of `width` bits: `name[index]`, or plain `name` for the only bit.
#[must_use]
pub fn bit_name(name: &str, width: usize, index: usize) -> String {
    match width {
        1 => name.to_owned(),
        _ => format!("{name}[{index}]"),
    }
}

/// A mutant of a circuit, by the index of its selector in [`ConditionalMutant::selectors`].
///
/// It is meaningful only together with its circuit: a circuit with fewer mutants renumbers them. In documents a mutant is named by its
/// [`MutantId`].
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
    /// The mutant that it switches on.
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
    /// The name of the model, for messages and documents.
    pub name: String,
    /// The circuit. A selector latch has `next` = itself and a free reset.
    pub aig: Aig,
    /// Test inputs, in declaration order. Ports index `aig.inputs()`.
    pub inputs: Vec<Port>,
    /// Non-deterministic choices. Ports index `aig.inputs()`.
    pub choices: Vec<Port>,
    /// Observables. Ports index `aig.outputs`.
    pub outputs: Vec<Port>,
    /// The one-bit output that states whether the step's input has been accepted, unless constraints state it (semantics.md §2).
    pub accepts: Option<String>,
    /// Ports that are read as events.
    pub events: Vec<EventPort>,
    /// The mutants in the circuit.
    pub selectors: Vec<SelectorLatch>,
    /// Source information on mutants, where known, in any order. There may be fewer entries than selectors.
    pub mutants: Vec<Mutant>,
}

impl ConditionalMutant {
    /// Returns the indices (into the circuit's inputs) of all test input bits, in port order.
    pub fn input_bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().flat_map(|p| p.bits.iter().copied())
    }

    /// Returns the indices (into the circuit's inputs) of all choice bits, in port order.
    pub fn choice_bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.choices.iter().flat_map(|p| p.bits.iter().copied())
    }

    /// Returns the model restricted to accepted inputs, in which acceptance is expressed by constraints. A model without an output for
    /// acceptance is returned unchanged.
    ///
    /// Returns `None` if the output that the model names for acceptance is missing or has several bits.
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

    /// Returns the model without outputs. Its runs only show which inputs are accepted.
    #[must_use]
    pub fn silent(&self) -> ConditionalMutant {
        let mut model = self.clone();
        model.aig.outputs.clear();
        model.outputs.clear();
        model.accepts = None;
        model
    }

    /// Returns the model with the latches named `was:…` as additional outputs, after its own.
    ///
    /// Such a latch stores the state of the previous step, which that step's choices decided: its value belongs to the previous state. Runs
    /// have the same states before a step iff they agree on these outputs, also if nothing else reads the latches.
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

    /// Whether a run has free decisions: choices, or first values of latches that are no selectors.
    #[must_use]
    pub fn leaves_choices(&self) -> bool {
        let selectors = self.selector_of_latch();
        let mut latches = self.aig.latches().iter().zip(selectors);
        let free = |(latch, selector): (&Latch, Option<SelectorId>)| {
            latch.reset == Reset::Free && selector.is_none()
        };
        self.choice_bits().next().is_some() || latches.any(free)
    }

    /// Whether no constraint can fail.
    #[must_use]
    pub fn is_unconstrained(&self) -> bool {
        let mut constraints = self.aig.constraints.iter();
        constraints.all(|constraint| constraint.lit == Lit::TRUE)
    }

    /// Returns the selectors of all mutants in the circuit, in the order of [`ConditionalMutant::selectors`].
    pub fn selector_ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = SelectorId> + ExactSizeIterator + Clone + use<> {
        (0..self.selectors.len()).map(SelectorId)
    }

    /// Returns the selector of the mutant with this id.
    #[must_use]
    pub fn selector_of_mutant(&self, id: &str) -> Option<SelectorId> {
        let position = self.selectors.iter().position(|s| s.id.0 == id);
        position.map(SelectorId)
    }

    /// Returns, for each latch, the mutant that it selects; `None` for hidden state.
    #[must_use]
    pub fn selector_of_latch(&self) -> Vec<Option<SelectorId>> {
        let mut table = vec![None; self.aig.latches().len()];
        for (id, selector) in self.selector_ids().zip(&self.selectors) {
            table[selector.latch] = Some(id);
        }
        table
    }

    /// Returns the indices of the latches that are no selectors, ascending.
    #[must_use]
    pub fn hidden_latches(&self) -> Vec<usize> {
        let selectors = self.selector_of_latch();
        let latches = selectors.iter().enumerate();
        let hidden = latches.filter(|(_, selector)| selector.is_none());
        hidden.map(|(latch, _)| latch).collect()
    }

    /// Returns, by variable, the image of each node for these values of selectors (`None` leaves a selector free): a constant, an older
    /// node or its complement, or itself. Folding is limited to 0 ∧ x, 1 ∧ x and x ∧ x, so that ternary simulation determines no more
    /// values in the images than in the graph.
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

    /// Returns the nodes that outputs, constraints and latches read for these values of selectors, in topological order. Operands of gates
    /// are images ([`ConditionalMutant::images`]). A signal with another node as image is a gate with that operand twice. No other
    /// simplification is made.
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

/// Returns the image of a gate with these operands: one of them, a constant, or the gate itself.
pub(crate) fn folded(gate: Var, operands: [Lit; 2]) -> Lit {
    match operands {
        [a, b] if a == Lit::FALSE || b == Lit::FALSE => Lit::FALSE,
        [a, b] if a == Lit::TRUE || a == b => b,
        [a, b] if b == Lit::TRUE => a,
        _ => gate.lit(),
    }
}
