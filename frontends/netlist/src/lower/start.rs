//! Values at the first step: initial values of the source, after the clock steps of resets.

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Init, InputRole, InputVar};
use hyperkill_core::term::{Term, TermId, TermPool};
use hyperkill_frontend::clocked::{Timing, power_up};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Gates, Result};
use super::lowering::{Lowering, States, bit_name, describe};
use super::values::{Unsaid, Values, World};
use crate::netlist::Kind;

/// A place without a defined value that the first values depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Leaf {
    /// The value of a state variable at power-up.
    PowerUp(usize),
    /// A place without a defined value in a clock step of the resets.
    Meanwhile(usize, Unsaid),
}

/// Sets the first values of all state variables.
pub(super) fn initial_values(lowering: &mut Lowering<'_>, states: &States) -> Result<()> {
    let said: Vec<Option<bool>> = (states.of.iter())
        .map(
            |&(cell, bit)| match lowering.flat.cells[cell].cell.register() {
                Some(register) => {
                    let said = register.init.get(bit).copied().flatten();
                    said.or(power_up(lowering.options))
                }
                None => None,
            },
        )
        .collect();
    if lowering.timing.resets.is_empty() {
        for (state, said) in said.iter().enumerate() {
            if let Some(value) = said {
                let term = lowering.system.terms.constant(Sort::Bit, u64::from(*value));
                lowering.system.states[state].init = Init::Term(term);
            }
        }
        return Ok(());
    }
    // The trial finds the leaves that first values depend on; only these become choices.
    let mut trial = lowering.system.terms.clone();
    let mut leaves: Vec<Leaf> = Vec::new();
    let first_trial = lowering.system.inputs.len();
    let on_trial = after_reset(lowering, states, &said, &mut trial, |pool, leaf| {
        leaves.push(leaf);
        let term = pool.input(first_trial + leaves.len() - 1, Sort::Bit);
        pool.cast(term, &Sort::Bool)
    })?;
    let used = support(&trial, &on_trial, first_trial);
    // A variable that keeps its value is free itself, and others may read it.
    let mut kept: FxHashSet<usize> = FxHashSet::default();
    for (state, &term) in on_trial.iter().enumerate() {
        if let Some(leaf) = leaf_of(&trial, term, first_trial)
            && leaves[leaf] == Leaf::PowerUp(state)
        {
            kept.insert(state);
        }
    }
    let used: FxHashSet<Leaf> = used.into_iter().map(|leaf| leaves[leaf]).collect();
    let mut pool = std::mem::take(&mut lowering.system.terms);
    let mut inputs = std::mem::take(&mut lowering.system.inputs);
    let flat = lowering.flat;
    let found = after_reset(lowering, states, &said, &mut pool, |pool, leaf| {
        let name = match leaf {
            Leaf::PowerUp(state) if kept.contains(&state) => {
                let term = pool.state(state, Sort::Bit);
                return pool.cast(term, &Sort::Bool);
            }
            _ if !used.contains(&leaf) => return Ok(pool.bool(false)),
            Leaf::PowerUp(state) => {
                let (cell, bit) = states.of[state];
                format!("init:{}", bit_name(flat, cell, bit))
            }
            Leaf::Meanwhile(step, what) => format!("reset{step}:{}", describe(flat, what).0),
        };
        let term = pool.input(inputs.len(), Sort::Bit);
        inputs.push(InputVar {
            name,
            sort: Sort::Bit,
            role: InputRole::Choice,
        });
        pool.cast(term, &Sort::Bool)
    });
    let mut terms = Vec::new();
    for term in found? {
        terms.push(pool.cast(term, &Sort::Bit)?);
    }
    for (state, term) in terms.into_iter().enumerate() {
        if !kept.contains(&state) {
            lowering.system.states[state].init = Init::Term(term);
        }
    }
    lowering.system.terms = pool;
    lowering.system.inputs = inputs;
    Ok(())
}

