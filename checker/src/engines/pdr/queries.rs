//! The queries of PDR: one solver for each frame, one for the lemmas that always hold, and one for lifting.
//!
//! Every solver encodes the step lazily: only the cones of literals in queries. Clauses for one call are guarded by an activation literal
//! that is retired afterwards. A solver with many retired literals is replaced.

use hyperkill_core::Lit as Gate;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::{Answer, Lit};

use super::cube::{Cube, StateLit};
use super::system::System;
use crate::engines::encode::Encoder;
use crate::engines::local_solver::LocalSolver;
use crate::schedule::engine_efforts::{PDR_GUARDS_OF_SOLVER, PDR_LIFTINGS};

/// The remaining effort of a search: solver calls and conflicts together.
pub(super) struct Effort<'a> {
    pub(super) left: u64,
    pub(super) budget: &'a Budget,
}

impl Effort<'_> {
    fn solve(&mut self, encoder: &mut Encoder<LocalSolver>, assumed: &[Lit]) -> Result<bool, Stop> {
        if self.left == 0 {
            return Err(Stop::Bound);
        }
        let before = encoder.solver().conflicts();
        let limit = u32::try_from(self.left).unwrap_or(u32::MAX);
        let answer = encoder.solve(assumed, Some(limit), self.budget);
        let spent = 1 + encoder.solver().conflicts() - before;
        self.left = self.left.saturating_sub(spent);
        match answer {
            Answer::Possible => Ok(true),
            Answer::Impossible => Ok(false),
            Answer::Undecided(stop) => Err(stop),
        }
    }
}

/// A step that a solver found, with the state before it.
pub(super) struct FoundStep {
    /// The state before the step, reduced to the literals on which the step depends.
    pub(super) state: Cube,
    /// The values of the system's inputs in the step, in their order.
    pub(super) inputs: Vec<bool>,
}

/// The answer to the question whether a frame has a step into a cube.
pub(super) enum Reply {
    /// The frame has a step into the cube: this one.
    Entered(FoundStep),
    /// No step enters the cube of these literals, some of those asked about. It may contain initial states.
    Kept(Cube),
}

/// The states to which a step has to lead.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// States in which the goal is reached.
    Bad,
    /// The states of this cube.
    Cube(&'a Cube),
}

/// A solver for the steps from the states of one frame.
pub(super) struct FrameSolver {
    encoder: Encoder<LocalSolver>,
    /// The literal to assume in queries about steps that have a successor, if it has been made.
    leaving: Option<Lit>,
    /// The gates that every query encodes: the conditions of steps, and the variables of lemmas.
    about: Vec<Gate>,
    /// For each state variable whether it occurs in a lemma.
    in_lemmas: Vec<bool>,
    retired: usize,
}

impl FrameSolver {
    /// Returns a solver for the steps from all states that `lemmas` do not exclude; with `initial` only from initial states.
    pub(super) fn new<'a>(
        system: &System,
        initial: bool,
        lemmas: impl Iterator<Item = &'a Cube>,
    ) -> FrameSolver {
        let mut encoder = Encoder::new(LocalSolver::new());
        for &lit in &system.facts {
            encoder.require(&system.graph, &[lit]);
        }
        for &lit in &system.exists {
            if !fault::planted(Fault::ForgottenExistence) {
                encoder.require(&system.graph, &[lit]);
            }
        }
        let mut solver = FrameSolver {
            encoder,
            leaving: None,
            about: system.exists.iter().chain(&system.facts).copied().collect(),
            in_lemmas: vec![false; system.variables.len()],
            retired: 0,
        };
        if initial {
            for clause in system.initial_clauses() {
                solver.require(system, &clause);
            }
        }
        for lemma in lemmas {
            solver.exclude(system, lemma);
        }
        solver
    }

    /// Whether the solver has so many retired literals that it should be replaced.
    pub(super) fn is_worn_out(&self) -> bool {
        self.retired >= PDR_GUARDS_OF_SOLVER
    }

    /// Adds the lemma that excludes the cube's states from the frame.
    pub(super) fn exclude(&mut self, system: &System, cube: &Cube) {
        let clause: Vec<StateLit> = cube.lits().iter().map(|&lit| !lit).collect();
        self.require(system, &clause);
    }

    fn require(&mut self, system: &System, clause: &[StateLit]) {
        let gates: Vec<Gate> = clause.iter().map(|&lit| system.now(lit)).collect();
        self.encoder.require(&system.graph, &gates);
        for (lit, gate) in clause.iter().zip(gates) {
            if !std::mem::replace(&mut self.in_lemmas[lit.variable()], true) {
                self.about.push(gate);
            }
        }
    }

    /// Returns a step of the frame in which the goal is reached; `None` if there is none.
    pub(super) fn reach_bad(
        &mut self,
        system: &System,
        effort: &mut Effort<'_>,
    ) -> Result<Option<FoundStep>, Stop> {
        let bad = system.bad.iter();
        let assumed: Vec<Lit> = bad
            .map(|&lit| self.encoder.lit(&system.graph, lit))
            .collect();
        let about = self.about.iter().chain(&system.bad).copied();
        self.encoder.focus(&system.graph, about);
        let found = effort.solve(&mut self.encoder, &assumed)?;
        Ok(found.then(|| self.read_step(system)))
    }

    /// Asks whether a step leads from the frame into the cube; with `outside` only from states outside the cube.
    pub(super) fn enter(
        &mut self,
        system: &System,
        cube: &Cube,
        outside: bool,
        effort: &mut Effort<'_>,
    ) -> Result<Reply, Stop> {
        let mut assumed = vec![self.leaving(system)];
        let guard = outside.then(|| {
            let guard = self.encoder.fresh();
            let mut clause = vec![!guard];
            for &lit in cube.lits() {
                clause.push(self.encoder.lit(&system.graph, system.now(!lit)));
            }
            self.encoder.add_clause(&clause);
            guard
        });
        assumed.extend(guard);
        let lits: Vec<Lit> = cube
            .lits()
            .iter()
            .map(|&lit| self.encoder.lit(&system.graph, system.next(lit)))
            .collect();
        assumed.extend(&lits);
        let cube_lits = cube.lits().iter();
        let both = cube_lits.flat_map(|&lit| [system.now(lit), system.next(lit)]);
        let about = self.about.iter().chain(&system.kept).copied().chain(both);
        self.encoder.focus(&system.graph, about);
        let entered = effort.solve(&mut self.encoder, &assumed);
        let reply = entered.map(|entered| {
            if entered {
                Reply::Entered(self.read_step(system))
            } else {
                let mut blamed = lits.iter().map(|&lit| self.encoder.is_blamed(lit));
                Reply::Kept(cube.filtered(|_| blamed.next().unwrap_or(true)))
            }
        });
        if let Some(guard) = guard {
            self.encoder.add_clause(&[!guard]);
            self.retired += 1;
        }
        reply
    }

    /// Returns the literal to assume for steps that have a successor, and adds its clauses on the first call.
    fn leaving(&mut self, system: &System) -> Lit {
        if let Some(leaving) = self.leaving {
            return leaving;
        }
        let leaving = self.encoder.fresh();
        for &lit in &system.kept {
            let lit = self.encoder.lit(&system.graph, lit);
            self.encoder.add_clause(&[!leaving, lit]);
        }
        self.leaving = Some(leaving);
        leaving
    }

    fn read_step(&mut self, system: &System) -> FoundStep {
        let mut state = Vec::new();
        for (index, variable) in system.variables.iter().enumerate() {
            if self.encoder.is_assigned(variable.lit.var()) {
                state.push(StateLit::new(index, self.encoder.gate_value(variable.lit)));
            }
        }
        let inputs = system.inputs.iter();
        let inputs = inputs.map(|input| {
            self.encoder.is_assigned(input.lit.var()) && self.encoder.gate_value(input.lit)
        });
        FoundStep {
            state: Cube::new(state),
            inputs: inputs.collect(),
        }
    }
}

