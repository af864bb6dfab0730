//! Checks the universal part of a kill: *no* run of model or mutant on the test's inputs contradicts the guarantee of the test.
//!
//! Each part is a claim about pairs of runs on given inputs. The second run of a pair may be fixed. Three-valued simulation is tried first.
//! If it does not suffice, pairs of states are enumerated step by step if that is cheap; otherwise a fresh solver decides the naive
//! product. Neither method unrolls as the engines do. [`super::replay_kill`] shows that the runs of a test *exist*.

use std::collections::{BTreeSet, HashMap};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::question::{Goal, Pair, Question};
use hyperkill_evidence::verdict::{Kill, Strength};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};

use super::meaning::of_variant;
use super::naive::{Naive, Start};
use super::replay::{ReplayError, replay_kill, replay_kills};
use super::shown_choices::ShownChoices;
use super::steps::{Bits, StepBits, Steps, pack, read};
use super::ternary::{Asked, Certain, certain};
use super::{CertifyError, reset_value};

/// The cost of an enumeration of pairs of states, at most, in words of gates evaluated, before a solver is used instead: some tenths of a
/// second.
pub const LISTING: u64 = 1 << 26;

/// Number of steps by which a test must be longer for its cost limit to grow by the basic value.
const STEPS_PER_COST: u64 = 1024;

/// Work, in words of gates, after which an enumeration begins to check the clock. A shorter enumeration must not lose a kill to a time
/// limit.
const UNTIMED: u64 = 1 << 20;

/// Number of choice bits up to which all valuations are tried.
const FEW_CHOICES: usize = 8;

/// Number of values (codes) of shown choices that are enumerated, at most.
const CODES: usize = 256;

/// The cost of storing a state or a pair of states, in words of gates.
const HANDLING: u64 = 64;

/// Checks all claims of a kill about its own inputs (semantics.md §2 and §3): its runs exist, and no other runs contradict its strength.
///
/// - `definite`: no run of the model has the outputs of any run of the mutant.
/// - `potential`: no run of the model has the outputs of the mutant's run. The play of an adaptive test shows the same;
///   [`super::certify_tree`] checks its strategy.
/// - `controllable`: only the two runs are claimed, and nothing about others.
/// - If the run is claimed to be the only one of the mutant, no other run of it has different outputs.
///
/// `listing` is [`LISTING`], or less for an earlier use of the solver.
///
/// # Errors
/// [`CertifyError::Kill`] if the claim is false, [`CertifyError::Stopped`] if the budget ended first.
pub fn certify_kill(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
    listing: u64,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let (_, observed) = replay_kill(model, mutant, kill)?;
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let certain = three_valued(model, mutant, kill, &observed.outputs);
    is_spoiled_by_none(model, mutant, kill, certain, listing, budget)
}

/// The outputs of the runs of a kill: per step one bool per circuit output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Outputs of the model.
    pub expected: Vec<Vec<bool>>,
    /// Outputs of the mutant.
    pub observed: Vec<Vec<bool>>,
}

/// Checks several kills as [`certify_kill`] does and returns the results in their order. Their runs are simulated together, which costs
/// little more than one simulation. Each kill has a budget of its own for the checks that follow.
pub fn certify_kills(
    model: &ConditionalMutant,
    kills: &[(SelectorId, &Kill)],
    listing: u64,
    budget: impl Fn() -> Budget,
) -> Vec<Result<Shown, CertifyError>> {
    let replayed = replay_kills(model, kills);
    let asked = kills.iter().zip(&replayed).filter_map(|(kill, replayed)| {
        let (_, observed) = replayed.as_ref().ok()?;
        Some(asked(kill.0, kill.1, &observed.outputs))
    });
    let asked: Vec<Asked<'_>> = asked.collect();
    let certain = match fault::evidence_is_believed() {
        true => Vec::new(),
        false => certain(model, &asked),
    };
    let mut certain = certain.into_iter();
    let looked_at = kills
        .iter()
        .zip(replayed)
        .map(|(&(mutant, kill), replayed)| {
            let (original, mutated) = replayed?;
            if !fault::evidence_is_believed() {
                let certain = certain.next().unwrap_or(Certain::NOTHING);
                is_spoiled_by_none(model, mutant, kill, certain, listing, &budget())?;
            }
            Ok(Shown {
                expected: original.outputs,
                observed: mutated.outputs,
            })
        });
    looked_at.collect()
}

