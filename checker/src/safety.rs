//! Plain safety: can a literal of a circuit ever be true? Model checking without mutants.
//!
//! The circuit is taken as it is: all inputs are arbitrary, latches start with their resets, steps that break a
//! constraint do not exist. Roles, selectors and outputs mean nothing here. An answer has been checked when it leaves:
//! invariants by a naive certifier, runs by replay.

use hyperkill_certify::{CertifyError, ReplayError, certify_invariant, replay_failure};
use hyperkill_core::aig::{Node, Signal};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::{Copy, CopySpec, Product, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, Lit};
use hyperkill_evidence::proof::Fact;

use crate::bmc::{Bmc, Depth, Found};
use crate::correspondence::{Correspondence, Scope};
use crate::external::{self, External};
use crate::pdr::{Given, Pdr, Progress};
use crate::question::Reachability;

/// Clauses over the latches of a circuit: of each, some latch (by index) has the value given.
pub type Invariant = Vec<Vec<(usize, bool)>>;

/// A question about one circuit.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The circuit that is searched.
    pub model: &'a Aig,
    /// A literal of it that should never be true at a step that exists.
    pub bad: Lit,
}

/// What is known of the bad state, with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SafetyVerdict {
    /// The literal is never true: these clauses hold initially, are kept by every step, and exclude it.
    Holds(Invariant),
    /// It is true at the last step of this run, which need not be a shortest one.
    Fails(Stimulus),
    /// Undecided: it is not true in any run of at most `known_to` steps.
    Unknown {
        /// Length up to which no run is bad.
        known_to: usize,
        /// Which limit ended the search.
        reason: Stop,
    },
}

