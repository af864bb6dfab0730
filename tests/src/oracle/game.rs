//! Can outputs be kept equal for ever, knowing the past only? A game on pairs of states, and how long it lasts.
//!
//! What the searches of [`subsets`](super::subsets) prune with: a pair from which this game is won is part of no kill, and a
//! pair from which it is lost is part of none that is shorter than the game.

use std::collections::VecDeque;
use std::rc::Rc;

use hyperkill_core::{ConditionalMutant, SelectorId};
use rustc_hash::FxHashMap;

use super::TooLarge;
use super::graph::{Edge, Edges, Graph, Vertex};

/// A state of the mutant and a state of the model.
pub(super) type Pair = (Vertex, Vertex);

/// At most this many duties in a game.
const DUTIES: usize = 1 << 21;
/// At most this many answers when a game is played to its end.
const ANSWERS: usize = 1 << 25;

/// Where pairs of steps lead that show the same outputs.
pub(super) fn agreements<'a>(
    mutant: &'a [Edge],
    original: &'a [Edge],
) -> impl Iterator<Item = Pair> + 'a {
    mutant.iter().flat_map(move |m| {
        let same = original.iter().filter(move |o| o.outputs == m.outputs);
        same.map(move |o| (m.next, o.next))
    })
}

/// Who takes which steps in a [`Game`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Any input, any step of the mutant; then the model must show the same: winning is equivalence from here on.
    ModelFollows,
    /// Any input; then mutant and model together choose steps that show the same: winning is "no definite kill" from
    /// here on.
    BothAgree,
}

/// Two players on pairs of states: one poses inputs, the other tries to keep outputs equal for ever.
///
/// Winning is sufficient for what [`Rule`] says, not necessary: the second player may need to know inputs to come.
/// Explores only what a current answer leads to; an answer that turns out lost is replaced by the next one.
pub(super) struct Game {
    pub(super) mutant: Graph,
    pub(super) original: Graph,
    rule: Rule,
    numbers: FxHashMap<Pair, usize>,
    positions: Vec<Position>,
    duties: usize,
}

/// What is known of a pair.
struct Position {
    pair: Pair,
    lost: bool,
    /// What must be answered, once it has been looked at.
    duties: Option<Vec<Duty>>,
    /// Duties (position and number) whose present answer leads here.
    relied_on_by: Vec<(usize, usize)>,
}

/// Steps of the mutant, one of which must be answered by a step of the model with the same outputs.
struct Duty {
    steps: Edges,
    /// The only step that counts, if not all do.
    only: Option<usize>,
    answers: Edges,
    /// How many pairs of a step and an answer have been tried.
    tried: usize,
}

impl Duty {
    /// The next pair of states that an answer leads to. Copying each other is the best guess: that comes first.
    fn answer(&mut self, mutant: &Graph, original: &Graph) -> Option<Pair> {
        let steps = match self.only {
            Some(step) => &self.steps[step..=step],
            None => &self.steps[..],
        };
        let all = steps.len() * self.answers.len();
        while self.tried < 2 * all {
            let copies_only = self.tried < all;
            let (step, answer) = (
                self.tried % all / self.answers.len(),
                self.tried % self.answers.len(),
            );
            self.tried += 1;
            let (step, answer) = (steps[step], self.answers[answer]);
            let copy = mutant.state(step.next) == original.state(answer.next);
            if step.outputs == answer.outputs && copy == copies_only {
                return Some((step.next, answer.next));
            }
        }
        None
    }
}

impl Game {
    pub(super) fn new(
        model: &ConditionalMutant,
        selector: SelectorId,
        rule: Rule,
    ) -> Result<Game, TooLarge> {
        Ok(Game {
            mutant: Graph::new(model, Some(selector))?,
            original: Graph::new(model, None)?,
            rule,
            numbers: FxHashMap::default(),
            positions: Vec::new(),
            duties: 0,
        })
    }

    /// Whether outputs can be kept equal for ever from here.
    pub(super) fn is_won(&mut self, pair: Pair) -> Result<bool, TooLarge> {
        let asked = self.number(pair);
        let mut open = vec![asked];
        while let Some(position) = open.pop() {
            if self.positions[position].lost || self.positions[position].duties.is_some() {
                continue;
            }
            let duties = self.duties_of(self.positions[position].pair)?;
            let count = duties.len();
            self.duties += count;
            if self.duties > DUTIES {
                return Err(TooLarge {
                    what: format!("more than {DUTIES} duties in a game"),
                });
            }
            self.positions[position].duties = Some(duties);
            for duty in 0..count {
                self.rely(position, duty, &mut open);
            }
        }
        Ok(!self.positions[asked].lost)
    }

