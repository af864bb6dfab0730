//! Random machines with answers that depend on delays, and a reference for them: an exploration of time in parts of a unit.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt::Write;

use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::{Answer, Guarded, Machine, State};
use hyperkill_timed_fsm::pieces::Whole;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of units up to which clocks without a timeout are distinguished. Guards of these machines end before.
const LAST: u32 = 9;

/// Returns random bounds of adjacent guards, ascending, each with its number of units and whether it is right after that number; 5 is
/// never.
fn bounds(rng: &mut ChaCha8Rng, fine: bool) -> Vec<(u32, bool)> {
    let mut bounds: Vec<(u32, bool)> = Vec::new();
    for _ in 0..rng.random_range(1..=3) {
        bounds.push((rng.random_range(0..=4), fine && rng.random_bool(0.5)));
    }
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

fn guard(from: (u32, bool), until: Option<(u32, bool)>) -> String {
    let open = if from.1 { "(" } else { "[" };
    let until = until.map_or("never)".to_owned(), |(units, behind)| {
        format!("{units}{}", if behind { "]" } else { ")" })
    });
    format!("{open}{},{until}", from.0)
}

fn output(rng: &mut ChaCha8Rng) -> &'static str {
    if rng.random_bool(0.7) { "x" } else { "y" }
}

/// Returns the text of a random machine with guards. With `fine`, guards may include their last moment, or exclude their first.
pub(crate) fn machine(seed: u64, fine: bool) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x9a8d);
    let rng = &mut rng;
    let states = rng.random_range(1..=3);
    let inputs = rng.random_range(1..=2);
    let names = ["a", "b"];
    let listed = names[..inputs].join(", ");
    let mut text = format!("machine m {{ input {listed}; output x, y; time ms\n");
    for state in 0..states {
        write!(text, "  state s{state} {{ ").expect("a string takes all");
        for name in &names[..inputs] {
            if rng.random_bool(0.4) {
                let target = rng.random_range(0..states);
                write!(text, "{name} / {} -> s{target}; ", output(rng)).expect("a string");
                continue;
            }
            let bounds = bounds(rng, fine);
            let firsts = std::iter::once((0, false)).chain(bounds.iter().copied());
            let ends = bounds.iter().copied().map(Some).chain([None]);
            for (from, until) in firsts.zip(ends) {
                if Some(from) == until || rng.random_bool(0.15) {
                    continue;
                }
                let target = rng.random_range(0..states);
                let guard = guard(from, until);
                write!(text, "{name} in {guard} / {} -> s{target}; ", output(rng))
                    .expect("a string");
            }
        }
        if rng.random_bool(0.5) {
            let (after, target) = (rng.random_range(1..=4), rng.random_range(0..states));
            write!(text, "after {after} -> s{target} ").expect("a string takes all");
        }
        text.push_str("}\n");
    }
    text + "}\n"
}

/// Returns the random machine of a seed with some faults.
pub(crate) fn domain(seed: u64, fine: bool) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xd0_5a1d);
    let rng = &mut rng;
    let mut text = machine(seed, fine);
    let states = text.matches("state s").count();
    let inputs = if text.contains("input a, b") {
        ["a", "b"]
    } else {
        ["a", "a"]
    };
    text.push_str("faults { ");
    if rng.random_bool(0.2) {
        text.push_str("state Extra { a in [0,2) / x -> *; a in [2,never) / y -> s0; b / x -> s0; ");
        text.push_str("after 1, never -> * }\n");
        if inputs[1] == "a" {
            text = text.replace(" b / x -> s0;", "");
        }
    }
    for _ in 0..rng.random_range(1..=4) {
        let state = rng.random_range(0..states);
        let input = inputs[rng.random_range(0..2)];
        let (from, length) = (rng.random_range(0..=3), rng.random_range(1..=2));
        let behind = |rng: &mut ChaCha8Rng| fine && rng.random_bool(0.5);
        let (open, closed) = (behind(rng), behind(rng));
        let within = guard((from, open), Some((from + length, closed)));
        let target = rng.random_range(0..states);
        let output = output(rng);
        let fault = match rng.random_range(0..8) {
            0 if fine => format!("*.{input}: shifted"),
            1 if fine => format!("*.{input}: narrowed"),
            2 if fine => format!("*.{input}: widened"),
            0 | 3 => format!("s{state}.{input} in {within} / {output} -> *"),
            1 | 4 => format!("s{state}.{input} in {within}: never"),
            2 | 5 => format!("s{state}.{input} in {within} / * -> s{target}"),
            6 => format!("*.{input}: transfer"),
            _ => format!("s{state}.after: {}, never -> s{target}", 1 + from),
        };
        write!(text, "{fault}; ").expect("a string takes all");
    }
    text + "}\n"
}

