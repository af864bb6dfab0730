//! One reachability question, made smaller by signal correspondence, then decided by bounded model checking, induction and
//! property-directed reachability in turns of growing effort.
//!
//! All limits of a turn count conflicts and gates, so a question has one answer on every machine; only the
//! budget's clock ends it earlier.

use rustc_hash::FxHashSet;

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::Proof;

use crate::bmc::{Bmc, Depth, Found};
use crate::correspondence::{Correspondence, Scope};
use crate::external::{self, External};
use crate::induction;
use crate::induction::{Induction, Step};
use crate::pdr::{Given, Pdr, Progress};
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
    /// Whether to look for proofs by induction.
    pub prove: bool,
    /// Whether to look for proofs and runs by property-directed reachability.
    pub pdr: bool,
    /// Solver calls and conflicts of property-directed reachability in the first turn; quadruples with each turn.
    pub effort: u64,
    /// Whom to ask about what these leave open.
    pub external: Option<External>,
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
            pdr: true,
            effort: 32_000,
            external: None,
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
            pdr: true,
            effort: 500,
            external: None,
        }
    }
}

/// The answer to a reachability question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// A run reaches the goal.
    Reached {
        /// The run: a shortest one if it has `refuted + 1` steps.
        found: Found,
        /// No run of at most this many steps does.
        refuted: usize,
    },
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

/// A stride of bounded search is this part of what is behind it.
const STRIDES: usize = 8;

/// Depth of induction that is tried before property-directed reachability.
const SHALLOW: usize = 2;

/// Runs that are looked for first: cheap, and the base case of every proof.
const FIRST_DEPTH: usize = 4;

/// Steps that signal correspondence assumes where one does not do.
const DEEP: usize = 4;

/// Decides a question.
#[must_use]
pub fn solve(question: &Reachability, limits: &Limits, budget: &Budget) -> Solved {
    if let Some(external) = &limits.external {
        return external::solve(question, external, limits, budget);
    }
    let mut bmc = Bmc::new(question);
    if limits.search
        && let Ok(found) = deepen(
            &mut bmc,
            FIRST_DEPTH,
            FIRST_SIZE,
            FIRST_CONFLICTS,
            limits,
            budget,
        )
    {
        return reached(&bmc, found);
    }
    if !limits.prove {
        return in_turns(bmc, &[], limits, budget);
    }
    let reduced = match reduce(question, &SCOPES, budget) {
        Reduced::Proved(proof) => return Solved::Unreachable(proof),
        Reduced::Smaller(reduced) => reduced,
    };
    match &reduced {
        Some(smaller) => {
            let bmc = Bmc::new(&smaller.question);
            in_terms_of(smaller, in_turns(bmc, &smaller.known, limits, budget))
        }
        None => in_turns(bmc, &[], limits, budget),
    }
}

/// What signal correspondence is tried on: nodes, and how many steps are assumed.
const SCOPES: [(Scope, usize); 3] = [(Scope::Latches, 1), (Scope::Nodes, 1), (Scope::Nodes, DEEP)];

/// A proof that needs signal correspondence over single steps and no more, where there is one. Cheap, whatever the answer.
#[must_use]
pub fn corresponds(question: &Reachability, budget: &Budget) -> Option<Proof> {
    match reduce(question, &SCOPES[..2], budget) {
        Reduced::Proved(proof) => Some(proof),
        Reduced::Smaller(_) => None,
    }
}

/// What signal correspondence leaves.
enum Reduced {
    /// Nothing: the goal is unreachable.
    Proved(Proof),
    /// A smaller question, if any.
    Smaller(Option<Box<Correspondence>>),
}

fn reduce(question: &Reachability, scopes: &[(Scope, usize)], budget: &Budget) -> Reduced {
    let mut reduced: Option<Correspondence> = None;
    for &(scope, depth) in scopes {
        let known = reduced.as_ref().map_or(question, |known| &known.question);
        if budget.stopped().is_some() {
            break;
        }
        let Some(mut found) = Correspondence::find(known, scope, depth, budget) else {
            continue;
        };
        if let Some(known) = reduced.take() {
            found.facts.splice(0..0, known.facts);
            found.depth = found.depth.max(known.depth);
        }
        let smaller = reduced.insert(found);
        if let Some(proof) = at_once(smaller, budget)
            && let Solved::Unreachable(proof) = in_terms_of(smaller, Solved::Unreachable(proof))
        {
            return Reduced::Proved(proof);
        }
    }
    Reduced::Smaller(reduced.map(Box::new))
}

