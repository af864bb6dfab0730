//! Checks that machines in pieces do what machines with guards do (semantics.md §7).
//!
//! Piece by piece, at every delay at which something may change: what the guards say then is compared with what stands in the piece.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::{Answer, Change, Machine, Part, State, Timeout};

fn wrong<T>(what: impl Into<String>) -> Result<T, Refutation> {
    Err(Refutation::Wrong(what.into()))
}

/// What a state answers to an input at a moment: 2n is n units, 2n + 1 all that is between n and n + 1.
pub(crate) fn answer(state: &State, input: usize, moment: u128) -> Option<Answer> {
    let guarded = state.guarded.get(&input).into_iter().flatten();
    let mut met = guarded.filter(|guarded| {
        let ends = guarded.during.until.map(u128::from);
        u128::from(guarded.during.from) <= moment && ends.is_none_or(|ends| moment < ends)
    });
    let always = state.answers.get(&input).copied();
    always.or_else(|| met.next().map(|guarded| guarded.answer))
}

/// Numbers by name.
fn numbers(names: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    names
        .enumerate()
        .map(|(index, name)| (name, index))
        .collect()
}

/// Moments of a stretch, which is given in parts of a unit: its first, its last, and all around bounds.
fn moments(
    (begin, end): (u32, Option<u32>),
    scale: u32,
    bounds: &BTreeSet<u128>,
) -> BTreeSet<u128> {
    let each = u128::from(2 / scale);
    let first = u128::from(begin) * each;
    let behind = end.map(|end| u128::from(end) * each);
    let around = bounds
        .iter()
        .flat_map(|bound| [bound.saturating_sub(1), *bound, bound + 1]);
    let last = behind.map(|behind| behind - 1);
    let all = around.chain([first, first + 1]).chain(last);
    all.filter(|m| *m >= first && behind.is_none_or(|behind| *m < behind))
        .collect()
}

/// Checks a machine in pieces.
///
/// # Errors
/// What it does otherwise.
pub(crate) fn check(machine: &Machine, pieces: &Machine, scale: u32) -> Result<(), Refutation> {
    let first = numbers(pieces.states.iter().map(|state| state.name.clone()));
    let own = numbers(machine.states.iter().map(|state| state.name.clone()));
    if pieces.states.first().map(|s| &s.name) != machine.states.first().map(|s| &s.name) {
        return wrong("the machine in pieces begins in another state");
    }
    for state in &machine.states {
        let Some(&piece) = first.get(&state.name) else {
            return wrong(format!("no piece of `{}` is its first", state.name));
        };
        let mut walk = (piece, 0);
        loop {
            let timeout = pieces.states[walk.0].timeout;
            let end = timeout.map(|timeout| timeout.after + walk.1);
            let stretch = (walk.1, end);
            answers_alike((machine, state), (pieces, walk.0), stretch, scale)?;
            let target = timeout.map(|timeout| &pieces.states[timeout.target].name);
            let target = target.map(|name| own.get(name).copied());
            let due = state.timeout.map(|t| u64::from(t.after) * u64::from(scale));
            walk = match (timeout, target, end) {
                (Some(timeout), Some(None), Some(end))
                    if due.is_none_or(|due| due > end.into()) =>
                {
                    (timeout.target, end)
                }
                (Some(_), Some(Some(target)), Some(end))
                    if due == Some(end.into())
                        && state.timeout.is_some_and(|own| own.target == target) =>
                {
                    break;
                }
                (None, ..) if due.is_none() => break,
                _ => return wrong(format!("the pieces of `{}` end otherwise", state.name)),
            };
        }
    }
    Ok(())
}

fn answers_alike(
    (machine, state): (&Machine, &State),
    (pieces, piece): (&Machine, usize),
    stretch: (u32, Option<u32>),
    scale: u32,
) -> Result<(), Refutation> {
    for input in 0..machine.inputs.len() {
        let guarded = state.guarded.get(&input).into_iter().flatten();
        let bounds = guarded.flat_map(|guarded| guarded.during.bounds());
        let bounds: BTreeSet<u128> = bounds.map(u128::from).collect();
        let shown = pieces.states[piece].answers.get(&input);
        let shown = shown.map(|a| (a.output, pieces.states[a.target].name.as_str()));
        for moment in moments(stretch, scale, &bounds) {
            let said = answer(state, input, moment);
            let said = said.map(|a| (a.output, machine.states[a.target].name.as_str()));
            if said != shown {
                let (state, input) = (&state.name, &machine.inputs[input]);
                return wrong(format!("a piece of `{state}` answers `{input}` otherwise"));
            }
        }
    }
    Ok(())
}

