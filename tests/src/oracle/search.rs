//! The unbounded questions of semantics.md §2 and §5, by breadth-first search over sets of states.
//!
//! Every search returns a shortest input sequence, or `None` after the complete space has been explored; no search has a bound. The number
//! of steps is the length of the sequence returned.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::{Machine, Oracle, State, Stimulus, TooLarge, Word};

/// A set of states, ascending, without repetition.
type StateSet = Vec<State>;

/// The largest number of nodes per search.
const NODES: usize = 1 << 20;

/// Returns a shortest input sequence to a node on which `goal` holds. `successors` lists (input, node) pairs. The empty sequence reaches
/// the initial nodes.
fn shortest<N: Clone + Eq + Hash>(
    initial: impl IntoIterator<Item = N>,
    goal: impl Fn(&N) -> bool,
    successors: impl Fn(&N) -> Vec<(Word, N)>,
) -> Result<Option<Stimulus>, TooLarge> {
    let mut seen = FxHashSet::default();
    // Nodes in the order of discovery, each with its predecessor and the input between them.
    let mut nodes: Vec<(N, Option<(usize, Word)>)> = Vec::new();
    let mut queue = VecDeque::new();
    let mut discovered: Vec<_> = initial.into_iter().map(|node| (node, None)).collect();
    loop {
        for (node, reason) in discovered {
            if !seen.insert(node.clone()) {
                continue;
            }
            if nodes.len() == NODES {
                return Err(TooLarge {
                    what: format!("more than {NODES} nodes in one search"),
                });
            }
            let found = goal(&node);
            queue.push_back(nodes.len());
            nodes.push((node, reason));
            if found {
                return Ok(Some(path(&nodes)));
            }
        }
        let Some(index) = queue.pop_front() else {
            return Ok(None);
        };
        discovered = successors(&nodes[index].0)
            .into_iter()
            .map(|(input, node)| (node, Some((index, input))))
            .collect();
    }
}

/// Returns the inputs that lead to the last node. Each node has the index of its predecessor and the input in between.
fn path<N>(nodes: &[(N, Option<(usize, Word)>)]) -> Stimulus {
    let mut inputs = Vec::new();
    let mut index = nodes.len() - 1;
    while let Some((from, input)) = nodes[index].1 {
        inputs.push(input);
        index = from;
    }
    inputs.reverse();
    inputs
}

impl Machine {
    /// Returns the states of all runs that are alive after one more step.
    pub(super) fn image(&self, states: &[State], input: Word) -> StateSet {
        set(states
            .iter()
            .flat_map(|&state| self.moves(state, input))
            .map(|step| step.next))
    }

    /// Returns the states of all runs that are alive and show `outputs` in one more step.
    fn image_showing(&self, states: &[State], input: Word, outputs: Word) -> StateSet {
        set(states
            .iter()
            .flat_map(|&state| self.moves(state, input))
            .filter(|step| step.outputs == outputs)
            .map(|step| step.next))
    }

    /// Returns a shortest input sequence on which two runs of this machine show different outputs. `None` if the machine is deterministic
    /// in the semantic sense of semantics.md §2.
    ///
    /// # Errors
    ///
    /// If there are too many pairs of states.
    pub fn nondeterminism(&self) -> Result<Option<Stimulus>, TooLarge> {
        difference(self, self)
    }

    /// Returns a shortest input sequence to a state in which no input and no choice satisfies the constraints.
    ///
    /// # Errors
    ///
    /// If there are too many states.
    pub fn deadlock(&self) -> Result<Option<Stimulus>, TooLarge> {
        let moves = |state: &State| -> Vec<(Word, State)> {
            self.alphabet()
                .flat_map(|input| self.moves(*state, input).map(move |m| (input, m.next)))
                .collect()
        };
        shortest(
            self.initial().iter().copied(),
            |state| moves(state).is_empty(),
            moves,
        )
    }
}

impl Oracle {
    /// Returns a shortest Ī with R_o ≠ ∅ and R_m ⊄ R_o [3 Def. 3]; `None`: equivalent [3 Def. 5].
    ///
    /// A node holds one state of the mutant, the model states consistent with its outputs so far, and all model states. The last set tells
    /// whether the model accepts the inputs.
    ///
    /// # Errors
    ///
    /// If there are too many such triples.
    pub fn potential_kill(&self) -> Result<Option<Stimulus>, TooLarge> {
        let all = set(self.original.initial().iter().copied());
        let initial = self
            .mutant
            .initial()
            .iter()
            .map(|&state| (state, all.clone(), all.clone()));
        shortest(
            initial,
            |(_, consistent, _)| consistent.is_empty(),
            |(state, consistent, all)| {
                let mut successors = Vec::new();
                for input in self.original.alphabet() {
                    let all = self.original.image(all, input);
                    if all.is_empty() {
                        continue;
                    }
                    for step in self.mutant.moves(*state, input) {
                        let consistent =
                            self.original.image_showing(consistent, input, step.outputs);
                        successors.push((input, (step.next, consistent, all.clone())));
                    }
                }
                successors
            },
        )
    }

