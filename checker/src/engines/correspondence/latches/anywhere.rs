//! Nodes of the two copies that are equal in every state, reachable or not.

use rustc_hash::FxHashMap;

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, Lit, Var};

use crate::engines::correspondence::classes::Classes;
use crate::engines::correspondence::rigid;
use crate::engines::correspondence::sweep::{Effort, UnrolledStep, sweep};
use crate::engines::induction::{WORDS, random_states};
use crate::question::Reachability;
use crate::schedule::engine_efforts::{CORRESPONDENCE_CALLS, CORRESPONDENCE_CONFLICTS};

/// Returns classes of nodes that have equal values in both copies, in all states that satisfy the assumptions about constant latches.
/// `None` if a limit came first.
pub(super) fn equal_nodes(question: &Reachability, budget: &Budget) -> Option<Classes> {
    let aig = &question.product.aig;
    let (rigid, _) = rigid(question);
    let pairs = different_nodes(question);
    let alike = alike_in_random_states(question, &pairs);
    let mut classes = Classes::new(aig, grouped(&pairs, &alike));
    let mut graph = Aig::new();
    let images = graph.copy(aig, |_| true, |graph, _, _| graph.add_input(None));
    let assumed: Vec<Lit> = rigid.iter().map(|&lit| images.of(lit)).collect();
    let nodes = aig.nodes().map(|(var, _)| Some(images.of(var.lit())));
    let step = UnrolledStep {
        nodes: nodes.collect(),
        graph: &mut graph,
        assumed: &assumed,
    };
    let mut effort = Effort {
        conflicts: CORRESPONDENCE_CONFLICTS,
        calls: CORRESPONDENCE_CALLS,
    };
    sweep(aig, step, &mut classes, &mut effort, budget)?;
    Some(classes)
}

/// Returns the pairs of nodes, one of each copy, that implement one gate of the circuit and are different nodes of the product.
fn different_nodes(question: &Reachability) -> Vec<[Lit; 2]> {
    let aig = &question.product.aig;
    let [first, second] = [0, 1].map(|copy| &question.product.copies[copy].nodes);
    let pairs = first.iter().zip(second).filter_map(|pair| {
        let (&Some(a), &Some(b)) = pair else {
            return None;
        };
        let is_gate = matches!(aig.node(b.var()), Node::And(..));
        (a != b && is_gate).then_some([a, b])
    });
    pairs.collect()
}

/// Returns for each pair of nodes whether both have equal values in all random states that are tried.
fn alike_in_random_states(question: &Reachability, pairs: &[[Lit; 2]]) -> Vec<bool> {
    let mut alike = vec![true; pairs.len()];
    let watched: Vec<Lit> = pairs.iter().flatten().copied().collect();
    random_states(question, &watched, |lanes| {
        for (alike, pair) in alike.iter_mut().zip(pairs) {
            let [a, b]: [[u64; WORDS]; 2] = pair.map(|lit| lanes.value(lit));
            *alike &= a == b;
        }
    });
    alike
}

/// Returns the literals of the pairs that are `alike`, each with the number of its class, for [`Classes::new`]. A node that represents
/// several gates is in the class of the first of them.
fn grouped(pairs: &[[Lit; 2]], alike: &[bool]) -> Vec<(u128, Lit)> {
    let mut classes: FxHashMap<Var, (u128, Lit)> = FxHashMap::default();
    let mut signed = Vec::new();
    for (number, (&[a, b], &alike)) in pairs.iter().zip(alike).enumerate() {
        if !alike || classes.contains_key(&b.var()) || a.var() == b.var() {
            continue;
        }
        let (class, stands) = *classes.entry(a.var()).or_insert_with(|| {
            signed.push((number as u128, a));
            (number as u128, a)
        });
        let member = b ^ (stands != a);
        classes.insert(b.var(), (class, member));
        signed.push((class, member));
    }
    signed
}
