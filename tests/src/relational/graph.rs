//! States and steps of a text as a graph, and the questions of semantics.md §2 for two such graphs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::text::{Meaningless, Text, Values};

/// The index of a state.
pub type Node = usize;
/// A set of states.
pub type Nodes = BTreeSet<Node>;
/// The outputs of a step: a value for each output.
pub type Seen = Vec<i64>;
/// The inputs of a step: a value for each test input.
pub type Letter = Vec<i64>;

/// The steps of a state under a letter with the same outputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Move {
    /// The outputs of the step.
    pub seen: Seen,
    /// All states that may follow; empty if no step leaves the state under this letter.
    pub next: Nodes,
}

/// All states and steps of a text.
pub struct Graph {
    /// The values of all variables in each state.
    pub states: Vec<Values>,
    /// The indices of the initial states.
    pub initial: Nodes,
    /// The steps, by state and letter.
    pub moves: BTreeMap<(Node, Letter), Vec<Move>>,
    /// All letters: the values of the test inputs in a step.
    pub letters: Vec<Letter>,
}

impl Graph {
    /// Builds the graph of a text with these test inputs and outputs.
    ///
    /// # Errors
    /// If an expression has no value in some state.
    pub fn new(text: &Text, inputs: &[String], outputs: &[String]) -> Result<Graph, Meaningless> {
        let states = text.states()?;
        let mut initial = Nodes::new();
        for (node, state) in states.iter().enumerate() {
            if text.is_initial(state)? {
                initial.insert(node);
            }
        }
        let tested: Vec<usize> = inputs.iter().filter_map(|i| text.index(i)).collect();
        let letter = |values: &Values| tested.iter().map(|&v| values[v]).collect::<Letter>();
        let letters: Vec<Letter> = text.valuations(&tested).iter().map(letter).collect();
        let carried = outputs.iter().any(|output| text.reads_inputs(output));
        let given = text.valuations(&text.of_step);
        let mut moves: BTreeMap<(Node, Letter), Vec<Move>> = BTreeMap::new();
        for (node, state) in states.iter().enumerate() {
            for inputs in &given {
                let now = text.with_inputs(state, inputs);
                let mut next = Nodes::new();
                for (later, to) in states.iter().enumerate() {
                    if text.is_step(state, inputs, to)? {
                        next.insert(later);
                    }
                }
                let seen = outputs.iter().map(|output| text.value(output, &now));
                let seen = seen.collect::<Result<Seen, _>>()?;
                let known = moves.entry((node, letter(&now))).or_default();
                if carried {
                    // A step input has a value only in a step that is made.
                    if !next.is_empty() {
                        known.push(Move { seen, next });
                    }
                } else if let Some(first) = known.first_mut() {
                    first.next.append(&mut next);
                } else {
                    known.push(Move { seen, next });
                }
            }
        }
        Ok(Graph {
            states,
            initial,
            moves,
            letters,
        })
    }

    /// Returns the steps of a state under a letter.
    #[must_use]
    pub fn moves(&self, node: Node, letter: &Letter) -> &[Move] {
        let moves = self.moves.get(&(node, letter.clone()));
        moves.map_or(&[], Vec::as_slice)
    }

    /// Returns the steps of some states under a letter.
    pub fn all_moves<'a>(
        &'a self,
        nodes: &'a Nodes,
        letter: &'a Letter,
    ) -> impl Iterator<Item = &'a Move> + 'a {
        nodes.iter().flat_map(move |&node| self.moves(node, letter))
    }

    /// Whether one of these states has a step.
    #[must_use]
    pub fn goes_on(&self, nodes: &Nodes) -> bool {
        let mut letters = self.letters.iter();
        letters.any(|letter| self.all_moves(nodes, letter).next().is_some())
    }

    /// Returns the states that may follow under a letter, or `None` if no state has a step.
    fn after(&self, nodes: &Nodes, letter: &Letter) -> Option<Nodes> {
        let mut moves = self.all_moves(nodes, letter).peekable();
        moves.peek()?;
        Some(moves.flat_map(|m| m.next.iter().copied()).collect())
    }
}

/// A model and a mutant, for comparison.
pub struct Pair<'a> {
    /// The graph of the model.
    pub model: &'a Graph,
    /// The graph of the mutant.
    pub mutant: &'a Graph,
}