/// What implementations may do, as it was said.
pub(crate) struct Said<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) changes: &'a [Change],
}

impl Said<'_> {
    /// What may happen on an input at some delays.
    fn parts(&self, state: usize, input: usize) -> Vec<Part> {
        let mut found = Vec::new();
        for change in self.changes {
            match *change {
                Change::Answer {
                    state: there,
                    input: event,
                    answer,
                } if (there, event) == (state, input) => found.push(Part {
                    during: hyperkill_timed_fsm::guard::Interval::ALWAYS,
                    does: Some(answer),
                }),
                Change::Guard {
                    state: there,
                    input: event,
                    parts,
                } if (there, event) == (state, input) => found.extend(parts.iter().flatten()),
                _ => {}
            }
        }
        found
    }

    fn timeouts(&self, state: usize) -> BTreeSet<Option<Timeout>> {
        let own = self.machine.states.get(state).map(|own| own.timeout);
        let others = self.changes.iter().filter_map(|change| match change {
            Change::Timeout { state: at, timeout } if *at == state => Some(*timeout),
            _ => None,
        });
        let all: BTreeSet<Option<Timeout>> = own.into_iter().chain(others).collect();
        if all.is_empty() {
            BTreeSet::from([None])
        } else {
            all
        }
    }

    /// Checks a domain of faults in pieces, and its specification.
    ///
    /// # Errors
    /// What an implementation may do that it may not, or may not do that it may.
    pub(crate) fn check(
        &self,
        (pieces, domain): (&Machine, &MutationMachine),
        scale: u32,
    ) -> Result<(), Refutation> {
        check(self.machine, pieces, scale)?;
        let Some(cut) = &domain.pieces else {
            return wrong("the domain is not in pieces");
        };
        let mut walk = Walk {
            said: self,
            domain,
            scale,
            first: numbers(domain.states.iter().cloned()),
            of: vec![None; domain.states.len()],
        };
        for (state, name) in cut.whole.states.iter().enumerate() {
            if self
                .machine
                .states
                .get(state)
                .is_some_and(|own| own.name != *name)
            {
                return wrong("the states of the domain have other names");
            }
            walk.state(state, name, &cut.whole.states)?;
        }
        if walk.of.iter().any(Option::is_none) {
            return wrong("the domain has a piece that is of no state");
        }
        let own = pieces.states.iter().enumerate();
        for (piece, state) in own {
            let has_timeout = domain.timeouts[piece]
                .iter()
                .any(|c| c.does == state.timeout);
            let mut groups = domain.answers[piece].iter().enumerate();
            let has_answers = groups.all(|(input, group)| {
                let own = state.answers.get(&input).copied();
                group.iter().any(|choice| choice.does == own)
            });
            if !has_timeout || !has_answers || state.name != domain.states[piece] {
                return wrong("the specification is not in its domain");
            }
        }
        Ok(())
    }
}

struct Walk<'a> {
    said: &'a Said<'a>,
    domain: &'a MutationMachine,
    scale: u32,
    first: BTreeMap<String, usize>,
    /// State and beginning of each piece that was met.
    of: Vec<Option<(usize, u32)>>,
}

