//! Unrolling: copies steps of a sequential graph into a combinational one (time frame expansion).

use hyperkill_core::aig::{Cone, Images, Leaf};
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{Aig, Lit};

/// Copies of some literals' sequential cone for consecutive steps: for each step, the combinational literal of each node. The caller gives
/// the state before the first step and the inputs.
pub struct Unrolling<'a> {
    source: &'a Aig,
    cone: Cone,
    steps: Vec<Images>,
    charge: Charge,
}

impl<'a> Unrolling<'a> {
    /// Returns an unrolling without steps, of the sequential cone of `roots`.
    #[must_use]
    pub fn new(source: &'a Aig, roots: impl IntoIterator<Item = Lit>) -> Unrolling<'a> {
        Unrolling {
            source,
            cone: Cone::sequential(source, roots),
            steps: Vec::new(),
            charge: Charge::default(),
        }
    }

    /// Checks, before a step is added, that memory and budget permit it. A step that folds to constants costs no gates but still costs
    /// memory.
    ///
    /// # Errors
    /// If the budget ends, or its limit of memory is reached.
    pub fn check(&mut self, budget: &Budget) -> Result<(), Stop> {
        let bytes = self.steps.len() * self.source.len() * size_of::<Lit>();
        match self.charge.hold(budget, bytes) {
            Some(stop) => Err(stop),
            None => budget.check(),
        }
    }

    /// Returns the sequential graph whose steps are copied.
    #[must_use]
    pub fn source(&self) -> &'a Aig {
        self.source
    }

    /// Returns the cone of the roots; only its nodes are unrolled.
    #[must_use]
    pub fn cone(&self) -> &Cone {
        &self.cone
    }

    /// Returns the number of steps added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no steps have been added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the graph's literal for a literal of the source at an existing step; false outside the cone.
    #[must_use]
    pub fn at(&self, step: usize, lit: Lit) -> Lit {
        self.steps[step].of(lit)
    }

    /// Returns the state after the last step, as a literal for each latch by index; `None` if there is no step.
    #[must_use]
    pub fn next_state(&self) -> Option<Vec<Lit>> {
        Some(self.state_after(self.steps.last()?))
    }

    /// Adds a step from this state, after those added before; `input` gives the literals of inputs as in [`Unrolling::step`].
    pub fn push(
        &mut self,
        graph: &mut Aig,
        state: &[Lit],
        input: impl FnMut(&mut Aig, &Images, usize) -> Lit,
    ) {
        let nodes = self.step(graph, state, input);
        self.push_nodes(nodes);
    }

    /// Adds a step whose literals [`Unrolling::step`] has returned.
    pub fn push_nodes(&mut self, nodes: Images) {
        self.steps.push(nodes);
    }

    /// Removes the last added step.
    pub fn pop(&mut self) {
        self.steps.pop();
    }

    /// Returns the literals of all nodes in a step from this state (a literal for each latch), without adding the step. `input` gives the
    /// literals of the inputs in the cone; its arguments are the graph, the literals of earlier nodes of the step, and the input's index.
    pub fn step(
        &self,
        graph: &mut Aig,
        state: &[Lit],
        mut input: impl FnMut(&mut Aig, &Images, usize) -> Lit,
    ) -> Images {
        graph.copy(
            self.source,
            |var| self.cone.contains(var),
            |graph, before, leaf| match leaf {
                Leaf::Input(i) => input(graph, before, i),
                Leaf::Latch(i) => state[i],
            },
        )
    }

    /// Returns for each latch, by index, its literal after a step with these literals of nodes; false outside the cone.
    #[must_use]
    pub fn state_after(&self, nodes: &Images) -> Vec<Lit> {
        let latches = self.source.latches().iter();
        let next = latches.map(|latch| {
            if self.cone.contains(latch.var) {
                nodes.of(latch.next)
            } else {
                Lit::FALSE
            }
        });
        next.collect()
    }
}