/// A state and its clock in parts of a unit.
type Timed = (usize, u32);

/// Returns the answer of a machine to an input in a state after a time; a unit has `parts` parts.
fn answer(machine: &Machine, (state, clock): Timed, input: usize, parts: u32) -> Option<Answer> {
    let moment = 2 * (clock / parts) + u32::from(clock % parts > 0);
    let mut all = machine.states[state].on(input).into_iter();
    let met = all.find(|guarded| {
        let Interval { from, until } = guarded.during;
        from <= moment && until.is_none_or(|until| moment < until)
    });
    met.map(|guarded| guarded.answer)
}

fn tick(machine: &Machine, (state, clock): Timed, parts: u32) -> Timed {
    match machine.states[state].timeout {
        Some(timeout) if clock + 1 >= parts * timeout.after => (timeout.target, 0),
        Some(_) => (state, clock + 1),
        // Past the last bound of all guards time does not matter.
        None => (state, (clock + 1).min(parts * LAST + 1)),
    }
}

/// Returns the number of inputs of a shortest test, and the parts of a unit that the quickest of these takes; `None` if there is no test.
pub(crate) fn shortest(model: &Machine, mutant: &Machine, parts: u32) -> Option<(usize, u64)> {
    let mut due = BinaryHeap::from([Reverse((0, 0, (0, 0), (0, 0)))]);
    let mut seen: BTreeSet<(Timed, Timed)> = BTreeSet::new();
    let mut best: Option<(usize, u64)> = None;
    while let Some(Reverse((inputs, time, own, other))) = due.pop() {
        if best.is_some_and(|best| best <= (inputs, time)) {
            break;
        }
        if !seen.insert((own, other)) {
            continue;
        }
        let later = (tick(model, own, parts), tick(mutant, other, parts));
        due.push(Reverse((inputs, time + 1, later.0, later.1)));
        for input in 0..model.inputs.len() {
            let Some(expected) = answer(model, own, input, parts) else {
                continue;
            };
            match answer(mutant, other, input, parts) {
                Some(answer) if answer.output == expected.output => {
                    let pair = ((expected.target, 0), (answer.target, 0));
                    due.push(Reverse((inputs + 1, time, pair.0, pair.1)));
                }
                _ => {
                    let found = (inputs + 1, time);
                    best = Some(best.map_or(found, |best| best.min(found)));
                }
            }
        }
    }
    best
}

/// Returns the answers of a machine to inputs after delays in parts of a unit, up to the first input without an answer.
pub(crate) fn shown(machine: &Machine, test: &[(u64, usize)], parts: u32) -> Vec<usize> {
    let mut timed = (0, 0);
    let mut shown = Vec::new();
    for &(delay, input) in test {
        for _ in 0..delay {
            timed = tick(machine, timed, parts);
        }
        let Some(answer) = answer(machine, timed, input, parts) else {
            break;
        };
        shown.push(answer.output);
        timed = (answer.target, 0);
    }
    shown
}

/// Returns all implementations of a domain, with their guards; `None` if there are more than `most`.
pub(crate) fn all(machine: &Machine, whole: &Whole, most: usize) -> Option<Vec<Machine>> {
    let mut found = vec![Machine {
        states: whole
            .states
            .iter()
            .map(|name| State {
                name: name.clone(),
                ..State::default()
            })
            .collect(),
        ..machine.clone()
    }];
    for (state, name) in whole.states.iter().enumerate() {
        for (input, classes) in whole.answers[state].iter().enumerate() {
            let mut ways: Vec<Vec<Guarded>> = vec![Vec::new()];
            for class in classes {
                let more = ways.iter().flat_map(|way| {
                    class.group.iter().map(move |choice| {
                        let new = choice.does.map(|answer| Guarded {
                            during: class.during,
                            answer,
                        });
                        way.iter().copied().chain(new).collect()
                    })
                });
                ways = more.collect();
                if ways.len() > most {
                    return None;
                }
            }
            if ways.len() * found.len() > most {
                return None;
            }
            let more = found.iter().flat_map(|machine| {
                ways.iter().map(move |way| {
                    let mut machine = machine.clone();
                    machine.states[state].set(input, way.clone());
                    machine
                })
            });
            found = more.collect();
        }
        assert!(!name.is_empty());
        let group = &whole.timeouts[state];
        if group.len() * found.len() > most {
            return None;
        }
        let more = found.iter().flat_map(|machine| {
            group.iter().map(move |choice| {
                let mut machine = machine.clone();
                machine.states[state].timeout = choice.does;
                machine
            })
        });
        found = more.collect();
    }
    Some(found)
}
