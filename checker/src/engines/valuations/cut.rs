//! The part of a circuit that reads inputs only, of several variants in one graph.

use hyperkill_core::aig::{Cone, Leaf, Node, Signal};
use hyperkill_core::sim::{ShownBit, Simulator};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use rustc_hash::FxHashSet;

/// The gates that depend on some inputs only, and their frontier. Variants share the gates that they have in common.
pub(crate) struct Cut {
    pub(super) graph: Aig,
    /// Circuit inputs, ascending; the inputs of the graph are these, in this order.
    pub(super) inputs: Vec<usize>,
    /// By circuit input, its literal in the graph.
    images: Vec<Option<Lit>>,
}

impl Cut {
    /// No gates yet. The inputs are ascending indices in a circuit.
    pub(crate) fn new(model: &ConditionalMutant, inputs: &[usize]) -> Cut {
        let mut graph = Aig::new();
        let mut images = vec![None; model.aig.inputs().len()];
        for &input in inputs {
            images[input] = Some(graph.add_input(None));
        }
        Cut {
            graph,
            inputs: inputs.to_vec(),
            images,
        }
    }

    /// The frontier of a variant of the circuit, which is compiled for its outputs and constraints.
    pub(crate) fn add(&mut self, model: &ConditionalMutant, simulator: &Simulator) -> Vec<Lit> {
        self.add_showing(model, simulator, &[])
    }

    /// The same, where some outputs only show what they read.
    pub(super) fn add_showing(
        &mut self,
        model: &ConditionalMutant,
        simulator: &Simulator,
        shown: &[ShownBit],
    ) -> Vec<Lit> {
        let only_shown = |lit: Lit| shown.iter().any(|bit| bit.gate == lit);
        let outputs = model.aig.outputs.iter().map(|signal: &Signal| signal.lit);
        let outputs = outputs.filter(|&output| !only_shown(output));
        let constraints = model.aig.constraints.iter().map(|signal| signal.lit);
        let images = &self.images;
        let image = |input: usize| images[input];
        simulator.cut(outputs.chain(constraints), shown, image, &mut self.graph)
    }

    /// A circuit input in the graph.
    pub(super) fn image(&self, input: usize) -> Option<Lit> {
        self.images[input]
    }

    /// Copies functions of the inputs into the graph.
    pub(super) fn copy(&mut self, model: &ConditionalMutant, functions: &[Lit]) -> Vec<Lit> {
        let cone = Cone::combinational(&model.aig, functions.iter().copied());
        let inputs = &self.images;
        let copied = self.graph.copy(
            &model.aig,
            |var| cone.contains(var),
            |_, _, leaf| match leaf {
                Leaf::Input(input) => inputs[input].unwrap_or(Lit::FALSE),
                Leaf::Latch(_) => Lit::FALSE,
            },
        );
        let functions = functions.iter();
        functions.map(|&function| copied.of(function)).collect()
    }

    /// How many inputs are part of a frontier themselves: each of them doubles the number of classes.
    pub(crate) fn bare(&self, frontier: &[Lit]) -> usize {
        let frontier = frontier.iter();
        let inputs = frontier.filter(|lit| matches!(self.graph.node(lit.var()), Node::Input(_)));
        inputs.count()
    }

    /// Circuit inputs that functions of the frontier connect, with these functions; inputs that none reads are left out.
    pub(super) fn connected(&self, frontier: &[Lit]) -> Vec<(Vec<usize>, Vec<Lit>)> {
        let mut parent: Vec<usize> = (0..self.inputs.len()).collect();
        let mut leaders = Vec::with_capacity(frontier.len());
        let mut of_node: Vec<Option<usize>> = vec![None; self.graph.len()];
        for &function in frontier {
            let mut leader = None;
            let mut seen = FxHashSet::default();
            let mut open = vec![function.var()];
            while let Some(var) = open.pop() {
                if !seen.insert(var) {
                    continue;
                }
                // A node that was visited before is connected to all inputs below it already.
                let here = match (of_node[var.index()], self.graph.node(var)) {
                    (Some(known), _) => Some(known),
                    (None, Node::Input(input)) => Some(input as usize),
                    (None, Node::And(a, b)) => {
                        open.extend([a.var(), b.var()]);
                        None
                    }
                    (None, Node::False | Node::Latch(_)) => None,
                };
                if let Some(here) = here {
                    let root = root(&mut parent, here);
                    let first = *leader.get_or_insert(root);
                    let first = self::root(&mut parent, first);
                    parent[root.max(first)] = root.min(first);
                    leader = Some(root.min(first));
                }
            }
            if let Some(leader) = leader {
                for var in seen {
                    of_node[var.index()] = Some(leader);
                }
                leaders.push((leader, function));
            }
        }
        let mut groups: Vec<(Vec<usize>, Vec<Lit>)> = vec![Default::default(); self.inputs.len()];
        let mut is_read = vec![false; self.inputs.len()];
        for (leader, function) in leaders {
            let leader = root(&mut parent, leader);
            is_read[leader] = true;
            groups[leader].1.push(function);
        }
        for (place, &input) in self.inputs.iter().enumerate() {
            groups[root(&mut parent, place)].0.push(input);
        }
        let groups = groups.into_iter().zip(is_read);
        groups
            .filter_map(|(group, read)| read.then_some(group))
            .collect()
    }

    /// The inputs of the graph (by index there) in the order in which a search from these functions meets them: those that are compared
    /// with each other come together.
    pub(super) fn met(&self, functions: &[Lit]) -> Vec<usize> {
        let mut met = Vec::new();
        let mut seen = vec![false; self.graph.len()];
        let mut open: Vec<Var> = functions.iter().rev().map(|lit| lit.var()).collect();
        while let Some(var) = open.pop() {
            if std::mem::replace(&mut seen[var.index()], true) {
                continue;
            }
            match self.graph.node(var) {
                Node::Input(input) => met.push(input as usize),
                Node::And(a, b) => open.extend([b.var(), a.var()]),
                Node::False | Node::Latch(_) => {}
            }
        }
        met
    }
}

fn root(parent: &mut [usize], mut place: usize) -> usize {
    while parent[place] != place {
        parent[place] = parent[parent[place]];
        place = parent[place];
    }
    place
}