/// Checks the universal part of [`certify_kill`], for a kill whose runs exist: no other run contradicts its strength. `certain` has the
/// results of three-valued simulation.
fn is_spoiled_by_none(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
    certain: Certain,
    listing: u64,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if kill.strength == Strength::Controllable {
        return match kill.sole_run {
            true => Err(ReplayError::OtherRuns.into()),
            false => Ok(()),
        };
    }
    let Certain {
        apart,
        unmatched,
        alone,
        ..
    } = certain;
    let mutated = Variant::Mutant(mutant);
    let claim = Claim {
        model,
        variants: [Variant::Original, mutated],
        inputs: &kill.model_run.steps,
        only: Some(&kill.mutant_run),
        pairs: Pairs::Alike,
    };
    if kill.sole_run && !alone {
        let others = Claim {
            variants: [mutated, mutated],
            pairs: Pairs::Unlike,
            ..claim
        };
        if others.is_met(listing, budget)? {
            return Err(ReplayError::OtherOutputs.into());
        }
    }
    let all = kill.strength == Strength::Definite && !kill.sole_run;
    if apart || unmatched && !all {
        return Ok(());
    }
    let claim = Claim {
        only: claim.only.filter(|_| !all),
        ..claim
    };
    if claim.is_met(listing, budget)? {
        return Err(ReplayError::Matched.into());
    }
    Ok(())
}

/// Whether three-valued simulation shows that no run of the model has the outputs of any run of the mutant on the inputs of the kill.
#[must_use]
pub fn is_plainly_definite(model: &ConditionalMutant, mutant: SelectorId, kill: &Kill) -> bool {
    three_valued(model, mutant, kill, &[]).apart
}

/// Returns for each test whether three-valued simulation alone shows a definite kill: model and mutant accept the inputs under all choices,
/// and some output differs for certain. Then all runs exist. A test has one bool per step and circuit input, and only test inputs are read.
/// Several tests are simulated in one pass.
#[must_use]
pub fn plainly_kill(model: &ConditionalMutant, tests: &[(SelectorId, &Stimulus)]) -> Vec<bool> {
    if fault::evidence_is_believed() {
        return vec![true; tests.len()];
    }
    let asked = tests.iter().map(|(mutant, run)| Asked {
        mutant: *mutant,
        inputs: &run.steps,
        outputs: &[],
        unknown: &[],
    });
    let asked: Vec<Asked<'_>> = asked.collect();
    let shown = certain(model, &asked).into_iter();
    shown.map(|shown| shown.apart && shown.accepted).collect()
}

fn three_valued(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
    outputs: &[Vec<bool>],
) -> Certain {
    let asked = asked(mutant, kill, outputs);
    let shown = certain(model, &[asked]).first().copied();
    shown.unwrap_or(Certain::NOTHING)
}

fn asked<'a>(mutant: SelectorId, kill: &'a Kill, outputs: &'a [Vec<bool>]) -> Asked<'a> {
    Asked {
        mutant,
        inputs: &kill.model_run.steps,
        outputs,
        unknown: &[],
    }
}

/// Checks that one side refuses inputs: `run` is a run of `accepting`, and no run of `refusing` has its inputs.
///
/// # Errors
/// [`CertifyError::Acceptance`] if `run` is no run, or some run of `refusing` accepts the inputs; [`CertifyError::Stopped`] if the budget
/// ended first.
pub fn certify_refusal(
    model: &ConditionalMutant,
    [accepting, refusing]: [Variant; 2],
    run: &Stimulus,
    listing: u64,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let accepted = replay(model, accepting, run).map_err(ReplayError::from)?;
    if accepted.broken_at.is_some() {
        return Err(CertifyError::Acceptance("the run breaks a constraint"));
    }
    let claim = Claim {
        model,
        variants: [refusing, accepting],
        inputs: &run.steps,
        only: Some(run),
        pairs: Pairs::Any,
    };
    if claim.is_met(listing, budget)? {
        return Err(CertifyError::Acceptance("the inputs are not refused"));
    }
    Ok(())
}

