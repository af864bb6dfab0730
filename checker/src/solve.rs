//! One reachability question, decided by bounded model checking and induction in turns of growing effort.
//!
//! All limits of a turn count conflicts and gates, so a question has one answer on every machine; only the
//! budget's clock ends it earlier.

use crate::bmc::{Bmc, Depth, Found};
use crate::budget::{Budget, Stop};
use crate::fault::{self, Fault};
use crate::induction::{Induction, Proof, Step};
use crate::question::Reachability;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest run to look for, in steps; unlimited if `None`.
    pub bound: Option<usize>,
    /// Turns of growing effort before giving up with [`Stop::Bound`]; unlimited if `None`.
    pub turns: Option<u32>,
    /// Whether to look for runs.
    pub search: bool,
    /// Whether to look for proofs.
    pub prove: bool,
}

impl Limits {
    /// No limit but the budget.
    #[must_use]
    pub fn none() -> Limits {
        Limits {
            bound: None,
            turns: None,
            search: true,
            prove: true,
        }
    }

    /// A side question that must not cost much.
    #[must_use]
    pub fn modest() -> Limits {
        Limits {
            bound: Some(64),
            turns: Some(3),
            search: true,
            prove: true,
        }
    }
}

/// The answer to a reachability question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// A shortest run that reaches the goal.
    Reached(Found),
    /// No run does. Not yet certified.
    Unreachable(Proof),
    /// Neither was found; no run of at most `refuted` steps reaches the goal.
    Open {
        /// See above.
        refuted: usize,
        /// Why it stopped.
        stop: Stop,
    },
}

/// Gates an unrolling may have in the first turn; doubles with each turn.
const FIRST_SIZE: usize = 100_000;
/// Conflicts per solver call in the first turn; quadruples with each turn.
const FIRST_CONFLICTS: u32 = 2_000;

/// Decides a question.
#[must_use]
pub fn solve(question: &Reachability, limits: &Limits, budget: &Budget) -> Solved {
    let mut bmc = Bmc::new(question);
    let mut induction: Option<Induction> = None;
    let mut proof: Option<Proof> = None;
    let mut turn = 0;
    loop {
        let size = FIRST_SIZE << turn.min(12);
        let conflicts = FIRST_CONFLICTS << (2 * turn).min(18);
        // A few shallow depths first: cheap, and the base case of every proof.
        let mut stop = Stop::Bound;
        if limits.search {
            // The depth is capped too: a goal that folds to false at every depth costs no gates.
            let until = if turn == 0 { 4 } else { 16 << turn.min(20) };
            match deepen(&mut bmc, until, size, conflicts, limits, budget) {
                Ok(found) => return Solved::Reached(found),
                Err(why) => stop = why,
            }
        }
        // Conditional equalities cost more and are needed less often. Later turns keep their facts.
        if limits.prove && turn < 2 {
            induction = Some(Induction::new(question, turn > 0, 10_000, budget));
        }
        if let (None, Some(induction)) = (&proof, &induction) {
            proof = prove(induction, 8 << turn.min(10), size, conflicts, budget);
        }
        if let Some(found) = &proof {
            // The base case may be deeper than what has been searched.
            let base = found.k;
            if fault::planted(Fault::SkippedBase) {
                return Solved::Unreachable(found.clone());
            }
            let unbounded = Limits {
                bound: None,
                ..limits.clone()
            };
            if let Ok(found) = deepen(&mut bmc, base, usize::MAX, conflicts, &unbounded, budget) {
                // Refutes the proof; but a run beyond the bound is not what was asked for.
                if limits.bound.is_some_and(|bound| found.steps > bound) {
                    return Solved::Open {
                        refuted: bmc.refuted(),
                        stop: Stop::Bound,
                    };
                }
                return Solved::Reached(found);
            }
            if bmc.refuted() >= base {
                return Solved::Unreachable(found.clone());
            }
        }
        if let Some(why) = budget.stopped() {
            stop = why;
        }
        let idle = !limits.search && !limits.prove;
        let exhausted = limits.turns.is_some_and(|turns| turn + 1 >= turns)
            || limits
                .bound
                .is_some_and(|bound| bmc.refuted() >= bound && !limits.prove)
            || limits
                .bound
                .is_some_and(|bound| bmc.refuted() >= bound && turn >= 2);
        if idle || exhausted || stop != Stop::Bound {
            return Solved::Open {
                refuted: bmc.refuted(),
                stop,
            };
        }
        turn += 1;
    }
}

/// Tries growing depths until one is inductive or a limit is hit.
fn prove(
    induction: &Induction,
    deepest: usize,
    size: usize,
    conflicts: u32,
    budget: &Budget,
) -> Option<Proof> {
    let mut steps = induction.start();
    for depth in 1..=deepest {
        match steps.attempt(depth, Some(conflicts), budget) {
            Step::Inductive(proof) => return Some(proof),
            Step::NotInductive if steps.size() < size => {}
            Step::NotInductive | Step::Undecided(_) => return None,
        }
    }
    None
}

/// Deepens until `until` steps are refuted or a limit is hit; `Ok` if a run is found.
fn deepen(
    bmc: &mut Bmc<'_>,
    until: usize,
    size: usize,
    conflicts: u32,
    limits: &Limits,
    budget: &Budget,
) -> Result<Found, Stop> {
    let until = until.min(limits.bound.unwrap_or(usize::MAX));
    while bmc.refuted() < until && bmc.size() < size {
        match bmc.deepen(Some(conflicts), budget) {
            Depth::Reached(found) => return Ok(found),
            Depth::Refuted => {}
            Depth::Undecided(stop) => return Err(stop),
        }
        if let Some(stop) = budget.stopped() {
            return Err(stop);
        }
    }
    Err(Stop::Bound)
}
