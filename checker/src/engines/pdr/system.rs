//! A reachability question as a transition system in one combinational graph, which all solvers of PDR encode.
//!
//! Latches that are known to be equal are one state variable. The system defines steps and does not know which states are reachable.

use hyperkill_core::aig::{Cone, Images, Node};
use hyperkill_core::{Aig, Lit};

use super::cube::{Cube, StateLit};
use crate::engines::encode::Unrolling as Steps;
use crate::question::Reachability;

/// A state variable of the system: a latch of the product, or several that are always equal up to complement.
pub(super) struct StateVariable {
    /// The index of the product's latch that it is; equal latches share the variable.
    pub(super) latch: usize,
    pub(super) lit: Lit,
    /// The literal of its value after the step.
    pub(super) next: Lit,
    /// Its initial value; `None` if it is free.
    reset: Option<bool>,
    /// Variables may share one free initial value: the index of the variable that represents them, and whether this variable starts with
    /// the complement of its value.
    initially: (usize, bool),
}

/// An input of the product at one of the steps in the graph.
pub(super) struct Input {
    /// The step: 0 for the one itself, 1 for the one after it.
    pub(super) step: usize,
    /// The index of the input in the product.
    pub(super) index: usize,
    pub(super) lit: Lit,
}

/// The product of a question as one step over its state variables, in a combinational graph.
pub(super) struct System {
    /// A step. If an assumption is limited to the steps before the goal, also the step after it, in which the goal may hold.
    pub(super) graph: Aig,
    pub(super) variables: Vec<StateVariable>,
    pub(super) inputs: Vec<Input>,
    /// The conditions for the step to exist and to be followed by another one or by the goal.
    pub(super) exists: Vec<Lit>,
    /// Literals of the graph that hold in every such step of a run and need not be checked.
    pub(super) facts: Vec<Lit>,
    /// The conditions for the step to be followed by one that is not the goal's: latches of one variable stay equal.
    pub(super) kept: Vec<Lit>,
    /// The conditions, besides `exists`, for the goal to be reached with the last step of the graph.
    pub(super) bad: Vec<Lit>,
    /// The number of steps in the graph, 1 or 2.
    pub(super) steps: usize,
    /// For each latch of the product its state variable and whether it is negated; `None` if it has none.
    pub(super) variable_of: Vec<Option<(usize, bool)>>,
}

/// Returns two literals of the graph for each latch's value before the step: its own input (false if the step does not read the latch), and
/// the literal that replaces it. Equal latches have the literal of the oldest.
fn state_before(
    aig: &Aig,
    steps: &Steps<'_>,
    equal: &[(usize, Lit)],
    graph: &mut Aig,
) -> (Vec<Lit>, Vec<Lit>) {
    let own = aig.latches().iter().map(|latch| {
        if steps.cone().contains(latch.var) {
            graph.add_input(None)
        } else {
            Lit::FALSE
        }
    });
    let own: Vec<Lit> = own.collect();
    let mut state = own.clone();
    for &(later, earlier) in equal {
        if let Node::Latch(i) = aig.node(earlier.var()) {
            state[later] = state[i as usize] ^ earlier.is_negated();
        }
    }
    (own, state)
}

/// Returns a function that adds an input to the graph and to `inputs` for each input of the product that this step (0 or 1) reads.
fn new_inputs(
    inputs: &mut Vec<Input>,
    step: usize,
) -> impl FnMut(&mut Aig, &Images, usize) -> Lit + '_ {
    move |graph, _, index| {
        let lit = graph.add_input(None);
        inputs.push(Input { step, index, lit });
        lit
    }
}

impl System {
    /// Returns the system of a question. `facts` are literals of its graph that hold at every step before the goal's, and there too if no
    /// assumption is limited to the steps before it. `equal` are the facts among them that state that a latch (by index) equals a literal
    /// of another latch.
    pub(super) fn new(question: &Reachability, facts: &[Lit], equal: &[(usize, Lit)]) -> System {
        match System::with(question, facts, equal) {
            Some(system) => system,
            // This happens only if no first step exists, where facts do not help.
            None => System::with(question, &[], &[]).unwrap_or_else(System::empty),
        }
    }

    fn empty() -> System {
        System {
            graph: Aig::new(),
            variables: Vec::new(),
            inputs: Vec::new(),
            exists: Vec::new(),
            facts: Vec::new(),
            kept: Vec::new(),
            bad: vec![Lit::FALSE],
            steps: 1,
            variable_of: Vec::new(),
        }
    }