/// The pairs of runs that a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pairs {
    /// Pairs with the same outputs at every step.
    Alike,
    /// Pairs with different outputs at some step.
    Unlike,
    /// All pairs of runs.
    Any,
}

/// The claim that there is a pair of complete runs of two variants on these inputs.
#[derive(Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) variants: [Variant; 2],
    /// One value per step and circuit input. Only test inputs are read.
    pub(super) inputs: &'a [Vec<bool>],
    /// The run that the second one must be, which is known to exist; `None` for any run.
    pub(super) only: Option<&'a Stimulus>,
    pub(super) pairs: Pairs,
}

impl Claim<'_> {
    pub(super) fn is_met(&self, listing: u64, budget: &Budget) -> Result<bool, CertifyError> {
        // A long test is also more expensive for the solver.
        let length = 1 + self.inputs.len() as u64 / STEPS_PER_COST;
        match self.listed(listing.saturating_mul(length), budget)? {
            Some(met) => Ok(met),
            None => self.solved(budget),
        }
    }

    /// Returns whether the claim holds, by an enumeration of all pairs of states that pairs of runs can reach. `None` if the cost would
    /// exceed `listing`.
    fn listed(&self, listing: u64, budget: &Budget) -> Result<Option<bool>, CertifyError> {
        let [first, second] = self.variants;
        let first = Side::all(self.model, first);
        let second = match self.only {
            Some(run) => Some(Side::one(self.model, second, run)?),
            None => Side::all(self.model, second),
        };
        let (Some(first), Some(second)) = (first, second) else {
            return Ok(None);
        };
        let shown = self.shown(&[&first, &second], budget);
        let [mut first, mut second] = [first, second].map(|side| side.with_codes(&shown));
        let mut work = Work::of(listing);
        let Some(mut pairs) = first_pairs(&first, &second, &mut work) else {
            return Ok(None);
        };
        for (step, inputs) in self.inputs.iter().enumerate() {
            let mut next = BTreeSet::new();
            let inputs = &self.given(step, inputs, &shown);
            for (states, unlike) in &pairs {
                if let Some(stop) = budget.stopped().filter(|_| work.spent > UNTIMED) {
                    return Err(CertifyError::Stopped(stop));
                }
                let first = first.after(step, &states[0], inputs, &mut work);
                let second = second.after(step, &states[1], inputs, &mut work);
                let (Some(first), Some(second)) = (first, second) else {
                    return Ok(None);
                };
                if !work.handles(first.len() as u64 * second.len() as u64) {
                    return Ok(None);
                }
                for (shown, a) in first {
                    for (other, b) in second {
                        let unlike = match self.pairs {
                            Pairs::Alike if shown != other => continue,
                            Pairs::Alike | Pairs::Any => false,
                            Pairs::Unlike => *unlike || shown != other,
                        };
                        next.insert(([a.clone(), b.clone()], unlike));
                    }
                }
            }
            pairs = next;
            first.forget();
            second.forget();
        }
        let mut pairs = pairs.iter();
        Ok(Some(
            pairs.any(|(_, unlike)| *unlike || self.pairs != Pairs::Unlike),
        ))
    }

    /// Returns the choices for which only some values are tried. If outputs are only compared with each other, values that nothing else
    /// distinguishes are equivalent. If the second run is given, its own value is needed too.
    fn shown(&self, sides: &[&Side<'_>], budget: &Budget) -> ShownChoices {
        let many = sides.iter().any(|side| match side {
            Side::All { steps, .. } => steps.choices > FEW_CHOICES,
            Side::One(_) => false,
        });
        if !many || self.pairs == Pairs::Unlike {
            return ShownChoices::none(self.model);
        }
        let meanings = self.variants.map(|variant| of_variant(self.model, variant));
        let reads = meanings.each_ref().map(|meaning| read(self.model, meaning));
        ShownChoices::of(self.model, &meanings, &reads, CODES, budget)
    }

    /// Returns the inputs of a step once for each value (code) of shown choices that is tried; each has one value per circuit input.
    fn given(&self, step: usize, inputs: &[bool], shown: &ShownChoices) -> Vec<Vec<bool>> {
        let own = self.only.map(|run| &run.steps[step]);
        let codes = shown.codes.iter().chain(own);
        let codes = codes.map(|code| {
            let mut given = inputs.to_vec();
            for &bit in &shown.bits {
                given[bit] = code[bit];
            }
            given
        });
        match shown.bits.is_empty() {
            true => vec![inputs.to_vec()],
            false => codes.collect(),
        }
    }

    /// Returns whether the claim holds, by a solver on a product of the two variants with the length of the inputs.
    fn solved(&self, budget: &Budget) -> Result<bool, CertifyError> {
        let question = Question::Pair(Pair {
            variants: self.variants,
            shared_choices: false,
            assumed: [true, true],
            goal: Goal::OutputsDiffer,
        });
        let mut naive = Naive::new(self.model, &question, Start::First);
        let mut differences = Vec::new();
        for (step, inputs) in self.inputs.iter().enumerate() {
            if let Some(stop) = budget.stopped() {
                return Err(CertifyError::Stopped(stop));
            }
            naive.push_step();
            naive.assume_existence(step);
            for bit in self.model.input_bits() {
                self.fix_input(&mut naive, step, 0, bit, inputs[bit]);
            }
            if let Some(run) = self.only {
                for bit in self.model.choice_bits() {
                    self.fix_input(&mut naive, step, 1, bit, run.steps[step][bit]);
                }
                if step == 0 {
                    self.fix_free_values(&mut naive, run);
                }
            }
            match self.pairs {
                Pairs::Alike => {
                    let differ = naive.goal(step);
                    naive.solver.add_clause(&[!differ]);
                }
                Pairs::Unlike => differences.push(naive.goal(step)),
                Pairs::Any => {}
            }
        }
        if self.pairs == Pairs::Unlike {
            naive.solver.add_clause(&differences);
        }
        match naive.solve(&[], budget) {
            Answer::Possible => Ok(true),
            Answer::Impossible => Ok(false),
            Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
        }
    }

    fn fix_input(&self, naive: &mut Naive<'_>, step: usize, copy: usize, bit: usize, value: bool) {
        let var = self.model.aig.inputs()[bit].var;
        let lit = naive.node(step, copy, var);
        naive.solver.add_clause(&[signed(lit, value)]);
    }

    /// Asserts that the free initial values of the second copy are those of `run`.
    fn fix_free_values(&self, naive: &mut Naive<'_>, run: &Stimulus) {
        let selectors = self.model.selector_of_latch();
        for (i, latch) in self.model.aig.latches().iter().enumerate() {
            let lit = naive.node(0, 1, latch.var);
            if selectors[i].is_none() && reset_value(latch.reset, lit).is_none() {
                naive.solver.add_clause(&[signed(lit, run.initial[i])]);
            }
        }
    }
}

