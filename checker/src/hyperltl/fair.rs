//! Decides whether a circuit has a fair infinite run: finds a lasso, or an invariant that excludes one.
//!
//! The search alternates between two reachability questions, which the engines for bad states answer. Liveness to safety asks for a
//! recurring state; this is complete. The other question is k-liveness: for growing k, whether a run meets the conditions more than k
//! times. It is cheaper if no run is fair. A run that meets them more often is extended with constant inputs, which closes long loops
//! without unrolling.

use std::collections::HashMap;
use std::ops::ControlFlow;

use hyperkill_certify::certify_fair_run;
use hyperkill_core::aig::{Leaf, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::liveness::{FairRuns, Search};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, Lit};
pub use hyperkill_evidence::answer::{Exclusion, Invariant, Way};
use hyperkill_evidence::fault::{Fault, planted};

use crate::safety::{Problem, SafetyError, SafetyVerdict, decide_safety};
use crate::schedule::fairness::{self, FairnessStep};
use crate::schedule::formula_efforts::{GATES_LED_ON, STEPS_LED_ON, TIMES_FAIR};
use crate::schedule::reachability::Options;
use crate::schedule::{Turns, Work, execute};

/// Whether there is a fair run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fair {
    /// A run of the circuit's own inputs and latches, whose steps from `back` on repeat for ever.
    Lasso {
        /// Free initial values and inputs of the run.
        run: Stimulus,
        /// The index of the first step of the loop.
        back: usize,
    },
    /// There is no fair infinite run, by this evidence.
    None(Exclusion),
    /// Neither a fair run nor a proof was found.
    Open {
        /// A length, in steps, up to which there is no lasso.
        known_to: usize,
        /// The limit that ended the search.
        reason: Stop,
    },
}

/// Searches for a fair infinite run. `options` give the engines, the depth of bounded search, and the number of turns.
///
/// # Errors
/// If evidence does not check.
pub fn find_fair_run(
    fair: &FairRuns,
    options: &Options,
    budget: &Budget,
) -> Result<Fair, SafetyError> {
    find(fair.clone(), options, budget)
}

fn find(fair: FairRuns, reachability: &Options, budget: &Budget) -> Result<Fair, SafetyError> {
    let mut search = FairSearch::new(fair, *reachability);
    let options = fairness::Options {
        reachability: *reachability,
        has_conditions: !search.fair.justice.is_empty(),
    };
    let mut turns = Turns::new(move |turn| options.steps(turn));
    execute(&mut search, &mut turns, budget)
}

/// The search for a fair infinite run, with its results so far.
pub(super) struct FairSearch {
    fair: FairRuns,
    closing: Search,
    options: Options,
    /// The next k of k-liveness: it is asked whether a run meets the conditions more than this many times.
    times: usize,
    /// A length, in steps, up to which there is no lasso.
    pub known_to: usize,
}

impl FairSearch {
    /// Returns a search with no results for a fair infinite run.
    pub(super) fn new(mut fair: FairRuns, options: Options) -> FairSearch {
        if planted(Fault::ForgottenCondition) {
            fair.justice.pop();
        }
        if planted(Fault::ForgottenDemand) {
            fair.aig.constraints.pop();
        }
        FairSearch {
            closing: fair.lasso_search(),
            fair,
            options,
            times: 0,
            known_to: 0,
        }
    }

    /// Asks for growing k whether a run meets the conditions more than k times. Returns a lasso or a proof that no run is fair; `None` once
    /// the question becomes too expensive.
    fn count(&mut self, options: &Options, budget: &Budget) -> Result<Option<Fair>, SafetyError> {
        loop {
            match ask(&self.fair.counted(self.times), options, budget)? {
                SafetyVerdict::Holds(invariant) => {
                    let way = Way::Counted(self.times);
                    return Ok(Some(Fair::None(Exclusion { way, invariant })));
                }
                SafetyVerdict::Fails(run) => {
                    let lasso = led_on(&self.fair, &run, budget);
                    if let Some(lasso) = lasso.filter(|lasso| self.is_within_the_bound(lasso)) {
                        return Ok(Some(lasso));
                    }
                    self.times = (self.times * 2).max(1);
                    // While k is small, the next k is tried at once.
                    if self.times > 2 {
                        return Ok(None);
                    }
                }
                SafetyVerdict::Unknown { .. } => return Ok(None),
            }
        }
    }

