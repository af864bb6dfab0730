//! A step of the universal copies under a strategy, as gates.

use hyperkill_core::aig::{Images, Node};
use hyperkill_core::{Aig, Lit};

use super::sides::Sides;
use super::strategy::Strategy;
use crate::engines::encode::Unrolling;

/// Builds the steps that universal runs take under a strategy, from any state, as gates of a graph.
pub(super) struct Answer<'a, 'b> {
    pub strategy: &'b Strategy,
    pub unrolling: &'b Unrolling<'a>,
    pub graph: &'b mut Aig,
    /// For each step and product input its literal in the graph, if the input is existential and has been read.
    pub inputs: &'b mut Vec<Vec<Option<Lit>>>,
    pub sides: &'b Sides,
}

impl Answer<'_, '_> {
    /// Returns the literals of all nodes of a step from `state`. Universal inputs follow the strategy's functions and exceptions.
    pub(super) fn plainly(&mut self, state: &[Lit], step: usize) -> Images {
        let Answer {
            strategy,
            unrolling,
            graph,
            inputs,
            sides,
        } = self;
        let source = unrolling.source();
        unrolling.step(graph, state, |graph, nodes, i| {
            if !sides.universal_input[i] {
                return existential_input(graph, inputs, step, i);
            }
            if let Some(value) = strategy.exception(step, i) {
                return Lit::constant(value);
            }
            let of = |lit: Lit| match source.node(lit.var()) {
                Node::Latch(latch) => state[latch as usize] ^ lit.is_negated(),
                _ => nodes.of(lit),
            };
            strategy.inputs[i].image(&of)
        })
    }

    /// Returns the literals of all nodes of a step from `state`. Universal inputs have these `values` (a literal for each product input).
    fn given(&mut self, state: &[Lit], step: usize, values: &[Lit]) -> Images {
        let Answer {
            unrolling,
            graph,
            inputs,
            sides,
            ..
        } = self;
        unrolling.step(graph, state, |graph, _, i| {
            if sides.universal_input[i] {
                values[i]
            } else {
                existential_input(graph, inputs, step, i)
            }
        })
    }

    /// Returns the literal that is true iff the universal runs survive the step and do not reach the goal in it.
    pub(super) fn fine(&mut self, nodes: &Images) -> Lit {
        let mut all: Vec<Lit> = self
            .sides
            .assumed
            .iter()
            .map(|&lit| nodes.of(lit))
            .collect();
        all.push(!nodes.of(self.sides.goal));
        self.graph.and_all(&all)
    }

    /// Returns the literals of all nodes of a step under the greedy strategy: its first choice that is safe in this step and (with `ahead`)
    /// avoids the goal in the next. Without one, it takes the first choice that is safe in this step, else the choice of its functions.
    pub(super) fn greedily(&mut self, state: &[Lit], step: usize, ahead: bool) -> Images {
        let plain = self.plainly(state, step);
        let source = self.unrolling.source();
        let first: Vec<Lit> = source
            .inputs()
            .iter()
            .map(|input| plain.of(input.var.lit()))
            .collect();
        let mut options = vec![(first.clone(), plain)];
        for choice in self.strategy.alternatives(self.sides) {
            let values: Vec<Lit> = choice.iter().map(|&value| Lit::constant(value)).collect();
            let nodes = self.given(state, step, &values);
            options.push((values, nodes));
        }
        let mut now = Vec::new();
        let mut next = Vec::new();
        for (_, nodes) in &options {
            let fine = self.fine(nodes);
            now.push(fine);
            next.push(if ahead {
                let after = self.unrolling.state_after(nodes);
                let goal = self.plainly(&after, step + 1).of(self.sides.goal);
                self.graph.and(fine, !goal)
            } else {
                fine
            });
        }
        // The last resort is built first, the best option last.
        let mut chosen = first;
        for conditions in [&now, &next] {
            for ((values, _), &condition) in options.iter().zip(conditions).rev() {
                for (own, &value) in chosen.iter_mut().zip(values) {
                    *own = self.graph.ite(condition, value, *own);
                }
            }
        }
        self.given(state, step, &chosen)
    }
}

/// Returns the graph's literal for an existential product input at a step; adds an input to the graph on the first call.
pub(super) fn existential_input(
    graph: &mut Aig,
    inputs: &mut [Vec<Option<Lit>>],
    step: usize,
    input: usize,
) -> Lit {
    *inputs[step][input].get_or_insert_with(|| graph.add_input(None))
}
