//! Adaptive tests: does a tester who chooses inputs by the outputs seen kill for certain, and does a given strategy?
//!
//! A play of a system under a [`Tree`] follows the tree by the outputs shown and is complete when it passes or fails. A run that gets stuck
//! before is no play. A tree kills under three conditions. Original and mutant both have complete plays. No history belongs to both. Some
//! run of the original with the inputs given and the outputs seen accepts the next input (semantics.md §4: trees never offer another). So
//! an adaptive kill is a potential kill.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{Machine, Oracle, State, TooLarge, Word};

/// An adaptive test: an input, and a continuation for each output that the model can show. Any other output is a fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The input of this step.
    pub input: Word,
    /// The continuation for each output.
    pub branches: BTreeMap<Word, Branch>,
}

/// The continuation of a test after an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Branch {
    /// The test goes on with this tree.
    Then(Tree),
    /// The test ends and passes.
    Pass,
}

impl Tree {
    /// Returns the test that gives these inputs as long as both sides can show the outputs seen. `None` without inputs, or if no run of the
    /// model with such outputs accepts the next input.
    #[must_use]
    pub fn of_inputs(oracle: &Oracle, inputs: &[Word]) -> Option<Tree> {
        Beliefs::initial(oracle).follow(oracle, inputs)
    }

    /// Returns the number of steps of the longest play.
    #[must_use]
    pub fn depth(&self) -> usize {
        let below = self.branches.values().map(|branch| match branch {
            Branch::Then(tree) => tree.depth(),
            Branch::Pass => 0,
        });
        1 + below.max().unwrap_or(0)
    }
}

/// A defect of an adaptive test; outputs locate it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeDefect {
    /// An input word has bits beyond the model's inputs.
    #[error("the input after {0:?} has more bits than the model has inputs")]
    NoSuchInput(Vec<Word>),
    /// The model can give these outputs, and the test calls the last a fail.
    #[error("{0:?} is a fail, but the model can show it")]
    FailsTheModel(Vec<Word>),
    /// There is a branch for outputs that the model cannot give.
    #[error("{0:?} is no fail, but the model cannot show it")]
    NotOfTheModel(Vec<Word>),
    /// The mutant can give these outputs, and the test passes them.
    #[error("the mutant passes with {0:?}")]
    PassesTheMutant(Vec<Word>),
    /// No run of the model with these outputs accepts the next input.
    #[error("no run of the model with {0:?} accepts the next input")]
    Refused(Vec<Word>),
    /// No run of the model completes a play.
    #[error("the model has no complete play")]
    NoPlayOfTheModel,
    /// No run of the mutant completes a play.
    #[error("the mutant has no complete play")]
    NoPlayOfTheMutant,
}

/// The state estimates of both sides after the inputs given and the outputs seen, ascending.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Beliefs {
    mutant: Vec<State>,
    original: Vec<State>,
}

/// The continuation of a play after an output.
enum After {
    /// Only the mutant can show the output.
    Fail,
    /// Only the original can show the output.
    Pass,
    /// Both can show the output; the test goes on with these estimates.
    Open(Beliefs),
}

impl Beliefs {
    fn initial(oracle: &Oracle) -> Beliefs {
        Beliefs {
            mutant: oracle.mutant.initial().to_vec(),
            original: oracle.original.initial().to_vec(),
        }
    }

    /// Returns each output that is possible under this input, with its meaning. `None` if no run of the original accepts the input.
    fn after(&self, oracle: &Oracle, input: Word) -> Option<BTreeMap<Word, After>> {
        let mut original = split(&oracle.original, &self.original, input);
        if original.is_empty() {
            return None;
        }
        let mutant = split(&oracle.mutant, &self.mutant, input);
        let mut after = BTreeMap::new();
        for (outputs, mutant) in mutant {
            let meaning = match original.remove(&outputs) {
                None => After::Fail,
                Some(original) => After::Open(Beliefs {
                    mutant: mutant.into_iter().collect(),
                    original: original.into_iter().collect(),
                }),
            };
            after.insert(outputs, meaning);
        }
        after.extend(original.into_keys().map(|outputs| (outputs, After::Pass)));
        Some(after)
    }

    fn follow(&self, oracle: &Oracle, inputs: &[Word]) -> Option<Tree> {
        let (&input, rest) = inputs.split_first()?;
        let mut branches = BTreeMap::new();
        for (outputs, after) in self.after(oracle, input)? {
            let branch = match after {
                After::Fail => continue,
                After::Open(beliefs) if !rest.is_empty() => {
                    Branch::Then(beliefs.follow(oracle, rest)?)
                }
                After::Pass | After::Open(_) => Branch::Pass,
            };
            branches.insert(outputs, branch);
        }
        Some(Tree { input, branches })
    }
}

/// Returns the states after this step, grouped by outputs.
fn split(machine: &Machine, states: &[State], input: Word) -> BTreeMap<Word, BTreeSet<State>> {
    let mut split: BTreeMap<Word, BTreeSet<State>> = BTreeMap::new();
    for &state in states {
        for step in machine.moves(state, input) {
            split.entry(step.outputs).or_default().insert(step.next);
        }
    }
    split
}

/// The set of sides with a complete play: bit 0 stands for the original, bit 1 for the mutant.
type Plays = u8;
const OF_ORIGINAL: Plays = 1;
const OF_MUTANT: Plays = 2;

/// The sets of [`Plays`] that some tree of disjoint histories achieves: one bit for each of the four values.
type Achievable = u8;
const KILL: Achievable = 1 << (OF_ORIGINAL | OF_MUTANT);

