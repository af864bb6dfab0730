//! Outputs that read inputs of the leaving step: their values count only if some step carries these inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::reached::{inputs_in, reached};
use crate::substitution::Substitution;
use crate::system::{InputVar, TransitionSystem, When};
use crate::term::{BinaryOp, Term, TermError, TermId, TermPool};

/// Name of the constraint that a step with the inputs that outputs show can leave the state.
pub const CARRIED: &str = "hyperkill:carried";

/// Returns the condition that some step can leave the state with the inputs that outputs read, in every variant whose outputs read inputs
/// of the leaving step; `None` if no output reads any. In that step, the coming values and the inputs in `movable` are choices of their
/// own, which may differ from the run's next step.
pub(super) fn condition(
    system: &mut TransitionSystem,
    source: &TransitionSystem,
    movable: &FxHashSet<usize>,
) -> Result<Option<TermId>, TermError> {
    let mut shown = system.terms.bool(false);
    for output in &source.outputs {
        let shows = shows(&mut system.terms, output.term, &source.leaving)?;
        shown = system.terms.binary(BinaryOp::Or, shown, shows)?;
    }
    if system.terms.as_bool(shown) == Some(false) {
        return Ok(None);
    }
    let steps = source
        .constraints
        .iter()
        .filter(|c| c.when == When::Leaving);
    let states = source.constraints.iter().filter(|c| c.when == When::Always);
    let mut leave = Fresh::new("successor", movable.clone());
    let mut arrive = Fresh::new("successor.then", (0..source.inputs.len()).collect());
    leave.declare(system, steps.clone().map(|c| c.term));
    let nexts: Vec<TermId> = source.states.iter().map(|state| state.next).collect();
    leave.declare(system, nexts.iter().copied());
    arrive.declare(system, states.clone().map(|c| c.term));
    for (index, next) in nexts.into_iter().enumerate() {
        let now = system.terms.state(index, source.states[index].sort.clone());
        let next = leave.images.apply(&mut system.terms, next)?;
        arrive.images.replace(now, next);
    }
    let mut all = system.terms.bool(true);
    for constraint in steps {
        let step = leave.images.apply(&mut system.terms, constraint.term)?;
        all = system.terms.binary(BinaryOp::And, all, step)?;
    }
    for constraint in states {
        let state = arrive.images.apply(&mut system.terms, constraint.term)?;
        all = system.terms.binary(BinaryOp::And, all, state)?;
    }
    let hidden = system.terms.not(shown)?;
    system.terms.binary(BinaryOp::Or, hidden, all).map(Some)
}

/// Replaces the inputs in `replaced` by new ones, whose names start with `name`.
struct Fresh {
    name: &'static str,
    replaced: FxHashSet<usize>,
    images: Substitution,
}

impl Fresh {
    fn new(name: &'static str, replaced: FxHashSet<usize>) -> Fresh {
        Fresh {
            name,
            replaced,
            images: Substitution::new(),
        }
    }

    /// Adds an input for each replaced input that these terms read. The image of the replaced input is the new one.
    fn declare(&mut self, system: &mut TransitionSystem, terms: impl Iterator<Item = TermId>) {
        let read = inputs_in(&system.terms, &reached(&system.terms, terms));
        let mut read: Vec<usize> = read.intersection(&self.replaced).copied().collect();
        read.sort_unstable();
        for input in read {
            self.replaced.remove(&input);
            let InputVar { name, sort, .. } = system.inputs[input].clone();
            let old = system.terms.input(input, sort.clone());
            let new = system.terms.input(system.inputs.len(), sort.clone());
            self.images.replace(old, new);
            system.inputs.push(InputVar {
                name: format!("{}.{name}", self.name),
                sort,
                role: crate::system::InputRole::Choice,
            });
        }
    }
}

/// Returns the condition, over selectors, under which a term reads one of these inputs.
fn shows(terms: &mut TermPool, root: TermId, inputs: &[usize]) -> Result<TermId, TermError> {
    let mut order: Vec<TermId> = reached(terms, [root]).into_iter().collect();
    // Operands precede terms.
    order.sort_unstable();
    let mut all: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in order {
        let top = terms.term(term).clone();
        let of = |operand: TermId| all.get(&operand).copied();
        let mut reads = match &top {
            Term::Input(index) => terms.bool(inputs.contains(&(*index as usize))),
            _ => terms.bool(false),
        };
        let variant = match &top {
            Term::Ite(c, a, b) if matches!(terms.term(*c), Term::Selector(_)) => {
                of(*a).zip(of(*b)).map(|(a, b)| (*c, a, b))
            }
            _ => None,
        };
        if let Some((selector, a, b)) = variant {
            reads = terms.ite(selector, a, b)?;
        } else {
            for operand in top.operands().into_iter().flatten().filter_map(of) {
                reads = terms.binary(BinaryOp::Or, reads, operand)?;
            }
        }
        all.insert(term, reads);
    }
    Ok(all.get(&root).copied().unwrap_or(root))
}
