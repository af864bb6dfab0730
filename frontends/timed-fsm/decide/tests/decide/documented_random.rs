//! Small random machines with guards and random domains of faults. Neighbouring guards often do the same.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::documented_data::{
    Answer, Bound, Fault, Faults, Guard, Guards, Kind, Machine, OUTPUTS, State, To,
};

fn one_of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

fn bound(rng: &mut ChaCha8Rng, last: u32, fine: bool) -> Bound {
    Bound {
        units: rng.random_range(0..=last),
        behind: fine && rng.random_bool(0.4),
    }
}

fn answer(rng: &mut ChaCha8Rng, states: usize) -> Answer {
    Answer {
        output: usize::from(rng.random_bool(0.3)),
        target: rng.random_range(0..states),
    }
}

fn guards(rng: &mut ChaCha8Rng, states: usize, fine: bool) -> Guards {
    if rng.random_bool(0.25) {
        return match rng.random_bool(0.8) {
            true => vec![(Guard::ALWAYS, answer(rng, states))],
            false => Vec::new(),
        };
    }
    let mut bounds: Vec<Bound> = (0..rng.random_range(1..=3))
        .map(|_| bound(rng, 3, fine))
        .collect();
    bounds.push(Bound::START);
    bounds.sort_unstable();
    bounds.dedup();
    let ends = bounds.iter().skip(1).copied().map(Some).chain([None]);
    let mut found: Guards = Vec::new();
    for (from, until) in bounds.iter().copied().zip(ends) {
        if rng.random_bool(0.15) {
            continue;
        }
        let same = found.last().map(|(_, answer)| *answer);
        let answer = match same.filter(|_| rng.random_bool(0.6)) {
            Some(same) => same,
            None => answer(rng, states),
        };
        found.push((Guard { from, until }, answer));
    }
    found
}

/// Returns a random machine. With `fine`, guards may include their last moment, or exclude their first.
pub(crate) fn machine(rng: &mut ChaCha8Rng, fine: bool) -> Machine {
    let (count, inputs) = (rng.random_range(1..=3), rng.random_range(1..=2));
    let states = (0..count).map(|_| State {
        on: (0..inputs).map(|_| guards(rng, count, fine)).collect(),
        timeout: rng
            .random_bool(0.4)
            .then(|| (rng.random_range(1..=4), rng.random_range(0..count))),
    });
    Machine {
        states: states.collect(),
        inputs,
    }
}

/// Returns a random guard for a place, often one of the machine.
fn guard(rng: &mut ChaCha8Rng, machine: &Machine, place: (usize, usize), fine: bool) -> Guard {
    let own = machine
        .states
        .get(place.0)
        .map_or(&[][..], |state| &state.on[place.1]);
    if !own.is_empty() && rng.random_bool(0.6) {
        return own[rng.random_range(0..own.len())].0;
    }
    loop {
        let guard = Guard {
            from: bound(rng, 4, fine),
            until: rng.random_bool(0.8).then(|| bound(rng, 5, fine)),
        };
        if guard.has_delays() {
            return guard;
        }
    }
}

fn line(rng: &mut ChaCha8Rng, machine: &Machine, all: usize, fine: bool) -> Fault {
    let own = machine.states.len();
    let (state, input) = (
        rng.random_range(0..own),
        rng.random_range(0..machine.inputs),
    );
    let guard = rng
        .random_bool(0.5)
        .then(|| guard(rng, machine, (state, input), fine));
    let one = |rng: &mut ChaCha8Rng, number: usize| rng.random_bool(0.75).then_some(number);
    let (at, on) = (one(rng, state), one(rng, input));
    let (output, target) = (rng.random_range(0..OUTPUTS.len()), rng.random_range(0..all));
    match rng.random_range(0..10) {
        0 | 1 => Fault::Transition {
            state: at,
            input: on,
            guard,
            output: one(rng, output),
            target: one(rng, target),
        },
        2 => Fault::Timeouts {
            state: at,
            lengths: vec![
                Some(rng.random_range(1..=5)),
                rng.random_bool(0.7).then(|| rng.random_range(1..=5)),
            ],
            to: one_of(rng, &[To::Same, To::Every, To::One(target)]),
        },
        3 => Fault::OtherTargets { state: at },
        _ => {
            let kinds = [
                Kind::Transfer,
                Kind::Output,
                Kind::Output,
                Kind::Any,
                Kind::Never,
            ];
            let moves = [Kind::Narrowed, Kind::Widened, Kind::Shifted];
            let kind = match fine || rng.random_bool(0.3) {
                true => one_of(rng, &[&kinds[..], &moves[..]].concat()),
                false => one_of(rng, &kinds),
            };
            Fault::Group {
                state: at,
                input: on,
                guard,
                kind,
            }
        }
    }
}

/// Returns the transitions of state `own`, which only implementations have.
fn extra(rng: &mut ChaCha8Rng, machine: &Machine, fine: bool) -> Vec<Fault> {
    let own = machine.states.len();
    let mut lines = Vec::new();
    for input in 0..machine.inputs {
        for _ in 0..rng.random_range(0..=2) {
            let (output, target) = (
                rng.random_range(0..OUTPUTS.len()),
                rng.random_range(0..=own),
            );
            let is_guarded = rng.random_bool(0.7);
            lines.push(Fault::Transition {
                state: Some(own),
                input: Some(input),
                guard: is_guarded.then(|| guard(rng, machine, (own, input), fine)),
                output: rng.random_bool(0.8).then_some(output),
                target: rng.random_bool(0.8).then_some(target),
            });
        }
    }
    if rng.random_bool(0.4) {
        lines.push(Fault::Group {
            state: Some(own),
            input: Some(rng.random_range(0..machine.inputs)),
            guard: Some(guard(rng, machine, (own, 0), fine)),
            kind: one_of(rng, &[Kind::Any, Kind::Never, Kind::Never]),
        });
    }
    if rng.random_bool(0.5) {
        lines.push(Fault::Timeouts {
            state: Some(own),
            lengths: vec![Some(rng.random_range(1..=3)), None],
            to: To::One(rng.random_range(0..=own)),
        });
    }
    lines
}

/// Returns a random domain of faults. Some of its lines may be unreadable.
pub(crate) fn faults(rng: &mut ChaCha8Rng, machine: &Machine, fine: bool) -> Faults {
    let has_extra = rng.random_bool(0.15);
    let mut lines = match has_extra {
        true => extra(rng, machine, fine),
        false => Vec::new(),
    };
    let all = machine.states.len() + usize::from(has_extra);
    for _ in 0..rng.random_range(1..=3) {
        lines.push(line(rng, machine, all, fine));
    }
    Faults {
        extra: has_extra,
        lines,
    }
}