/// Evidence that did not check: a bug in hyperkill, never a property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SafetyError {
    /// An invariant was refuted.
    #[error("the invariant did not check: {0}")]
    Invariant(#[from] CertifyError),
    /// A run did not replay.
    #[error("the run did not replay: {0}")]
    Run(#[from] ReplayError),
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest run to look for by bounded model checking, in steps; unlimited if `None`.
    pub bound: Option<usize>,
    /// Turns of growing effort before giving up with [`Stop::Bound`]; unlimited if `None`.
    pub turns: Option<u32>,
    /// Whether bounded model checking may look for runs.
    pub bmc: bool,
    /// Whether property-directed reachability may look for proofs and runs.
    pub pdr: bool,
    /// Whom to ask about what these leave open.
    pub external: Option<External>,
    /// Whether latches that always correspond are made one before.
    pub correspondence: bool,
}

impl Limits {
    /// No limit but the budget.
    #[must_use]
    pub fn none() -> Limits {
        Limits {
            bound: None,
            turns: None,
            bmc: true,
            pdr: true,
            external: None,
            correspondence: true,
        }
    }
}

/// The certificate of an invariant in the way of the hardware model checking competition: the circuit itself, its inputs and latches in
/// their places, with one bad state that is reached where `bad` is true or the invariant is not. That nothing bad happens is then
/// inductive: it is true of reset states, steps keep it, and it excludes `bad`.
#[must_use]
pub fn certificate(model: &Aig, bad: Lit, invariant: &Invariant) -> Aig {
    let mut aig = model.clone();
    let mut reasons = vec![bad];
    for clause in invariant {
        let violated = clause
            .iter()
            .map(|&(latch, value)| model.latches()[latch].var.lit() ^ value);
        let violated: Vec<Lit> = violated.collect();
        reasons.push(aig.and_all(&violated));
    }
    let lit = aig.or_all(&reasons);
    aig.outputs.clear();
    aig.justice.clear();
    aig.fairness.clear();
    aig.bad = vec![Signal { lit, name: None }];
    aig
}

/// Gates that an unrolling may have in the first turn; doubles with each turn.
const FIRST_SIZE: usize = 100_000;
/// Conflicts per depth of bounded model checking in the first turn; quadruples with each turn.
const FIRST_CONFLICTS: u32 = 1_000;
/// Solver calls and conflicts of property-directed reachability in the first turn; quadruples with each turn.
const FIRST_EFFORT: u64 = 20_000;

impl Problem<'_> {
    /// The question as engines take it: a product of one copy, whose inputs and latches are those of the circuit.
    #[must_use]
    pub fn reachability(&self) -> Reachability {
        let model = self.model;
        let mut aig = Aig::new();
        aig.reserve(model.gate_count());
        let mut nodes: Vec<Lit> = Vec::with_capacity(model.len());
        let of = |nodes: &[Lit], lit: Lit| nodes[lit.var().index()] ^ lit.is_negated();
        for (_, node) in model.nodes() {
            let lit = match node {
                Node::False => Lit::FALSE,
                Node::Input(_) => aig.add_input(None),
                Node::Latch(i) => aig.add_latch(model.latches()[i as usize].reset, None),
                Node::And(a, b) => {
                    let (a, b) = (of(&nodes, a), of(&nodes, b));
                    aig.and(a, b)
                }
            };
            nodes.push(lit);
        }
        for (i, latch) in model.latches().iter().enumerate() {
            aig.set_next(i, of(&nodes, latch.next));
        }
        let constraints = model.constraints.iter();
        let always: Vec<Lit> = constraints.map(|c| of(&nodes, c.lit)).collect();
        let copy = Copy {
            spec: CopySpec::alone(Variant::Original),
            inputs: model
                .inputs()
                .iter()
                .map(|input| Some(of(&nodes, input.var.lit())))
                .collect(),
            latches: (0..model.latches().len()).map(Some).collect(),
            outputs: Vec::new(),
            valid: aig.and_all(&always),
            nodes: nodes.iter().copied().map(Some).collect(),
            selectors: Vec::new(),
        };
        Reachability {
            product: Product {
                aig,
                copies: vec![copy],
                initially_equal: Vec::new(),
                one_member: Lit::TRUE,
            },
            always,
            before: Vec::new(),
            goal: of(&nodes, self.bad),
            related: Vec::new(),
            remembers: Vec::new(),
        }
    }

    /// What facts about latches say, as clauses: two for two latches, one for a constant. `None` if they speak of gates.
    fn clauses(&self, facts: &[Fact]) -> Option<Invariant> {
        let latch = |lit: Lit| match self.model.node(lit.var()) {
            Node::Latch(index) => Some((index as usize, !lit.is_negated())),
            _ => None,
        };
        let mut clauses = Invariant::new();
        for fact in facts {
            let Fact::Equal([representative, member]) = fact else {
                return None;
            };
            let (member, value) = latch(member.lit)?;
            match representative.lit.as_constant() {
                Some(constant) => clauses.push(vec![(member, value == constant)]),
                None => {
                    let (other, positive) = latch(representative.lit)?;
                    clauses.push(vec![(member, value), (other, !positive)]);
                    clauses.push(vec![(member, !value), (other, positive)]);
                }
            }
        }
        Some(clauses)
    }

    fn fails(&self, found: Found) -> Result<SafetyVerdict, SafetyError> {
        let run = found.runs.into_iter().next().unwrap_or(Stimulus {
            initial: Vec::new(),
            steps: Vec::new(),
        });
        replay_failure(self.model, self.bad, &run)?;
        Ok(SafetyVerdict::Fails(run))
    }

    fn holds(
        &self,
        invariant: Invariant,
        known_to: usize,
        budget: &Budget,
    ) -> Result<SafetyVerdict, SafetyError> {
        match certify_invariant(self.model, self.bad, &invariant, budget) {
            Ok(()) => Ok(SafetyVerdict::Holds(invariant)),
            Err(CertifyError::Stopped(reason)) => Ok(SafetyVerdict::Unknown { known_to, reason }),
            Err(wrong) => Err(wrong.into()),
        }
    }
}

