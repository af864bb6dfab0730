//! The part of a circuit that depends on inputs only, for several variants in one graph.

use hyperkill_core::aig::{Cone, Leaf, Node, Signal};
use hyperkill_core::sim::{ShownBit, Simulator};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use rustc_hash::FxHashSet;

/// A graph of the gates that depend on some inputs only; their frontier is read by other gates. Variants share equal gates.
pub(crate) struct Cut {
    pub(super) graph: Aig,
    /// The circuit inputs, ascending, which are the inputs of the graph in this order.
    pub(super) inputs: Vec<usize>,
    /// For each circuit input its literal in the graph.
    images: Vec<Option<Lit>>,
}

impl Cut {
    /// Returns a cut without gates. The inputs are ascending indices in a circuit.
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

    /// Adds the gates of a variant of the circuit, compiled for its outputs and constraints. Returns its frontier: the literals that other
    /// gates, outputs or constraints read.
    pub(crate) fn add(&mut self, model: &ConditionalMutant, simulator: &Simulator) -> Vec<Lit> {
        self.add_showing(model, simulator, &[])
    }

    /// Adds a variant like [`Cut::add`], in which some outputs only copy the value that they read.
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

    /// Returns the literal of a circuit input in the graph; `None` if the cut does not contain the input.
    pub(super) fn image(&self, input: usize) -> Option<Lit> {
        self.images[input]
    }

    /// Copies functions of the inputs, literals of the circuit, into the graph, and returns their literals there.
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

    /// Returns the number of literals of a frontier that are inputs. Each such input doubles the number of classes.
    pub(crate) fn bare(&self, frontier: &[Lit]) -> usize {
        let frontier = frontier.iter();
        let inputs = frontier.filter(|lit| matches!(self.graph.node(lit.var()), Node::Input(_)));
        inputs.count()
    }

    /// Returns the circuit inputs in groups such that no function of the frontier reads two groups, each with the functions that read it.
    /// Unread inputs are left out.
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

    /// Returns the inputs of the graph, by index, in the order in which a depth-first search from `functions` visits them. So inputs that
    /// one gate compares are adjacent.
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
