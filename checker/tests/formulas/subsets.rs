//! A complete oracle for formulas with one alternation over finite traces.
//!
//! After the same steps of given outer traces, the inner ones and the tableau of the negated body can be in a set of nodes. Outer traces
//! withstand all inner ones if at their last step no node of this set may end. Sets beside states of the outer traces are listed.

use std::collections::HashSet;

use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Quantifier;

use crate::determinised::product;
use crate::random::{initial, step};
use crate::tableau::{Node, Oracle, list};

/// Limit on nodes whose steps are listed.
const MOST: usize = 60_000;

/// Whether some finite traces for the leading ∃ withstand all traces of the same length for the ∀ behind them; `None` if there is too
/// much to list.
pub(crate) fn withstands_finite(model: &ConditionalMutant, formula: &Formula) -> Option<bool> {
    let prefix = formula.prefix.iter();
    let leading = prefix.take_while(|(q, _)| *q == Quantifier::Exists).count();
    let negated = Formula {
        prefix: formula.prefix.clone(),
        body: formula.body.clone().not(),
    };
    let mut parts = Vec::new();
    list(&negated.body, &mut parts);
    let oracle = Oracle::new(model, &negated, parts);
    let first = sorted(oracle.starts(formula.prefix.len() - leading));
    let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..leading {
        starts = product(&starts, &initial(model));
    }
    let mut open: Vec<(Vec<u32>, Vec<Node>)> = starts
        .into_iter()
        .map(|start| (start, first.clone()))
        .collect();
    let mut seen: HashSet<(Vec<u32>, Vec<Node>)> = open.iter().cloned().collect();
    let mut left = MOST;
    while let Some((states, nodes)) = open.pop() {
        for (letter, to) in letters(model, &states) {
            left = left.checked_sub(nodes.len() + 1)?;
            if !nodes.iter().any(|node| oracle.may_end(node, &letter)) {
                return Some(true);
            }
            let next = nodes.iter().flat_map(|node| oracle.steps(node, &letter));
            let next = sorted(next.map(|(next, _)| next).collect());
            if seen.insert((to.clone(), next.clone())) {
                open.push((to, next));
            }
        }
    }
    Some(false)
}

fn sorted(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Returns the joint steps of the outer traces from these states: the values of all circuit nodes, and the successor states.
fn letters(model: &ConditionalMutant, states: &[u32]) -> Vec<(Vec<Vec<bool>>, Vec<u32>)> {
    let mut joint = vec![(Vec::new(), Vec::new())];
    for &state in states {
        let own: Vec<(Vec<bool>, u32)> = (0..1_u32 << model.aig.inputs().len())
            .filter_map(|inputs| step(model, state, inputs))
            .collect();
        joint = (joint.iter())
            .flat_map(|(seen, to): &(Vec<Vec<bool>>, Vec<u32>)| {
                own.iter().map(move |(values, next)| {
                    let (mut seen, mut to) = (seen.clone(), to.clone());
                    seen.push(values.clone());
                    to.push(*next);
                    (seen, to)
                })
            })
            .collect();
    }
    joint
}
