//! Property-directed reachability (IC3): proves by lemmas about single steps, without unrolling.
//!
//! Bradley, "SAT-based model checking without unrolling" (VMCAI 2011); Eén, Mishchenko, Brayton, "Efficient implementation of property
//! directed reachability" (FMCAD 2011); Hassan, Bradley, Somenzi, "Better generalization in IC3" (FMCAD 2013). Frame n over-approximates
//! the states that runs reach within n steps. States that lead to the goal are excluded one cube at a time. Each cube is excluded by a
//! lemma, generalised as far as the frame before allows, until a frame is closed under steps.
//!
//! Answers are checked elsewhere: `certify` checks invariants, and runs are replayed. A run need not be a shortest one. Effort counts
//! solver calls and conflicts, so answers are the same on every machine.

mod activity;
mod cube;
mod frames;
mod generalise;
mod obligations;
mod queries;
mod system;
mod trace;

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{self, Fault};

use crate::engines::bmc::{Bmc, Depth};
use crate::question::Found;
use crate::question::Reachability;
use crate::schedule::engine_efforts::PDR_LOOKS_AT_OBLIGATION;
use activity::Activity;
use cube::{Cube, StateLit};
use frames::Frames;
use obligations::{Obligation, Obligations};
use queries::{Effort, FrameSolver, Lifter, Reply, Target};
use system::System;

/// Facts given to the search: equalities and other facts that hold in every step before the goal's. They also hold in the goal's step if no
/// assumption is limited to the steps before it. They are assumed and not proved again.
#[derive(Clone, Default, Debug)]
pub struct Given {
    /// Literals of the product that state the facts.
    pub holds: Vec<Lit>,
    /// For the equalities of latches among these facts: the index of the later latch, and the literal of the earlier one.
    pub equal: Vec<(usize, Lit)>,
}

/// A clause over latches of the product: one of them (by index) has the value given.
pub type Clause = Vec<(usize, bool)>;

/// The state of the search after a turn, that is, after a call of [`Pdr::advance`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A run that reaches the goal, not necessarily a shortest one.
    Reached(Found),
    /// No run reaches the goal. With the given facts, these clauses hold in the first state of every run, and are kept by every step before
    /// the goal's. Where they and the given facts hold, the goal does not hold. If an assumption is limited to the steps before the goal,
    /// it cannot hold in the next step.
    Unreachable(Vec<Clause>),
    /// A limit ended the turn; another turn may continue.
    Undecided(Stop),
}

/// A property-directed search on one question that can be continued in turns.
pub struct Pdr {
    question: Reachability,
    system: System,
    frames: Frames,
    /// A solver for each frame.
    solvers: Vec<FrameSolver>,
    /// A solver whose frame has only the lemmas that always hold.
    forever: FrameSolver,
    lifter: Lifter,
    activity: Activity,
    /// Whether runs of one step have been checked and do not reach the goal.
    started: bool,
}

/// The result of trying to exclude states that lead to the goal.
enum Blocked {
    /// The states are excluded from the last frame.
    Yes,
    /// This run goes through the states and reaches the goal.
    No(Found),
}

impl Pdr {
    /// Returns a search for a question that has not started; `given` are facts that it assumes.
    #[must_use]
    pub fn new(question: Reachability, given: &Given) -> Pdr {
        let system = System::new(&question, &given.holds, &given.equal);
        let first = FrameSolver::new(&system, true, std::iter::empty());
        let forever = FrameSolver::new(&system, false, std::iter::empty());
        let lifter = Lifter::new();
        let activity = Activity::new(system.variables.len());
        Pdr {
            question,
            system,
            frames: Frames::new(),
            solvers: vec![first],
            forever,
            lifter,
            activity,
            started: false,
        }
    }

    /// Returns the numbers of state variables, inputs and gates of the search.
    #[must_use]
    pub fn size(&self) -> [usize; 3] {
        let system = &self.system;
        [
            system.variables.len(),
            system.inputs.len(),
            system.graph.gate_count(),
        ]
    }

    /// Returns a number of steps within which no run reaches the goal.
    #[must_use]
    pub fn refuted(&self) -> usize {
        match (self.started, self.frames.top()) {
            (false, _) => 0,
            // The last frame may still contain bad states.
            (true, top) => top + self.system.steps - 1,
        }
    }

