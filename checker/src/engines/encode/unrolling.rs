//! Unrolling: steps of a sequential graph, copied into a combinational one (time frame expansion).

use hyperkill_core::aig::{Cone, Images, Leaf};
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{Aig, Lit};

/// The steps of some literals' sequential cone: per step the combinational graph's literal for each node. The caller says where the steps
/// start and what the inputs are.
pub struct Unrolling<'a> {
    source: &'a Aig,
    cone: Cone,
    steps: Vec<Images>,
    charge: Charge,
}

impl<'a> Unrolling<'a> {
    /// No steps yet, of the sequential cone of `roots`.
    #[must_use]
    pub fn new(source: &'a Aig, roots: impl IntoIterator<Item = Lit>) -> Unrolling<'a> {
        Unrolling {
            source,
            cone: Cone::sequential(source, roots),
            steps: Vec::new(),
            charge: Charge::default(),
        }
    }

    /// Whether another step may be made. To be asked before each: a step that folds to constants costs no gates, but memory.
    ///
    /// # Errors
    /// Once the job must end.
    pub fn check(&mut self, budget: &Budget) -> Result<(), Stop> {
        let bytes = self.steps.len() * self.source.len() * size_of::<Lit>();
        match self.charge.hold(budget, bytes) {
            Some(stop) => Err(stop),
            None => budget.check(),
        }
    }

    /// The sequential graph that is unrolled.
    #[must_use]
    pub fn source(&self) -> &'a Aig {
        self.source
    }

    /// The nodes that the roots depend on; only they are unrolled.
    #[must_use]
    pub fn cone(&self) -> &Cone {
        &self.cone
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The graph's literal for a literal of the source at a step that exists. Outside the cone: false.
    #[must_use]
    pub fn at(&self, step: usize, lit: Lit) -> Lit {
        self.steps[step].of(lit)
    }

    /// Where the next step starts: the literal for each latch after the last one, `None` if there is none.
    #[must_use]
    pub fn next_state(&self) -> Option<Vec<Lit>> {
        Some(self.state_after(self.steps.last()?))
    }

    /// One more step: what [`Unrolling::step`] makes of it.
    pub fn push(
        &mut self,
        graph: &mut Aig,
        state: &[Lit],
        input: impl FnMut(&mut Aig, &Images, usize) -> Lit,
    ) {
        let nodes = self.step(graph, state, input);
        self.push_nodes(nodes);
    }

    /// One more step, made by [`Unrolling::step`].
    pub fn push_nodes(&mut self, nodes: Images) {
        self.steps.push(nodes);
    }

    /// Takes the last step back.
    pub fn pop(&mut self) {
        self.steps.pop();
    }

    /// The literals of all nodes in a step from this state (by latch), with inputs from `input`: called for those in the
    /// cone with the graph, the literals of the nodes before, and the input's index.
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

    /// The literal for each latch after a step.
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
