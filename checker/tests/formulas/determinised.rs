//! A complete oracle for formulas with one alternation.
//!
//! The tableau of the negated body, read along given outer traces, is a nondeterministic automaton of the inner ones. It is made
//! deterministic with trees of sets of its states (Safra, with Piterman's names), side by side with the outer traces; outer traces that no
//! inner ones refute are then a cycle whose least priority is odd.

use std::collections::{HashMap, VecDeque};

use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Quantifier;

use crate::random::{initial, step};
use crate::tableau::{Node, Oracle, list};

/// Limit on the steps of trees, and on the states of the automaton.
const MOST: usize = 20_000;
const STATES: usize = 4_000;

/// Whether the formula holds: some traces of the leading ∃ satisfy the body with all traces of the ∀ behind them. `None` if a limit is
/// exceeded.
pub(crate) fn withstands(model: &ConditionalMutant, formula: &Formula) -> Option<bool> {
    let leading = formula.prefix.iter();
    let leading = leading
        .take_while(|(q, _)| *q == Quantifier::Exists)
        .count();
    let negated = Formula {
        prefix: formula.prefix.clone(),
        body: formula.body.clone().not(),
    };
    let mut parts = Vec::new();
    list(&negated.body, &mut parts);
    let mut automaton = Automaton {
        oracle: Oracle::new(model, &negated, parts),
        numbers: HashMap::new(),
        nodes: Vec::new(),
        successors: HashMap::new(),
    };
    let outer = Outer::new(model, leading)?;
    search(&outer, &mut automaton, formula.prefix.len() - leading)
}

/// A letter: for each outer trace the values of all circuit nodes.
type Letter = Vec<Vec<bool>>;

/// The infinite outer traces.
struct Outer {
    letters: Vec<Letter>,
    starts: Vec<usize>,
    /// For each state the letters and the successors.
    steps: Vec<Vec<(usize, usize)>>,
}

impl Outer {
    fn new(model: &ConditionalMutant, traces: usize) -> Option<Outer> {
        let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..traces {
            starts = product(&starts, &initial(model));
        }
        let mut states = starts;
        let known = states.len();
        let (mut letters, mut steps): (Vec<Letter>, Vec<Vec<(usize, usize)>>) =
            (Vec::new(), Vec::new());
        while steps.len() < states.len() {
            let from = states[steps.len()].clone();
            let mut joint: Vec<(Letter, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
            for state in from {
                let own: Vec<(Vec<bool>, u32)> = (0..1_u32 << model.aig.inputs().len())
                    .filter_map(|inputs| step(model, state, inputs))
                    .collect();
                let mut longer = Vec::new();
                for (seen, to) in &joint {
                    for (values, next) in &own {
                        let (mut seen, mut to) = (seen.clone(), to.clone());
                        seen.push(values.clone());
                        to.push(*next);
                        longer.push((seen, to));
                    }
                }
                joint = longer;
            }
            let mut out = Vec::new();
            for (seen, to) in joint {
                let letter = place(&mut letters, seen);
                out.push((letter, place(&mut states, to)));
            }
            steps.push(out);
        }
        // States without an infinite continuation are on no trace.
        let mut live = vec![true; states.len()];
        loop {
            let still: Vec<bool> = (0..live.len())
                .map(|state| live[state] && steps[state].iter().any(|&(_, to)| live[to]))
                .collect();
            if still == live {
                break;
            }
            live = still;
        }
        for out in &mut steps {
            out.retain(|&(_, to)| live[to]);
        }
        Some(Outer {
            letters,
            starts: (0..known).filter(|&state| live[state]).collect(),
            steps,
        })
    }
}

pub(crate) fn product(tuples: &[Vec<u32>], values: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for tuple in tuples {
        for &value in values {
            let mut longer = tuple.clone();
            longer.push(value);
            all.push(longer);
        }
    }
    all
}

fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    match known.iter().position(|other| *other == value) {
        Some(place) => place,
        None => {
            known.push(value);
            known.len() - 1
        }
    }
}

/// The inner traces and the tableau, with one Büchi condition on steps.
struct Automaton<'a> {
    oracle: Oracle<'a>,
    numbers: HashMap<(Node, usize), usize>,
    nodes: Vec<(Node, usize)>,
    successors: HashMap<(usize, usize), Vec<(usize, bool)>>,
}

impl Automaton<'_> {
    fn number(&mut self, node: (Node, usize)) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(node.clone()).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    fn starts(&mut self, traces: usize) -> Vec<usize> {
        let nodes = self.oracle.starts(traces);
        nodes
            .into_iter()
            .map(|node| self.number((node, 0)))
            .collect()
    }

    /// Returns the successors of a state under a letter, and whether each step is accepting.
    fn steps(&mut self, from: usize, letter: usize, seen: &Letter) -> Vec<(usize, bool)> {
        if let Some(known) = self.successors.get(&(from, letter)) {
            return known.clone();
        }
        let (node, waits_for) = self.nodes[from].clone();
        let parts = self.oracle.part_count();
        let mut out = Vec::new();
        for (next, settled) in self.oracle.steps(&node, seen) {
            let mut waiting = waits_for;
            while waiting < parts && settled >> waiting & 1 == 1 {
                waiting += 1;
            }
            let accepting = waiting == parts;
            let waiting = if accepting { 0 } else { waiting };
            out.push((self.number((next, waiting)), accepting));
        }
        out.sort_unstable();
        out.dedup();
        self.successors.insert((from, letter), out.clone());
        out
    }
}

