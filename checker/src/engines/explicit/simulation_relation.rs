//! The simulation relation, as a game on pairs of states: strategies for the model's choices, or for the choices of both sides, that see
//! the states of both runs.
//!
//! [`Relation::Matched`] is the greatest simulation of the mutant by the model (Milner). It is polynomial where state estimates are
//! exponential, and incomplete: it misses winning strategies that need to know the future, and never shows that a test exists. If outputs
//! are ignored, it is a simulation of the model by the mutant: the mutant accepts everything that the model accepts.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::closed_set::{ClosedSet, Position, Relation};
use rustc_hash::FxHashMap;

use super::Listing;
use super::known_steps::KnownSteps;
use super::machine::{Limit, Machines, Move, ShownValues, Side, State, listed_agreeing};
use super::search::StateTable;
use super::vectors::PER_ENTRY;

/// Returns a simulation relation, a set of single pairs, as a proof that no test exists. `None` if there is no such relation, or if finding
/// it exceeds the effort.
///
/// A pair is lost if a required step has no answer because its side refuses the input, even if all other runs refuse the input too.
///
/// # Errors
/// If the budget ends the search.
pub fn simulation(
    model: &ConditionalMutant,
    mutant: SelectorId,
    relation: Relation,
    effort: &Listing,
    budget: &Budget,
) -> Result<Option<ClosedSet>, Stop> {
    let steps = KnownSteps::default();
    simulation_knowing(model, mutant, relation, effort, &steps, budget)
}

/// Searches like [`simulation`], with a cache of steps of the circuit.
///
/// # Errors
/// If the budget ends the search.
pub(super) fn simulation_knowing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    relation: Relation,
    effort: &Listing,
    steps: &KnownSteps,
    budget: &Budget,
) -> Result<Option<ClosedSet>, Stop> {
    let machines = Machines::new(
        model,
        mutant,
        ShownValues::Representatives,
        effort,
        steps,
        budget,
    );
    let mut game = Game::new(machines, Aim::Outputs(relation), effort.positions);
    match game.strategy() {
        Ok(Some(pairs)) => Ok(Some(game.closed_set(&pairs, mutant, relation))),
        Ok(None) | Err(Limit::Listing) => Ok(None),
        Err(Limit::Stopped(stop)) => Err(stop),
    }
}

/// Returns pairs (model, mutant) of states, from the initial ones on. In each, the mutant answers every step of the model by a step on the
/// same input, under any outputs. With `both` the model also answers every step of the mutant. `None` if there are no such pairs.
///
/// # Errors
/// If finding them exceeds the effort.
pub(super) fn accepting_pairs(
    machines: Machines<'_>,
    both: bool,
    allowed: usize,
) -> Result<Option<AcceptedSets>, Limit> {
    let mut game = Game::new(machines, Aim::Inputs { both }, allowed);
    let pairs = game.strategy()?;
    Ok(pairs.map(|pairs| {
        let mut table = StateTable::new(&game.machines);
        let pairs = pairs
            .iter()
            .map(|&(m, o)| [o, m].map(|s| vec![table.index(s)]));
        let pairs = pairs.collect();
        AcceptedSets {
            states: table.states,
            pairs,
        }
    }))
}

/// The aim of the strategy that the simulation relation gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// To keep the outputs of both sides equal.
    Outputs(Relation),
    /// To let the mutant accept everything that the model accepts; with `both` also the reverse.
    Inputs { both: bool },
}

/// An obligation in the game: a step or an initial state that the other side must answer.
struct Duty {
    /// The index of the pair at which it arises; `None` at the start.
    owner: Option<usize>,
    /// The pairs of states to which possible answers lead. Pairs of equal states come first, since most mutants behave mostly like the
    /// model.
    answers: Vec<(State, State)>,
    /// The index of the current answer; earlier answers lead to lost pairs.
    given: usize,
}

/// A (mutant, model) pair of states that is the target of some answer.
struct Pair {
    states: (State, State),
    /// Whether some duty of the pair cannot be answered, so that answers must avoid the pair.
    lost: bool,
    duties: Vec<usize>,
    /// The indices of the duties whose current answer leads to this pair.
    answers: Vec<usize>,
}

/// A game that finds an answer for each duty and revises answers that lead to lost pairs. Only pairs to which answers lead are explored
/// (local fixpoints: Liu and Smolka, ICALP 1998).
struct Game<'a> {
    machines: Machines<'a>,
    aim: Aim,
    allowed: usize,
    pairs: Vec<Pair>,
    numbers: FxHashMap<(State, State), usize>,
    duties: Vec<Duty>,
    /// The total number of possible answers of all duties.
    answers: usize,
}

