//! Fault domains: the single changes of a machine that its implementations may have.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_frontend::{Diagnostic, Span};

use crate::guard::{Interval, LONGEST};
use crate::machine::{Answer, Change, Guarded, Machine, Part, Timeout};
use crate::moved::moved;
use crate::resolve::{Names, Resolved, Scope};
use crate::syntax::{
    Fault, FaultsText, GuardText, Instead, Kind, Limit, LimitText, Pattern, Subject,
};

/// A domain of faults that is written in the model.
#[derive(Clone, Default, Debug)]
pub struct Written {
    /// The names of additional states, which are numbered after those of the specification.
    pub extra: Vec<String>,
    /// The alternative transitions, each with the number of written ones that it stands for: `never` to any state is one transition.
    pub changes: BTreeMap<Change, u64>,
}

impl Written {
    /// Returns the changes that alone give a different machine.
    #[must_use]
    pub fn single(&self, machine: &Machine) -> BTreeSet<Change> {
        let count = machine.states.len();
        let is_single = |change: &&Change| {
            let target = change.last_target();
            let leads_inside = target.is_none_or(|target| target < count);
            change.state() < count && leads_inside && !change.is_none(machine)
        };
        self.changes.keys().filter(is_single).copied().collect()
    }
}

/// Returns the changes of a written domain.
///
/// # Errors
/// Unknown names, and changes without effect, in the order of their places.
pub fn written(resolved: &Resolved, text: &FaultsText) -> Result<Written, Vec<Diagnostic>> {
    let mut scope = resolved.scope.clone();
    scope.states.extend(&text.states)?;
    let mut domain = Domain {
        machine: &resolved.machine,
        states: resolved.machine.states.len() + text.states.len(),
        scope: &scope,
        changes: BTreeMap::new(),
    };
    let errors = text.faults.iter();
    let errors = errors.filter_map(|fault| domain.add(fault).err());
    let errors: Vec<Diagnostic> = errors.collect();
    match errors.is_empty() {
        true => Ok(Written {
            changes: domain.changes,
            extra: text.states.iter().map(|name| name.text.clone()).collect(),
        }),
        false => Err(errors),
    }
}

/// Returns the default changes: other targets and other outputs of each transition (`both`: also both at once); other targets of each
/// timeout; and each timeout halved, one unit shorter and longer, doubled, and removed. They are an iterator, since they may exceed memory.
pub fn usual(machine: &Machine, both: bool) -> impl Iterator<Item = Change> + '_ {
    let kinds: &[Kind] = match both {
        true => &[Kind::Any],
        false => &[Kind::Transfer, Kind::Output],
    };
    machine
        .states
        .iter()
        .enumerate()
        .flat_map(move |(index, state)| {
            let answers = state.answers.iter().flat_map(move |(&input, &own)| {
                let groups = kinds
                    .iter()
                    .map(move |kind| group(machine, machine.states.len(), *kind, Some(own)));
                groups.flatten().map(move |answer| Change::Answer {
                    state: index,
                    input,
                    answer,
                })
            });
            let timeouts = state.timeout.into_iter().flat_map(move |own| {
                let others = other_timeouts(machine, own);
                // A guard that includes its last time splits units into two parts.
                let is_short = |timeout: &Option<Timeout>| {
                    timeout.is_none_or(|timeout| timeout.after <= LONGEST)
                };
                let others = others.filter(move |other| !machine.has_guards() || is_short(other));
                others.map(move |timeout| Change::Timeout {
                    state: index,
                    timeout,
                })
            });
            let guarded = state.guarded.iter().flat_map(move |(&input, all)| {
                let moves = [Kind::Shifted, Kind::Narrowed, Kind::Widened];
                let changes = all.iter().flat_map(move |own| {
                    let kinds = kinds.iter().chain(&moves).copied();
                    let states = machine.states.len();
                    let of = |kind| at_guard((machine, states), (index, input), *own, kind);
                    kinds.flat_map(of).collect::<Vec<Change>>()
                });
                // Extending one guard shortens its neighbour, so a change may occur twice.
                let changes: BTreeSet<Change> = changes.collect();
                changes.into_iter()
            });
            answers.chain(guarded).chain(timeouts)
        })
}

