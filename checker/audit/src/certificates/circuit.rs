//! The circuit of certificates, with names of its parts from the AIGER file.

use std::collections::HashMap;
use std::sync::OnceLock;

use hyperkill_certify::InputClasses;
use hyperkill_core::aiger::{annotate, file_literals, write_binary};
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};
use sha2::{Digest, Sha256};

use super::Unreadable;
use super::run_form::RunForm;
use crate::documents::Place;
use crate::names::digest;

/// A conditional mutant (a circuit with selectors for its mutants), with names and numbers from its AIGER file.
#[derive(Debug)]
pub struct Circuit<'a> {
    /// The conditional mutant.
    pub model: &'a ConditionalMutant,
    /// SHA-256 of the binary AIGER file without comments.
    pub digest: String,
    /// By variable of the circuit, its literal in the file.
    codes: Vec<Lit>,
    /// By variable of the file, the variable of the circuit.
    vars: Vec<Var>,
    /// Names in the file, by latch and by input.
    latches: Vec<Option<String>>,
    inputs: Vec<Option<String>>,
    /// Names in the file, by variable of the circuit.
    nodes: Vec<Option<String>>,
    /// Classes of input valuations, computed when a check needs them.
    classes: OnceLock<InputClasses>,
    /// The form of runs, computed when the first run is read.
    runs: OnceLock<RunForm>,
    /// The selectors by the ids of their mutants, computed when the first id is looked up.
    selectors: OnceLock<HashMap<String, SelectorId>>,
}

impl<'a> Circuit<'a> {
    /// Returns the circuit of a model with the names, numbers and digest of its AIGER file.
    pub fn of(model: &'a ConditionalMutant) -> Circuit<'a> {
        let mut aig = annotate(model);
        // Comments name the place of the model; the circuit is independent of it.
        aig.comments.clear();
        let codes = file_literals(&aig);
        let mut vars = vec![Var::CONST; aig.len()];
        for (index, code) in codes.iter().enumerate() {
            vars[code.var().index()] = Var::new(index);
        }
        let mut nodes = vec![None; aig.len()];
        for input in aig.inputs() {
            nodes[input.var.index()].clone_from(&input.name);
        }
        for latch in aig.latches() {
            nodes[latch.var.index()].clone_from(&latch.name);
        }
        Circuit {
            model,
            digest: digest(Sha256::new_with_prefix(write_binary(&aig))),
            codes,
            vars,
            latches: aig.latches().iter().map(|l| l.name.clone()).collect(),
            inputs: aig.inputs().iter().map(|i| i.name.clone()).collect(),
            nodes,
            classes: OnceLock::new(),
            runs: OnceLock::new(),
            selectors: OnceLock::new(),
        }
    }

    /// Returns the selector of the mutant with this id; `None` if the circuit has no such mutant.
    #[must_use]
    pub fn selector(&self, id: &str) -> Option<SelectorId> {
        let selectors = self.selectors.get_or_init(|| {
            let ids = self.model.selectors.iter();
            let ids = ids.map(|selector| selector.id.0.clone());
            ids.zip(self.model.selector_ids()).collect()
        });
        selectors.get(id).copied()
    }

    /// Returns the run that bit strings describe, as [`read_run`](super::read_run) does. Many runs of one circuit are read fast.
    ///
    /// # Errors
    /// If it does not fit the circuit.
    pub fn read_run(&self, initial: &str, steps: &[String]) -> Result<Stimulus, Unreadable> {
        let form = self.runs.get_or_init(|| RunForm::of(self.model));
        form.read(initial, steps)
    }

    /// Returns the classes of input valuations of the circuit, which checks share. They are computed at the first call.
    pub(crate) fn classes(&self, budget: &Budget) -> &InputClasses {
        let classes = &self.classes;
        classes.get_or_init(|| InputClasses::of(self.model, budget))
    }

    /// Returns the latch with this index as documents refer to it: index and name.
    #[must_use]
    pub fn latch(&self, at: usize) -> Place {
        let name = self.latches.get(at).cloned().flatten();
        Place { at, name }
    }

    pub(super) fn input(&self, at: usize) -> Place {
        let name = self.inputs.get(at).cloned().flatten();
        Place { at, name }
    }

    pub(super) fn node(&self, var: Var) -> Place {
        Place {
            at: self.codes[var.index()].var().index(),
            name: self.nodes[var.index()].clone(),
        }
    }

    pub(super) fn literal(&self, lit: Lit) -> Place {
        let code = self.codes[lit.var().index()] ^ lit.is_negated();
        Place {
            at: code.code() as usize,
            name: self.nodes[lit.var().index()].clone(),
        }
    }

    pub(super) fn read_latch(&self, place: &Place) -> Result<usize, Unreadable> {
        named("latch", place, self.latches.get(place.at))?;
        Ok(place.at)
    }

    pub(super) fn read_input(&self, place: &Place) -> Result<usize, Unreadable> {
        named("input", place, self.inputs.get(place.at))?;
        Ok(place.at)
    }

    pub(super) fn read_node(&self, place: &Place) -> Result<Var, Unreadable> {
        let var = self.vars.get(place.at);
        named("node", place, var.map(|var| &self.nodes[var.index()]))?;
        Ok(var.copied().unwrap_or(Var::CONST))
    }

    pub(super) fn read_literal(&self, place: &Place) -> Result<Lit, Unreadable> {
        let var = self.vars.get(place.at / 2);
        named("literal", place, var.map(|var| &self.nodes[var.index()]))?;
        let var = var.copied().unwrap_or(Var::CONST);
        Ok(var.lit() ^ (place.at % 2 == 1))
    }
}

/// Checks that the place that a certificate refers to exists in the circuit and has the same name there. `known` is that name, if the place
/// exists. `what` is the kind of place in messages.
fn named(
    what: &'static str,
    place: &Place,
    known: Option<&Option<String>>,
) -> Result<(), Unreadable> {
    let at = place.at;
    let known = known.ok_or(Unreadable::NoSuchPlace { what, at })?;
    if known == &place.name {
        return Ok(());
    }
    let text = |name: &Option<String>| {
        name.as_ref()
            .map_or("nothing".to_owned(), |n| format!("`{n}`"))
    };
    Err(Unreadable::Name {
        what,
        at,
        is: text(known),
        said: text(&place.name),
    })
}
