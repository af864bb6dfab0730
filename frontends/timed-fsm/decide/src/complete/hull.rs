//! The symmetric hull of a domain: the smallest larger domain that is closed under permutations of all states but the initial one.
//!
//! It contains all mutants of the domain, so tests that are complete for it are complete for the domain. A mutant of the hull that passes
//! them proves nothing unless it is also in the domain, possibly under other names of its states.

use std::collections::BTreeSet;

use hyperkill_timed_fsm::choices::{Choice, Group, MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};

use super::names;
use crate::fault::CompleteFault;

/// A hull is used if the number of its mutants is at most the domain's to this power, since tests for it may be more than necessary.
const NEAR: f64 = 1.5;

/// The domain is sparse if at most one in this many answers is wrong in both output and target. Its mutants are close to the specification
/// and are found quickly without names.
const SPARSE: usize = 3;

/// The number of transitions of a hull, at most.
const MAX_TRANSITIONS: usize = 1_000_000;

/// The number of renamings that are tried before a mutant is taken to be outside the domain.
const MOST_TRIED: usize = 200_000;

/// The target of a transition, up to renaming of the states but the initial one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Initial,
    Same,
    Another,
}

/// A transition up to renaming of states: its output or length, and the kind of its target; `None`: no transition.
type Kind<T> = Option<(T, Target)>;

/// A transition: its output or length, and its target; `None`: no transition.
type Does<T> = Option<(T, usize)>;

/// Returns the hull of a domain if it is larger than the domain, but not much larger, and if states of its mutants can have names.
pub(super) fn near(
    machine: &Machine,
    domain: &MutationMachine,
    always: bool,
) -> Option<MutationMachine> {
    if !names::are_worth_it(machine, domain, always) || names::is_symmetric(domain) {
        return None;
    }
    let hull = of(domain)?;
    let is_dense = SPARSE * twice_wrong(domain) >= twice_wrong(&hull);
    let is_near = is_dense && size(&hull) <= NEAR * size(domain);
    (always || is_near).then_some(hull)
}

/// Returns the natural logarithm of the number of mutants of a domain.
fn size(domain: &MutationMachine) -> f64 {
    let answers = domain.answers.iter().flatten().map(Vec::len);
    let all = answers.chain(domain.timeouts.iter().map(Vec::len));
    all.map(|choices| (choices as f64).ln()).sum()
}

/// Returns the number of answers that are wrong in both output and target.
fn twice_wrong(domain: &MutationMachine) -> usize {
    let groups = domain.answers.iter().flatten();
    let wrong = groups.map(|group| {
        let own = group[0].does;
        let others = group.iter().filter(|choice| match (choice.does, own) {
            (Some(other), Some(own)) => other.output != own.output && other.target != own.target,
            (other, own) => other != own,
        });
        others.count()
    });
    wrong.sum()
}

fn of(domain: &MutationMachine) -> Option<MutationMachine> {
    let inputs = domain.answers.first().map_or(0, Vec::len);
    let mut hull = domain.clone();
    let mut left = MAX_TRANSITIONS;
    for input in 0..inputs {
        let groups: Vec<&Group<Answer>> =
            domain.answers.iter().map(|groups| &groups[input]).collect();
        let wide = widened(&groups, &mut left, |answer| (answer.output, answer.target))?;
        for (state, all) in wide.into_iter().enumerate() {
            let does = all
                .into_iter()
                .map(|does| does.map(|(output, target)| Answer { output, target }));
            add(&mut hull.answers[state][input], does);
        }
    }
    let groups: Vec<&Group<Timeout>> = domain.timeouts.iter().collect();
    let wide = widened(&groups, &mut left, |timeout| {
        (timeout.after, timeout.target)
    })?;
    for (state, all) in wide.into_iter().enumerate() {
        let does = all
            .into_iter()
            .map(|does| does.map(|(after, target)| Timeout { after, target }));
        add(&mut hull.timeouts[state], does);
    }
    Some(hull)
}

/// Adds the alternatives of `all` that a group lacks at its end.
fn add<T: PartialEq>(group: &mut Group<T>, all: impl Iterator<Item = Option<T>>) {
    let known = group.len();
    for does in all {
        if group[..known].iter().all(|choice| choice.does != does) {
            group.push(Choice { does, ways: 1 });
        }
    }
}

/// Returns for each state the alternatives of all states on one event, renamed for this state: states other than the initial one are
/// exchanged. `None` if there are more than `left`, which is reduced.
fn widened<T, K: Copy + Ord>(
    groups: &[&Group<T>],
    left: &mut usize,
    parts: impl Fn(&T) -> (K, usize),
) -> Option<Vec<Vec<Does<K>>>> {
    let mut kinds: [BTreeSet<Kind<K>>; 2] = [BTreeSet::new(), BTreeSet::new()];
    for (state, group) in groups.iter().enumerate() {
        kinds[usize::from(state > 0)].extend(group.iter().map(|choice| {
            let (kind, target) = parts(choice.does.as_ref()?);
            let target = match target {
                0 => Target::Initial,
                target if target == state => Target::Same,
                _ => Target::Another,
            };
            Some((kind, target))
        }));
    }
    let states = groups.len();
    let mut wide = Vec::with_capacity(states);
    for state in 0..states {
        let mut all = Vec::new();
        for kind in &kinds[usize::from(state > 0)] {
            match kind {
                None => all.push(None),
                Some((kind, Target::Initial)) => all.push(Some((*kind, 0))),
                Some((kind, Target::Same)) => all.push(Some((*kind, state))),
                Some((kind, Target::Another)) => {
                    let others = (1..states).filter(|other| *other != state);
                    all.extend(others.map(|other| Some((*kind, other))));
                }
            }
        }
        *left = left.checked_sub(all.len())?;
        wide.push(all);
    }
    Some(wide)
}

