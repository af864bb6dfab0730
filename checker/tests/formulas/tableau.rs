//! A complete oracle for formulas whose traces are all existential.
//!
//! A node of the tableau is a joint state with a guess for the truth of each future part. A step exists only if the guesses of its two
//! nodes are consistent, for true and for false parts. Then nodes from which some postponed part cannot be settled are removed, up to a
//! fixpoint.

use std::collections::{HashMap, HashSet};

use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::{Atom, BinaryOp, Ltl, Operand, SignalOf, TraceVar, UnaryOp};
use hyperkill_formulas::signals::resolve;

use crate::random::{initial, step};

/// Limit on the edges of a tableau.
const MOST: usize = 400_000;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node {
    states: Vec<u32>,
    /// The guessed truths of future parts at this step, a bit each.
    guesses: u64,
    /// The truths that past operators remember from the previous step, a bit for each part.
    before: u64,
    /// Operands of next-operators of the previous step: a mask of these parts, and their required truths at this step.
    owed: (u64, u64),
    first: bool,
}

/// Whether some infinite traces satisfy the body; `None` if the tableau has too many edges.
pub(crate) fn has_traces(model: &ConditionalMutant, formula: &Formula) -> Option<bool> {
    let mut parts = Vec::new();
    list(&formula.body, &mut parts);
    Oracle::new(model, formula, parts).explore()
}

/// Whether some finite traces of one length satisfy the body; `None` if the tableau has too many edges.
pub(crate) fn has_finite_traces(model: &ConditionalMutant, formula: &Formula) -> Option<bool> {
    let mut parts = Vec::new();
    list(&formula.body, &mut parts);
    Oracle::new(model, formula, parts).explore_to_ends()
}

/// Appends all parts of a formula, operands before the formulas that contain them.
pub(crate) fn list<'f>(formula: &'f Ltl, parts: &mut Vec<&'f Ltl>) {
    for operand in formula.operands() {
        list(operand, parts);
    }
    if !parts.contains(&formula) {
        parts.push(formula);
    }
}

fn mask(parts: &[&Ltl], wanted: fn(&Ltl) -> bool) -> u64 {
    let parts = parts.iter().enumerate();
    parts.fold(0, |mask, (i, part)| mask | u64::from(wanted(part)) << i)
}

fn is_future(part: &Ltl) -> bool {
    match part {
        Ltl::Unary(op, _) => !op.is_past() && *op != UnaryOp::Not,
        Ltl::Binary(op, ..) => !op.is_past() && !op.is_instantaneous(),
        _ => false,
    }
}