    /// Asks whether a state recurs with all conditions met in between (liveness to safety). Returns the lasso, or the proof that none
    /// exists; `None` if a limit came first.
    fn close(&mut self, options: &Options, budget: &Budget) -> Result<Option<Fair>, SafetyError> {
        let way = Way::NoLasso;
        // The last step of the search only shows that the state recurs before it.
        let options = &Options {
            bound: options.bound.map(|bound| bound.saturating_add(1)),
            ..*options
        };
        Ok(match ask(&self.closing, options, budget)? {
            SafetyVerdict::Holds(invariant) => Some(Fair::None(Exclusion { way, invariant })),
            SafetyVerdict::Fails(run) => Some(lasso_of(&self.fair, &self.closing, &run)),
            SafetyVerdict::Unknown { .. } if planted(Fault::BoundTakenForProof) => {
                let invariant = Invariant::default();
                Some(Fair::None(Exclusion { way, invariant }))
            }
            SafetyVerdict::Unknown { known_to, .. } => {
                self.known_to = self.known_to.max(known_to.saturating_sub(1));
                None
            }
        })
    }

    /// Takes a step of the search, and returns its result, if it has one. Proofs have been checked, lassos have not.
    pub(super) fn advance(
        &mut self,
        step: &FairnessStep,
        budget: &Budget,
    ) -> Result<Option<Fair>, SafetyError> {
        match step {
            FairnessStep::Count(options) if self.times <= TIMES_FAIR => self.count(options, budget),
            FairnessStep::Count(_) => Ok(None),
            FairnessStep::Close(options) => self.close(options, budget),
        }
    }

    /// Returns the reason why more effort would find nothing more; `None` if it may find more.
    pub(super) fn is_over(&self) -> Option<Stop> {
        let Options { engines, bound, .. } = self.options;
        if !engines.bmc && !engines.pdr {
            return Some(Stop::Engines);
        }
        let is_searched = bound.is_some_and(|bound| self.known_to >= bound);
        is_searched.then_some(Stop::Bound)
    }

    /// Whether the stem and one round of the loop have at most as many steps as the bound.
    fn is_within_the_bound(&self, found: &Fair) -> bool {
        match (found, self.options.bound) {
            (Fair::Lasso { run, .. }, Some(bound)) => run.steps.len() <= bound,
            _ => true,
        }
    }
}

impl Work for FairSearch {
    type Step = FairnessStep;
    type Answer = Result<Fair, SafetyError>;

    fn wants(&self, step: &FairnessStep) -> bool {
        match step {
            FairnessStep::Count(_) => self.times <= TIMES_FAIR,
            FairnessStep::Close(_) => true,
        }
    }

