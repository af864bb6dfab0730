//! The cone of influence of a mutant's verdict, by names and structure.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_core::aig::Reset;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{self, Fault};

use super::view::{Code, Leaves, Original, View, code};

/// A hash of everything that a verdict depends on: mutants of two versions of a model with equal keys have the same verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(Code);

/// The parts of a model on which the verdicts on its mutants depend.
pub struct Contents<'a> {
    pub(super) original: Original<'a>,
    /// Literals on which every verdict depends: constraints, and outputs that choices reach.
    always: Vec<Lit>,
    /// Outputs, by index, that choices reach.
    chosen: Vec<usize>,
    influences: BTreeMap<Vec<usize>, Arc<Vec<usize>>>,
    cones: BTreeMap<Roots, Arc<Vec<usize>>>,
}

/// The roots of a cone of influence: outputs and latches, by index.
type Roots = (Vec<usize>, Vec<usize>);

impl<'a> Contents<'a> {
    /// Returns the contents of a model: its codes, and the literals on which every verdict depends.
    #[must_use]
    pub fn of(model: &'a ConditionalMutant) -> Contents<'a> {
        let original = Original::of(model);
        let aig = &model.aig;
        let chosen = original.influenced(&choices(&original));
        let outputs = chosen.iter().map(|&at| aig.outputs[at].lit);
        let mut always: Vec<Lit> = outputs.collect();
        if !fault::planted(Fault::ConstraintsForgottenInKeys) {
            always.extend(aig.constraints.iter().map(|constraint| constraint.lit));
        }
        Contents {
            original,
            always,
            chosen,
            influences: BTreeMap::new(),
            cones: BTreeMap::new(),
        }
    }

    /// Returns the hash of everything that the verdict on a mutant depends on.
    pub fn key(&mut self, mutant: SelectorId) -> Key {
        let cone = self.of_mutant(mutant);
        self.written(&self.original.view(mutant), &cone.outputs, &cone.latches)
    }

    /// Returns the number of outputs and latches that the verdict on a mutant depends on.
    pub fn size(&mut self, mutant: SelectorId) -> usize {
        let cone = self.of_mutant(mutant);
        cone.outputs.len() + cone.latches.len()
    }

    /// Returns the outputs and latches, by index, that the verdict on a mutant depends on.
    pub(super) fn of_mutant(&mut self, mutant: SelectorId) -> MutantCone {
        let aig = &self.original.model.aig;
        let (changed, mut outputs, extra) = {
            let view = self.original.view(mutant);
            let latches = (aig.latches().iter().enumerate())
                .filter(|(_, latch)| view.changes(latch.next))
                .map(|(at, _)| at);
            let changed: Vec<usize> = latches.collect();
            let outputs = (aig.outputs.iter().enumerate())
                .filter(|(_, output)| view.changes(output.lit))
                .map(|(at, _)| at);
            let outputs: Vec<usize> = outputs.collect();
            let next = changed.iter().map(|&at| aig.latches()[at].next);
            let shown = outputs.iter().map(|&at| aig.outputs[at].lit);
            let constraints = aig.constraints.iter().map(|constraint| constraint.lit);
            let constraints = constraints.filter(|&lit| view.changes(lit));
            let extra = view.leaves(next.chain(shown).chain(constraints));
            (changed, outputs, extra)
        };
        outputs.extend(self.influence(&changed).iter());
        outputs.extend(&self.chosen);
        outputs.sort_unstable();
        outputs.dedup();
        let mut latches: Vec<usize> = extra.latches.into_iter().chain(changed).collect();
        latches.sort_unstable();
        latches.dedup();
        let latches = self.cone(outputs.clone(), latches);
        MutantCone { outputs, latches }
    }

    /// Returns the outputs, by index, that depend on these latches in any number of steps.
    fn influence(&mut self, changed: &[usize]) -> Arc<Vec<usize>> {
        if let Some(known) = self.influences.get(changed) {
            return Arc::clone(known);
        }
        let leaves = Leaves {
            latches: changed.iter().copied().collect(),
            ..Leaves::default()
        };
        let influence = Arc::new(self.original.influenced(&leaves));
        self.influences
            .insert(changed.to_vec(), Arc::clone(&influence));
        influence
    }

    /// Returns the latches, by index, in the cone of influence of these outputs, these latches and the literals in every cone, ordered by
    /// name.
    fn cone(&mut self, outputs: Vec<usize>, latches: Vec<usize>) -> Arc<Vec<usize>> {
        let roots = (outputs, latches);
        if let Some(known) = self.cones.get(&roots) {
            return Arc::clone(known);
        }
        let aig = &self.original.model.aig;
        let shown = roots.0.iter().map(|&at| aig.outputs[at].lit);
        let held = roots.1.iter().map(|&at| aig.latches()[at].var.lit());
        let always = self.always.iter().copied();
        let leaves = self.original.leaves(shown.chain(held).chain(always), true);
        let mut latches: Vec<usize> = leaves.latches.into_iter().collect();
        latches.sort_unstable_by_key(|&at| &self.original.latches[at]);
        let latches = Arc::new(latches);
        self.cones.insert(roots, Arc::clone(&latches));
        latches
    }

    fn written(&self, view: &View<'_, '_>, outputs: &[usize], latches: &[usize]) -> Key {
        let aig = &self.original.model.aig;
        let latches = latches.iter().map(|&at| {
            let latch = &aig.latches()[at];
            let reset = match fault::planted(Fault::FirstValuesForgottenInKeys) {
                true => Reset::Zero,
                false => latch.reset,
            };
            let name = &self.original.latches[at];
            code(&(name, reset, view.coded(latch.next)))
        });
        let shown = outputs.iter();
        let shown = shown.map(|&at| (&self.original.outputs[at], view.coded(aig.outputs[at].lit)));
        let mut shown: Vec<Code> = shown.map(|output| code(&output)).collect();
        shown.sort_unstable();
        let mut constraints: Vec<Code> = Vec::new();
        if !fault::planted(Fault::ConstraintsForgottenInKeys) {
            let held = aig.constraints.iter();
            constraints.extend(held.map(|held| code(&view.coded(held.lit))));
            constraints.sort_unstable();
            constraints.dedup();
        }
        let latches: Vec<Code> = latches.collect();
        Key(code(&(latches, shown, constraints)))
    }

    /// Maps mutants of this model to `known` mutants of the other model with the same verdict. Mutants without such a match are left out.
    /// Equal names are preferred.
    pub fn alike(
        &mut self,
        wanted: &[SelectorId],
        other: &mut Contents<'_>,
        known: &[SelectorId],
    ) -> BTreeMap<SelectorId, SelectorId> {
        let theirs = other.original.model;
        let mut by_key: BTreeMap<Key, Vec<SelectorId>> = BTreeMap::new();
        for &selector in known {
            by_key
                .entry(other.key(selector))
                .or_default()
                .push(selector);
        }
        let ours = self.original.model;
        let mut alike = BTreeMap::new();
        for &selector in wanted {
            let Some(candidates) = by_key.get(&self.key(selector)) else {
                continue;
            };
            let id = &ours.selectors[selector.0].id;
            let mut namesakes = candidates.iter();
            let namesake = namesakes.find(|other| theirs.selectors[other.0].id == *id);
            let found = namesake.or_else(|| candidates.first());
            alike.extend(found.map(|&found| (selector, found)));
        }
        alike
    }
}

/// The outputs and latches on which the verdict on a mutant depends, by index.
pub(super) struct MutantCone {
    /// Outputs that the mutant or choices reach, ascending.
    pub outputs: Vec<usize>,
    /// Latches in the cone of influence of these outputs and of the constraints, ordered by name.
    pub latches: Arc<Vec<usize>>,
}

/// Returns the choices and the latches with a free initial value: the values that only the model decides, and no tester.
pub(super) fn choices(original: &Original<'_>) -> Leaves {
    let aig = &original.model.aig;
    let free = aig.latches().iter().enumerate();
    let free =
        free.filter(|(at, latch)| latch.reset == Reset::Free && original.selectors[*at].is_none());
    Leaves {
        inputs: original.model.choice_bits().collect(),
        latches: free.map(|(at, _)| at).collect(),
    }
}
