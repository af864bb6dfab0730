//! Potential kills and equivalence where the model chooses (φ2).
//!
//! The model may answer a mutant by any strategy. Identity is tried first, as it is cheap and proves most; then sets of explicit
//! states, which are complete for small models; then ∃∀ expansion and larger sets in turns of growing effort.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::question::{Preference, Question};
use hyperkill_evidence::verdict::{Engine, Kill, Reason};
use hyperkill_formulas::compose::{Sharing, self_compose};
use hyperkill_formulas::killing;

use super::{Answer, AtHand, DecideError, Inquiry};
use crate::bmc::{Depth, Found};
use crate::exists_forall::{ExistsForall, Sides};
use crate::judge::{Judgement, can_agree, closest_run, produces};
use crate::known::Known;
use crate::question::{Pose, QuestionError};
use crate::solve::{Limits, Solved, solve};
use crate::{explicit, question};

/// States and positions that may be listed before anything dearer is tried.
pub(super) const FIRST_LOOK: explicit::Effort = explicit::Effort {
    steps: 1 << 22,
    positions: 1 << 15,
};
/// The same where only the length of a test is at stake.
pub(super) const GLANCE: explicit::Effort = explicit::Effort {
    steps: 1 << 20,
    positions: 1 << 13,
};
/// Gates of an expansion when it is only to shorten a test.
const SHORTEN_SIZE: usize = 40_000;
/// Conflicts per solver call when it is only to shorten a test.
const SHORTEN_CONFLICTS: u32 = 500;
/// Gates of an expansion in the first turn; quadruples with each turn.
const FIRST_SIZE: usize = 200_000;
/// Conflicts per solver call in the first turn; quadruples with each turn.
const FIRST_CONFLICTS: u32 = 2_000;