    /// Returns a shortest Ī with R_o ≠ ∅, R_m ≠ ∅ and R_m ∩ R_o = ∅ [3 Def. 4]; `None`: not definitely killable.
    ///
    /// A node holds the (mutant state, model state) pairs with equal outputs so far, and the sets of all states of either side.
    ///
    /// # Errors
    ///
    /// If there are too many such triples.
    pub fn definite_kill(&self) -> Result<Option<Stimulus>, TooLarge> {
        let originals = set(self.original.initial().iter().copied());
        let mutants = set(self.mutant.initial().iter().copied());
        let pairs: Vec<(State, State)> = mutants
            .iter()
            .flat_map(|&m| originals.iter().map(move |&o| (m, o)))
            .collect();
        shortest(
            [(pairs, mutants, originals)],
            |(pairs, ..)| pairs.is_empty(),
            |(pairs, mutants, originals)| {
                let mut successors = Vec::new();
                for input in self.original.alphabet() {
                    let mutants = self.mutant.image(mutants, input);
                    let originals = self.original.image(originals, input);
                    if mutants.is_empty() || originals.is_empty() {
                        continue;
                    }
                    let mut agreeing = Vec::new();
                    for &(m, o) in pairs {
                        for step in self.mutant.moves(m, input) {
                            for other in self.original.moves(o, input) {
                                if step.outputs == other.outputs {
                                    agreeing.push((step.next, other.next));
                                }
                            }
                        }
                    }
                    successors.push((input, (set(agreeing), mutants, originals)));
                }
                successors
            },
        )
    }

    /// Returns a shortest Ī on which a run of the original and a run of the mutant, each with its own choices, show different outputs: φ1
    /// of semantics.md §2, read as a formula and without its precondition.
    ///
    /// # Errors
    ///
    /// If there are too many pairs of states.
    pub fn difference(&self) -> Result<Option<Stimulus>, TooLarge> {
        difference(&self.original, &self.mutant)
    }

    /// Returns a shortest Ī on which original and mutant differ with all choices shared, free initial values included: φ1 under
    /// `--controllable-nd` (semantics.md §5).
    ///
    /// # Errors
    ///
    /// If there are too many pairs of states.
    pub fn controllable_difference(&self) -> Result<Option<Stimulus>, TooLarge> {
        self.shared_choices(false)
    }

    /// Returns a shortest Ī that refutes the identity strategy as a proof of equivalence (semantics.md §5). At a step of the mutant, the
    /// model with the mutant's choices shows different outputs or breaks a constraint.
    ///
    /// # Errors
    ///
    /// If there are too many pairs of states.
    pub fn identity_strategy_failure(&self) -> Result<Option<Stimulus>, TooLarge> {
        self.shared_choices(true)
    }

    /// Returns a shortest input sequence under which two runs with the same choices show different outputs. With `original_must_follow`, a
    /// step of the mutant that the original does not have is a goal, too.
    fn shared_choices(&self, original_must_follow: bool) -> Result<Option<Stimulus>, TooLarge> {
        let initial = self.original.initial().iter().map(|&s| Some((s, s)));
        shortest(initial, Option::is_none, |node| {
            let mut successors = Vec::new();
            let Some((o, m)) = *node else {
                return successors;
            };
            for input in self.original.alphabet() {
                for choice in self.original.choices() {
                    let Some(step) = self.mutant.step(m, input, choice) else {
                        continue;
                    };
                    match self.original.step(o, input, choice) {
                        Some(other) if other.outputs == step.outputs => {
                            successors.push((input, Some((other.next, step.next))));
                        }
                        Some(_) => successors.push((input, None)),
                        None if original_must_follow => successors.push((input, None)),
                        None => {}
                    }
                }
            }
            successors
        })
    }

    /// Returns a shortest Ī that one side accepts and the other refuses; `None`: equally input-enabled \[3\].
    ///
    /// # Errors
    ///
    /// If there are too many pairs of state sets.
    pub fn acceptance_difference(&self) -> Result<Option<Stimulus>, TooLarge> {
        self.acceptance(|original, mutant| original.is_empty() != mutant.is_empty())
    }

    /// Returns a shortest Ī that the model accepts and the mutant refuses, as `refuses-input` shows (semantics.md §3).
    ///
    /// # Errors
    ///
    /// If there are too many pairs of state sets.
    pub fn refusal(&self) -> Result<Option<Stimulus>, TooLarge> {
        self.acceptance(|original, mutant| !original.is_empty() && mutant.is_empty())
    }

    fn acceptance(
        &self,
        goal: impl Fn(&StateSet, &StateSet) -> bool,
    ) -> Result<Option<Stimulus>, TooLarge> {
        let initial = (
            set(self.original.initial().iter().copied()),
            set(self.mutant.initial().iter().copied()),
        );
        shortest(
            [initial],
            |(original, mutant)| goal(original, mutant),
            |(original, mutant)| {
                self.original
                    .alphabet()
                    .map(|input| {
                        let original = self.original.image(original, input);
                        let mutant = self.mutant.image(mutant, input);
                        (input, (original, mutant))
                    })
                    .collect()
            },
        )
    }
}

/// Returns a shortest input sequence under which a run of each machine exists and these runs show different outputs. The node `None` marks
/// the goal.
fn difference(left: &Machine, right: &Machine) -> Result<Option<Stimulus>, TooLarge> {
    let initial = left
        .initial()
        .iter()
        .flat_map(|&l| right.initial().iter().map(move |&r| Some((l, r))));
    shortest(initial, Option::is_none, |node| {
        let mut successors = Vec::new();
        let Some((l, r)) = *node else {
            return successors;
        };
        for input in left.alphabet() {
            for step in left.moves(l, input) {
                for other in right.moves(r, input) {
                    let agree = step.outputs == other.outputs;
                    successors.push((input, agree.then_some((step.next, other.next))));
                }
            }
        }
        successors
    })
}

fn set<T: Ord>(elements: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut elements: Vec<T> = elements.into_iter().collect();
    elements.sort_unstable();
    elements.dedup();
    elements
}
