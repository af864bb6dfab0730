//! Derives circuits with other roles: with fewer mutants (their selectors are constant 0, and folded nodes are removed), or with a mutant
//! in place of the original.
//!
//! Inputs, all other latches, outputs and properties keep their order, so that ports keep their indices.

use std::collections::BTreeSet;

use crate::aig::{Cone, Images, Justice, Leaf, Node};
use crate::conditional::SelectorLatch;
use crate::mutant::MutantId;
use crate::{Aig, ConditionalMutant, Lit, SelectorId, Var};

/// Returns the model with the mutants of these selectors only, which must be ascending.
#[must_use]
pub fn keep_mutants(model: &ConditionalMutant, keep: &[SelectorId]) -> ConditionalMutant {
    part(model, keep).model
}

/// A model with some of the mutants of another model, the *whole*. Latches and nodes of the part can be mapped to the whole.
#[derive(Debug)]
pub struct Part {
    /// The model with fewer mutants: the part.
    pub model: ConditionalMutant,
    images: Images,
    latches: Vec<Option<usize>>,
}

/// Returns the part of a model that has the mutants of these selectors only, which must be ascending.
#[must_use]
pub fn part(model: &ConditionalMutant, keep: &[SelectorId]) -> Part {
    let selector_of = model.selector_of_latch();
    with_leaves(model, |latch| match selector_of[latch] {
        Some(selector) if keep.binary_search(&selector).is_err() => Becomes::Zero,
        _ => Becomes::Itself,
    })
}

impl Part {
    /// Returns, for each latch of the part, its index in the whole.
    #[must_use]
    pub fn latches(&self) -> Vec<usize> {
        let mut latches = vec![0; self.model.aig.latches().len()];
        for (whole, part) in self.latches.iter().enumerate() {
            if let Some(part) = *part {
                latches[part] = whole;
            }
        }
        latches
    }

    /// Returns, for each node of the part, the first literal of the whole that equals it whenever all mutants outside the part are off.
    #[must_use]
    pub fn nodes(&self) -> Vec<Lit> {
        let mut nodes = vec![Lit::FALSE; self.model.aig.len()];
        for (whole, image) in self.images.nodes().iter().enumerate().rev() {
            // Each gate of the part is the image of a node of the whole.
            nodes[image.var().index()] = Var::new(whole).lit() ^ image.is_negated();
        }
        nodes
    }
}

/// Returns the model in which this mutant and the original have changed places. With all selectors 0 it behaves like the mutant in `model`,
/// and with this mutant's selector like the original. All latches remain. The other mutants must not be switched on.
#[must_use]
pub fn exchanged(model: &ConditionalMutant, mutant: SelectorId) -> ConditionalMutant {
    let selector = model.selectors[mutant.0].latch;
    with_leaves(model, |latch| match latch == selector {
        true => Becomes::ItsComplement,
        false => Becomes::Itself,
    })
    .model
}

/// The replacement of a latch in the new circuit's gates.
enum Becomes {
    Itself,
    ItsComplement,
    /// The latch is removed.
    Zero,
}