/// The answer to the smaller question as one to the question itself.
fn in_terms_of(smaller: &Correspondence, solved: Solved) -> Solved {
    match solved {
        Solved::Unreachable(mut proof) => {
            proof.facts.extend(smaller.facts.iter().cloned());
            proof.facts_depth = proof.facts_depth.max(smaller.depth);
            let mut said = FxHashSet::default();
            proof.facts.retain(|fact| said.insert(fact.clone()));
            Solved::Unreachable(proof)
        }
        other => other,
    }
}

/// Turns of growing effort, where some literals are known to be true in every step.
fn in_turns(mut bmc: Bmc<'_>, known: &[Lit], limits: &Limits, budget: &Budget) -> Solved {
    let question = bmc.question();
    let mut induction: Option<Induction> = None;
    let mut proof: Option<Proof> = None;
    let mut pdr = Directed::Unasked;
    // Whether a run is known that is longer than the bound: then there is nothing to prove.
    let mut vain = false;
    let mut turn = 0;
    loop {
        let size = FIRST_SIZE << turn.min(12);
        let conflicts = FIRST_CONFLICTS << (2 * turn).min(18);
        let mut stop = Stop::Bound;
        if limits.search {
            // The depth is capped too: a goal that folds to false at every depth costs no gates.
            // Where the base case is skipped, a search before it must not stand in for it.
            let until = if fault::planted(Fault::SkippedBase) && turn == 0 {
                FIRST_DEPTH
            } else {
                16 << turn.min(20)
            };
            match deepen(&mut bmc, until, size, conflicts, limits, budget) {
                Ok(found) => return reached(&bmc, found),
                Err(why) => stop = why,
            }
        }
        // Conditional equalities cost more and are needed less often. Later turns keep their facts.
        if limits.prove && !vain && turn < 2 && budget.stopped().is_none() {
            let conditional = turn > 0;
            induction = Some(Induction::knowing(
                question,
                known,
                conditional,
                10_000,
                budget,
            ));
            pdr.forget();
        }
        // Deep steps cost more than the invariant that directed search may find before.
        let deep = 8 << turn.min(10);
        let depths = match (limits.pdr, turn) {
            (false, _) => [(deep, false), (0, false)],
            (true, 0) => [(SHALLOW, false), (0, true)],
            (true, _) => [(SHALLOW, false), (deep, true)],
        };
        for (deepest, directed_before) in depths {
            if vain {
                break;
            }
            if limits.pdr && directed_before {
                let effort = limits.effort << (2 * turn).min(40);
                match pdr.advance(question, induction.as_ref(), effort, budget) {
                    Some(Ok(proof)) => return Solved::Unreachable(proof),
                    Some(Err(found)) => {
                        // Bounded search may know a shorter one.
                        let before = found.steps - 1;
                        if limits.search
                            && let Ok(found) =
                                deepen(&mut bmc, before, 4 * size, conflicts, limits, budget)
                        {
                            return reached(&bmc, found);
                        }
                        if limits.bound.is_none_or(|bound| found.steps <= bound) {
                            let refuted = bmc.refuted().max(pdr.refuted()).min(before);
                            return Solved::Reached { found, refuted };
                        }
                        vain = true;
                    }
                    None => {}
                }
            }
            if let (None, Some(induction), true) = (&proof, &induction, deepest > 0) {
                proof = prove(induction, deepest, size, conflicts, budget);
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
                if let Ok(found) = deepen(&mut bmc, base, usize::MAX, conflicts, &unbounded, budget)
                {
                    // Refutes the proof; but a run beyond the bound is not what was asked for.
                    if limits.bound.is_some_and(|bound| found.steps > bound) {
                        return Solved::Open {
                            refuted: bmc.refuted(),
                            stop: Stop::Bound,
                        };
                    }
                    return reached(&bmc, found);
                }
                if bmc.refuted() >= base {
                    return Solved::Unreachable(found.clone());
                }
            }
        }
        if let Some(why) = budget.stopped() {
            stop = why;
        }
        let refuted = bmc.refuted().max(pdr.refuted());
        let idle = !limits.search && (!limits.prove || vain) && (!limits.pdr || pdr.is_over());
        let unproved = !vain && (limits.prove || (limits.pdr && !pdr.is_over()));
        let searched = limits.bound.is_some_and(|bound| refuted >= bound);
        let exhausted = limits.turns.is_some_and(|turns| turn + 1 >= turns)
            || (searched && !unproved)
            || (searched && turn >= 2);
        if idle && !vain && stop == Stop::Bound {
            stop = Stop::Engines;
        }
        if idle || exhausted || stop != Stop::Bound {
            return Solved::Open { refuted, stop };
        }
        turn += 1;
    }
}