    fn number(&mut self, pair: Pair) -> usize {
        *self.numbers.entry(pair).or_insert_with(|| {
            self.positions.push(Position {
                pair,
                lost: false,
                duties: None,
                relied_on_by: Vec::new(),
            });
            self.positions.len() - 1
        })
    }

    /// Lets a duty rely on its next answer that is not lost; without one its position is lost, and those that relied on
    /// it look for others.
    fn rely(&mut self, position: usize, duty: usize, open: &mut Vec<usize>) {
        let mut stack = vec![(position, duty)];
        while let Some((position, duty)) = stack.pop() {
            // None: lost.
            let Some(duties) = &mut self.positions[position].duties else {
                continue;
            };
            let Some(answer) = duties[duty].answer(&self.mutant, &self.original) else {
                self.positions[position].lost = true;
                self.positions[position].duties = None;
                stack.append(&mut self.positions[position].relied_on_by);
                continue;
            };
            let next = self.number(answer);
            if self.positions[next].lost {
                stack.push((position, duty));
                continue;
            }
            self.positions[next].relied_on_by.push((position, duty));
            if self.positions[next].duties.is_none() {
                open.push(next);
            }
        }
    }

    fn duties_of(&mut self, (mutant, original): Pair) -> Result<Vec<Duty>, TooLarge> {
        let by_input = self.mutant.steps(mutant)?;
        let answers_by_input = self.original.steps(original)?;
        let mut duties: Vec<Duty> = Vec::new();
        for (steps, answers) in by_input.iter().zip(answers_by_input.iter()) {
            let same =
                |duty: &Duty| Rc::ptr_eq(&duty.steps, steps) && Rc::ptr_eq(&duty.answers, answers);
            if duties.iter().any(same) {
                continue;
            }
            let duty = |only| Duty {
                steps: Rc::clone(steps),
                only,
                answers: Rc::clone(answers),
                tried: 0,
            };
            match self.rule {
                Rule::BothAgree => duties.push(duty(None)),
                Rule::ModelFollows => duties.extend((0..steps.len()).map(Some).map(duty)),
            }
        }
        Ok(duties)
    }

    /// For how many steps at most outputs can be kept equal against the best play, plus one: of all lost pairs that
    /// play from these can come to. Pairs that are won are left out.
    pub(super) fn lengths(&mut self, from: &[Pair]) -> Result<FxHashMap<Pair, u32>, TooLarge> {
        let mut numbers: FxHashMap<Pair, u32> = FxHashMap::default();
        let mut pairs: Vec<Pair> = Vec::new();
        // By duty: whose it is, and how many of its answers are not known to be lost.
        let mut duties: Vec<(u32, u32)> = Vec::new();
        // By pair: the duties that it is an answer to.
        let mut answer_to: Vec<Vec<u32>> = Vec::new();
        let mut lengths: Vec<Option<u32>> = Vec::new();
        let mut ended = VecDeque::new();
        let mut count = 0;
        let mut number = |pair: Pair, pairs: &mut Vec<Pair>| {
            *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            })
        };
        for &pair in from {
            if !self.is_won(pair)? {
                number(pair, &mut pairs);
            }
        }
        let mut owner = 0;
        while let Some(&pair) = pairs.get(owner) {
            lengths.push(None);
            for mut duty in self.duties_of(pair)? {
                let mut answers = Vec::new();
                let mut winning = false;
                while let Some(answer) = duty.answer(&self.mutant, &self.original) {
                    winning = self.is_won(answer)?;
                    if winning {
                        break;
                    }
                    answers.push(number(answer, &mut pairs));
                }
                // A duty that is met for ever ends nothing.
                if winning {
                    continue;
                }
                answers.sort_unstable();
                answers.dedup();
                answer_to.resize(pairs.len(), Vec::new());
                for &answer in &answers {
                    answer_to[answer as usize].push(duties.len() as u32);
                }
                count += answers.len();
                if answers.is_empty() && lengths[owner].is_none() {
                    lengths[owner] = Some(1);
                    ended.push_back(owner);
                }
                duties.push((owner as u32, answers.len() as u32));
            }
            if count > ANSWERS {
                return Err(TooLarge {
                    what: format!("more than {ANSWERS} answers in a game"),
                });
            }
            owner += 1;
        }
        answer_to.resize(pairs.len(), Vec::new());
        while let Some(lost) = ended.pop_front() {
            for duty in std::mem::take(&mut answer_to[lost]) {
                let (owner, left) = &mut duties[duty as usize];
                *left -= 1;
                let owner = *owner as usize;
                if *left == 0 && lengths[owner].is_none() {
                    lengths[owner] = lengths[lost].map(|length| length + 1);
                    ended.push_back(owner);
                }
            }
        }
        let known = pairs.into_iter().zip(lengths);
        Ok(known
            .filter_map(|(pair, length)| Some((pair, length?)))
            .collect())
    }
}