fn signed(lit: SatLit, value: bool) -> SatLit {
    if value { lit } else { !lit }
}

/// Pairs of packed states that two runs can reach together, each with whether the runs' outputs differed before.
type Positions = BTreeSet<([Bits; 2], bool)>;

/// Returns all pairs of initial states of the two sides; `None` if there are too many.
fn first_pairs(first: &Side<'_>, second: &Side<'_>, work: &mut Work) -> Option<Positions> {
    let firsts = first.initial(work)?;
    let seconds = second.initial(work)?;
    if !work.handles(firsts.len() as u64 * seconds.len() as u64) {
        return None;
    }
    let pairs = firsts.iter().flat_map(|a| {
        let pair = |b: &Bits| ([a.clone(), b.clone()], false);
        seconds.iter().map(pair)
    });
    Some(pairs.collect())
}

/// A count of the cost of an enumeration, in words of gates evaluated, with its limit.
struct Work {
    spent: u64,
    limit: u64,
}

impl Work {
    fn of(limit: u64) -> Work {
        Work { spent: 0, limit }
    }

    /// Counts a cost, and returns whether the limit still allows it.
    fn allows(&mut self, cost: u64) -> bool {
        self.spent = self.spent.saturating_add(cost);
        self.spent <= self.limit
    }