/// Decides a problem: bounded model checking and property-directed reachability in turns of growing effort, after latches that
/// always correspond have been made one.
///
/// # Errors
/// If evidence does not check.
pub fn decide_safety(
    problem: &Problem<'_>,
    limits: &Limits,
    budget: &Budget,
) -> Result<SafetyVerdict, SafetyError> {
    let mut question = problem.reachability();
    let mut equalities = Invariant::new();
    if limits.correspondence
        && let Some(smaller) = Correspondence::find(&question, Scope::Latches, 1, budget)
        && let Some(clauses) = problem.clauses(&smaller.facts)
    {
        question = smaller.question;
        equalities = clauses;
    }
    let mut bmc = Bmc::new(&question);
    let mut pdr = Pdr::new(question.clone(), &Given::default());
    let mut turn = 0;
    // The length of a run that is longer than the bound: then there is nothing to prove.
    let mut beyond: Option<usize> = None;
    // Who else is asked gets half of the time.
    let mut others = limits.external.as_ref();
    let (all, before) = (budget, others.map(|_| External::before(budget)));
    loop {
        let budget = match (&before, others) {
            (Some(before), Some(_)) => before,
            _ => all,
        };
        if limits.bmc
            && let Some(found) = search(&mut bmc, turn, limits, budget)
        {
            return problem.fails(found);
        }
        if limits.pdr && beyond.is_none() {
            match pdr.advance(FIRST_EFFORT << (2 * turn).min(40), budget) {
                // A longer run than was asked for is none of those that were.
                Progress::Reached(found) if limits.bound.is_none_or(|b| found.steps <= b) => {
                    return problem.fails(found);
                }
                Progress::Reached(found) => beyond = beyond.or(Some(found.steps)),
                Progress::Unreachable(mut invariant) => {
                    let known_to = bmc.refuted().max(pdr.refuted());
                    invariant.append(&mut equalities);
                    return problem.holds(invariant, known_to, budget);
                }
                Progress::Undecided(_) => {}
            }
        }
        turn += 1;
        let last = limits.turns.is_some_and(|turns| turn >= turns);
        let searched = limits.bound.is_some_and(|bound| bmc.refuted() >= bound);
        let vain = !limits.pdr || beyond.is_some();
        let idle = vain && (!limits.bmc || searched);
        let early = turn >= external::TURNS_BEFORE || last || idle || budget.stopped().is_some();
        if let Some(external) = others.take_if(|_| early) {
            match external.ask(&question, &[], !(last || idle), all) {
                Some(external::Answer::Reached(found))
                    if limits.bound.is_none_or(|bound| found.steps <= bound) =>
                {
                    return problem.fails(found);
                }
                Some(external::Answer::Unreachable(mut invariant)) => {
                    invariant.append(&mut equalities);
                    let known_to = bmc.refuted().max(pdr.refuted());
                    return problem.holds(invariant, known_to, all);
                }
                Some(external::Answer::Reached(_)) | None => {}
            }
        }
        let stopped = all.stopped();
        if last || idle || stopped.is_some() {
            let nobody = idle && !searched && beyond.is_none();
            let reason = if nobody { Stop::Engines } else { Stop::Bound };
            let known_to = bmc.refuted().max(pdr.refuted());
            return Ok(SafetyVerdict::Unknown {
                known_to: known_to.min(limits.bound.unwrap_or(usize::MAX)),
                reason: stopped.unwrap_or(reason),
            });
        }
    }
}

/// Deepens until the turn's share is spent; a run if one is found.
fn search(bmc: &mut Bmc<'_>, turn: u32, limits: &Limits, budget: &Budget) -> Option<Found> {
    let size = FIRST_SIZE << turn.min(12);
    let conflicts = FIRST_CONFLICTS << (2 * turn).min(20);
    let depth = (8 << (2 * turn).min(24)).min(limits.bound.unwrap_or(usize::MAX));
    while bmc.refuted() < depth && bmc.size() < size {
        match bmc.deepen(Some(conflicts), budget) {
            Depth::Reached(found) => return Some(found),
            Depth::Refuted => {}
            Depth::Undecided(_) => return None,
        }
    }
    None
}
