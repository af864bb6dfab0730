//! Reduces a failing conditional mutant: delta debugging on circuits.
//!
//! Tries one simplification after the other and keeps each that preserves the failure. The predicate is its only knowledge of the failure.
//! It changes nothing but the circuit: every step gives a well-formed conditional mutant.

use hyperkill_core::aig::{Cone, Images, Node};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, Var};

/// Returns the smallest circuit found that still `fails`, or `model` itself if no smaller one does.
///
/// Greedy and deterministic. No further single simplification of the result fails. Multi-bit ports are split into bits; bad states,
/// justice, fairness and source information are lost.
#[must_use]
pub fn shrink(
    model: &ConditionalMutant,
    mut fails: impl FnMut(&ConditionalMutant) -> bool,
) -> ConditionalMutant {
    let mut smallest = model.clone();
    loop {
        let mut progress = false;
        for kind in Kind::ALL {
            // From the last to the first, so that a success does not move the places still to try.
            for place in (0..kind.places(&smallest)).rev() {
                for edit in kind.edits(&smallest, place) {
                    let candidate = edit.apply(&smallest);
                    if size(&candidate) < size(&smallest) && fails(&candidate) {
                        smallest = candidate;
                        progress = true;
                        break;
                    }
                }
            }
        }
        if !progress {
            return smallest;
        }
    }
}

/// Returns the measure that must decrease with every simplification, in lexicographic order.
fn size(model: &ConditionalMutant) -> [usize; 5] {
    let aig = &model.aig;
    let next = aig.latches().iter().map(|latch| latch.next);
    let roots = next.chain(aig.roots());
    let resets = aig.latches().iter().map(|latch| match latch.reset {
        Reset::Zero => 0,
        Reset::One => 1,
        Reset::Free => 2,
    });
    [
        model.selectors.len() + aig.outputs.len() + aig.constraints.len(),
        aig.latches().len() + aig.inputs().len(),
        aig.gate_count(),
        roots.filter(|lit| !lit.is_constant()).count(),
        resets.sum(),
    ]
}

/// The kinds of simplification, in the order of application.
#[derive(Clone, Copy)]
enum Kind {
    Selector,
    Output,
    Constraint,
    Latch,
    Input,
    Gate,
    Reset,
    Next,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Selector,
        Kind::Output,
        Kind::Constraint,
        Kind::Latch,
        Kind::Input,
        Kind::Gate,
        Kind::Reset,
        Kind::Next,
    ];

    fn places(self, model: &ConditionalMutant) -> usize {
        match self {
            Kind::Selector => model.selectors.len(),
            Kind::Output => model.aig.outputs.len(),
            Kind::Constraint => model.aig.constraints.len(),
            Kind::Latch | Kind::Reset | Kind::Next => model.aig.latches().len(),
            Kind::Input => model.aig.inputs().len(),
            Kind::Gate => model.aig.len(),
        }
    }

    fn edits(self, model: &ConditionalMutant, place: usize) -> Vec<Edit> {
        // A success may have removed several places.
        if place >= self.places(model) {
            return Vec::new();
        }
        let aig = &model.aig;
        let is_selector = |latch| model.selectors.iter().any(|s| s.latch == latch);
        let constants = |var: Var| {
            [Lit::FALSE, Lit::TRUE]
                .map(|lit| Edit::Replace(var, lit))
                .to_vec()
        };
        match self {
            Kind::Selector => vec![Edit::Replace(
                aig.latches()[model.selectors[place].latch].var,
                Lit::FALSE,
            )],
            Kind::Output => vec![Edit::DropOutput(place)],
            Kind::Constraint => vec![Edit::DropConstraint(place)],
            Kind::Latch | Kind::Reset | Kind::Next if is_selector(place) => Vec::new(),
            Kind::Latch => constants(aig.latches()[place].var),
            Kind::Input => constants(aig.inputs()[place].var),
            Kind::Gate => match aig.node(Var::new(place)) {
                Node::And(a, b) => {
                    let mut edits = constants(Var::new(place));
                    edits.push(Edit::Replace(Var::new(place), a));
                    edits.push(Edit::Replace(Var::new(place), b));
                    edits
                }
                _ => Vec::new(),
            },
            Kind::Reset => [Reset::Zero, Reset::One]
                .map(|reset| Edit::Reset(place, reset))
                .to_vec(),
            Kind::Next => [Lit::FALSE, Lit::TRUE]
                .map(|next| Edit::Next(place, next))
                .to_vec(),
        }
    }
}

/// One simplification.
#[derive(Clone)]
enum Edit {
    DropOutput(usize),
    DropConstraint(usize),
    /// Replaces a node by an older literal. Also drops an input, latch or selector that loses its last reader.
    Replace(Var, Lit),
    Reset(usize, Reset),
    Next(usize, Lit),
}

impl Edit {
    fn apply(&self, model: &ConditionalMutant) -> ConditionalMutant {
        let mut edited = model.clone();
        let mut replaced = None;
        match *self {
            Edit::DropOutput(k) => {
                edited.aig.outputs.remove(k);
            }
            Edit::DropConstraint(k) => {
                edited.aig.constraints.remove(k);
            }
            Edit::Replace(var, lit) => replaced = Some((var, lit)),
            Edit::Reset(latch, reset) => edited.aig.set_reset(latch, reset),
            Edit::Next(latch, next) => edited.aig.set_next(latch, next),
        }
        rebuild(&edited, replaced)
    }
}

