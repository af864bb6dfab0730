//! Roles and types: translates a circuit to the conditional mutant that its names and comment describe, and back.
//!
//! Semantics.md §1 has the table of names. Types are one line of JSON in the comment section ([`super::comment`]); without it every bit is
//! a port of its own. Gates are never changed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::comment::{self, Comment};
use super::error::RoleError;
use crate::aig::Reset;
use crate::conditional::{Port, SelectorId, SelectorLatch, sorts};
use crate::events::fitting;
use crate::mutant::MutantId;
use crate::sort::Sort;
use crate::system::InputRole;
use crate::{Aig, ConditionalMutant, Lit};

/// The user's roles, which override or extend the names in the file. `None` leaves the role to the names.
///
/// The argument is the name of a port if the file has types, else a bit's complete name in the symbol table (`in0`, `latch0`, `out0` for
/// unnamed bits).
pub trait RoleGlobs {
    /// Returns the role of an input: set by the tester, or a choice of the system. `None` if its name decides.
    fn input(&self, _name: &str) -> Option<InputRole> {
        None
    }

    /// Returns whether a latch is a mutant selector; `None` if its name decides.
    fn is_selector(&self, _latch: &str) -> Option<bool> {
        None
    }

    /// Whether the tester can observe an output. Unobservable outputs are dropped from the model.
    fn is_observable(&self, _output: &str) -> bool {
        true
    }
}

/// Globs that match nothing: the names of inputs and latches decide.
#[derive(Clone, Copy, Default, Debug)]
pub struct NamesDecide;

impl RoleGlobs for NamesDecide {}

/// Returns a circuit with its roles, and with the types in its comment.
///
/// `globs` decide a role first, then the comment, then names: inputs `nd:…` are choices, latches `mut` and `mut:ID` selectors. Equal names
/// of untyped ports are distinguished by `#` and the index.
///
/// # Errors
/// If a selector is not constant and free, ids are not unique, or the comment does not fit the circuit.
pub fn conditional_mutant(
    mut aig: Aig,
    globs: &impl RoleGlobs,
) -> Result<ConditionalMutant, RoleError> {
    let comment = comment::take(&mut aig)?;
    let is_typed = comment.is_some();
    let selectors = selectors(&aig, globs)?;
    let Comment {
        name,
        inputs: declared_inputs,
        choices: declared_choices,
        outputs,
        accepts,
        events,
        mutants,
        ..
    } = comment.unwrap_or_else(|| untyped(&aig));
    let mut inputs = Vec::new();
    let mut choices = Vec::new();
    let tests = declared_inputs.into_iter().map(|p| (p, InputRole::Test));
    let choosers = declared_choices.into_iter().map(|p| (p, InputRole::Choice));
    for (port, declared) in tests.chain(choosers) {
        match globs.input(&port.name).unwrap_or(declared) {
            InputRole::Test => inputs.push(port),
            InputRole::Choice => choices.push(port),
        }
    }
    if !is_typed {
        for port in &mut choices {
            if let Some(bare) = port.name.strip_prefix("nd:") {
                port.name = bare.to_owned();
            }
        }
    }
    let outputs = observable(&mut aig, outputs, globs);
    Ok(ConditionalMutant {
        accepts,
        events: fitting(&events, &sorts(&inputs), &sorts(&outputs)),
        name,
        aig,
        inputs,
        choices,
        outputs,
        selectors,
        mutants,
    })
}

/// Returns the circuit with a symbol table and comment from which [`conditional_mutant`] restores the model.
#[must_use]
pub fn annotate(model: &ConditionalMutant) -> Aig {
    let mut aig = model.aig.clone();
    for port in &model.inputs {
        for (i, &bit) in port.bits.iter().enumerate() {
            aig.set_input_name(bit, Some(port.bit_name(i)));
        }
    }
    for port in &model.choices {
        for (i, &bit) in port.bits.iter().enumerate() {
            aig.set_input_name(bit, Some(format!("nd:{}", port.bit_name(i))));
        }
    }
    for port in &model.outputs {
        for (i, &bit) in port.bits.iter().enumerate() {
            aig.outputs[bit].name = Some(port.bit_name(i));
        }
    }
    let selector_of = model.selector_of_latch();
    for (latch, selector) in selector_of.iter().enumerate() {
        let name = aig.latches()[latch].name.clone();
        match selector {
            Some(selector) => {
                let id = &model.selectors[selector.0].id;
                let name = match id.0.as_str() {
                    "mut" => "mut".to_owned(),
                    id => format!("mut:{id}"),
                };
                aig.set_latch_name(latch, Some(name));
            }
            // Hidden state must not have the name of a selector.
            None => {
                if let Some(name) = name.filter(|name| selected_by_name(name).is_some()) {
                    aig.set_latch_name(latch, Some(format!("state:{name}")));
                }
            }
        }
    }
    for bad in &mut aig.bad {
        bad.name = bad.name.take().map(|name| spec_name(&name));
    }
    tell_apart(&mut aig, &selector_of);
    aig.comments.push(comment::line(model));
    aig
}

/// Returns the symbol of a property: `spec:` and its name, with `_` for spaces, so that it is one word and no wire's name. Other tools end
/// a name at its first space.
fn spec_name(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join("_");
    if name.starts_with("spec:") {
        name
    } else {
        format!("spec:{name}")
    }
}