fn with_leaves(model: &ConditionalMutant, becomes: impl Fn(usize) -> Becomes) -> Part {
    let source = &model.aig;
    let next = source.latches().iter().map(|latch| latch.next);
    let cone = Cone::combinational(source, source.roots().chain(next));
    let mut aig = Aig::new();
    let mut latch_at = vec![None; source.latches().len()];
    let is_gate = |var| matches!(source.node(var), Node::And(..));
    let images = aig.copy(
        source,
        |var| !is_gate(var) || cone.contains(var),
        |aig, _, leaf| match leaf {
            Leaf::Input(i) => aig.add_input(source.inputs()[i].name.clone()),
            Leaf::Latch(i) => {
                let becomes = becomes(i);
                if matches!(becomes, Becomes::Zero) {
                    return Lit::FALSE;
                }
                let latch = &source.latches()[i];
                latch_at[i] = Some(aig.latches().len());
                let lit = aig.add_latch(latch.reset, latch.name.clone());
                lit ^ matches!(becomes, Becomes::ItsComplement)
            }
        },
    );
    for (latch, at) in source.latches().iter().zip(&latch_at) {
        let Some(at) = *at else { continue };
        // A selector keeps its value, whatever replaces it in gates.
        let next = match latch.next == latch.var.lit() {
            true => aig.latches()[at].var.lit(),
            false => images.of(latch.next),
        };
        aig.set_next(at, next);
    }
    aig.outputs = images.signals(&source.outputs);
    aig.bad = images.signals(&source.bad);
    aig.constraints = images.signals(&source.constraints);
    aig.fairness = images.signals(&source.fairness);
    aig.justice = source
        .justice
        .iter()
        .map(|justice| Justice {
            lits: justice.lits.iter().map(|&lit| images.of(lit)).collect(),
            name: justice.name.clone(),
        })
        .collect();
    aig.comments.clone_from(&source.comments);

    let selectors: Vec<SelectorLatch> = model
        .selectors
        .iter()
        .filter_map(|selector| {
            Some(SelectorLatch {
                id: selector.id.clone(),
                latch: latch_at[selector.latch]?,
            })
        })
        .collect();
    let ids: BTreeSet<&MutantId> = selectors.iter().map(|selector| &selector.id).collect();
    let has_selector = |id: &MutantId| ids.contains(id);
    let mutants = model.mutants.iter();
    let mutants = mutants.filter(|m| has_selector(&m.id)).cloned().collect();
    let model = ConditionalMutant {
        accepts: model.accepts.clone(),
        events: model.events.clone(),
        name: model.name.clone(),
        inputs: model.inputs.clone(),
        choices: model.choices.clone(),
        outputs: model.outputs.clone(),
        mutants,
        selectors,
        aig,
    };
    Part {
        model,
        images,
        latches: latch_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reset;
    use crate::aiger::{NamesDecide, conditional_mutant};
    use crate::first_values::FirstValues;
    use crate::product::Variant;
    use crate::trace::{Stimulus, replay};

    /// A toggle with an input; `mut:a` inverts its output, `mut:b` freezes it.
    fn model() -> ConditionalMutant {
        let mut aig = Aig::new();
        let input = aig.add_input(Some("in".into()));
        let a = aig.add_latch(Reset::Free, Some("mut:a".into()));
        let state = aig.add_latch(Reset::One, Some("state".into()));
        let b = aig.add_latch(Reset::Free, Some("mut:b".into()));
        let toggled = aig.xor(state, input);
        let next = aig.ite(b, state, toggled);
        aig.set_next(1, next);
        let out = aig.xor(state, a);
        aig.add_output(out, Some("out".into()));
        conditional_mutant(aig, &NamesDecide).unwrap()
    }

    /// Returns the outputs for four inputs.
    fn run(model: &ConditionalMutant, variant: Variant) -> Vec<Vec<bool>> {
        let stimulus = Stimulus {
            initial: FirstValues::zeros(model.aig.latches().len()),
            steps: vec![vec![true], vec![false], vec![true], vec![true]],
        };
        replay(model, variant, &stimulus).unwrap().outputs
    }

    #[test]
    fn a_mutant_in_the_place_of_the_original_behaves_as_before() {
        let full = model();
        for mutant in full.selector_ids() {
            let other = exchanged(&full, mutant);
            assert_eq!(other.selectors, full.selectors);
            let mutated = run(&full, Variant::Mutant(mutant));
            assert_ne!(mutated, run(&full, Variant::Original));
            assert_eq!(run(&other, Variant::Original), mutated);
            assert_eq!(
                run(&other, Variant::Mutant(mutant)),
                run(&full, Variant::Original)
            );
        }
    }

    #[test]
    fn original_and_kept_mutants_behave_as_before() {
        let full = model();
        let one = keep_mutants(&full, &[SelectorId(1)]);
        assert_eq!(one.selectors.len(), 1);
        assert_eq!(one.selectors[0].id.0, "b");
        assert!(one.aig.gate_count() < full.aig.gate_count());
        assert_eq!(run(&full, Variant::Original), run(&one, Variant::Original));
        assert_eq!(
            run(&full, Variant::Mutant(SelectorId(1))),
            run(&one, Variant::Mutant(SelectorId(0)))
        );
    }

    #[test]
    fn every_node_of_a_part_has_the_value_of_its_node_in_the_whole() {
        let full = model();
        let one = part(&full, &[SelectorId(0)]);
        let (latches, nodes) = (one.latches(), one.nodes());
        assert_eq!(latches, [0, 1]);
        for bits in 0..16 {
            let bit = |at: usize| bits >> at & 1 == 1;
            // The other mutant is off.
            let whole = full.aig.evaluate(|leaf| match leaf {
                Leaf::Input(at) => bit(at),
                Leaf::Latch(2) => false,
                Leaf::Latch(at) => bit(1 + at),
            });
            let own = one.model.aig.evaluate(|leaf| match leaf {
                Leaf::Input(at) => bit(at),
                Leaf::Latch(at) => bit(1 + latches[at]),
            });
            for (var, node) in one.model.aig.nodes() {
                let there = nodes[var.index()];
                assert_eq!(own.of(var.lit()), whole.of(there), "{node:?}");
            }
        }
    }

    #[test]
    fn without_any_mutant_the_original_is_left() {
        let none = keep_mutants(&model(), &[]);
        assert!(none.selectors.is_empty());
        assert_eq!(none.aig.latches().len(), 1);
        assert_eq!(none.aig.latches()[0].name.as_deref(), Some("state"));
    }
}