    /// Counts the cost of storing states or pairs of states, and returns whether the limit still allows it.
    fn handles(&mut self, states: u64) -> bool {
        self.allows(states.saturating_mul(HANDLING))
    }
}

/// The runs of one side of a claim: of the first or of the second variant.
enum Side<'a> {
    /// All runs of the variant.
    All {
        steps: Steps<'a>,
        /// The steps computed so far, by state, under the inputs of the present step.
        known: HashMap<Bits, Vec<StepBits>>,
    },
    /// One fixed run, which exists: its outputs, step by step. Its states are irrelevant.
    One(Vec<[StepBits; 1]>),
}

impl<'a> Side<'a> {
    fn all(model: &'a ConditionalMutant, variant: Variant) -> Option<Side<'a>> {
        let steps = Steps::new(model, variant, &[])?;
        let known = HashMap::new();
        Some(Side::All { steps, known })
    }

    /// Returns the side without the enumeration of the choices in `shown`, whose values are given for each step. A fixed run stays
    /// unchanged.
    fn with_codes(self, shown: &ShownChoices) -> Side<'a> {
        match self {
            Side::All { steps, known } => Side::All {
                steps: steps.without(&shown.bits),
                known,
            },
            one @ Side::One(_) => one,
        }
    }

    fn one(
        model: &'a ConditionalMutant,
        variant: Variant,
        run: &Stimulus,
    ) -> Result<Side<'a>, ReplayError> {
        let trace = replay(model, variant, run)?;
        let outputs = trace.outputs.iter().map(|outputs| pack(outputs));
        let steps = outputs.map(|outputs| [(outputs, Bits::new())]);
        Ok(Side::One(steps.collect()))
    }

    fn initial(&self, work: &mut Work) -> Option<Vec<Bits>> {
        match self {
            Side::All { steps, .. } => {
                let states = 1u64.checked_shl(steps.free_values())?;
                if !work.handles(states) {
                    return None;
                }
                // The limit on states also bounds the time to enumerate them.
                steps.initial(&Budget::unlimited()).ok()?
            }
            Side::One(_) => Some(vec![Bits::new()]),
        }
    }

    /// Returns the steps from a state under any of these inputs; `None` if their enumeration is too expensive. A fixed run has one step,
    /// number `step`.
    fn after(
        &mut self,
        step: usize,
        state: &Bits,
        given: &[Vec<bool>],
        work: &mut Work,
    ) -> Option<&[StepBits]> {
        match self {
            Side::All { steps, known } => {
                if !known.contains_key(state) {
                    let mut found = Vec::new();
                    let tried = match steps.given_matters(&[state])[..] {
                        [true] => given,
                        _ => &given[..1],
                    };
                    for inputs in tried {
                        found.extend(steps.under(state, inputs, |cost| work.allows(cost))?);
                    }
                    found.sort_unstable();
                    found.dedup();
                    known.insert(state.clone(), found);
                }
                known.get(state).map(Vec::as_slice)
            }
            Side::One(steps) => steps.get(step).map(<[StepBits; 1]>::as_slice),
        }
    }

    /// Clears the computed steps, since the next step has other inputs.
    fn forget(&mut self) {
        if let Side::All { known, .. } = self {
            known.clear();
        }
    }
}