/// Renames wires that share a name with a different wire, where only the symbol table uses the name. Other tools take an output and an
/// input or latch of one name for the same wire, and refuse the file if they differ. Our own reader names outputs by the comment, and
/// hidden state by nothing.
fn tell_apart(aig: &mut Aig, selector_of: &[Option<SelectorId>]) {
    let mut wires: FxHashMap<String, Lit> = FxHashMap::default();
    for input in aig.inputs() {
        wires.extend(input.name.clone().map(|name| (name, input.var.lit())));
    }
    for (latch, _) in (aig.latches().iter().zip(selector_of)).filter(|(_, s)| s.is_some()) {
        wires.extend(latch.name.clone().map(|name| (name, latch.var.lit())));
    }
    let mut shown: FxHashMap<String, Lit> = FxHashMap::default();
    for output in &mut aig.outputs {
        if let Some(name) = &mut output.name {
            while wires.get(name).is_some_and(|&wire| wire != output.lit) {
                name.insert_str(0, "out:");
            }
            shown.insert(name.clone(), output.lit);
        }
    }
    for (latch, selector) in selector_of.iter().enumerate() {
        let lit = aig.latches()[latch].var.lit();
        let name = aig.latches()[latch].name.clone();
        let Some(mut name) = name.filter(|_| selector.is_none()) else {
            continue;
        };
        while wires.contains_key(&name) || shown.get(&name).is_some_and(|&output| output != lit) {
            name.insert_str(0, "state:");
        }
        wires.insert(name.clone(), lit);
        aig.set_latch_name(latch, Some(name));
    }
}

/// Returns the id of the mutant that a latch of this name selects; `None` if the latch is no selector.
fn selected_by_name(name: &str) -> Option<&str> {
    if name == "mut" {
        return Some(name);
    }
    name.strip_prefix("mut:")
}

fn selectors(aig: &Aig, globs: &impl RoleGlobs) -> Result<Vec<SelectorLatch>, RoleError> {
    let mut ids = FxHashSet::default();
    let mut selectors = Vec::new();
    for (latch, driver) in aig.latches().iter().enumerate() {
        let name = match &driver.name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("latch{latch}"),
        };
        let by_name = driver.name.as_deref().and_then(selected_by_name);
        if !globs.is_selector(&name).unwrap_or(by_name.is_some()) {
            continue;
        }
        let id = MutantId(by_name.unwrap_or(&name).to_owned());
        if driver.next != driver.var.lit() {
            return Err(RoleError::SelectorChanges { latch, name });
        }
        if driver.reset != Reset::Free {
            return Err(RoleError::SelectorInitialised { latch, name });
        }
        if !ids.insert(id.clone()) {
            return Err(RoleError::SelectorTwice { latch, name, id });
        }
        selectors.push(SelectorLatch { id, latch });
    }
    Ok(selectors)
}

/// Returns the description of a circuit without one: every input and output bit is a port of its own, and inputs `nd:…` are choices.
fn untyped(aig: &Aig) -> Comment {
    let port = |(bit, name)| Port {
        name,
        sort: Sort::Bit,
        bits: vec![bit],
    };
    let names = unique_names("in", aig.inputs().iter().map(|i| i.name.as_deref()));
    let (choices, inputs) = names
        .into_iter()
        .enumerate()
        .map(port)
        .partition(|port| port.name.starts_with("nd:"));
    let names = unique_names("out", aig.outputs.iter().map(|o| o.name.as_deref()));
    Comment {
        inputs,
        choices,
        outputs: names.into_iter().enumerate().map(port).collect(),
        ..Comment::default()
    }
}

/// Drops unobservable outputs from the circuit. Returns the remaining ports, with the new indices of their bits.
fn observable(aig: &mut Aig, ports: Vec<Port>, globs: &impl RoleGlobs) -> Vec<Port> {
    let all = std::mem::take(&mut aig.outputs);
    let mut kept_at = vec![None; all.len()];
    let mut ports: Vec<Port> = ports
        .into_iter()
        .filter(|port| globs.is_observable(&port.name))
        .collect();
    for &bit in ports.iter().flat_map(|port| &port.bits) {
        kept_at[bit] = Some(0);
    }
    for (slot, signal) in kept_at.iter_mut().zip(all) {
        if let Some(index) = slot {
            *index = aig.outputs.len();
            aig.outputs.push(signal);
        }
    }
    for bit in ports.iter_mut().flat_map(|port| &mut port.bits) {
        if let Some(index) = kept_at[*bit] {
            *bit = index;
        }
    }
    ports
}

/// Returns distinct names for the inputs, latches or outputs of a section. The mark of a choice does not make a name distinct. A thing
/// without a name gets `prefix` and its index.
fn unique_names<'a>(
    prefix: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Vec<String> {
    fn bare(name: &str) -> &str {
        name.strip_prefix("nd:").unwrap_or(name)
    }
    let mut uses: FxHashMap<String, usize> = FxHashMap::default();
    for name in names.clone().flatten() {
        *uses.entry(bare(name).to_owned()).or_default() += 1;
    }
    let mut taken: FxHashSet<String> = uses.keys().cloned().collect();
    let mut result = Vec::new();
    for (index, name) in names.enumerate() {
        let mut candidate = match name {
            Some(name) if !name.is_empty() => {
                if uses.get(bare(name)) == Some(&1) {
                    result.push(name.to_owned());
                    continue;
                }
                format!("{name}#{index}")
            }
            _ => format!("{prefix}{index}"),
        };
        while !taken.insert(bare(&candidate).to_owned()) {
            candidate.push('_');
        }
        result.push(candidate);
    }
    result
}