fn other_timeouts(machine: &Machine, own: Timeout) -> impl Iterator<Item = Option<Timeout>> {
    let lengths = [
        Some(own.after / 2),
        own.after.checked_sub(1),
        own.after.checked_add(1),
        own.after.checked_mul(2),
    ];
    let lengths = lengths.into_iter().flatten().filter(|after| *after > 0);
    let lengths = lengths.map(move |after| Some(Timeout { after, ..own }));
    let targets = (0..machine.states.len()).map(move |target| Some(Timeout { target, ..own }));
    let others = lengths.chain(targets).chain([None]);
    others.filter(move |timeout| *timeout != Some(own))
}

/// Returns the changes that a kind of faults makes at one guard of the machine.
fn at_guard(
    (machine, states): (&Machine, usize),
    (state, input): (usize, usize),
    own: Guarded,
    kind: Kind,
) -> Vec<Change> {
    let during = own.during;
    let other = |does| [Some(Part { during, does }), None];
    let parts = match kind {
        Kind::Transfer | Kind::Output | Kind::Any => {
            let answers = group(machine, states, kind, Some(own.answer));
            answers.into_iter().map(|a| other(Some(a))).collect()
        }
        Kind::Never => vec![other(None)],
        Kind::Shifted | Kind::Narrowed | Kind::Widened => {
            let state = &machine.states[state];
            moved(state, input, own, kind)
        }
    };
    let changes = parts.into_iter().map(|parts| Change::Guard {
        state,
        input,
        parts,
    });
    let changes = changes.filter(|change| !change.is_none(machine));
    changes.collect()
}

/// Returns all answers that a kind of faults puts in the place of `own`. Empty if the kind keeps a part of an answer that does not exist.
fn group(machine: &Machine, states: usize, kind: Kind, own: Option<Answer>) -> Vec<Answer> {
    let all = |count: usize| (0..count).collect::<Vec<usize>>();
    let (outputs, targets) = match (kind, own) {
        (Kind::Any, _) => (all(machine.outputs.len()), all(states)),
        (Kind::Transfer, Some(own)) => (vec![own.output], all(states)),
        (Kind::Output, Some(own)) => (all(machine.outputs.len()), vec![own.target]),
        (Kind::Transfer | Kind::Output, None)
        | (Kind::Never | Kind::Shifted | Kind::Narrowed | Kind::Widened, _) => return Vec::new(),
    };
    product(&outputs, &targets)
        .filter(|answer| Some(*answer) != own)
        .collect()
}

fn product<'a>(outputs: &'a [usize], targets: &'a [usize]) -> impl Iterator<Item = Answer> + 'a {
    outputs.iter().flat_map(move |&output| {
        let answers = targets.iter();
        answers.map(move |&target| Answer { output, target })
    })
}

fn product_of_all(machine: &Machine, states: usize) -> impl Iterator<Item = Answer> {
    let outputs = 0..machine.outputs.len();
    outputs.flat_map(move |output| (0..states).map(move |target| Answer { output, target }))
}

/// Returns the numbers of the elements that a pattern matches, of `count` elements.
fn all_of(pattern: &Pattern, names: &Names, count: usize) -> Result<Vec<usize>, Diagnostic> {
    match pattern {
        Pattern::Every => Ok((0..count).collect()),
        Pattern::One(name) => Ok(vec![names.find(name)?]),
    }
}

fn is_one(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::One(_))
}

struct Domain<'a> {
    machine: &'a Machine,
    /// The number of states of implementations: those of the machine and more.
    states: usize,
    scope: &'a Scope,
    changes: BTreeMap<Change, u64>,
}