    fn take(&mut self, step: &FairnessStep, budget: &Budget) -> ControlFlow<Self::Answer> {
        match self.advance(step, budget).transpose() {
            Some(answer) => ControlFlow::Break(answer),
            None => ControlFlow::Continue(()),
        }
    }

    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Self::Answer> {
        let last = self.options.is_last(turn).then_some(Stop::Bound);
        match stopped.or(last).or(self.is_over()) {
            Some(reason) => ControlFlow::Break(Ok(Fair::Open {
                known_to: self.known_to,
                reason,
            })),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Decides whether a circuit has an infinite run that keeps its constraints and meets all these conditions infinitely often. This is the
/// question of AIGER's justice properties and fairness constraints. The evidence has been checked.
///
/// # Errors
/// If evidence does not check.
pub fn decide_justice(
    aig: &Aig,
    conditions: &[Lit],
    options: &Options,
    budget: &Budget,
) -> Result<Fair, SafetyError> {
    let fair = FairRuns {
        aig: aig.clone(),
        justice: conditions.to_vec(),
    };
    let found = find_fair_run(&fair, options, budget)?;
    if let Fair::Lasso { run, back } = &found {
        certify_fair_run(aig, conditions, run, *back)?;
    }
    Ok(found)
}

fn ask(search: &Search, options: &Options, budget: &Budget) -> Result<SafetyVerdict, SafetyError> {
    let problem = Problem {
        model: &search.aig,
        bad: search.bad,
    };
    decide_safety(&problem, options, None, budget)
}

/// Returns the lasso that a run of the liveness-to-safety search encodes. The loop begins at the step where the state is saved, and ends
/// where that state recurs.
fn lasso_of(fair: &FairRuns, search: &Search, run: &Stimulus) -> Fair {
    let inputs = fair.aig.inputs().len();
    let saves = |step: &Vec<bool>| search.save.is_some_and(|save| step[save]);
    let back = run.steps.iter().position(saves).unwrap_or(0);
    let steps = run.steps.iter().take(run.steps.len().saturating_sub(1));
    let run = Stimulus {
        initial: run.initial.iter().take(fair.aig.latches().len()).collect(),
        steps: steps.map(|step| step[..inputs].to_vec()).collect(),
    };
    Fair::Lasso { run, back }
}

/// Returns the lasso that results from extending a run by constant inputs, until a state recurs with all conditions met in between. `None`
/// if that does not happen within the limits.
fn led_on(fair: &FairRuns, run: &Stimulus, budget: &Budget) -> Option<Fair> {
    let inputs = fair.aig.inputs().len();
    let last: Vec<bool> = run.steps.last()?[..inputs].to_vec();
    let patterns = [last, vec![false; inputs], vec![true; inputs]];
    let relevant = fair.relevant_latches();
    for (index, pattern) in patterns.iter().enumerate() {
        if patterns[..index].contains(pattern) {
            continue;
        }
        let mut walk = Walk::new(fair, run);
        for step in &run.steps {
            walk.step(&step[..inputs])?;
        }
        // The search for a recurring state begins after the given run.
        let mut seen: HashMap<Vec<bool>, usize> = HashMap::new();
        let most = STEPS_LED_ON.min(GATES_LED_ON / fair.aig.len().max(1));
        for _ in 0..most {
            let state: Vec<bool> = relevant.iter().map(|&latch| walk.state[latch]).collect();
            let now = walk.steps.len();
            if let Some(&back) = seen.get(&state) {
                if walk.meets_all_since(back) {
                    let run = Stimulus {
                        initial: run.initial.iter().take(fair.aig.latches().len()).collect(),
                        steps: walk.steps,
                    };
                    return Some(Fair::Lasso { run, back });
                }
                break;
            }
            seen.insert(state, now);
            if budget.stopped().is_some() || walk.step(pattern).is_none() {
                break;
            }
        }
    }
    None
}

/// A simulation of a circuit with fairness conditions that records which conditions each step meets.
struct Walk<'a> {
    fair: &'a FairRuns,
    state: Vec<bool>,
    steps: Vec<Vec<bool>>,
    met: Vec<Vec<bool>>,
}

impl<'a> Walk<'a> {
    fn new(fair: &'a FairRuns, run: &Stimulus) -> Walk<'a> {
        let latches = fair.aig.latches().iter().zip(&run.initial);
        let state = latches.map(|(latch, free)| match latch.reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => free,
        });
        Walk {
            fair,
            state: state.collect(),
            steps: Vec::new(),
            met: Vec::new(),
        }
    }

    /// Simulates one step and records it; `None` if it breaks a constraint.
    fn step(&mut self, inputs: &[bool]) -> Option<()> {
        let aig = &self.fair.aig;
        let values = aig.evaluate(|leaf| match leaf {
            Leaf::Input(input) => inputs[input],
            Leaf::Latch(latch) => self.state[latch],
        });
        let value = |lit: Lit| values.of(lit);
        let kept = aig.constraints.iter().all(|signal| value(signal.lit));
        if !kept && !planted(Fault::LedOnPastConstraints) {
            return None;
        }
        let next = aig.latches().iter().map(|latch| value(latch.next));
        let next: Vec<bool> = next.collect();
        self.met
            .push(self.fair.justice.iter().map(|&lit| value(lit)).collect());
        self.steps.push(inputs.to_vec());
        self.state = next;
        Some(())
    }

    fn meets_all_since(&self, back: usize) -> bool {
        let is_met = |condition: usize| self.met[back..].iter().any(|met| met[condition]);
        (0..self.fair.justice.len()).all(is_met) || planted(Fault::LedOnAnyhow)
    }
}
