//! Splits classes by what a solver finds: an assignment that tells two members apart, and assignments near it.

use rustc_hash::FxHashSet;

use hyperkill_core::{Aig, Lit};

use super::classes::{Classes, Pair};
use crate::budget::Budget;
use crate::encode::Encoder;
use crate::induction::Neighbours;
use crate::sat::{Answer, Cadical};

/// What the search may still use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Conflicts per solver call.
    pub(super) conflicts: u32,
    /// Solver calls.
    pub(super) calls: u32,
}

/// Pairs that one solver call is about.
const BATCH: usize = 256;

/// Splits until what is assumed tells no members of a class apart. Members of which that cannot be found out are taken out of
/// their classes. Whether anything has changed; `None` if a limit stopped it.
pub(super) fn sweep(
    product: &Aig,
    (graph, assumed): (&Aig, &[Lit]),
    at: impl Fn(Lit) -> Lit,
    classes: &mut Classes,
    effort: &mut Effort,
    budget: &Budget,
) -> Option<bool> {
    let mut encoder = Encoder::new(Cadical::new());
    for &lit in assumed {
        encoder.require(graph, &[lit]);
    }
    let watched: Vec<Lit> = classes.members().map(&at).collect();
    let mut neighbours = Neighbours::new(graph, assumed, &watched);
    let mut proved: FxHashSet<[Lit; 2]> = FxHashSet::default();
    let mut changed = false;
    'pairs: loop {
        let open: Vec<(Pair, [Lit; 2])> = classes
            .pairs(product)
            .into_iter()
            .map(|pair| (pair, [at(pair.member), at(pair.representative)]))
            .filter(|(_, [a, b])| a != b && !proved.contains(&[*a, *b]))
            .collect();
        for batch in open.chunks(BATCH) {
            effort.calls = effort.calls.checked_sub(1)?;
            let asked = encoder.fresh();
            let mut some_differ = vec![!asked];
            let mut sides = Vec::with_capacity(batch.len());
            for (_, [a, b]) in batch {
                let (a, b) = (encoder.lit(graph, *a), encoder.lit(graph, *b));
                let differ = encoder.fresh();
                encoder.add_clause(&[!differ, a, b]);
                encoder.add_clause(&[!differ, !a, !b]);
                some_differ.push(differ);
                sides.push((a, b));
            }
            encoder.add_clause(&some_differ);
            match encoder.solve(&[asked], Some(effort.conflicts), budget) {
                Answer::Possible => {
                    neighbours.visit(|input| encoder.gate_value(input));
                    let told_apart = classes.split(|lit| neighbours.value(at(lit)));
                    encoder.add_clause(&[!asked]);
                    // Then the assignment is none, and there would be no end to it.
                    if !told_apart {
                        return None;
                    }
                    changed = true;
                    continue 'pairs;
                }
                Answer::Impossible => {
                    // What is known of these helps with those built on them.
                    for (&(_, pair), (a, b)) in batch.iter().zip(sides) {
                        encoder.add_clause(&[!a, b]);
                        encoder.add_clause(&[a, !b]);
                        proved.insert(pair);
                    }
                }
                Answer::Undecided(_) => {
                    if budget.stopped().is_some() {
                        return None;
                    }
                    encoder.add_clause(&[!asked]);
                    for (pair, _) in batch {
                        classes.forget(pair.member.var());
                    }
                    changed = true;
                    continue 'pairs;
                }
            }
        }
        return Some(changed);
    }
}