/// A run that bounded search has found.
fn reached(bmc: &Bmc<'_>, found: Found) -> Solved {
    Solved::Reached {
        refuted: bmc.refuted().min(found.steps - 1),
        found,
    }
}

/// Property-directed reachability in turns.
enum Directed {
    /// Not begun, or with other facts than there are now.
    Unasked,
    /// Under way.
    Asked(Box<Pdr>),
    /// Nothing more is to be had: a run was found, or a proof that cannot be said.
    Over {
        /// No run of at most this many steps reaches the goal.
        refuted: usize,
    },
}

impl Directed {
    /// Begins anew in the next turn, if it is still of use.
    fn forget(&mut self) {
        if matches!(self, Directed::Asked(_)) {
            *self = Directed::Unasked;
        }
    }

    fn is_over(&self) -> bool {
        matches!(self, Directed::Over { .. })
    }

    /// No run of at most this many steps reaches the goal.
    fn refuted(&self) -> usize {
        match self {
            Directed::Unasked => 0,
            Directed::Asked(pdr) => pdr.refuted(),
            Directed::Over { refuted } => *refuted,
        }
    }

    /// A turn: a proof, or a run, if there is one at the end of it.
    fn advance(
        &mut self,
        question: &Reachability,
        induction: Option<&Induction>,
        effort: u64,
        budget: &Budget,
    ) -> Option<Result<Proof, Found>> {
        if let Directed::Unasked = self {
            let pdr = match induction {
                Some(known) => Pdr::new(known.question().clone(), &known.given()),
                None => Pdr::new(question.clone(), &Given::default()),
            };
            *self = Directed::Asked(Box::new(pdr));
        }
        let Directed::Asked(pdr) = self else {
            return None;
        };
        let progress = pdr.advance(effort, budget);
        let refuted = pdr.refuted();
        match progress {
            Progress::Undecided(_) => None,
            Progress::Reached(found) => {
                *self = Directed::Over { refuted };
                Some(Err(found))
            }
            Progress::Unreachable(clauses) => {
                *self = Directed::Over { refuted };
                induction::by_invariant(question, induction, &clauses).map(Ok)
            }
        }
    }
}

/// A proof that needs no more than two consecutive steps.
fn at_once(smaller: &Correspondence, budget: &Budget) -> Option<Proof> {
    let question = &smaller.question;
    let steps = Induction::without_facts(question, &smaller.known);
    let proof = prove(&steps, 1, FIRST_SIZE, FIRST_CONFLICTS, budget)?;
    let mut bmc = Bmc::new(question);
    let base = bmc.deepen(Some(FIRST_CONFLICTS), budget);
    (base == Depth::Refuted).then_some(proof)
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

/// Deepens until `until` steps are refuted or a limit is hit; `Ok` if a run is found. It is a shortest one if all below it
/// is refuted, which a limit may have prevented.
///
/// The deeper, the more depths are asked about together; fewer where that is too hard.
fn deepen(
    bmc: &mut Bmc<'_>,
    until: usize,
    size: usize,
    conflicts: u32,
    limits: &Limits,
    budget: &Budget,
) -> Result<Found, Stop> {
    let mut until = until.min(limits.bound.unwrap_or(usize::MAX));
    let mut shortest_yet: Option<Found> = None;
    let mut stride = 1;
    while bmc.refuted() < until && bmc.size() < size {
        let before = bmc.refuted();
        match bmc.jump_to((before + stride).min(until), Some(conflicts), budget) {
            Depth::Reached(found) => {
                until = found.steps - 1;
                shortest_yet = Some(found);
            }
            Depth::Refuted => stride = (2 * stride).min(1 + bmc.refuted() / STRIDES),
            Depth::Undecided(stop) if stride == 1 || stop != Stop::Bound => {
                return shortest_yet.ok_or(stop);
            }
            Depth::Undecided(_) => stride /= 2,
        }
        if let Some(stop) = budget.stopped() {
            return shortest_yet.ok_or(stop);
        }
    }
    shortest_yet.ok_or(Stop::Bound)
}