    /// Continues for at most `effort` solver calls and conflicts, or until the budget ends.
    pub fn advance(&mut self, effort: u64, budget: &Budget) -> Progress {
        let mut effort = Effort {
            left: effort,
            budget,
        };
        match self.search(&mut effort) {
            Ok(progress) => progress,
            Err(stop) => Progress::Undecided(stop),
        }
    }

    fn search(&mut self, effort: &mut Effort<'_>) -> Result<Progress, Stop> {
        if !self.started {
            let limit = u32::try_from(effort.left).unwrap_or(u32::MAX);
            match Bmc::new(&self.question).deepen(Some(limit), effort.budget) {
                Depth::Reached(found) => return Ok(Progress::Reached(found)),
                Depth::Refuted => self.started = true,
                Depth::Undecided(stop) => return Err(stop),
            }
        }
        loop {
            if let Blocked::No(found) = self.strengthen(effort)? {
                return Ok(Progress::Reached(found));
            }
            self.extend();
            if let Some(level) = self.propagate(effort)? {
                return Ok(Progress::Unreachable(self.invariant(level)));
            }
        }
    }

    /// Excludes all states in which the goal is reached from the last frame, or returns a run to the goal.
    fn strengthen(&mut self, effort: &mut Effort<'_>) -> Result<Blocked, Stop> {
        loop {
            let top = self.frames.top();
            self.refresh(top);
            let Some(step) = self.solvers[top].reach_bad(&self.system, effort)? else {
                return Ok(Blocked::Yes);
            };
            let activity = &self.activity;
            let order = |lits: &mut [StateLit]| activity.most_active_first(lits);
            let cube = self
                .lifter
                .lift(&self.system, &step, Target::Bad, order, effort)?;
            let mut obligations = Obligations::new();
            obligations.add(Obligation {
                cube,
                inputs: step.inputs,
                then: None,
                level: top,
                depth: 0,
                looks: 0,
            });
            if let Blocked::No(found) = self.block(&mut obligations, effort)? {
                return Ok(Blocked::No(found));
            }
            if fault::planted(Fault::OneBadCube) {
                return Ok(Blocked::Yes);
            }
        }
    }

    /// Excludes the cubes of all obligations from their frames, lowest frames first, or returns a run to the goal.
    fn block(
        &mut self,
        obligations: &mut Obligations,
        effort: &mut Effort<'_>,
    ) -> Result<Blocked, Stop> {
        while let Some(index) = obligations.next() {
            let obligation = obligations.get(index);
            let (cube, level) = (obligation.cube.clone(), obligation.level);
            let stubborn = obligation.looks > PDR_LOOKS_AT_OBLIGATION;
            if level == 0 || self.system.has_initial_state(&cube) {
                let path = obligations.path(index);
                return Ok(Blocked::No(trace::run(&self.question, &self.system, &path)));
            }
            match self.frames.excludes(&cube, level) {
                Some(None) => continue,
                Some(Some(at)) => {
                    self.postpone(obligations, index, at);
                    continue;
                }
                None => {}
            }
            match self.enter(level, &cube, effort)? {
                Reply::Kept(part) => {
                    let part = self.without_initial_states(&cube, part);
                    let lemma = self.generalise(part, level, stubborn, effort)?;
                    let level = self.push(&lemma, level, effort)?;
                    self.learn(lemma, level);
                    self.postpone(obligations, index, level);
                }
                Reply::Entered(step) => {
                    let activity = &self.activity;
                    let order = |lits: &mut [StateLit]| activity.most_active_first(lits);
                    let target = Target::Cube(&cube);
                    let lifted = self
                        .lifter
                        .lift(&self.system, &step, target, order, effort)?;
                    obligations.precede(index, lifted, step.inputs);
                }
            }
        }
        Ok(Blocked::Yes)
    }

    /// Reopens an obligation whose cube is excluded up to frame `level` for the frame after it, since longer runs may reach the goal.
    fn postpone(&self, obligations: &mut Obligations, index: usize, level: usize) {
        if level < self.frames.top() {
            obligations.again(index, level + 1);
        }
    }

    /// Asks whether a step leads into the cube from a state outside the cube, in the frame before `level`.
    fn enter(&mut self, level: usize, cube: &Cube, effort: &mut Effort<'_>) -> Result<Reply, Stop> {
        self.refresh(level - 1);
        self.solvers[level - 1].enter(&self.system, cube, true, effort)
    }