/// The tableau of a body over the traces of a prefix.
pub(crate) struct Oracle<'a> {
    model: &'a ConditionalMutant,
    traces: Vec<&'a TraceVar>,
    parts: Vec<&'a Ltl>,
    futures: u64,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        model: &'a ConditionalMutant,
        formula: &'a Formula,
        parts: Vec<&'a Ltl>,
    ) -> Oracle<'a> {
        Oracle {
            model,
            traces: formula.prefix.iter().map(|(_, trace)| trace).collect(),
            futures: mask(&parts, is_future),
            parts,
        }
    }

    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    fn index(&self, part: &Ltl) -> usize {
        let found = self.parts.iter().position(|known| *known == part);
        found.expect("a listed part")
    }

    fn explore(&self) -> Option<bool> {
        let mut nodes = self.starts(self.traces.len());
        let numbers = nodes.iter().cloned().enumerate();
        let mut numbers: HashMap<Node, usize> = numbers.map(|(i, node)| (node, i)).collect();
        let initial = nodes.len();
        let mut edges: Vec<Vec<(usize, u64)>> = Vec::new();
        let mut left = MOST;
        while edges.len() < nodes.len() {
            let node = nodes[edges.len()].clone();
            let mut out = Vec::new();
            for (next, settled) in self.steps(&node, &[]) {
                left = left.checked_sub(1)?;
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    nodes.push(next);
                    nodes.len() - 1
                });
                out.push((number, settled));
            }
            edges.push(out);
        }
        let live = self.live(&edges);
        Some(live[..initial].contains(&true))
    }

    fn explore_to_ends(&self) -> Option<bool> {
        let mut open = self.starts(self.traces.len());
        let mut seen: HashSet<Node> = open.iter().cloned().collect();
        let mut left = MOST;
        while let Some(node) = open.pop() {
            if self.may_end(&node, &[]) {
                return Some(true);
            }
            for (next, _) in self.steps(&node, &[]) {
                left = left.checked_sub(1)?;
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Some(false)
    }

    /// Whether the step of a node can be the last one: the guesses must equal the truths of future operators at the end of a trace. `given`
    /// is as in [`Oracle::steps`].
    pub(crate) fn may_end(&self, node: &Node, given: &[Vec<bool>]) -> bool {
        self.seen(node, given).iter().any(|(seen, _)| {
            let now = self.truths(node, seen);
            let root = self.parts.len() - 1;
            let kept = node.owed.0 & (now ^ node.owed.1) == 0;
            let mut parts = self.parts.iter().enumerate();
            let as_guessed = parts.all(|(i, part)| {
                let of = |operand: &Ltl| now >> self.index(operand) & 1 == 1;
                let last = match part {
                    _ if self.futures >> i & 1 == 0 => return true,
                    Ltl::Unary(UnaryOp::Next, _) => false,
                    Ltl::Unary(UnaryOp::WeakNext, _) => true,
                    Ltl::Unary(_, a) => of(a),
                    Ltl::Binary(BinaryOp::WeakUntil, a, b) => of(a) || of(b),
                    Ltl::Binary(BinaryOp::StrongRelease, a, b) => of(a) && of(b),
                    Ltl::Binary(_, _, b) => of(b),
                    _ => return true,
                };
                last == (now >> i & 1 == 1)
            });
            kept && as_guessed && (!node.first || now >> root & 1 == 1)
        })
    }

    /// Returns the initial nodes for this number of traces, the last ones of the prefix, with all guesses.
    pub(crate) fn starts(&self, traces: usize) -> Vec<Node> {
        let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..traces {
            starts = (starts.iter())
                .flat_map(|states| {
                    initial(self.model).into_iter().map(move |state| {
                        let mut states = states.clone();
                        states.push(state);
                        states
                    })
                })
                .collect();
        }
        let weak = |part: &Ltl| {
            matches!(
                part,
                Ltl::Unary(UnaryOp::WeakPreviously | UnaryOp::Historically, _)
                    | Ltl::Binary(BinaryOp::Triggered, ..)
            )
        };
        let before = mask(&self.parts, weak);
        let nodes = starts.into_iter().flat_map(|states| {
            let guesses = self.all_guesses().into_iter();
            guesses.map(move |guesses| Node {
                states: states.clone(),
                guesses,
                before,
                owed: (0, 0),
                first: true,
            })
        });
        nodes.collect()
    }

    fn all_guesses(&self) -> Vec<u64> {
        let mut guesses = vec![0];
        for part in 0..self.parts.len() {
            if self.futures >> part & 1 == 1 {
                let more: Vec<u64> = guesses.iter().map(|guess| guess | 1 << part).collect();
                guesses.extend(more);
            }
        }
        guesses
    }

    /// Returns the successors of a node, each with the parts that the step settles. `given` are the values of the leading traces, whose
    /// states are not in the node.
    pub(crate) fn steps(&self, node: &Node, given: &[Vec<bool>]) -> Vec<(Node, u64)> {
        let mut out = Vec::new();
        for (seen, states) in self.seen(node, given) {
            let now = self.truths(node, &seen);
            let root = self.parts.len() - 1;
            let kept = node.owed.0 & (now ^ node.owed.1) == 0;
            if !kept || (node.first && now >> root & 1 == 0) {
                continue;
            }
            let settled = self.settled(now);
            for guesses in self.all_guesses() {
                let Some(owed) = self.owed(now, guesses) else {
                    continue;
                };
                let next = Node {
                    states: states.clone(),
                    guesses,
                    before: self.remembered(now),
                    owed,
                    first: false,
                };
                out.push((next, settled));
            }
        }
        out
    }

    /// Returns the joint steps of the traces: for each trace the values of all circuit nodes, and the successor states.
    fn seen(&self, node: &Node, given: &[Vec<bool>]) -> Vec<(Vec<Vec<bool>>, Vec<u32>)> {
        let inputs = 1_u32 << self.model.aig.inputs().len();
        let mut joint: Vec<(Vec<Vec<bool>>, Vec<u32>)> = vec![(given.to_vec(), Vec::new())];
        for &state in &node.states {
            let own: Vec<(Vec<bool>, u32)> = (0..inputs)
                .filter_map(|inputs| step(self.model, state, inputs))
                .collect();
            joint = (joint.iter())
                .flat_map(|(seen, states)| {
                    own.iter().map(move |(values, next)| {
                        let (mut seen, mut states) = (seen.clone(), states.clone());
                        seen.push(values.clone());
                        states.push(*next);
                        (seen, states)
                    })
                })
                .collect();
        }
        joint
    }

    /// Returns the truths of all parts at a step.
    fn truths(&self, node: &Node, seen: &[Vec<bool>]) -> u64 {
        let mut now = 0_u64;
        for (i, part) in self.parts.iter().enumerate() {
            let of = |operand: &Ltl| now >> self.index(operand) & 1 == 1;
            let before = node.before >> i & 1 == 1;
            let truth = match part {
                _ if self.futures >> i & 1 == 1 => node.guesses >> i & 1 == 1,
                Ltl::Constant(value) => *value,
                Ltl::Atom(atom) => self.atom(atom, seen),
                Ltl::And(all) => all.iter().all(of),
                Ltl::Or(all) => all.iter().any(of),
                Ltl::Unary(op, a) => match op {
                    UnaryOp::Not => !of(a),
                    UnaryOp::Once => of(a) || before,
                    UnaryOp::Historically => of(a) && before,
                    _ => before,
                },
                Ltl::Binary(op, a, b) => match op {
                    BinaryOp::Implies => !of(a) || of(b),
                    BinaryOp::Iff => of(a) == of(b),
                    BinaryOp::Xor => of(a) != of(b),
                    BinaryOp::Since => of(b) || (of(a) && before),
                    _ => of(b) && (of(a) || before),
                },
            };
            now |= u64::from(truth) << i;
        }
        now
    }

    /// Returns the truths for the next step's past operators: for `Y a` and `Z a` the truth of `a`, for other past operators their own
    /// truth.
    fn remembered(&self, now: u64) -> u64 {
        let mut before = 0;
        for (i, part) in self.parts.iter().enumerate() {
            let source = match part {
                Ltl::Unary(UnaryOp::Previously | UnaryOp::WeakPreviously, a) => self.index(a),
                Ltl::Unary(op, _) if op.is_past() => i,
                Ltl::Binary(op, ..) if op.is_past() => i,
                _ => continue,
            };
            before |= (now >> source & 1) << i;
        }
        before
    }

    /// Checks guesses for the next step against this step; `None` if they are inconsistent. Returns the operands of next-operators that the
    /// next step must satisfy or violate.
    fn owed(&self, now: u64, guesses: u64) -> Option<(u64, u64)> {
        let (mut which, mut how) = (0, 0);
        for (i, part) in self.parts.iter().enumerate() {
            if self.futures >> i & 1 == 0 {
                continue;
            }
            let of = |operand: &Ltl| now >> self.index(operand) & 1 == 1;
            let (own, next) = (now >> i & 1 == 1, guesses >> i & 1 == 1);
            let expected = match part {
                Ltl::Unary(UnaryOp::Next | UnaryOp::WeakNext, a) => {
                    let bit = 1 << self.index(a);
                    // `X a` and weak next of the same operand must agree.
                    if which & bit != 0 && (how & bit != 0) != own {
                        return None;
                    }
                    which |= bit;
                    how |= if own { bit } else { 0 };
                    own
                }
                Ltl::Unary(UnaryOp::Finally, a) => of(a) || next,
                Ltl::Unary(_, a) => of(a) && next,
                Ltl::Binary(BinaryOp::Until | BinaryOp::WeakUntil, a, b) => {
                    of(b) || (of(a) && next)
                }
                Ltl::Binary(_, a, b) => of(b) && (of(a) || next),
                _ => own,
            };
            if expected != own {
                return None;
            }
        }
        Some((which, how))
    }

    /// Returns the future parts without a postponed obligation at this step.
    fn settled(&self, now: u64) -> u64 {
        let mut settled = 0;
        for (i, part) in self.parts.iter().enumerate() {
            let of = |operand: &Ltl| now >> self.index(operand) & 1 == 1;
            let own = now >> i & 1 == 1;
            let done = match part {
                Ltl::Unary(UnaryOp::Finally, a) => !own || of(a),
                Ltl::Unary(UnaryOp::Globally, a) => own || !of(a),
                Ltl::Binary(BinaryOp::Until, _, b) => !own || of(b),
                Ltl::Binary(BinaryOp::StrongRelease, a, b) => !own || (of(a) && of(b)),
                Ltl::Binary(BinaryOp::Release, _, b) => own || !of(b),
                Ltl::Binary(BinaryOp::WeakUntil, a, b) => own || (!of(a) && !of(b)),
                _ => true,
            };
            settled |= u64::from(done) << i;
        }
        settled
    }

    /// Returns the nodes from which some path settles each part infinitely often.
    fn live(&self, edges: &[Vec<(usize, u64)>]) -> Vec<bool> {
        let mut live = vec![true; edges.len()];
        loop {
            let before = live.clone();
            for part in 0..self.parts.len() {
                let mut reaches = vec![false; edges.len()];
                let mut changed = true;
                while changed {
                    changed = false;
                    for node in (0..edges.len()).rev() {
                        if live[node] && !reaches[node] {
                            reaches[node] = edges[node].iter().any(|&(next, settled)| {
                                live[next] && (settled >> part & 1 == 1 || reaches[next])
                            });
                            changed |= reaches[node];
                        }
                    }
                }
                for (live, reaches) in live.iter_mut().zip(reaches) {
                    *live &= reaches;
                }
            }
            if live == before {
                return live;
            }
        }
    }

    fn atom(&self, atom: &Atom, seen: &[Vec<bool>]) -> bool {
        let place = |trace: &TraceVar| {
            let found = self.traces.iter().position(|known| *known == trace);
            found.expect("a bound trace")
        };
        let bit =
            |trace: &TraceVar, lit: Lit| seen[place(trace)][lit.var().index()] ^ lit.is_negated();
        let signal = |s: &SignalOf| {
            let found = resolve(self.model, &s.name).expect("a signal");
            bit(&s.trace, found.bits[0])
        };
        let aig = &self.model.aig;
        match atom {
            Atom::Signal(s) => signal(s),
            Atom::Equal(a, Operand::Signal(b)) => signal(a) == signal(b),
            Atom::InputsEqual(p, q) => {
                let input = aig.inputs()[0].var.lit();
                bit(p, input) == bit(q, input)
            }
            Atom::OutputsEqual(p, q) => {
                let output = aig.outputs[0].lit;
                bit(p, output) == bit(q, output)
            }
            Atom::StatesEqual(p, q) => aig.latches().iter().all(|latch| {
                let lit = latch.var.lit();
                bit(p, lit) == bit(q, lit)
            }),
            _ => unreachable!("no such atom is drawn"),
        }
    }
}
