//! The pair game: strategies for the model's choices, or for both sides', that see the states of both runs.
//!
//! [`Relation::Matched`] is the greatest simulation of the mutant by the model (Milner). Polynomial where sets of states are
//! exponential, and incomplete: a winning strategy that needs to know the future is not found. Never says that a test exists.

use hyperkill_core::ConditionalMutant;
use rustc_hash::FxHashMap;

use super::machine::{Limit, Machines, Side, State};
use super::search::StateTable;
use super::subsets::agreeing;
use super::{ClosedSet, Effort, Position, Relation};
use crate::budget::{Budget, Stop};

/// A set of single pairs that proves that no test exists; `None` if there is none, or finding it takes more than the effort.
///
/// An input that either side of a pair refuses, where the relation asks it for a step, counts as lost: whether all other runs refuse it as
/// well is not looked at.
///
/// # Errors
/// If the budget ends it.
pub fn simulation(
    model: &ConditionalMutant,
    mutant: usize,
    relation: Relation,
    effort: &Effort,
    budget: &Budget,
) -> Result<Option<ClosedSet>, Stop> {
    let mut game = Game {
        machines: Machines::new(model, mutant, effort, budget),
        relation,
        allowed: effort.positions,
        pairs: Vec::new(),
        numbers: FxHashMap::default(),
        duties: Vec::new(),
        duties_of: Vec::new(),
        options: 0,
    };
    match game.closed_set(mutant, budget) {
        Ok(found) => Ok(found),
        Err(Limit::Effort) => Ok(None),
        Err(Limit::Stopped(stop)) => Err(stop),
    }
}

/// Something that must be answered at a pair.
struct Duty {
    /// The pair.
    owner: usize,
    /// Pairs that answers lead to.
    options: Vec<usize>,
}

struct Game<'a> {
    machines: Machines<'a>,
    relation: Relation,
    allowed: usize,
    /// (mutant, model) pairs that some runs with equal outputs reach.
    pairs: Vec<(State, State)>,
    numbers: FxHashMap<(State, State), usize>,
    duties: Vec<Duty>,
    /// By pair.
    duties_of: Vec<Vec<usize>>,
    /// Options of all duties together.
    options: usize,
}

impl Game<'_> {
    fn closed_set(&mut self, mutant: usize, budget: &Budget) -> Result<Option<ClosedSet>, Limit> {
        let models = self.machines.initial(Side::Model)?;
        let mutants = self.machines.initial(Side::Mutant)?;
        // A start is like a step: one duty for each of the mutant's, or one for all.
        let mut starts: Vec<Vec<usize>> = Vec::new();
        for &m in &mutants {
            let mut options = Vec::new();
            for &o in &models {
                options.push(self.number((m, o))?);
            }
            starts.push(options);
        }
        if self.relation == Relation::Agreeing {
            starts = vec![starts.concat()];
        }
        self.explore(budget)?;
        let alive = self.greatest();
        let mut todo = Vec::new();
        for options in &starts {
            match options.iter().find(|&&pair| alive[pair]) {
                Some(&pair) => todo.push(pair),
                None => return Ok(None),
            }
        }
        Ok(Some(self.strategy(todo, &alive, mutant)))
    }

    fn number(&mut self, pair: (State, State)) -> Result<usize, Limit> {
        if let Some(&number) = self.numbers.get(&pair) {
            return Ok(number);
        }
        if self.pairs.len() + self.options / 64 >= self.allowed {
            return Err(Limit::Effort);
        }
        self.numbers.insert(pair, self.pairs.len());
        self.pairs.push(pair);
        self.duties_of.push(Vec::new());
        Ok(self.pairs.len() - 1)
    }

    /// Finds all pairs and their duties.
    fn explore(&mut self, budget: &Budget) -> Result<(), Limit> {
        let mut done = 0;
        while done < self.pairs.len() {
            let end = self.pairs.len();
            let level = &self.pairs[done..end];
            self.machines
                .list(Side::Mutant, level.iter().map(|pair| pair.0))?;
            self.machines
                .list(Side::Model, level.iter().map(|pair| pair.1))?;
            for owner in done..end {
                if let Some(stop) = budget.stopped() {
                    return Err(stop.into());
                }
                self.add_duties(owner)?;
            }
            done = end;
        }
        Ok(())
    }

    fn add_duties(&mut self, owner: usize) -> Result<(), Limit> {
        let (m, o) = self.pairs[owner];
        let letters = self
            .machines
            .distinct_letters([(Side::Mutant, m), (Side::Model, o)]);
        for letter in letters {
            let mutated = self.machines.moves(Side::Mutant, m, letter).to_vec();
            let original = self.machines.moves(Side::Model, o, letter).to_vec();
            let together: Vec<_> = agreeing(&mutated, &original).collect();
            let answers: Vec<Vec<(State, State)>> = match self.relation {
                Relation::Matched => mutated
                    .iter()
                    .map(|step| {
                        let answers = together.iter().filter(|(m, _)| m == step);
                        answers.map(|(m, o)| (m.next, o.next)).collect()
                    })
                    .collect(),
                Relation::Agreeing => {
                    vec![together.iter().map(|(m, o)| (m.next, o.next)).collect()]
                }
            };
            for mut answers in answers {
                answers.sort_unstable();
                answers.dedup();
                self.options += answers.len();
                let mut options = Vec::with_capacity(answers.len());
                for pair in answers {
                    options.push(self.number(pair)?);
                }
                self.duties_of[owner].push(self.duties.len());
                self.duties.push(Duty { owner, options });
            }
        }
        Ok(())
    }

    /// The pairs from which all duties can be answered for ever.
    fn greatest(&self) -> Vec<bool> {
        let mut alive = vec![true; self.pairs.len()];
        let mut answers: Vec<usize> = self.duties.iter().map(|duty| duty.options.len()).collect();
        let mut asked_by: Vec<Vec<usize>> = vec![Vec::new(); self.pairs.len()];
        for (number, duty) in self.duties.iter().enumerate() {
            for &option in &duty.options {
                asked_by[option].push(number);
            }
        }
        let mut dying = Vec::new();
        let mut lose = |pair: usize, dying: &mut Vec<usize>| {
            if std::mem::replace(&mut alive[pair], false) {
                dying.push(pair);
            }
        };
        for duty in self.duties.iter().filter(|duty| duty.options.is_empty()) {
            lose(duty.owner, &mut dying);
        }
        while let Some(pair) = dying.pop() {
            for &number in &asked_by[pair] {
                answers[number] -= 1;
                if answers[number] == 0 {
                    lose(self.duties[number].owner, &mut dying);
                }
            }
        }
        alive
    }

    /// The pairs that one answer to each duty leads to.
    fn strategy(&self, mut todo: Vec<usize>, alive: &[bool], mutant: usize) -> ClosedSet {
        let mut chosen = vec![false; self.pairs.len()];
        let mut table = StateTable::new(&self.machines);
        let mut positions = Vec::new();
        while let Some(pair) = todo.pop() {
            if std::mem::replace(&mut chosen[pair], true) {
                continue;
            }
            let (m, o) = self.pairs[pair];
            positions.push(Position {
                pairs: vec![(table.index(m), table.index(o))],
                mutant: Vec::new(),
                model: Vec::new(),
            });
            for &duty in &self.duties_of[pair] {
                let mut options = self.duties[duty].options.iter().copied();
                let answered = options.clone().any(|option| chosen[option]);
                if !answered {
                    todo.extend(options.find(|&option| alive[option]));
                }
            }
        }
        ClosedSet {
            mutant,
            relation: self.relation,
            states: table.states,
            positions,
        }
    }
}