    /// Replaces the solver of frame `level` by a new one if it is worn out.
    fn refresh(&mut self, level: usize) {
        if self.solvers[level].is_worn_out() {
            let lemmas = self.frames.lemmas(level);
            self.solvers[level] = FrameSolver::new(&self.system, level == 0, lemmas);
        }
    }

    /// Returns the cube of the literals in `part`, some of those of `cube`, with literals of `cube` added so that it contains no initial
    /// state.
    fn without_initial_states(&self, cube: &Cube, part: Cube) -> Cube {
        if fault::planted(Fault::UncheckedInitiation) || !self.system.has_initial_state(&part) {
            return part;
        }
        let excluding = self.system.initial_conflict(cube).unwrap_or_default();
        cube.filtered(|&lit| part.contains(lit) || excluding.contains(&lit))
    }

    /// Returns the last frame in which a lemma of `level` can be shown to hold: a step query for each frame before it succeeds.
    fn push(
        &mut self,
        lemma: &Cube,
        mut level: usize,
        effort: &mut Effort<'_>,
    ) -> Result<usize, Stop> {
        while level < self.frames.top() {
            match self.enter(level + 1, lemma, effort)? {
                Reply::Kept(_) => level += 1,
                Reply::Entered(_) => break,
            }
        }
        Ok(level)
    }

    /// Adds a lemma to all frames up to `level`, in their solvers too.
    fn learn(&mut self, lemma: Cube, level: usize) {
        self.activity.bump(&lemma);
        for solver in &mut self.solvers[1..=level] {
            solver.exclude(&self.system, &lemma);
        }
        self.frames.insert(lemma, level);
    }

    /// Opens a frame after the last one.
    fn extend(&mut self) {
        let forever = self.frames.forever().iter();
        let solver = FrameSolver::new(&self.system, false, forever);
        self.frames.extend();
        self.solvers.push(solver);
    }

    /// Moves lemmas to the last frame in which they hold. Returns the level of a frame that is closed under steps, if there is one.
    fn propagate(&mut self, effort: &mut Effort<'_>) -> Result<Option<usize>, Stop> {
        let top = self.frames.top();
        for level in 1..top {
            for lemma in self.frames.at(level).to_vec() {
                // An earlier lemma may have subsumed it.
                if !self.frames.at(level).contains(&lemma) {
                    continue;
                }
                self.refresh(level);
                let reply = self.solvers[level].enter(&self.system, &lemma, false, effort)?;
                let holds = matches!(reply, Reply::Kept(_));
                if holds || fault::planted(Fault::UncheckedPropagation) {
                    self.solvers[level + 1].exclude(&self.system, &lemma);
                    self.frames.insert(lemma, level + 1);
                }
            }
            if self.frames.at(level).is_empty() {
                return Ok(Some(level));
            }
        }
        self.settle(effort)?;
        Ok(None)
    }

    /// Moves each lemma of the last frame to the lemmas that always hold, if it is inductive relative to these alone.
    fn settle(&mut self, effort: &mut Effort<'_>) -> Result<(), Stop> {
        let top = self.frames.top();
        for lemma in self.frames.at(top).to_vec() {
            if self.forever.is_worn_out() {
                let forever = self.frames.forever().iter();
                self.forever = FrameSolver::new(&self.system, false, forever);
            }
            let reply = if fault::planted(Fault::FiniteFrameForever) {
                self.solvers[top - 1].enter(&self.system, &lemma, true, effort)?
            } else {
                self.forever.enter(&self.system, &lemma, true, effort)?
            };
            if matches!(reply, Reply::Kept(_)) {
                self.forever.exclude(&self.system, &lemma);
                // All frames but the last already contain it.
                for solver in &mut self.solvers[1..] {
                    solver.exclude(&self.system, &lemma);
                }
                self.frames.insert_forever(lemma);
            }
        }
        Ok(())
    }

    /// Returns the lemmas of frame `level` as clauses over latches of the product.
    fn invariant(&self, level: usize) -> Vec<Clause> {
        let clause = |lemma: &Cube| -> Clause {
            let lits = lemma.lits().iter();
            lits.map(|lit| (self.system.variables[lit.variable()].latch, !lit.value()))
                .collect()
        };
        self.frames.lemmas(level).map(clause).collect()
    }
}