/// Returns the circuit with one node replaced, folded, and without droppable parts: a replaced input or latch, and gates without readers.
/// Inputs and latches without readers stay until they are replaced themselves, because the failure may depend on them.
fn rebuild(model: &ConditionalMutant, replaced: Option<(Var, Lit)>) -> ConditionalMutant {
    let old = &model.aig;
    let signals = old.outputs.iter().chain(&old.constraints).map(|s| s.lit);
    let read = Cone::combinational(old, signals.chain(old.latches().iter().map(|l| l.next)));
    let mut aig = Aig::new();
    let mut images = Images::none(old);
    let instead = |var: Var| replaced.and_then(|(gone, lit)| (gone == var).then_some(lit));
    // Maps inputs and latches of the old circuit to the new one.
    let mut inputs = vec![None; old.inputs().len()];
    let mut latches = vec![None; old.latches().len()];
    for (i, input) in old.inputs().iter().enumerate() {
        let image = instead(input.var).unwrap_or_else(|| {
            inputs[i] = Some(aig.inputs().len());
            aig.add_input(input.name.clone())
        });
        images.set(input.var, image);
    }
    for (i, latch) in old.latches().iter().enumerate() {
        let image = instead(latch.var).unwrap_or_else(|| {
            latches[i] = Some(aig.latches().len());
            aig.add_latch(latch.reset, latch.name.clone())
        });
        images.set(latch.var, image);
    }
    aig.copy_gates(
        old,
        &mut images,
        |var| read.contains(var),
        |_, images, var, own| instead(var).map_or(own, |lit| images.of(lit)),
    );
    for (latch, place) in old.latches().iter().zip(&latches) {
        if let Some(place) = *place {
            aig.set_next(place, images.of(latch.next));
        }
    }
    aig.outputs = images.signals(&old.outputs);
    aig.constraints = images.signals(&old.constraints);
    let selectors = model.selectors.iter().filter_map(|selector| {
        latches[selector.latch].map(|latch| SelectorLatch {
            id: selector.id.clone(),
            latch,
        })
    });
    let outputs = aig.outputs.iter().enumerate().map(|(k, output)| Port {
        name: output.name.clone().unwrap_or_else(|| format!("o{k}")),
        sort: Sort::Bit,
        bits: vec![k],
    });
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: model.name.clone(),
        inputs: bits(&model.inputs, &inputs),
        choices: bits(&model.choices, &inputs),
        outputs: outputs.collect(),
        selectors: selectors.collect(),
        mutants: Vec::new(),
        aig,
    }
}

/// Returns one port per remaining bit. `places` maps the old index of a bit to the new one, if the bit remains.
fn bits(ports: &[Port], places: &[Option<usize>]) -> Vec<Port> {
    let mut bits = Vec::new();
    for port in ports {
        for (k, &bit) in port.bits.iter().enumerate() {
            if let Some(place) = places[bit] {
                let name = match port.bits.len() {
                    1 => port.name.clone(),
                    _ => format!("{}[{k}]", port.name),
                };
                bits.push(Port {
                    name,
                    sort: Sort::Bit,
                    bits: vec![place],
                });
            }
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::generate::{Kind, conditional_mutant};
    use crate::oracle::Oracle;

    #[test]
    fn a_failing_circuit_shrinks_to_what_the_failure_needs() {
        // The predicate: some mutant is killed in two steps and not in one. That needs one selector, one output, and a means to tell the
        // first step from the second. If a constraint makes the difference, it is needed too.
        let killed_in_two = |model: &crate::oracle::Oracle| {
            let kill = model.potential_kill().unwrap();
            kill.is_some_and(|inputs| inputs.len() == 2)
        };
        let mut shrunk = 0;
        for seed in 0..100 {
            let model = conditional_mutant(seed, Kind::Choices);
            let fails = |model: &hyperkill_core::ConditionalMutant| {
                model.selector_ids().any(|selector| {
                    Oracle::new(model, selector).is_ok_and(|oracle| killed_in_two(&oracle))
                })
            };
            if !fails(&model) {
                continue;
            }
            shrunk += 1;
            let small = shrink(&model, fails);
            assert!(fails(&small), "seed {seed}");
            assert_eq!(small.selectors.len(), 1, "seed {seed}");
            assert_eq!(small.aig.outputs.len(), 1, "seed {seed}");
            assert!(small.aig.constraints.len() <= 1, "seed {seed}");
            assert!(small.aig.latches().len() <= 3, "seed {seed}");
            assert!(small.aig.gate_count() <= 2, "seed {seed}");
            assert!(small.aig.inputs().len() <= 1, "seed {seed}");
        }
        assert!(shrunk >= 5, "only {shrunk} circuits to shrink");
    }

    #[test]
    fn what_does_not_fail_when_smaller_is_left_alone() {
        let model = conditional_mutant(3, Kind::Choices);
        let size = |m: &hyperkill_core::ConditionalMutant| (m.aig.len(), m.selectors.len());
        let same = shrink(&model, |candidate| size(candidate) == size(&model));
        assert_eq!(size(&same), size(&model));
    }
}
