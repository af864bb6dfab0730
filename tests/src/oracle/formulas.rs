//! ∃*∀* formulas □A ∧ ◇C over infinite or finite traces, by complete enumeration: the traces that exist, the states with infinite
//! continuations, and the universal traces still unfulfilled after each step of the existential traces.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::TooLarge;
use super::machine::{Machine, State, Word};

/// A step of one trace, restricted to the parts that formulas read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Snapshot {
    /// The values of the test inputs.
    pub input: Word,
    /// The values of the outputs.
    pub outputs: Word,
    /// The values of the hidden latches before the step.
    pub state: State,
}

/// A joint state of several traces.
type Joint = Vec<State>;
/// A joint step: its snapshots and the next joint state.
type SnapshotStep = (Vec<Snapshot>, Joint);

/// A question: do existential traces exist that satisfy `always` at every step, such that with all universal traces `goal` holds at some
/// step? All traces are infinite, or all have the same length.
pub struct Question<'a> {
    /// The machines of the existential traces.
    pub existential: Vec<&'a Machine>,
    /// The machines of the universal traces.
    pub universal: Vec<&'a Machine>,
    /// The condition on the existential traces at each step.
    pub always: &'a dyn Fn(&[Snapshot]) -> bool,
    /// The condition on all traces at one step, existential traces first.
    pub goal: &'a dyn Fn(&[Snapshot]) -> bool,
}

/// The largest number of joint steps to enumerate.
const MOST: usize = 30_000_000;

impl Question<'_> {
    /// Returns the smallest number of steps after which some infinite existential traces have fulfilled the formula with all universal
    /// traces. `None` if no traces ever do.
    ///
    /// # Errors
    /// If there are too many joint steps.
    pub fn satisfied(&self) -> Result<Option<usize>, TooLarge> {
        let mut left = MOST;
        let live = self.live(&mut left)?;
        self.earliest(&|joint| live.contains(joint), left)
    }

    /// Returns the smallest length at which finite traces satisfy the formula. `None` if there are none of any length.
    ///
    /// # Errors
    /// If there are too many joint steps.
    pub fn satisfied_by_finite_traces(&self) -> Result<Option<usize>, TooLarge> {
        self.earliest(&|_| true, MOST)
    }

    /// Returns the smallest number of steps after which existential traces have fulfilled the formula with all universal traces of that
    /// length. The existential traces visit only joint states that satisfy `goes_on`.
    fn earliest(
        &self,
        goes_on: &dyn Fn(&Joint) -> bool,
        mut left: usize,
    ) -> Result<Option<usize>, TooLarge> {
        let mut steps_of: BTreeMap<Joint, Vec<SnapshotStep>> = BTreeMap::new();
        let start: BTreeSet<Joint> = initial(&self.universal).into_iter().collect();
        let mut queue = VecDeque::new();
        let mut seen = BTreeSet::new();
        for joint in initial(&self.existential) {
            if goes_on(&joint) && seen.insert((joint.clone(), start.clone())) {
                queue.push_back((joint, start.clone(), 0));
            }
        }
        while let Some((joint, unfulfilled, depth)) = queue.pop_front() {
            for (snapshots, next) in self.existential_steps(&joint) {
                if !goes_on(&next) {
                    continue;
                }
                let mut later: BTreeSet<Joint> = BTreeSet::new();
                for universal in &unfulfilled {
                    let steps = steps_of
                        .entry(universal.clone())
                        .or_insert_with(|| steps(&self.universal, universal));
                    left = left.checked_sub(steps.len()).ok_or_else(too_large)?;
                    for (seen, after) in steps.iter() {
                        let all: Vec<Snapshot> = snapshots.iter().chain(seen).copied().collect();
                        if !(self.goal)(&all) {
                            later.insert(after.clone());
                        }
                    }
                }
                if later.is_empty() {
                    return Ok(Some(depth + 1));
                }
                if seen.insert((next.clone(), later.clone())) {
                    queue.push_back((next, later, depth + 1));
                }
            }
        }
        Ok(None)
    }

    fn existential_steps(&self, joint: &Joint) -> Vec<SnapshotStep> {
        let mut steps = steps(&self.existential, joint);
        steps.retain(|(snapshots, _)| (self.always)(snapshots));
        steps
    }

    /// Returns the joint states of the existential traces that have an infinite continuation.
    fn live(&self, left: &mut usize) -> Result<BTreeSet<Joint>, TooLarge> {
        let mut successors: BTreeMap<Joint, BTreeSet<Joint>> = BTreeMap::new();
        let mut queue: VecDeque<Joint> = initial(&self.existential).into();
        while let Some(joint) = queue.pop_front() {
            if successors.contains_key(&joint) {
                continue;
            }
            let steps = self.existential_steps(&joint);
            *left = left.checked_sub(steps.len() + 1).ok_or_else(too_large)?;
            let next: BTreeSet<Joint> = steps.into_iter().map(|(_, next)| next).collect();
            queue.extend(next.iter().cloned());
            successors.insert(joint, next);
        }
        loop {
            let before = successors.len();
            let alive: BTreeSet<Joint> = successors.keys().cloned().collect();
            successors.retain(|_, next| next.iter().any(|joint| alive.contains(joint)));
            if successors.len() == before {
                return Ok(alive);
            }
        }
    }
}

fn too_large() -> TooLarge {
    TooLarge {
        what: format!("more than {MOST} joint steps"),
    }
}

fn initial(machines: &[&Machine]) -> Vec<Joint> {
    machines.iter().fold(vec![Joint::new()], |joints, machine| {
        let longer = joints.iter().flat_map(|joint| {
            machine.initial().iter().map(move |&state| {
                let mut joint = joint.clone();
                joint.push(state);
                joint
            })
        });
        longer.collect()
    })
}

fn steps(machines: &[&Machine], joint: &Joint) -> Vec<SnapshotStep> {
    let start = vec![(Vec::new(), Joint::new())];
    machines
        .iter()
        .zip(joint)
        .fold(start, |found, (machine, &state)| {
            let mut own: BTreeSet<(Snapshot, State)> = BTreeSet::new();
            for input in machine.alphabet() {
                for taken in machine.moves(state, input) {
                    let outputs = taken.outputs;
                    let snapshot = Snapshot {
                        input,
                        outputs,
                        state,
                    };
                    own.insert((snapshot, taken.next));
                }
            }
            let mut longer = Vec::new();
            for (snapshots, next) in &found {
                for &(snapshot, state) in &own {
                    let (mut snapshots, mut next) = (snapshots.clone(), next.clone());
                    snapshots.push(snapshot);
                    next.push(state);
                    longer.push((snapshots, next));
                }
            }
            longer
        })
}