/// Returns a mutant of the hull as an equivalent one of the domain, if a renaming of its states is in the domain.
pub(super) fn inside(
    (hull, domain): (&MutationMachine, &MutationMachine),
    selection: &Selection,
    planted: Option<CompleteFault>,
) -> Option<Selection> {
    let order = entered(hull, selection);
    let mut search = Renaming {
        hull,
        domain,
        selection,
        order: &order,
        called: vec![None; domain.states.len()],
        is_taken: vec![false; domain.states.len()],
        tried: 0,
    };
    search.called[0] = Some(0);
    search.is_taken[0] = true;
    if planted == Some(CompleteFault::HullForDomain) {
        search.called = (0..domain.states.len()).map(Some).collect();
        return Some(search.renamed());
    }
    (search.fits(0) && search.go_on(1)).then(|| search.renamed())
}

/// Returns the states that a mutant can enter, the initial one first.
fn entered(hull: &MutationMachine, selection: &Selection) -> Vec<usize> {
    let mut order = vec![0];
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        let groups = hull.answers[state].iter().zip(&selection.answers[state]);
        let answers = groups.filter_map(|(group, &at)| Some(group[at].does?.target));
        let timeout = hull.timeouts[state][selection.timeouts[state]].does;
        let targets: Vec<usize> = answers.chain(timeout.map(|t| t.target)).collect();
        for target in targets {
            if !order.contains(&target) {
                order.push(target);
            }
        }
    }
    order
}

/// A search for a renaming of states.
struct Renaming<'a> {
    hull: &'a MutationMachine,
    domain: &'a MutationMachine,
    selection: &'a Selection,
    order: &'a [usize],
    /// The name of each state inside the domain.
    called: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    tried: usize,
}

impl Renaming<'_> {
    fn go_on(&mut self, index: usize) -> bool {
        let Some(&state) = self.order.get(index) else {
            return true;
        };
        for name in 1..self.domain.states.len() {
            if std::mem::replace(&mut self.is_taken[name], true) {
                continue;
            }
            self.tried += 1;
            self.called[state] = Some(name);
            let fit = self.order[..=index].iter().all(|state| self.fits(*state));
            if self.tried <= MOST_TRIED && fit && self.go_on(index + 1) {
                return true;
            }
            self.called[state] = None;
            self.is_taken[name] = false;
        }
        false
    }

    /// Whether a state that is renamed has its transitions in the domain, as far as their targets are renamed.
    fn fits(&self, state: usize) -> bool {
        let Some(name) = self.called[state] else {
            return true;
        };
        let (hull, domain) = (self.hull, self.domain);
        let mut answers = hull.answers[state]
            .iter()
            .zip(&self.selection.answers[state]);
        let timeout = hull.timeouts[state][self.selection.timeouts[state]].does;
        let timeouts = || domain.timeouts[name].iter().map(|choice| choice.does);
        answers.by_ref().enumerate().all(|(input, (group, &at))| {
            let mut allowed = domain.answers[name][input].iter();
            let does = group[at].does;
            allowed.any(|choice| match (choice.does, does) {
                (Some(inside), Some(does)) => {
                    inside.output == does.output && self.may_be(does.target, inside.target)
                }
                (inside, does) => inside == does,
            })
        }) && timeouts().any(|inside| match (inside, timeout) {
            (Some(inside), Some(does)) => {
                inside.after == does.after && self.may_be(does.target, inside.target)
            }
            (inside, does) => inside == does,
        })
    }

    fn may_be(&self, state: usize, name: usize) -> bool {
        match self.called[state] {
            Some(called) => called == name,
            None => !self.is_taken[name],
        }
    }

    fn renamed(&self) -> Selection {
        let (hull, domain) = (self.hull, self.domain);
        let mut renamed = domain.first();
        for &state in self.order {
            let Some(name) = self.called[state] else {
                continue;
            };
            let call = |target: usize| self.called[target].unwrap_or(target);
            for (input, &at) in self.selection.answers[state].iter().enumerate() {
                let does = hull.answers[state][input][at].does.map(|answer| Answer {
                    target: call(answer.target),
                    ..answer
                });
                let group = &domain.answers[name][input];
                let place = group.iter().position(|choice| choice.does == does);
                renamed.answers[name][input] = place.unwrap_or(0);
            }
            let does = hull.timeouts[state][self.selection.timeouts[state]].does;
            let does = does.map(|timeout| Timeout {
                target: call(timeout.target),
                ..timeout
            });
            let group = &domain.timeouts[name];
            let place = group.iter().position(|choice| choice.does == does);
            renamed.timeouts[name] = place.unwrap_or(0);
        }
        renamed
    }
}