    /// Returns the system of a question, as [`System::new`] does. `None` if latches with different first values are given as equal.
    fn with(question: &Reachability, facts: &[Lit], equal: &[(usize, Lit)]) -> Option<System> {
        let aig = &question.product.aig;
        let latches = aig.latches();
        let roots = question.roots();
        let relevant = Cone::sequential(aig, roots.iter().copied());
        let steps = Steps::new(aig, roots.iter().chain(facts).copied());
        let mut equal: Vec<(usize, Lit)> = equal.to_vec();
        // Latches are processed in order, so that chains end at the oldest.
        equal.sort_unstable();
        let mut graph = Aig::new();
        let (own, state) = state_before(aig, &steps, &equal, &mut graph);
        let mut inputs = Vec::new();
        let now = steps.step(&mut graph, &state, new_inputs(&mut inputs, 0));
        let next = steps.state_after(&now);
        let mut exists: Vec<Lit> = question.always.iter().map(|&lit| now.of(lit)).collect();
        let (bad, length) = if question.before.is_empty() {
            (vec![now.of(question.goal)], 1)
        } else {
            // Assumptions about earlier steps do not apply to the state of the goal's step.
            exists.extend(question.before.iter().map(|&lit| now.of(lit)));
            let after = steps.step(&mut graph, &next, new_inputs(&mut inputs, 1));
            let goal = question.always.iter().chain([&question.goal]);
            (goal.map(|&lit| after.of(lit)).collect(), 2)
        };
        let mut kept = Vec::new();
        for &(later, earlier) in &equal {
            if let Node::Latch(i) = aig.node(earlier.var())
                && relevant.contains(latches[later].var)
            {
                let earlier_next = next[i as usize] ^ earlier.is_negated();
                kept.push(graph.iff(next[later], earlier_next));
            }
        }
        let facts: Vec<Lit> = facts.iter().map(|&lit| now.of(lit)).collect();
        for lits in [&mut exists, &mut kept] {
            lits.sort_unstable();
            lits.dedup();
            lits.retain(|&lit| lit != Lit::TRUE);
        }
        let mut system = System {
            graph,
            variables: Vec::new(),
            inputs,
            exists,
            facts,
            kept,
            bad,
            steps: length,
            variable_of: vec![None; latches.len()],
        };
        system.choose_variables(&state, &own, &next);
        system.choose_facts(&own);
        system.set_resets(question).then_some(system)
    }

    /// Makes the latches in the cone of influence state variables. The lists give for each latch its literal, its own input and its next
    /// value.
    fn choose_variables(&mut self, state: &[Lit], own: &[Lit], next: &[Lit]) {
        let mut roots: Vec<Lit> = Vec::new();
        for lits in [&self.exists, &self.bad, &self.kept] {
            roots.extend(lits);
        }
        let mut needed = vec![false; state.len()];
        loop {
            let cone = Cone::combinational(&self.graph, roots.iter().copied());
            let before = roots.len();
            for latch in 0..state.len() {
                // A merged latch has no node that is read.
                if !needed[latch] && !own[latch].is_constant() && cone.contains(own[latch].var()) {
                    needed[latch] = true;
                    roots.push(next[latch]);
                }
            }
            if roots.len() == before {
                break;
            }
        }
        let cone = Cone::combinational(&self.graph, roots);
        self.inputs.retain(|input| cone.contains(input.lit.var()));
        for (latch, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let index = self.variables.len();
            self.variable_of[latch] = Some((index, false));
            self.variables.push(StateVariable {
                latch,
                lit: own[latch],
                next: next[latch],
                reset: None,
                initially: (index, false),
            });
        }
        let mut variable_at = vec![None; self.graph.len()];
        for (index, variable) in self.variables.iter().enumerate() {
            variable_at[variable.lit.var().index()] = Some(index);
        }
        for (tied, lit) in self.variable_of.iter_mut().zip(state) {
            if tied.is_none() {
                *tied = variable_at[lit.var().index()].map(|index| (index, lit.is_negated()));
            }
        }
    }

    /// Drops facts that read latches that are no state variables.
    fn choose_facts(&mut self, own: &[Lit]) {
        let mut foreign = vec![false; self.graph.len()];
        for (latch, lit) in own.iter().enumerate() {
            let variable = self.variable_of[latch];
            let known = variable.is_some_and(|(index, _)| self.variables[index].latch == latch);
            foreign[lit.var().index()] |= !lit.is_constant() && !known;
        }
        for (var, node) in self.graph.nodes() {
            if let Node::And(a, b) = node {
                foreign[var.index()] = foreign[a.var().index()] || foreign[b.var().index()];
            }
        }
        self.facts.sort_unstable();
        self.facts.dedup();
        self.facts
            .retain(|lit| *lit != Lit::TRUE && !foreign[lit.var().index()]);
    }