impl Domain<'_> {
    fn insert(&mut self, change: Change, ways: u64) {
        let known = self.changes.entry(change).or_default();
        *known = ways.max(*known);
    }

    fn own_answer(&self, state: usize, input: usize) -> Option<Answer> {
        let state = self.machine.states.get(state)?;
        state.answers.get(&input).copied()
    }

    fn own_timeout(&self, state: usize) -> Option<Timeout> {
        self.machine.states.get(state)?.timeout
    }

    fn is_extra(&self, state: usize) -> bool {
        state >= self.machine.states.len()
    }

    fn add(&mut self, fault: &Fault) -> Result<(), Diagnostic> {
        let count = self.states;
        // `*` is every state of the specification: the behaviour of additional states is written with them.
        let states = all_of(&fault.state, &self.scope.states, self.machine.states.len())?;
        match (&fault.subject, &fault.instead) {
            (Subject::Input(input, guard), Instead::Kinds(kinds)) => {
                self.add_groups(fault, &states, (input, *guard), kinds)
            }
            (Subject::Input(input, guard), Instead::Transition { output, target }) => {
                let all = self.machine.outputs.len();
                let outputs = all_of(output, &self.scope.outputs, all)?;
                let targets = all_of(target, &self.scope.states, count)?;
                let answers: Vec<Answer> = product(&outputs, &targets).collect();
                let single = [&fault.state, input, output, target]
                    .into_iter()
                    .all(is_one);
                let single = single.then_some(fault.span);
                let is_place = is_one(&fault.state) && is_one(input);
                self.add_answers((&states, input, is_place), *guard, &answers, single)
            }
            (_, Instead::Timeouts { limits, target }) => {
                self.add_timeouts(fault, &states, limits, target.as_ref())
            }
            (Subject::Timeout, _) => self.add_other_targets(fault, &states),
        }
    }

    fn add_groups(
        &mut self,
        fault: &Fault,
        states: &[usize],
        (input, guard): (&Pattern, Option<GuardText>),
        kinds: &[(Kind, Span)],
    ) -> Result<(), Diagnostic> {
        let inputs = all_of(input, &self.scope.inputs, self.machine.inputs.len())?;
        let is_single = is_one(&fault.state) && is_one(input);
        for &state in states {
            for &kind in kinds {
                for &input in &inputs {
                    let guard = guard.as_ref();
                    if guard.is_some() || self.guards(state, input).is_some() {
                        self.add_at_guards((state, input), guard, kind, is_single)?;
                    } else {
                        self.add_group((state, input), kind, is_single)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the changes of one kind to the answer of a state to an input; this answer has no guards. `is_single`: the line of the fault
    /// domain names this state and input only. Then a kind that needs a missing guard or transition is an error; else it adds nothing.
    fn add_group(
        &mut self,
        (state, input): (usize, usize),
        (kind, span): (Kind, Span),
        is_single: bool,
    ) -> Result<(), Diagnostic> {
        let own = self.own_answer(state, input);
        let is_of_guards = matches!(
            kind,
            Kind::Never | Kind::Shifted | Kind::Narrowed | Kind::Widened
        );
        if is_of_guards && is_single {
            let message = "the machine has no guard here";
            let help = "write one: `STATE.INPUT in [2,5)`";
            return Err(Diagnostic::error(span, message).with_help(help));
        }
        if own.is_none() && is_single && kind != Kind::Any {
            let message = "the machine has no transition here, so no part of it can be kept";
            let help = "`any` stands for all transitions";
            return Err(Diagnostic::error(span, message).with_help(help));
        }
        // A place without transition is never stimulated, so a group over many places leaves it out.
        if own.is_none() && !is_single {
            return Ok(());
        }
        for answer in group(self.machine, self.states, kind, own) {
            let change = Change::Answer {
                state,
                input,
                answer,
            };
            self.insert(change, 1);
        }
        Ok(())
    }

    fn guards(&self, state: usize, input: usize) -> Option<&Vec<Guarded>> {
        self.machine.states.get(state)?.guarded.get(&input)
    }

    /// Adds the changes of a kind at a place with guards, or at some delays of one without: `any` and `never` need no guard of the machine.
    fn add_at_guards(
        &mut self,
        (state, input): (usize, usize),
        guard: Option<&GuardText>,
        (kind, span): (Kind, Span),
        is_single: bool,
    ) -> Result<(), Diagnostic> {
        let all = self.machine.states.get(state).map(|own| own.on(input));
        let all = all.unwrap_or_default();
        let is_meant = |own: &&Guarded| guard.is_none_or(|guard| guard.during == own.during);
        let meant: Vec<Guarded> = all.iter().filter(is_meant).copied().collect();
        let place = (state, input);
        // As for places without guards: a place without transition is left out of a group over many places.
        if all.is_empty() && !is_single {
            return Ok(());
        }
        let changes: Vec<Change> = match (guard, kind) {
            (Some(guard), Kind::Any | Kind::Never) if meant.is_empty() => {
                let answers = product_of_all(self.machine, self.states);
                let does = match kind {
                    Kind::Any => answers.map(Some).collect(),
                    _ => vec![None],
                };
                let does = does.into_iter();
                let changes = does.map(|does| self.part(place, guard.during, does));
                changes.collect()
            }
            (Some(guard), _) if meant.is_empty() && is_single => {
                let message = "the machine has no such guard here";
                let found = all.iter().map(|own| format!("`{}`", own.during));
                let found = found.collect::<Vec<String>>().join(", ");
                let error = Diagnostic::error(guard.span, message);
                return Err(match found.is_empty() {
                    true => error,
                    false => error.with_help(format!("it has {found}")),
                });
            }
            _ => {
                let machine = (self.machine, self.states);
                let of = |own: Guarded| at_guard(machine, place, own, kind);
                meant.into_iter().flat_map(of).collect()
            }
        };
        if changes.is_empty() && is_single {
            return Err(no_change(span));
        }
        for change in changes {
            if self.is_extra(state) || !change.is_none(self.machine) {
                self.insert(change, 1);
            }
        }
        Ok(())
    }

    fn part(
        &self,
        (state, input): (usize, usize),
        during: Interval,
        does: Option<Answer>,
    ) -> Change {
        Change::Guard {
            state,
            input,
            parts: [Some(Part { during, does }), None],
        }
    }

    /// Adds alternative answers in these states on the inputs of a pattern. `is_place`: one state and one input are named. `single` is the
    /// place of a line that must be exactly one effective change.
    fn add_answers(
        &mut self,
        (states, input, is_place): (&[usize], &Pattern, bool),
        guard: Option<GuardText>,
        answers: &[Answer],
        single: Option<Span>,
    ) -> Result<(), Diagnostic> {
        let inputs = all_of(input, &self.scope.inputs, self.machine.inputs.len())?;
        for &state in states {
            for &input in &inputs {
                let own = self.machine.states.get(state).map(|own| own.on(input));
                let is_said = own.is_some_and(|own| !own.is_empty());
                // As for groups: a place without transition is left out of a group over many places.
                let is_meant = is_place || is_said || self.is_extra(state);
                for &answer in answers.iter().filter(|_| is_meant) {
                    let change = match guard {
                        Some(guard) => self.part((state, input), guard.during, Some(answer)),
                        None => Change::Answer {
                            state,
                            input,
                            answer,
                        },
                    };
                    if self.is_extra(state) || !change.is_none(self.machine) {
                        self.insert(change, 1);
                    } else if let Some(span) = single {
                        return Err(no_change(span));
                    }
                }
            }
        }
        Ok(())
    }

    fn add_timeouts(
        &mut self,
        fault: &Fault,
        states: &[usize],
        limits: &[LimitText],
        target: Option<&Pattern>,
    ) -> Result<(), Diagnostic> {
        let targets = match target {
            Some(pattern) => Some(all_of(pattern, &self.scope.states, self.states)?),
            None => None,
        };
        let is_single = is_one(&fault.state) && target.is_none_or(is_one);
        for &state in states {
            let own = self.own_timeout(state);
            for text in limits {
                let timeouts = match (text.limit, &targets, own) {
                    (Limit::Never, _, _) => vec![None],
                    (Limit::After(after), Some(targets), _) => {
                        let timeouts = targets.iter().map(|&target| Timeout { after, target });
                        timeouts.map(Some).collect()
                    }
                    (Limit::After(after), None, Some(own)) => vec![Some(Timeout { after, ..own })],
                    (Limit::After(_), None, None) if is_single => {
                        return Err(no_timeout(text.span, &self.name(state)));
                    }
                    (Limit::After(_), None, None) => Vec::new(),
                };
                let ways = match (text.limit, &targets) {
                    (Limit::Never, Some(targets)) => targets.len() as u64,
                    _ => 1,
                };
                for timeout in timeouts {
                    let is_change = timeout != own || self.is_extra(state);
                    if is_change || ways > 1 {
                        self.insert(Change::Timeout { state, timeout }, ways);
                    } else if is_single {
                        return Err(no_change(text.span));
                    }
                }
            }
        }
        Ok(())
    }

    fn add_other_targets(&mut self, fault: &Fault, states: &[usize]) -> Result<(), Diagnostic> {
        for &state in states {
            let Some(own) = self.own_timeout(state) else {
                if is_one(&fault.state) {
                    return Err(no_timeout(fault.span, &self.name(state)));
                }
                continue;
            };
            for target in (0..self.states).filter(|target| *target != own.target) {
                let timeout = Some(Timeout { target, ..own });
                self.insert(Change::Timeout { state, timeout }, 1);
            }
        }
        Ok(())
    }

    fn name(&self, state: usize) -> String {
        let own = self.machine.states.get(state);
        own.map_or_else(
            || "that only faults have".to_owned(),
            |own| own.name.clone(),
        )
    }
}

fn no_change(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the machine behaves so itself: this is not a fault")
}

fn no_timeout(span: Span, state: &str) -> Diagnostic {
    let message = format!("state `{state}` has no timeout, so no target can be kept");
    Diagnostic::error(span, message).with_help("write `-> STATE` behind other timeouts")
}