/// A solver that reduces a state to the literals that a step needs to reach its target.
pub(super) struct Lifter {
    encoder: Encoder<LocalSolver>,
    retired: usize,
}

impl Lifter {
    /// Returns a lifter without clauses. Facts are not assumed in it: they hold only where a step exists, and lifting must preserve that it
    /// exists.
    pub(super) fn new() -> Lifter {
        Lifter {
            encoder: Encoder::new(LocalSolver::new()),
            retired: 0,
        }
    }

    /// Returns a cube around the state before `step` from all of whose states the step's inputs lead to the target. `order` sorts the
    /// literals: those that come first are more likely to stay.
    pub(super) fn lift(
        &mut self,
        system: &System,
        step: &FoundStep,
        target: Target<'_>,
        order: impl FnOnce(&mut [StateLit]),
        effort: &mut Effort<'_>,
    ) -> Result<Cube, Stop> {
        if self.retired >= PDR_GUARDS_OF_SOLVER {
            *self = Lifter::new();
        }
        let mut owed: Vec<Gate> = Vec::new();
        if !fault::planted(Fault::LiftedPastConstraint) {
            owed.extend(&system.exists);
        }
        match target {
            Target::Bad => owed.extend(&system.bad),
            Target::Cube(cube) => {
                owed.extend(&system.kept);
                owed.extend(cube.lits().iter().map(|&lit| system.next(lit)));
            }
        }
        let guard = self.encoder.fresh();
        let mut clause = vec![!guard];
        for &lit in &owed {
            clause.push(!self.encoder.lit(&system.graph, lit));
        }
        self.encoder.add_clause(&clause);
        self.encoder.focus(&system.graph, owed);
        let mut assumed = vec![guard];
        for (input, &value) in system.inputs.iter().zip(&step.inputs) {
            if self.encoder.is_in_focus(input.lit.var()) {
                assumed.push(self.encoder.lit(&system.graph, input.lit ^ !value));
            }
        }
        let known = |lit: &StateLit| self.encoder.is_in_focus(system.now(*lit).var());
        let mut state: Vec<StateLit> = step.state.lits().iter().copied().filter(known).collect();
        order(&mut state);
        let mut needed: Vec<(StateLit, Lit)> = state
            .iter()
            .map(|&lit| (lit, self.encoder.lit(&system.graph, system.now(lit))))
            .collect();
        let given = assumed.len();
        let mut escaped = Ok(false);
        for _ in 0..PDR_LIFTINGS {
            assumed.truncate(given);
            assumed.extend(needed.iter().map(|&(_, lit)| lit));
            escaped = effort.solve(&mut self.encoder, &assumed);
            if !matches!(escaped, Ok(false)) {
                break;
            }
            needed.retain(|&(_, lit)| self.encoder.is_blamed(lit));
            needed.reverse();
        }
        let lifted = escaped.map(|escaped| {
            if escaped {
                // Impossible; the state itself is correct in any case.
                return step.state.clone();
            }
            Cube::new(needed.iter().map(|&(own, _)| own).collect())
        });
        self.encoder.add_clause(&[!guard]);
        self.retired += 1;
        lifted
    }
}