impl Inquiry<'_> {
    /// Decides whether some run of the mutant on inputs that the model accepts has outputs that no run of the model has.
    pub(super) fn by_strategies(
        &self,
        mutant: usize,
        known: Known,
        checked: &mut AtHand,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let mut known_to = 0;
        let at_hand = match known.found {
            Some((engine, found)) => self
                .judged(mutant, found, false, budget)?
                .map(|kill| (engine, kill)),
            None => None,
        };
        if at_hand.is_some() && !self.shortest {
            return Ok(killed(at_hand));
        }
        if let (None, Some((engine, kill))) = (&checked, &at_hand) {
            // What follows may take all the time there is.
            let answer = Answer::Killed(*engine, kill.clone());
            if let Answer::Killed(engine, kill) = self.certified(mutant, answer, None, budget)? {
                *checked = Some((engine, kill));
            }
        }
        let look = if at_hand.is_some() {
            GLANCE
        } else {
            FIRST_LOOK
        };
        if self.engines.subsets
            && let Some(answer) =
                self.explored(mutant, Relation::Matched, look, &mut known_to, budget)?
        {
            return Ok(answer);
        }
        if at_hand.is_some() {
            return self.shortened(mutant, at_hand, budget);
        }
        if let Some(stop) = budget.stopped() {
            return Ok(Answer::open(known_to, stop));
        }
        let identity = Question::identity(mutant);
        match solve(&identity.pose(self.model), &self.modest(), budget) {
            Solved::Unreachable(proof) => return self.proved(mutant, identity, proof, budget),
            Solved::Reached { found, refuted } => {
                // Every strategy keeps up for as long as this one.
                known_to = known_to.max(refuted);
                let shortest = refuted + 1 >= found.steps;
                let engine = self.finder(&found, Engine::Bmc);
                if let Some(kill) = self.judged(mutant, found, shortest, budget)? {
                    return Ok(Answer::Killed(engine, kill));
                }
            }
            Solved::Open { refuted, stop } => {
                known_to = known_to.max(refuted);
                if stop.is_from_outside() {
                    return Ok(Answer::open(known_to, stop));
                }
            }
        }
        if let Some(answer) = self.steered(mutant, Relation::Matched, &mut known_to, budget)? {
            return Ok(answer);
        }
        self.in_turns(mutant, known_to, budget)
    }

    /// Strategies that follow what the other side does, one after the other: the first that proves or kills.
    pub(super) fn steered(
        &self,
        mutant: usize,
        relation: Relation,
        known_to: &mut usize,
        budget: &Budget,
    ) -> Result<Option<Answer>, DecideError> {
        if !self.limits.prove && !self.limits.pdr {
            return Ok(None);
        }
        // Where outputs tell the state there is nothing to prefer.
        let preferences: &[Preference] = if relation == Relation::Matched && self.observable {
            &[Preference::Any, Preference::State]
        } else {
            &[
                Preference::State,
                Preference::Copy,
                Preference::Any,
                Preference::Lowest,
                Preference::Highest,
            ]
        };
        for &preference in preferences {
            if let Some(stop) = budget.stopped() {
                return Ok(Some(Answer::open(*known_to, stop)));
            }
            let question = match relation {
                Relation::Matched => question::tracked(self.model, mutant, preference),
                Relation::Agreeing => question::agreeing(self.model, mutant, preference),
            };
            // Some preferences can do with part of the choices where all are too many.
            let Ok(question) = question else {
                continue;
            };
            let limits = Limits {
                external: None,
                ..self.modest()
            };
            match solve(&question.pose(self.model), &limits, budget) {
                Solved::Unreachable(proof) => {
                    return self.proved(mutant, question, proof, budget).map(Some);
                }
                Solved::Reached { found, refuted } => {
                    // No test kills before some strategy fails.
                    *known_to = (*known_to).max(refuted);
                    let shortest = refuted + 1 >= found.steps;
                    if let Some(runs) = question::runs(&question, self.model, &found)
                        && let Some(answer) =
                            self.candidate(mutant, relation, runs, shortest, budget)?
                    {
                        return Ok(Some(answer));
                    }
                }
                Solved::Open { refuted, stop } => {
                    *known_to = (*known_to).max(refuted);
                    if stop.is_from_outside() {
                        return Ok(Some(Answer::open(*known_to, stop)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Runs on which a strategy failed, as a kill if every other fails as well. It is a shortest one if they are.
    fn candidate(
        &self,
        mutant: usize,
        relation: Relation,
        runs: [Stimulus; 2],
        shortest: bool,
        budget: &Budget,
    ) -> Result<Option<Answer>, DecideError> {
        let kill = match relation {
            Relation::Matched => {
                let found = Found {
                    steps: runs[1].steps.len(),
                    runs: runs.to_vec(),
                };
                self.judged(mutant, found, shortest, budget)?
            }
            Relation::Agreeing => {
                let inputs = &runs[0].steps;
                match can_agree(self.model, mutant, inputs, None, budget) {
                    Judgement::Never => Some(self.kill(mutant, runs, shortest, budget)?),
                    Judgement::Exists | Judgement::Unsettled(_) => None,
                }
            }
        };
        Ok(kill.map(|kill| Answer::Killed(Engine::Bmc, kill)))
    }

    /// Limits for what is tried first.
    pub(super) fn modest(&self) -> Limits {
        let modest = Limits::modest();
        Limits {
            bound: self.limits.bound.or(modest.bound),
            turns: modest.turns,
            effort: modest.effort,
            ..self.limits.clone()
        }
    }

    /// ∃∀ and sets of states, with more of everything in each turn.
    fn in_turns(
        &self,
        mutant: usize,
        mut known_to: usize,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let composition = self_compose(
            self.model,
            mutant,
            &crate::fault::with_selectors_inside(killing::phi2()),
            Sharing::Independent,
        )
        .map_err(QuestionError::from)?;
        let sides = Sides::of(&composition);
        let mut search = ExistsForall::new(&composition, &sides);
        match self.within_bound(&mut search, &mut known_to, budget) {
            Bounded::Found(found) => return self.found(mutant, Relation::Matched, found, budget),
            Bounded::Nothing(answer) => return Ok(answer),
            Bounded::Open => {}
        }
        let mut turn = 0;
        loop {
            let mut stop = Stop::Bound;
            // With the same effort as the turn before it would end as it did then.
            if self.engines.subsets && (turn == 0 || larger(turn) != larger(turn - 1)) {
                let effort = larger(turn);
                let answer =
                    self.explored(mutant, Relation::Matched, effort, &mut known_to, budget)?;
                if let Some(answer) = answer {
                    return Ok(answer);
                }
            }
            if self.engines.exists_forall {
                match self.deepen(&mut search, turn, usize::MAX, budget) {
                    Ok(found) => return self.found(mutant, Relation::Matched, found, budget),
                    Err(why) => stop = why,
                }
                known_to = known_to.max(search.refuted());
            }
            if self.is_over(turn, known_to, stop, budget) {
                let stop = self.why_over(stop);
                return Ok(Answer::open(known_to, budget.stopped().unwrap_or(stop)));
            }
            turn += 1;
        }
    }

    /// Whether turns of growing effort end after this one.
    pub(super) fn is_over(&self, turn: u32, known_to: usize, stop: Stop, budget: &Budget) -> bool {
        let nobody = !self.engines.exists_forall && !self.engines.subsets;
        let last = self.limits.turns.is_some_and(|turns| turn + 1 >= turns);
        let searched = self.limits.bound.is_some_and(|bound| known_to >= bound);
        nobody
            || last
            || searched
            || turn >= LAST_TURN
            || stop != Stop::Bound
            || budget.stopped().is_some()
    }

    /// Searches for what the bound allows, if there is one, before larger sets of states are listed: that is soon done.
    pub(super) fn within_bound(
        &self,
        search: &mut ExistsForall<'_>,
        known_to: &mut usize,
        budget: &Budget,
    ) -> Bounded {
        let Some(bound) = self.limits.bound else {
            return Bounded::Open;
        };
        if *known_to < bound && self.engines.exists_forall {
            if let Ok(found) = self.deepen(search, 0, bound, budget) {
                return Bounded::Found(found);
            }
            *known_to = (*known_to).max(search.refuted());
        }
        if *known_to >= bound {
            Bounded::Nothing(Answer::open(*known_to, Stop::Bound))
        } else {
            Bounded::Open
        }
    }

    /// What ended the search, if no limit did.
    pub(super) fn why_over(&self, stop: Stop) -> Stop {
        let nobody = !self.engines.exists_forall && !self.engines.subsets;
        if nobody && stop == Stop::Bound {
            Stop::Engines
        } else {
            stop
        }
    }

    /// Deepens an ∃∀ search within a turn's effort; `Ok` if it found runs.
    pub(super) fn deepen(
        &self,
        search: &mut ExistsForall<'_>,
        turn: u32,
        until: usize,
        budget: &Budget,
    ) -> Result<Found, Stop> {
        let size = FIRST_SIZE << (2 * turn).min(16);
        let conflicts = FIRST_CONFLICTS << (2 * turn).min(18);
        // Steps are capped too: what folds to constants costs no gates.
        let until = until
            .min(32 << (2 * turn).min(20))
            .min(self.limits.bound.unwrap_or(usize::MAX));
        while search.refuted() < until && search.size() < size {
            match search.deepen(Some(conflicts), budget) {
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

    /// What an ∃∀ search found, as an answer.
    pub(super) fn found(
        &self,
        mutant: usize,
        relation: Relation,
        found: Found,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let known_to = found.steps.saturating_sub(1);
        let Ok([first, second]) = <[_; 2]>::try_from(found.runs) else {
            return Ok(Answer::open(known_to, Stop::Bound));
        };
        // In the order of the formulas' prefixes.
        let [model_run, mutant_run] = match relation {
            Relation::Matched => [second, first],
            Relation::Agreeing => [first, second],
        };
        let model_run = match relation {
            Relation::Agreeing => model_run,
            Relation::Matched => self
                .beside(mutant, &mutant_run, budget)
                .unwrap_or(model_run),
        };
        let mut mutant_run = mutant_run;
        mutant_run.steps.truncate(model_run.steps.len());
        let kill = self.kill(mutant, [model_run, mutant_run], true, budget)?;
        let kill = self.confirmed(mutant, relation, kill, budget)?;
        Ok(Answer::Killed(Engine::ExistsForall, kill))
    }

    /// A run of the model that agrees with this run of the mutant for as long as any does.
    fn beside(&self, mutant: usize, run: &Stimulus, budget: &Budget) -> Option<Stimulus> {
        let observed = replay(self.model, Variant::Mutant(mutant), run).ok()?;
        closest_run(self.model, &run.steps, &observed.outputs, budget)
    }

    /// Whether some run of the model has the outputs of this run of the mutant.
    pub(super) fn matched(&self, mutant: usize, run: &Stimulus, budget: &Budget) -> Judgement {
        match replay(self.model, Variant::Mutant(mutant), run) {
            Ok(observed) => {
                let outputs = &observed.outputs;
                produces(self.model, Variant::Original, &run.steps, outputs, budget)
            }
            Err(_) => Judgement::Exists,
        }
    }

    /// A pair of runs with different outputs as a kill, if no run of the model has the mutant's outputs.
    fn judged(
        &self,
        mutant: usize,
        found: Found,
        shortest: bool,
        budget: &Budget,
    ) -> Result<Option<Kill>, DecideError> {
        let Ok([model_run, mut mutant_run]) = <[_; 2]>::try_from(found.runs) else {
            return Ok(None);
        };
        let beside = match self.matched(mutant, &mutant_run, budget) {
            Judgement::Exists => return Ok(None),
            Judgement::Never => self.beside(mutant, &mutant_run, budget),
            Judgement::Unsettled(_) => None,
        };
        let Some(beside) = beside else {
            // A limit came first, but what is plain needs no solver.
            return Ok(self.plain_kill(mutant, &[model_run, mutant_run]));
        };
        mutant_run.steps.truncate(beside.steps.len());
        self.kill(mutant, [beside, mutant_run], shortest, budget)
            .map(Some)
    }

    /// The shortest kill, if ∃∀ finds it with little effort, else the one at hand.
    fn shortened(
        &self,
        mutant: usize,
        at_hand: Option<(Engine, Kill)>,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let Some((engine, mut kill)) = at_hand else {
            return Ok(killed(None));
        };
        if self.engines.exists_forall && budget.stopped().is_none() {
            let composition = self_compose(
                self.model,
                mutant,
                &crate::fault::with_selectors_inside(killing::phi2()),
                Sharing::Independent,
            )
            .map_err(QuestionError::from)?;
            let sides = Sides::of(&composition);
            let mut search = ExistsForall::new(&composition, &sides);
            if let Some(found) = shorten_by_expansion(&mut search, kill.steps(), budget)
                && let Answer::Killed(engine, shorter) =
                    self.found(mutant, Relation::Matched, found, budget)?
            {
                return Ok(Answer::Killed(engine, shorter));
            }
            kill.shortest = search.refuted() + 1 >= kill.steps();
        }
        Ok(Answer::Killed(engine, kill))
    }
}

/// Runs of fewer than `steps` steps, if ∃∀ finds them with little effort.
pub(super) fn shorten_by_expansion(
    search: &mut ExistsForall<'_>,
    steps: usize,
    budget: &Budget,
) -> Option<Found> {
    while search.refuted() + 1 < steps && search.size() < SHORTEN_SIZE {
        match search.deepen(Some(SHORTEN_CONFLICTS), budget) {
            Depth::Reached(found) => return Some(found),
            Depth::Refuted => {}
            Depth::Undecided(_) => return None,
        }
    }
    None
}

/// Turns after which efforts no longer grow, and nothing more is to be hoped for.
const LAST_TURN: u32 = 8;

/// What a search within the bound has found.
pub(super) enum Bounded {
    Found(Found),
    /// All that the bound allows was searched.
    Nothing(Answer),
    Open,
}

/// What may be listed in a turn.
pub(super) fn larger(turn: u32) -> explicit::Effort {
    explicit::Effort {
        steps: FIRST_LOOK.steps << (2 * turn + 2).min(4),
        positions: FIRST_LOOK.positions << (2 * turn + 2).min(4),
    }
}

fn killed(at_hand: Option<(Engine, Kill)>) -> Answer {
    match at_hand {
        Some((engine, kill)) => Answer::Killed(engine, kill),
        None => Answer::Open {
            known_to: 0,
            reason: Reason::Bound,
        },
    }
}
