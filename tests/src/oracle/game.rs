//! Can outputs be kept equal for ever, knowing the past only? A game on pairs of states, and its length.
//!
//! The searches of [`subsets`](super::subsets) prune with it. A pair from which the game is won is part of no kill. A pair from which it is
//! lost is part of no kill shorter than the game.

use std::collections::VecDeque;
use std::rc::Rc;

use hyperkill_core::{ConditionalMutant, SelectorId};
use rustc_hash::FxHashMap;

use super::TooLarge;
use super::graph::{Edge, Edges, Graph, Vertex};

/// A state of the mutant and a state of the model.
pub(super) type Pair = (Vertex, Vertex);

/// The largest number of duties in a game.
const DUTIES: usize = 1 << 21;
/// The largest number of answers when the lengths of a game are computed.
const ANSWERS: usize = 1 << 25;

/// Returns the pairs of states that follow all pairs of steps with equal outputs.
pub(super) fn agreements<'a>(
    mutant: &'a [Edge],
    original: &'a [Edge],
) -> impl Iterator<Item = Pair> + 'a {
    mutant.iter().flat_map(move |m| {
        let same = original.iter().filter(move |o| o.outputs == m.outputs);
        same.map(move |o| (m.next, o.next))
    })
}

/// The moves of the two players in a [`Game`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The first player picks an input and a step of the mutant. The second answers with a model step that has the same outputs. Winning is
    /// equivalence from here on.
    ModelFollows,
    /// The first player picks an input. The second picks a mutant step and a model step with the same outputs. Winning is "no definite
    /// kill" from here on.
    BothAgree,
}

/// A game of two players on pairs of states: the first picks inputs, the second tries to keep outputs equal for ever.
///
/// Winning is sufficient for the meaning stated at [`Rule`], not necessary: the second player may need to know future inputs. Only pairs
/// reached by current answers are explored; an answer that turns out lost is replaced by the next one.
pub(super) struct Game {
    pub(super) mutant: Graph,
    pub(super) original: Graph,
    rule: Rule,
    numbers: FxHashMap<Pair, usize>,
    positions: Vec<Position>,
    duties: usize,
}

/// The state of a pair in the game.
struct Position {
    pair: Pair,
    lost: bool,
    /// The duties of the pair, once it has been explored.
    duties: Option<Vec<Duty>>,
    /// Duties (position and number) whose current answer leads here.
    relied_on_by: Vec<(usize, usize)>,
}

/// Steps of the mutant; the model must answer one of them by a step with the same outputs.
struct Duty {
    steps: Edges,
    /// The index of the only step that counts, or `None` if any may be answered.
    only: Option<usize>,
    answers: Edges,
    /// Number of pairs of a step and an answer tried so far.
    tried: usize,
}

impl Duty {
    /// Returns the next pair of states that an answer leads to. Pairs of equal states come first, because they are the best guess.
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

    /// Whether outputs can be kept equal for ever from this pair.
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

    /// Moves a duty on to its next answer that is not lost, and adds the answer's position to `open` if it is not explored yet. Without an
    /// answer, the duty's position is lost, and the duties that relied on that position move on as well.
    fn rely(&mut self, position: usize, duty: usize, open: &mut Vec<usize>) {
        let mut stack = vec![(position, duty)];
        while let Some((position, duty)) = stack.pop() {
            // A lost position has no duties.
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

    /// Returns for each pair the largest number of steps with equal outputs against best play, plus one. Covers all lost pairs reachable by
    /// play from `from`; won pairs are left out.
    pub(super) fn lengths(&mut self, from: &[Pair]) -> Result<FxHashMap<Pair, u32>, TooLarge> {
        let mut numbers: FxHashMap<Pair, u32> = FxHashMap::default();
        let mut pairs: Vec<Pair> = Vec::new();
        // By duty: its position, and the number of its answers that are not known to be lost.
        let mut duties: Vec<(u32, u32)> = Vec::new();
        // By pair: the duties that it answers.
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
                // A duty with a winning answer limits no game.
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
