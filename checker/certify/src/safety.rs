//! Checks answers to safety questions on the circuit as it was given.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_evidence::fault;
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;

use super::naive::signed;
use super::{CertifyError, ReplayError, reset_value};

/// Clauses of an invariant: in each, some latch (by index) has the given value.
type Clauses = [Vec<(usize, bool)>];

/// One step of the circuit, one solver variable for each node.
struct StepSolver<'a> {
    model: &'a Aig,
    solver: Batsat,
    truth: SatLit,
    nodes: Vec<SatLit>,
}

impl<'a> StepSolver<'a> {
    /// Returns an arbitrary step in which the constraints hold.
    fn new(model: &'a Aig) -> StepSolver<'a> {
        let mut solver = Batsat::new();
        let truth = solver.new_lit();
        solver.add_clause(&[truth]);
        let nodes: Vec<SatLit> = model.nodes().map(|_| solver.new_lit()).collect();
        let of = |lit: Lit| signed(nodes[lit.var().index()], lit);
        for (var, node) in model.nodes() {
            let out = nodes[var.index()];
            match node {
                Node::False => solver.add_clause(&[!out]),
                Node::Input(_) | Node::Latch(_) => {}
                Node::And(a, b) => {
                    solver.add_clause(&[!out, of(a)]);
                    solver.add_clause(&[!out, of(b)]);
                    solver.add_clause(&[out, !of(a), !of(b)]);
                }
            }
        }
        let mut step = StepSolver {
            model,
            solver,
            truth,
            nodes,
        };
        for constraint in &model.constraints {
            let lit = step.lit(constraint.lit);
            step.solver.add_clause(&[lit]);
        }
        step
    }

    fn lit(&self, lit: Lit) -> SatLit {
        match lit.as_constant() {
            Some(true) => self.truth,
            Some(false) => !self.truth,
            None => signed(self.nodes[lit.var().index()], lit),
        }
    }

    fn present(&self, latch: usize) -> SatLit {
        self.lit(self.model.latches()[latch].var.lit())
    }

    fn assume_initial(&mut self) {
        for (i, latch) in self.model.latches().iter().enumerate() {
            if let Some(required) = reset_value(latch.reset, self.present(i)) {
                self.solver.add_clause(&[required]);
            }
        }
    }

    fn assume_clauses(&mut self, clauses: &Clauses) {
        for clause in clauses {
            let lits: Vec<SatLit> = clause
                .iter()
                .map(|&(latch, value)| with_value(self.present(latch), value))
                .collect();
            self.solver.add_clause(&lits);
        }
    }

    /// Asserts that one of the clauses is violated, where `value_of` gives the values of the latches.
    fn assume_violation(&mut self, clauses: &Clauses, value_of: impl Fn(&Self, usize) -> SatLit) {
        let mut some = Vec::new();
        for clause in clauses {
            let violated = self.solver.new_lit();
            for &(latch, value) in clause {
                let lit = with_value(value_of(self, latch), value);
                self.solver.add_clause(&[!violated, !lit]);
            }
            some.push(violated);
        }
        self.solver.add_clause(&some);
    }

    fn refute(mut self, part: &'static str, budget: &Budget) -> Result<(), CertifyError> {
        match self.solver.solve(&[], None, budget) {
            Answer::Impossible => Ok(()),
            Answer::Possible => Err(CertifyError::Invariant(part)),
            Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
        }
    }
}

fn with_value(positive: SatLit, value: bool) -> SatLit {
    if value { positive } else { !positive }
}

/// Checks that the clauses hold in every initial state with a step, are preserved by every step, and exclude `bad`.
///
/// # Errors
/// [`CertifyError::Invariant`] names the part that fails.
pub fn certify_invariant(
    model: &Aig,
    bad: Lit,
    clauses: &Clauses,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let mut latches = clauses.iter().flatten();
    if latches.any(|&(latch, _)| latch >= model.latches().len()) {
        return Err(CertifyError::Invariant("language"));
    }
    let mut start = StepSolver::new(model);
    start.assume_initial();
    start.assume_violation(clauses, |step, latch| step.present(latch));
    start.refute("start", budget)?;

    let mut step = StepSolver::new(model);
    step.assume_clauses(clauses);
    step.assume_violation(clauses, |step, latch| {
        step.lit(step.model.latches()[latch].next)
    });
    step.refute("preservation", budget)?;

    let mut step = StepSolver::new(model);
    step.assume_clauses(clauses);
    let bad = step.lit(bad);
    step.solver.add_clause(&[bad]);
    step.refute("safety", budget)
}

/// Replays a run: `bad` must be true at its last step, and the constraints at all steps.
///
/// # Errors
/// The first condition that fails.
pub fn replay_failure(model: &Aig, bad: Lit, run: &Stimulus) -> Result<(), ReplayError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let mut aig = model.clone();
    aig.outputs.clear();
    aig.add_output(bad, None);
    let circuit = ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: String::new(),
        aig,
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors: Vec::new(),
        mutants: Vec::new(),
    };
    let trace = replay(&circuit, Variant::Original, run)?;
    if let Some(step) = trace.broken_at {
        let who = "circuit";
        return Err(ReplayError::Broken { who, step });
    }
    match trace.outputs.last() {
        Some(outputs) if outputs == &[true] => Ok(()),
        Some(_) => Err(ReplayError::NotReached),
        None => Err(ReplayError::Empty),
    }
}