/// Sets of states, older sets first, each with the index of its parent.
type Tree = Vec<(Vec<usize>, Option<usize>)>;

/// Returns the next tree and the priority of the step. A run is accepting if its least recurring priority is even.
fn grow(tree: &Tree, out: &HashMap<usize, Vec<(usize, bool)>>) -> (Tree, usize) {
    let mut next: Vec<(Vec<usize>, Option<usize>)> = Vec::new();
    let mut young = Vec::new();
    for (index, (states, parent)) in tree.iter().enumerate() {
        let steps = states.iter().flat_map(|state| &out[state]);
        let mut all: Vec<usize> = steps.clone().map(|&(to, _)| to).collect();
        let mut accepting: Vec<usize> = steps.filter(|step| step.1).map(|step| step.0).collect();
        for set in [&mut all, &mut accepting] {
            set.sort_unstable();
            set.dedup();
        }
        next.push((all, *parent));
        young.push((accepting, Some(index)));
    }
    next.extend(young);
    // A state in several siblings stays only in the oldest one.
    for index in 0..next.len() {
        for older in 0..index {
            if next[older].1 == next[index].1 && next[index].1.is_some() {
                let taken = next[older].0.clone();
                remove_below(&mut next, index, &taken);
            }
        }
    }
    let mut priority = 2 * next.len() + 1;
    let mut gone: Vec<bool> = next.iter().map(|(states, _)| states.is_empty()).collect();
    for index in 0..next.len() {
        if gone[index] {
            continue;
        }
        let mut covered: Vec<usize> = (0..next.len())
            .filter(|&child| next[child].1 == Some(index))
            .flat_map(|child| next[child].0.clone())
            .collect();
        covered.sort_unstable();
        covered.dedup();
        if covered == next[index].0 {
            priority = priority.min(2 * index);
            for (below, gone) in gone.iter_mut().enumerate().skip(index + 1) {
                *gone |= is_below(&next, below, index);
            }
        }
    }
    if let Some(first) = gone.iter().position(|&gone| gone) {
        priority = priority.min(2 * first + 1);
    }
    let mut place = vec![0; next.len()];
    let mut kept: Tree = Vec::new();
    for (index, (states, parent)) in next.into_iter().enumerate() {
        if !gone[index] {
            place[index] = kept.len();
            kept.push((states, parent.map(|parent| place[parent])));
        }
    }
    (kept, priority)
}

fn is_below(tree: &[(Vec<usize>, Option<usize>)], mut index: usize, above: usize) -> bool {
    while let Some(parent) = tree[index].1 {
        if parent == above {
            return true;
        }
        index = parent;
    }
    false
}

fn remove_below(tree: &mut [(Vec<usize>, Option<usize>)], from: usize, taken: &[usize]) {
    for index in 0..tree.len() {
        if index == from || is_below(tree, index, from) {
            tree[index].0.retain(|state| !taken.contains(state));
        }
    }
}

/// Whether there is an outer trace that the automaton does not accept.
fn search(outer: &Outer, automaton: &mut Automaton<'_>, inner: usize) -> Option<bool> {
    let mut starts = automaton.starts(inner);
    starts.sort_unstable();
    let tree: Tree = match starts.is_empty() {
        true => Vec::new(),
        false => vec![(starts, None)],
    };
    let mut numbers: HashMap<(usize, Tree), usize> = HashMap::new();
    let mut queue: VecDeque<(usize, Tree)> = VecDeque::new();
    for &start in &outer.starts {
        numbers.insert((start, tree.clone()), numbers.len());
        queue.push_back((start, tree.clone()));
    }
    let mut edges: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut left = MOST;
    while let Some((state, tree)) = queue.pop_front() {
        let mut here = Vec::new();
        for &(letter, to) in &outer.steps[state] {
            left = left.checked_sub(1)?;
            let root = tree.first().map_or(&[][..], |(states, _)| states);
            let out = root.iter().map(|&from| {
                let steps = automaton.steps(from, letter, &outer.letters[letter]);
                (from, steps)
            });
            let out: HashMap<usize, Vec<(usize, bool)>> = out.collect();
            if automaton.nodes.len() > STATES {
                return None;
            }
            let (next, priority) = grow(&tree, &out);
            let key = (to, next);
            let fresh = numbers.len();
            let number = *numbers.entry(key.clone()).or_insert(fresh);
            if number == fresh {
                queue.push_back(key);
            }
            here.push((number, priority));
        }
        edges.push(here);
    }
    Some(has_odd_cycle(&edges))
}

/// Whether some cycle has an odd least priority.
fn has_odd_cycle(edges: &[Vec<(usize, usize)>]) -> bool {
    let most = edges.iter().flatten().map(|&(_, priority)| priority).max();
    let odd = (1..=most.unwrap_or(0)).step_by(2);
    odd.into_iter().any(|least| {
        edges.iter().enumerate().any(|(from, out)| {
            let steps = out.iter().filter(|step| step.1 == least);
            steps
                .into_iter()
                .any(|&(to, _)| reaches(edges, to, from, least))
        })
    })
}

/// Whether one state leads to another by steps of at least this priority.
fn reaches(edges: &[Vec<(usize, usize)>], from: usize, to: usize, least: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(state) = open.pop() {
        if state == to {
            return true;
        }
        for &(next, priority) in &edges[state] {
            if priority >= least && !seen[next] {
                seen[next] = true;
                open.push(next);
            }
        }
    }
    false
}