    /// Computes the initial values of the variables. Returns `false` if no initial state exists.
    fn set_resets(&mut self, question: &Reachability) -> bool {
        // Latches that share one free initial value.
        for &(later, earlier) in &question.product.initially_equal {
            let (Some(a), Some(b)) = (self.variable_of[later], self.variable_of[earlier]) else {
                continue;
            };
            let (a, b) = (self.initially(a), self.initially(b));
            if a.0 == b.0 {
                if a.1 != b.1 {
                    return false;
                }
                continue;
            }
            let flip = a.1 ^ b.1;
            for variable in &mut self.variables {
                if variable.initially.0 == a.0 {
                    variable.initially = (b.0, variable.initially.1 ^ flip);
                }
            }
        }
        let mut values: Vec<Option<bool>> = vec![None; self.variables.len()];
        for (latch, variable) in self.variable_of.iter().enumerate() {
            let reset = question.product.aig.latches()[latch].reset.as_constant();
            if let (&Some(variable), Some(value)) = (variable, reset) {
                let (root, flip) = self.initially(variable);
                if values[root].is_some_and(|known| known != value ^ flip) {
                    return false;
                }
                values[root] = Some(value ^ flip);
            }
        }
        for variable in &mut self.variables {
            let (root, flip) = variable.initially;
            variable.reset = values[root].map(|value| value ^ flip);
        }
        true
    }

    fn initially(&self, (variable, flip): (usize, bool)) -> (usize, bool) {
        let (root, own) = self.variables[variable].initially;
        (root, own ^ flip)
    }

    /// Whether the cube contains an initial state.
    pub(super) fn has_initial_state(&self, cube: &Cube) -> bool {
        self.initial_conflict(cube).is_none()
    }

    /// Returns one or two literals of the cube that no initial state satisfies together; `None` if the cube contains an initial state.
    pub(super) fn initial_conflict(&self, cube: &Cube) -> Option<Vec<StateLit>> {
        let clash = cube.lits().iter().find(|lit| {
            let reset = self.variables[lit.variable()].reset;
            reset.is_some_and(|value| value != lit.value())
        });
        if let Some(&lit) = clash {
            return Some(vec![lit]);
        }
        let mut chosen: Vec<(usize, bool, StateLit)> = Vec::new();
        for &lit in cube.lits() {
            let variable = &self.variables[lit.variable()];
            let (root, flip) = variable.initially;
            if variable.reset.is_none() {
                chosen.push((root, lit.value() ^ flip, lit));
            }
        }
        chosen.sort_unstable();
        let pair = chosen
            .windows(2)
            .find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)?;
        Some(vec![pair[0].2, pair[1].2])
    }

    /// Returns clauses whose conjunction describes the initial states.
    pub(super) fn initial_clauses(&self) -> Vec<Vec<StateLit>> {
        let mut clauses = Vec::new();
        for (index, variable) in self.variables.iter().enumerate() {
            let (root, flip) = variable.initially;
            match variable.reset {
                Some(value) => clauses.push(vec![StateLit::new(index, value)]),
                None if root != index => {
                    for value in [false, true] {
                        let other = StateLit::new(root, !value ^ flip);
                        clauses.push(vec![StateLit::new(index, value), other]);
                    }
                }
                None => {}
            }
        }
        clauses
    }

    /// Returns an initial state in the cube: the value of each variable. Variables that the cube leaves open are false.
    pub(super) fn initial_state(&self, cube: &Cube) -> Vec<bool> {
        let mut values: Vec<bool> = vec![false; self.variables.len()];
        for lit in cube.lits() {
            let (root, flip) = self.variables[lit.variable()].initially;
            values[root] = lit.value() ^ flip;
        }
        let variables = self.variables.iter();
        variables
            .map(|variable| {
                let (root, flip) = variable.initially;
                variable.reset.unwrap_or(values[root] ^ flip)
            })
            .collect()
    }

    /// Returns the literal of the graph that is true in the current state iff `lit` is.
    pub(super) fn now(&self, lit: StateLit) -> Lit {
        self.variables[lit.variable()].lit ^ !lit.value()
    }

    /// Returns the literal of the graph that is true after the step iff `lit` is.
    pub(super) fn next(&self, lit: StateLit) -> Lit {
        self.variables[lit.variable()].next ^ !lit.value()
    }
}