/// Returns the unions of each element of `one` with each element of `other`.
fn both(one: Achievable, other: Achievable) -> Achievable {
    let mut all = 0;
    for a in 0..4 {
        for b in 0..4 {
            if one >> a & 1 == 1 && other >> b & 1 == 1 {
                all |= 1 << (a | b);
            }
        }
    }
    all
}

/// The consequences of one input at a position.
struct Offer {
    /// The sides whose plays end at once.
    ended: Plays,
    /// The indices of the positions at which the test goes on.
    open: Vec<usize>,
}

/// The largest number of positions, which are pairs of state estimates.
const POSITIONS: usize = 1 << 16;

impl Oracle {
    /// Returns the smallest depth of an adaptive test that kills definitely; `None` if there is none of any depth.
    ///
    /// Computes, depth by depth, the plays that trees achieve from each pair of state estimates, up to the fixpoint.
    ///
    /// # Errors
    ///
    /// If there are too many pairs.
    pub fn adaptive_kill(&self) -> Result<Option<usize>, TooLarge> {
        let graph = self.plays()?;
        let mut achievable: Vec<Achievable> = vec![0; graph.len()];
        for depth in 1.. {
            let deeper: Vec<Achievable> = graph
                .iter()
                .map(|offers| {
                    offers.iter().fold(0, |all, offer| {
                        let open = offer.open.iter();
                        all | open.fold(1 << offer.ended, |so_far, &position| {
                            both(so_far, achievable[position])
                        })
                    })
                })
                .collect();
            if deeper[0] & KILL != 0 {
                return Ok(Some(depth));
            }
            if deeper == achievable {
                break;
            }
            achievable = deeper;
        }
        Ok(None)
    }

    /// Returns, for each position in which a test can be open, the consequences of each input. Position 0 is the initial one.
    fn plays(&self) -> Result<Vec<Vec<Offer>>, TooLarge> {
        let initial = Beliefs::initial(self);
        let mut known = FxHashMap::from_iter([(initial.clone(), 0)]);
        let mut positions = vec![initial];
        let mut graph = Vec::new();
        while let Some(position) = positions.get(graph.len()).cloned() {
            let mut offers = Vec::new();
            for input in self.original.alphabet() {
                let Some(after) = position.after(self, input) else {
                    continue;
                };
                let mut offer = Offer {
                    ended: 0,
                    open: Vec::new(),
                };
                for after in after.into_values() {
                    match after {
                        After::Fail => offer.ended |= OF_MUTANT,
                        After::Pass => offer.ended |= OF_ORIGINAL,
                        After::Open(beliefs) => {
                            let next = *known.entry(beliefs).or_insert_with_key(|beliefs| {
                                positions.push(beliefs.clone());
                                positions.len() - 1
                            });
                            offer.open.push(next);
                        }
                    }
                }
                offers.push(offer);
            }
            graph.push(offers);
            if positions.len() > POSITIONS {
                return Err(TooLarge {
                    what: format!("more than {POSITIONS} positions of an adaptive test"),
                });
            }
        }
        Ok(graph)
    }

    /// Whether `tree` is a test of the model that kills the mutant for certain.
    ///
    /// # Errors
    ///
    /// If the tree is no such test: the first defect found.
    pub fn validate_tree(&self, tree: &Tree) -> Result<(), TreeDefect> {
        let mut plays = 0;
        self.check_tree(tree, &Beliefs::initial(self), &mut Vec::new(), &mut plays)?;
        if plays & OF_ORIGINAL == 0 {
            return Err(TreeDefect::NoPlayOfTheModel);
        }
        if plays & OF_MUTANT == 0 {
            return Err(TreeDefect::NoPlayOfTheMutant);
        }
        Ok(())
    }

    fn check_tree(
        &self,
        tree: &Tree,
        beliefs: &Beliefs,
        history: &mut Vec<Word>,
        plays: &mut Plays,
    ) -> Result<(), TreeDefect> {
        if tree.input >> self.original.input_bits() != 0 {
            return Err(TreeDefect::NoSuchInput(history.clone()));
        }
        let original = split(&self.original, &beliefs.original, tree.input);
        if original.is_empty() {
            return Err(TreeDefect::Refused(history.clone()));
        }
        let mutant = split(&self.mutant, &beliefs.mutant, tree.input);
        let shown = original
            .keys()
            .chain(mutant.keys())
            .chain(tree.branches.keys());
        for &outputs in BTreeSet::from_iter(shown) {
            history.push(outputs);
            let place = || history.clone();
            let states = |split: &BTreeMap<Word, BTreeSet<State>>| -> Vec<State> {
                split.get(&outputs).into_iter().flatten().copied().collect()
            };
            let beliefs = Beliefs {
                mutant: states(&mutant),
                original: states(&original),
            };
            match tree.branches.get(&outputs) {
                None if !beliefs.original.is_empty() => {
                    return Err(TreeDefect::FailsTheModel(place()));
                }
                None => *plays |= OF_MUTANT,
                Some(_) if beliefs.original.is_empty() => {
                    return Err(TreeDefect::NotOfTheModel(place()));
                }
                Some(Branch::Pass) if !beliefs.mutant.is_empty() => {
                    return Err(TreeDefect::PassesTheMutant(place()));
                }
                Some(Branch::Pass) => *plays |= OF_ORIGINAL,
                Some(Branch::Then(tree)) => self.check_tree(tree, &beliefs, history, plays)?,
            }
            history.pop();
        }
        Ok(())
    }
}