impl<'a> Game<'a> {
    fn new(machines: Machines<'a>, aim: Aim, allowed: usize) -> Game<'a> {
        Game {
            machines,
            aim,
            allowed,
            pairs: Vec::new(),
            numbers: FxHashMap::default(),
            duties: Vec::new(),
            answers: 0,
        }
    }

    /// Returns the approximate memory of pairs, duties and answers, in bytes.
    fn bytes(&self) -> usize {
        let pair = size_of::<Pair>() + PER_ENTRY;
        let answer = size_of::<(State, State)>() + size_of::<usize>();
        pair * self.pairs.len() + size_of::<Duty>() * self.duties.len() + answer * self.answers
    }

    /// Returns the pairs (mutant, model) of a winning strategy, which form a simulation relation; `None` if there is none.
    fn strategy(&mut self) -> Result<Option<Vec<(State, State)>>, Limit> {
        let models = self.machines.initial(Side::Model)?;
        let mutants = self.machines.initial(Side::Mutant)?;
        // Initial states are treated like steps: one duty for each initial state of the mutant, or one for all.
        let beside = |&m: &State| models.iter().map(move |&o| (m, o));
        let pairs = models.len().saturating_mul(mutants.len());
        if pairs / 64 > self.allowed {
            return Err(Limit::Listing);
        }
        match self.aim {
            Aim::Outputs(Relation::Matched) => {
                for m in &mutants {
                    self.add_duty(None, beside(m).collect());
                }
            }
            Aim::Outputs(Relation::Agreeing) => {
                self.add_duty(None, mutants.iter().flat_map(beside).collect());
            }
            Aim::Inputs { both } => self.answer_inputs(None, [&mutants, &models], both),
        }
        let starts = self.duties.len();
        for duty in 0..starts {
            if !self.answer(duty)? {
                return Ok(None);
            }
        }
        let mut done = 0;
        while done < self.pairs.len() {
            let end = self.pairs.len();
            let level = &self.pairs[done..end];
            let mutants = level.iter().map(|pair| pair.states.0);
            self.machines.list(Side::Mutant, mutants)?;
            let models = level.iter().map(|pair| pair.states.1);
            self.machines.list(Side::Model, models)?;
            for pair in done..end {
                self.machines.go_on(self.bytes())?;
                self.add_duties(pair)?;
                if !self.answer_all(pair)? {
                    return Ok(None);
                }
            }
            done = end;
        }
        Ok(Some(self.given(starts)))
    }

    /// Adds duties at the pair `owner`: the mutant must answer each step of the model, and with `both` the model each step of the mutant.
    /// `next` are the states after the possible steps of mutant and model.
    fn answer_inputs(&mut self, owner: Option<usize>, next: [&[State]; 2], both: bool) {
        let [mutants, models] = next;
        for &o in models {
            self.add_duty(owner, mutants.iter().map(|&m| (m, o)).collect());
        }
        for &m in mutants.iter().filter(|_| both) {
            self.add_duty(owner, models.iter().map(|&o| (m, o)).collect());
        }
    }

    fn add_duty(&mut self, owner: Option<usize>, mut answers: Vec<(State, State)>) {
        answers.sort_unstable_by_key(|&(m, o)| (m != o, m, o));
        answers.dedup();
        self.answers += answers.len();
        if let Some(owner) = owner {
            self.pairs[owner].duties.push(self.duties.len());
        }
        self.duties.push(Duty {
            owner,
            answers,
            given: 0,
        });
    }

    /// Adds the duties of a pair (by index): the steps that must be answered in it.
    fn add_duties(&mut self, pair: usize) -> Result<(), Limit> {
        let (m, o) = self.pairs[pair].states;
        let valuations = self
            .machines
            .distinct_valuations([(Side::Mutant, m), (Side::Model, o)]);
        for valuation in valuations {
            self.machines.go_on(self.bytes())?;
            if let Aim::Inputs { both } = self.aim {
                let next = [(Side::Mutant, m), (Side::Model, o)].map(|(side, state)| {
                    let moves = self.machines.moves(side, state, valuation).iter();
                    let mut next: Vec<State> = moves.map(|step| step.next).collect();
                    next.sort_unstable();
                    next.dedup();
                    next
                });
                let all = next[0].len().saturating_mul(next[1].len());
                if all / 64 > self.allowed {
                    return Err(Limit::Listing);
                }
                self.answer_inputs(Some(pair), [&next[0], &next[1]], both);
                self.within_limits()?;
                continue;
            }
            let mutated = self.machines.moves(Side::Mutant, m, valuation).to_vec();
            let original = self.machines.moves(Side::Model, o, valuation);
            let room =
                (64 * self.allowed.saturating_sub(self.pairs.len())).saturating_sub(self.answers);
            let together = listed_agreeing(&mutated, original, room)?.into_iter();
            let mut together: Vec<(Move, State)> = together.map(|(m, o)| (m, o.next)).collect();
            let next = |pairs: &[(Move, State)]| pairs.iter().map(|&(m, o)| (m.next, o)).collect();
            match self.aim {
                Aim::Outputs(Relation::Matched) => {
                    together.sort_unstable();
                    for step in mutated {
                        let first = together.partition_point(|&(m, _)| m < step);
                        let count = together[first..].partition_point(|&(m, _)| m == step);
                        self.add_duty(Some(pair), next(&together[first..first + count]));
                    }
                }
                _ => self.add_duty(Some(pair), next(&together)),
            }
            self.within_limits()?;
        }
        Ok(())
    }

    fn within_limits(&self) -> Result<(), Limit> {
        match self.pairs.len() + self.answers / 64 > self.allowed {
            true => Err(Limit::Listing),
            false => Ok(()),
        }
    }

    /// Chooses for the duty `number` the first answer that does not lead to a lost pair. Returns whether there is one.
    fn answer(&mut self, number: usize) -> Result<bool, Limit> {
        while let Some(&states) = self.duties[number].answers.get(self.duties[number].given) {
            let pair = match self.numbers.get(&states) {
                Some(&pair) => pair,
                None => {
                    if self.pairs.len() >= self.allowed {
                        return Err(Limit::Listing);
                    }
                    self.numbers.insert(states, self.pairs.len());
                    self.pairs.push(Pair {
                        states,
                        lost: false,
                        duties: Vec::new(),
                        answers: Vec::new(),
                    });
                    self.pairs.len() - 1
                }
            };
            if !self.pairs[pair].lost {
                self.pairs[pair].answers.push(number);
                return Ok(true);
            }
            self.duties[number].given += 1;
        }
        Ok(false)
    }

    /// Answers the duties of a pair. If one has no answer, the pair is lost, and the duties that lead to it get other answers. Returns
    /// false if a duty of an initial state has none.
    fn answer_all(&mut self, pair: usize) -> Result<bool, Limit> {
        let mut open = self.pairs[pair].duties.clone();
        while let Some(duty) = open.pop() {
            let owner = self.duties[duty].owner;
            let settled = owner.is_some_and(|owner| self.pairs[owner].lost);
            if settled || self.answer(duty)? {
                continue;
            }
            let Some(owner) = owner else {
                return Ok(false);
            };
            let owner = &mut self.pairs[owner];
            owner.lost = true;
            open.append(&mut owner.answers);
        }
        Ok(true)
    }

    /// Returns the pairs of states that the chosen answers reach from the first `starts` duties on.
    fn given(&self, starts: usize) -> Vec<(State, State)> {
        let mut given = Vec::new();
        let mut chosen = vec![false; self.pairs.len()];
        let mut duties: Vec<usize> = (0..starts).collect();
        while let Some(number) = duties.pop() {
            let duty = &self.duties[number];
            let answer = duty.answers.get(duty.given);
            let Some(&pair) = answer.and_then(|states| self.numbers.get(states)) else {
                continue;
            };
            if std::mem::replace(&mut chosen[pair], true) {
                continue;
            }
            given.push(self.pairs[pair].states);
            duties.extend(&self.pairs[pair].duties);
        }
        given
    }

    fn closed_set(
        &self,
        pairs: &[(State, State)],
        mutant: SelectorId,
        relation: Relation,
    ) -> ClosedSet {
        let mut table = StateTable::new(&self.machines);
        let positions = pairs.iter().map(|&(m, o)| Position {
            pairs: vec![(table.index(m), table.index(o))],
            mutant: Vec::new(),
            model: Vec::new(),
        });
        let positions = positions.collect();
        ClosedSet {
            members: vec![mutant],
            relation,
            states: table.states,
            positions,
        }
    }
}