/// Returns the number of the leaf if a term is a leaf, perhaps in a cast. Leaves are inputs of the pool from `first` on.
fn leaf_of(pool: &TermPool, term: TermId, first: usize) -> Option<usize> {
    match pool.term(term) {
        Term::Cast(inner) => leaf_of(pool, *inner, first),
        Term::Input(index) => (*index as usize).checked_sub(first),
        _ => None,
    }
}

/// Returns the numbers of the leaves that the terms `roots` read. Leaves are inputs of the pool from `first` on.
fn support(pool: &TermPool, roots: &[TermId], first: usize) -> FxHashSet<usize> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut found = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.term(term) {
            Term::Input(index) => found.extend((*index as usize).checked_sub(first)),
            Term::Unary(_, a)
            | Term::Cast(a)
            | Term::InDomain(a, _)
            | Term::Slice(a, _)
            | Term::Number(a) => stack.push(*a),
            Term::Binary(_, a, b) | Term::Concat(a, b) => stack.extend([*a, *b]),
            Term::Ite(a, b, c) => stack.extend([*a, *b, *c]),
            Term::Constant(_) | Term::State(_) | Term::Selector(_) => {}
        }
    }
    found
}

/// The environment in a clock step of the resets.
struct Resetting<'a, F> {
    timing: &'a Timing<usize>,
    states: &'a States,
    held: &'a [TermId],
    zero: TermId,
    one: TermId,
    step: usize,
    leaf: &'a mut F,
    known: FxHashMap<Unsaid, TermId>,
}

impl<F: FnMut(&mut TermPool, Leaf) -> Result<TermId>> World for Resetting<'_, F> {
    fn port(&mut self, port: usize, _: usize) -> TermId {
        match self.timing.level(port, self.step) {
            true => self.one,
            false => self.zero,
        }
    }

    fn held(&mut self, cell: usize, bit: usize) -> TermId {
        self.held[self.states.first[&cell] + bit]
    }

    fn unsaid(&mut self, gates: &mut Gates<'_>, what: Unsaid) -> Result<TermId> {
        if let Some(&known) = self.known.get(&what) {
            return Ok(known);
        }
        let term = (self.leaf)(gates.0, Leaf::Meanwhile(self.step, what))?;
        self.known.insert(what, term);
        Ok(term)
    }
}

/// Returns the values of all state variables after the resets. They start with `said`, or with a new leaf for each `None`. `leaf` makes the
/// leaves.
fn after_reset<F: FnMut(&mut TermPool, Leaf) -> Result<TermId>>(
    lowering: &Lowering<'_>,
    states: &States,
    said: &[Option<bool>],
    pool: &mut TermPool,
    mut leaf: F,
) -> Result<Vec<TermId>> {
    let (zero, one) = (pool.bool(false), pool.bool(true));
    let mut held = Vec::with_capacity(said.len());
    for (state, said) in said.iter().enumerate() {
        held.push(match said {
            Some(value) => pool.bool(*value),
            None => leaf(pool, Leaf::PowerUp(state))?,
        });
    }
    for step in 0..lowering.timing.reset_steps() {
        let world = Resetting {
            timing: lowering.timing,
            states,
            held: &held,
            zero,
            one,
            step,
            leaf: &mut leaf,
            known: FxHashMap::default(),
        };
        let gates = Gates(pool);
        let mut values = Values::new(
            lowering.flat,
            lowering.order,
            &lowering.planted,
            gates,
            world,
        )?;
        let mut next = Vec::with_capacity(held.len());
        for (index, found) in lowering.flat.cells.iter().enumerate() {
            match &found.cell.kind {
                Kind::Register(register) => next.extend(values.next(index, register)?),
                Kind::AnyConstant => {
                    let first = states.first[&index];
                    next.extend_from_slice(&held[first..first + found.cell.outputs[0].bits.len()]);
                }
                _ => {}
            }
        }
        drop(values);
        held = next;
    }
    Ok(held)
}