impl Walk<'_> {
    fn state(&mut self, state: usize, name: &str, all: &[String]) -> Result<(), Refutation> {
        let Some(&start) = self.first.get(name) else {
            return wrong(format!("no piece of `{name}` is its first"));
        };
        let first: Vec<Option<usize>> = all.iter().map(|n| self.first.get(n).copied()).collect();
        let is_first = |piece: usize| first.contains(&Some(piece));
        let timeouts = self.said.timeouts(state);
        let mut before: Vec<(usize, u32)> = Vec::new();
        let mut next = Some((start, 0));
        while let Some((piece, begin)) = next {
            if self.of[piece].replace((state, begin)).is_some() {
                return wrong(format!("a piece of `{name}` is met twice"));
            }
            before.push((piece, begin));
            let group = self.domain.timeouts[piece].iter().map(|choice| choice.does);
            let shown: BTreeSet<Option<Timeout>> = group.collect();
            let on = shown
                .iter()
                .flatten()
                .find(|timeout| !is_first(timeout.target));
            let end = on.map(|on| begin + on.after);
            let mut expected: BTreeSet<Option<Timeout>> = BTreeSet::new();
            for timeout in &timeouts {
                let due = timeout.map(|t| u64::from(t.after) * u64::from(self.scale));
                match (timeout, due, end) {
                    (_, Some(due), _) if due <= begin.into() => {}
                    (Some(timeout), Some(due), end)
                        if end.is_none_or(|end| due <= u64::from(end)) =>
                    {
                        let after = u32::try_from(due - u64::from(begin));
                        let target = first.get(timeout.target).copied().flatten();
                        let does = after.ok().zip(target);
                        expected
                            .extend(does.map(|(after, target)| Some(Timeout { after, target })));
                    }
                    (_, _, Some(_)) => {
                        expected.insert(on.copied());
                    }
                    (_, _, None) => {
                        expected.insert(None);
                    }
                }
            }
            if shown != expected {
                return wrong(format!("the timeouts of a piece of `{name}` are others"));
            }
            // The last piece is left at the latest when the longest timeout has come.
            let lengths = timeouts
                .iter()
                .map(|timeout| Some((*timeout)?.after * self.scale));
            let left = end.or(lengths
                .collect::<Option<Vec<u32>>>()
                .and_then(|all| all.into_iter().max()));
            for input in 0..self.said.machine.inputs.len() {
                self.answers((state, input), &before, left, &first)?;
            }
            next = on.zip(end).map(|(on, end)| (on.target, end));
        }
        Ok(())
    }

    /// What may be answered in the last of these pieces.
    fn answers(
        &self,
        (state, input): (usize, usize),
        pieces: &[(usize, u32)],
        end: Option<u32>,
        first: &[Option<usize>],
    ) -> Result<(), Refutation> {
        let Some(&(piece, begin)) = pieces.last() else {
            return Ok(());
        };
        let own = self.said.machine.states.get(state);
        let parts = self.said.parts(state, input);
        let guarded = own
            .and_then(|own| own.guarded.get(&input))
            .into_iter()
            .flatten();
        let own_bounds = guarded.flat_map(|guarded| guarded.during.bounds());
        let changed = parts.iter().flat_map(|part| part.during.bounds());
        let bounds: BTreeSet<u128> = own_bounds.chain(changed).map(u128::from).collect();
        let to = |answer: Answer| Some((answer.output, first.get(answer.target).copied()??));
        let group = self.domain.answers[piece][input].iter();
        let shown: BTreeSet<Option<(usize, usize)>> = group
            .map(|choice| choice.does.map(|answer| (answer.output, answer.target)))
            .collect();
        for moment in moments((begin, end), self.scale, &bounds) {
            let met = parts.iter().filter(|part| {
                let ends = part.during.until.map(u128::from);
                let has_begun = u128::from(part.during.from) <= moment;
                has_begun && ends.is_none_or(|ends| moment < ends)
            });
            let met = met.map(|part| part.does.and_then(to));
            let said = own.map(|own| answer(own, input, moment).and_then(to));
            let mut expected: BTreeSet<Option<(usize, usize)>> =
                said.into_iter().chain(met).collect();
            if expected.is_empty() {
                expected.insert(None);
            }
            if expected != shown {
                let name = &self.domain.states[piece];
                return wrong(format!("what `{name}` may answer is not what was said"));
            }
        }
        // One choice is made for all pieces between two bounds.
        let each = u128::from(2 / self.scale);
        let mut alike = pieces.iter().filter(|(_, other)| {
            let (behind, last) = (u128::from(*other) * each, u128::from(begin) * each);
            !bounds.iter().any(|bound| behind < *bound && *bound <= last)
        });
        match alike.next() {
            Some((place, _)) if *place == self.domain.place(piece, input) => Ok(()),
            _ => wrong("pieces do not choose together as they should"),
        }
    }
}