/// Returns the number of steps to the goal, by breadth-first search. `None` if it cannot be reached. `step` returns the nodes that follow,
/// or an error if a step reaches the goal.
fn shortest<T: Ord + Clone>(
    initial: Vec<T>,
    mut step: impl FnMut(&T) -> Result<Vec<T>, ()>,
) -> Option<usize> {
    let mut seen: BTreeSet<T> = initial.iter().cloned().collect();
    let mut queue: VecDeque<(T, usize)> = initial.into_iter().map(|t| (t, 0)).collect();
    while let Some((at, depth)) = queue.pop_front() {
        let Ok(next) = step(&at) else {
            return Some(depth + 1);
        };
        for later in next {
            if seen.insert(later.clone()) {
                queue.push_back((later, depth + 1));
            }
        }
    }
    None
}

impl Pair<'_> {
    /// Returns the length of a shortest test that kills potentially. `None` if there is none.
    #[must_use]
    pub fn potential(&self) -> Option<usize> {
        let (model, mutant) = (self.model, self.mutant);
        let start = &model.initial;
        let initial = mutant.initial.iter();
        let initial = initial
            .map(|&m| (m, start.clone(), start.clone()))
            .collect();
        shortest(initial, |(node, agreeing, accepting)| {
            let mut next = Vec::new();
            for letter in &model.letters {
                let Some(accepted) = model.after(accepting, letter) else {
                    continue;
                };
                for shown in mutant.moves(*node, letter) {
                    let same = model.all_moves(agreeing, letter);
                    let same: Vec<&Move> = same.filter(|m| m.seen == shown.seen).collect();
                    if same.is_empty() {
                        return Err(());
                    }
                    let agreed: Nodes = same.iter().flat_map(|m| m.next.clone()).collect();
                    let later = shown.next.iter();
                    next.extend(later.map(|&m| (m, agreed.clone(), accepted.clone())));
                }
            }
            Ok(next)
        })
    }

    /// Returns the length of a shortest test that kills definitely. `None` if there is none.
    #[must_use]
    pub fn definite(&self) -> Option<usize> {
        let (model, mutant) = (self.model, self.mutant);
        let of_mutant = mutant.initial.iter();
        let pairs: BTreeSet<(Node, Node)> = of_mutant
            .flat_map(|&m| model.initial.iter().map(move |&o| (m, o)))
            .collect();
        let initial = (pairs, mutant.initial.clone(), model.initial.clone());
        shortest(vec![initial], |(pairs, of_mutant, of_model)| {
            let mut next = Vec::new();
            for letter in &model.letters {
                let (Some(later_mutant), Some(later_model)) = (
                    mutant.after(of_mutant, letter),
                    model.after(of_model, letter),
                ) else {
                    continue;
                };
                let mut agree = false;
                let mut later = BTreeSet::new();
                for &(m, o) in pairs {
                    for (a, b) in (mutant.moves(m, letter).iter())
                        .flat_map(|a| model.moves(o, letter).iter().map(move |b| (a, b)))
                        .filter(|(a, b)| a.seen == b.seen)
                    {
                        agree = true;
                        let pairs = a
                            .next
                            .iter()
                            .flat_map(|&m| b.next.iter().map(move |&o| (m, o)));
                        later.extend(pairs);
                    }
                }
                if !agree {
                    return Err(());
                }
                next.push((later, later_mutant, later_model));
            }
            Ok(next)
        })
    }

    /// Returns the length of a shortest sequence of inputs that the model accepts and the mutant refuses. `None` if there is none.
    #[must_use]
    pub fn refusal(&self) -> Option<usize> {
        refusal(self.model, self.mutant)
    }

    /// Returns the length of a shortest sequence of inputs that the mutant accepts and the model refuses. `None` if there is none.
    #[must_use]
    pub fn refusal_by_model(&self) -> Option<usize> {
        refusal(self.mutant, self.model)
    }
}

fn refusal(accepting: &Graph, refusing: &Graph) -> Option<usize> {
    let initial = (accepting.initial.clone(), refusing.initial.clone());
    shortest(vec![initial], |(a, b)| {
        let mut next = Vec::new();
        for letter in &accepting.letters {
            match (accepting.after(a, letter), refusing.after(b, letter)) {
                (Some(_), None) => return Err(()),
                (Some(a), Some(b)) => next.push((a, b)),
                (None, _) => {}
            }
        }
        Ok(next)
    })
}
