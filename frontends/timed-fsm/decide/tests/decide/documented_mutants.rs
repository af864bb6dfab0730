//! All mutants of a domain, as the book says which they are (timed-fsm.md, semantics.md §7), and how they run.

use std::collections::{BTreeMap, BTreeSet};

use crate::documented_data::{
    Answer, Bound, Fault, Faults, Guard, Guards, Kind, Machine, OUTPUTS, Timeout, To,
};

/// The transitions of a state on an input with one fault: the first guard that holds counts. `None`: no transition.
type Changed = Vec<(Guard, Option<Answer>)>;

/// The alternatives at delays from a bound to the next one.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) from: Bound,
    pub(crate) answers: BTreeSet<Option<Answer>>,
}

/// The domain of all mutants: the alternatives of each state.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    /// The alternative answers by state and input, in the order of delays.
    pub(crate) classes: Vec<Vec<Vec<Class>>>,
    /// The alternative timeouts by state, each with its multiplicity.
    pub(crate) timeouts: Vec<BTreeMap<Option<Timeout>, usize>>,
    /// The number of states of the machine.
    pub(crate) own: usize,
    /// The number of different machines with one fault.
    pub(crate) single: usize,
}

/// The answer of one mutant from each bound on, in the order of delays.
type Chosen = Vec<(Bound, Option<Answer>)>;

/// A deterministic machine that can be run: by state and input, the answers from each bound on.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) answers: Vec<Vec<Chosen>>,
    pub(crate) timeouts: Vec<Option<Timeout>>,
}

fn answer(changed: &Changed, quarters: u64) -> Option<Answer> {
    let mut met = changed.iter().filter(|(guard, _)| guard.holds(quarters));
    met.next().and_then(|(_, answer)| *answer)
}

fn as_it_is(guards: &Guards) -> Changed {
    let guards = guards.iter();
    guards
        .map(|(guard, answer)| (*guard, Some(*answer)))
        .collect()
}

/// Returns guards with another answer during some delays, and the original answers otherwise.
fn instead(guards: &Guards, during: Guard, does: Option<Answer>) -> Changed {
    let mut changed = vec![(during, does)];
    changed.extend(as_it_is(guards));
    changed
}

/// Returns the guards with the guard `at` moved to `to`. Guards that touched it end or begin at its new bounds.
fn moved(guards: &Guards, at: usize, to: Guard) -> Changed {
    let (own, answer) = guards[at];
    let mut changed = vec![(to, Some(answer))];
    for (other, (guard, answer)) in guards.iter().enumerate() {
        let mut guard = *guard;
        if other == at {
            continue;
        }
        if guard.until == Some(own.from) {
            guard.until = Some(to.from);
        }
        if own.until == Some(guard.from) {
            guard.from = to.until.expect("a guard that ends still does");
        }
        if guard.has_delays() {
            changed.push((guard, Some(*answer)));
        }
    }
    changed
}

/// Returns the guards to which a kind of faults moves a guard.
fn moves(own: Guard, kind: Kind) -> Vec<Guard> {
    let from = |from: Option<Bound>| from.map(|from| Guard { from, ..own });
    let until = |until: Option<Bound>| {
        let ends = own.until.is_some();
        until.filter(|_| ends).map(|until| Guard {
            until: Some(until),
            ..own
        })
    };
    let side = |bound: Bound, behind: bool| Some(Bound { behind, ..bound }).filter(|b| *b != bound);
    let end = own.until;
    let all = match kind {
        Kind::Narrowed => vec![
            from(Some(own.from.later(1))),
            from(side(own.from, true)),
            until(end.and_then(|end| end.sooner(1))),
            until(end.and_then(|end| side(end, false))),
        ],
        Kind::Widened => vec![
            // `(0` begins a unit sooner at 0 already.
            from(own.from.sooner(1)),
            from(side(own.from, false)),
            until(end.map(|end| end.later(1))),
            until(end.and_then(|end| side(end, true))),
        ],
        Kind::Shifted => {
            let later = end.map(|end| Guard {
                from: own.from.later(1),
                until: Some(end.later(1)),
            });
            let sooner = end.and_then(|end| {
                Some(Guard {
                    from: own.from.sooner(1)?,
                    until: Some(end.sooner(1)?),
                })
            });
            vec![later, sooner]
        }
        Kind::Transfer | Kind::Output | Kind::Any | Kind::Never => Vec::new(),
    };
    all.into_iter()
        .flatten()
        .filter(Guard::has_delays)
        .collect()
}

/// Returns the answers that a kind of faults puts in the place of `own`.
fn others(own: Answer, kind: Kind, states: usize) -> Vec<Answer> {
    let all = every(states).into_iter();
    let all = all.filter(|other| match kind {
        Kind::Transfer => other.output == own.output && other.target != own.target,
        Kind::Output => other.output != own.output && other.target == own.target,
        _ => *other != own,
    });
    all.collect()
}

fn every(states: usize) -> Vec<Answer> {
    let outputs = 0..OUTPUTS.len();
    let all = outputs.flat_map(|output| (0..states).map(move |target| Answer { output, target }));
    all.collect()
}

/// Returns the changed transitions that a kind of faults makes of one guard.
fn of_guard(guards: &Guards, at: usize, kind: Kind, states: usize) -> Vec<Changed> {
    let (own, answer) = guards[at];
    match kind {
        Kind::Transfer | Kind::Output | Kind::Any => {
            let others = others(answer, kind, states).into_iter();
            let others = others.map(|other| instead(guards, own, Some(other)));
            others.collect()
        }
        Kind::Never => vec![instead(guards, own, None)],
        Kind::Narrowed | Kind::Widened | Kind::Shifted => {
            let all = moves(own, kind).into_iter();
            all.map(|to| moved(guards, at, to)).collect()
        }
    }
}

/// The domain that the lines of a model describe.
struct Said<'a> {
    machine: &'a Machine,
    /// The number of states, including states that only implementations have.
    states: usize,
    /// By state and input: the transitions with one fault.
    changed: BTreeMap<(usize, usize), Vec<Changed>>,
    timeouts: Vec<BTreeMap<Option<Timeout>, usize>>,
}

impl Said<'_> {
    fn guards(&self, state: usize, input: usize) -> Guards {
        let own = self.machine.states.get(state);
        own.map_or_else(Vec::new, |own| own.on[input].clone())
    }

    fn own_timeout(&self, state: usize) -> Option<Timeout> {
        self.machine.states.get(state).and_then(|own| own.timeout)
    }

    /// Returns this state, or all states of the machine for `None`.
    fn meant(&self, state: Option<usize>) -> Vec<usize> {
        state.map_or_else(|| (0..self.machine.states.len()).collect(), |one| vec![one])
    }

    fn inputs(&self, input: Option<usize>) -> Vec<usize> {
        input.map_or_else(|| (0..self.machine.inputs).collect(), |one| vec![one])
    }

    fn add(&mut self, state: usize, input: usize, changed: impl IntoIterator<Item = Changed>) {
        self.changed
            .entry((state, input))
            .or_default()
            .extend(changed);
    }

    fn group(&mut self, place: (usize, usize), guard: Option<Guard>, kind: Kind, is_one: bool) {
        let guards = self.guards(place.0, place.1);
        if guards.is_empty() && !is_one {
            return;
        }
        let moves = matches!(
            kind,
            Kind::Never | Kind::Narrowed | Kind::Widened | Kind::Shifted
        );
        let has_guards = guards.iter().any(|(own, _)| *own != Guard::ALWAYS);
        // A place without guards has no fault of moved guards.
        if moves && !has_guards && guard.is_none() {
            return;
        }
        let meant = |at: &usize| guard.is_none_or(|guard| guards[*at].0 == guard);
        let at: Vec<usize> = (0..guards.len()).filter(meant).collect();
        let found: Vec<Changed> = match (at.is_empty(), kind) {
            (true, Kind::Any) => {
                let all = every(self.states).into_iter();
                let during = guard.unwrap_or(Guard::ALWAYS);
                all.map(|answer| instead(&guards, during, Some(answer)))
                    .collect()
            }
            (true, Kind::Never) => guard
                .map(|g| instead(&guards, g, None))
                .into_iter()
                .collect(),
            _ => {
                let of = |at: usize| of_guard(&guards, at, kind, self.states);
                at.into_iter().flat_map(of).collect()
            }
        };
        self.add(place.0, place.1, found);
    }

    fn line(&mut self, line: &Fault) {
        match line {
            Fault::Group {
                state,
                input,
                guard,
                kind,
            } => {
                let is_one = state.is_some() && input.is_some();
                for state in self.meant(*state) {
                    for input in self.inputs(*input) {
                        self.group((state, input), *guard, *kind, is_one);
                    }
                }
            }
            Fault::Transition {
                state,
                input,
                guard,
                output,
                target,
            } => {
                let is_one = state.is_some() && input.is_some();
                let during = guard.unwrap_or(Guard::ALWAYS);
                let all = every(self.states).into_iter();
                let all = all.filter(|answer| {
                    output.is_none_or(|output| answer.output == output)
                        && target.is_none_or(|target| answer.target == target)
                });
                let all: Vec<Answer> = all.collect();
                for state in self.meant(*state) {
                    for input in self.inputs(*input) {
                        let guards = self.guards(state, input);
                        let is_extra = state >= self.machine.states.len();
                        if is_one || is_extra || !guards.is_empty() {
                            let all = all.iter();
                            self.add(
                                state,
                                input,
                                all.map(|a| instead(&guards, during, Some(*a))),
                            );
                        }
                    }
                }
            }
            Fault::Timeouts { state, lengths, to } => {
                for state in self.meant(*state) {
                    for length in lengths {
                        self.timeout(state, *length, *to);
                    }
                }
            }
            Fault::OtherTargets { state } => {
                for state in self.meant(*state) {
                    if let Some((after, own)) = self.own_timeout(state) {
                        for target in (0..self.states).filter(|target| *target != own) {
                            self.timeouts[state]
                                .entry(Some((after, target)))
                                .or_insert(1);
                        }
                    }
                }
            }
        }
    }

    fn timeout(&mut self, state: usize, length: Option<u32>, to: To) {
        let own = self.own_timeout(state);
        let targets: Vec<usize> = match (to, own) {
            (To::Same, Some((_, target))) => vec![target],
            (To::Same, None) => Vec::new(),
            (To::Every, _) => (0..self.states).collect(),
            (To::One(target), _) => vec![target],
        };
        match length {
            None => {
                let ways = if to == To::Every { targets.len() } else { 1 };
                let known = self.timeouts[state].entry(None).or_insert(1);
                *known = ways.max(*known);
            }
            Some(after) => {
                for target in targets {
                    self.timeouts[state]
                        .entry(Some((after, target)))
                        .or_insert(1);
                }
            }
        }
    }

    /// Adds the alternatives of the default faults to the domain.
    fn usual(&mut self) {
        for state in 0..self.machine.states.len() {
            for input in 0..self.machine.inputs {
                let guards = self.guards(state, input);
                let has_guards = guards.iter().any(|(own, _)| *own != Guard::ALWAYS);
                let answers = [Kind::Transfer, Kind::Output].into_iter();
                let moves = [Kind::Narrowed, Kind::Widened, Kind::Shifted].into_iter();
                for kind in answers.chain(moves.filter(|_| has_guards)) {
                    self.group((state, input), None, kind, false);
                }
            }
            let Some((after, target)) = self.own_timeout(state) else {
                continue;
            };
            for length in [after / 2, after - 1, after + 1, 2 * after] {
                if length > 0 {
                    self.timeout(state, Some(length), To::Same);
                }
            }
            for other in (0..self.machine.states.len()).filter(|other| *other != target) {
                self.timeout(state, Some(after), To::One(other));
            }
            self.timeout(state, None, To::Same);
        }
    }

    /// Returns the classes of delays at one place with their alternatives, and the number of different places that one fault makes of it.
    fn classes(&self, state: usize, input: usize) -> (Vec<Class>, usize) {
        let own = self.machine.states.get(state);
        let guards = as_it_is(&self.guards(state, input));
        let changed = self
            .changed
            .get(&(state, input))
            .map_or(&[][..], Vec::as_slice);
        let bounds = |changed: &Changed| -> BTreeSet<Bound> {
            let ends = changed.iter().flat_map(|(g, _)| [Some(g.from), g.until]);
            ends.flatten().chain([Bound::START]).collect()
        };
        let does = |changed: &Changed, bounds: &BTreeSet<Bound>| -> Vec<Option<Answer>> {
            let moments = bounds.iter();
            moments
                .map(|bound| answer(changed, bound.quarters()))
                .collect()
        };
        let differs = |other: &&Changed| {
            let both: BTreeSet<Bound> = bounds(&guards).union(&bounds(other)).copied().collect();
            own.is_none() || does(other, &both) != does(&guards, &both)
        };
        let faults: Vec<&Changed> = changed.iter().filter(differs).collect();
        let all = faults.iter().flat_map(|changed| bounds(changed));
        let all: BTreeSet<Bound> = all.chain(bounds(&guards)).collect();
        let own_states = self.machine.states.len();
        let stays = |seen: &Vec<Option<Answer>>| {
            let mut targets = seen.iter().flatten().map(|answer| answer.target);
            targets.all(|target| target < own_states)
        };
        let machines = faults.iter().map(|changed| does(changed, &all));
        let machines: BTreeSet<Vec<Option<Answer>>> = machines.filter(stays).collect();
        let classes = all.iter().map(|&from| {
            let at = from.quarters();
            let mut answers: BTreeSet<Option<Answer>> = BTreeSet::new();
            if own.is_some() {
                answers.insert(answer(&guards, at));
            }
            for changed in &faults {
                let is_there = own.is_some() || changed[0].0.holds(at);
                answers.extend(is_there.then(|| answer(changed, at)));
            }
            if answers.is_empty() {
                answers.insert(None);
            }
            Class { from, answers }
        });
        (classes.collect(), machines.len())
    }
}

impl Domain {
    /// Returns the domain; `None` stands for the default faults.
    pub(crate) fn new(machine: &Machine, faults: Option<&Faults>) -> Domain {
        let own = machine.states.len();
        let states = own + usize::from(faults.is_some_and(|faults| faults.extra));
        let timeouts = (0..states).map(|state| match machine.states.get(state) {
            Some(own) => BTreeMap::from([(own.timeout, 1)]),
            None => BTreeMap::new(),
        });
        let mut said = Said {
            machine,
            states,
            changed: BTreeMap::new(),
            timeouts: timeouts.collect(),
        };
        match faults {
            Some(faults) => faults.lines.iter().for_each(|line| said.line(line)),
            None => said.usual(),
        }
        let mut single = 0;
        let mut classes = Vec::new();
        for state in 0..states {
            let mut of_state = Vec::new();
            for input in 0..machine.inputs {
                let (classes, machines) = said.classes(state, input);
                of_state.push(classes);
                single += if state < own { machines } else { 0 };
            }
            classes.push(of_state);
        }
        for (state, timeouts) in said.timeouts.iter().enumerate().take(own) {
            let others = timeouts.keys();
            let others = others.filter(|other| **other != machine.states[state].timeout);
            single += others
                .filter(|other| other.is_none_or(|(_, to)| to < own))
                .count();
        }
        for timeouts in said
            .timeouts
            .iter_mut()
            .filter(|timeouts| timeouts.is_empty())
        {
            timeouts.insert(None, 1);
        }
        Domain {
            classes,
            timeouts: said.timeouts,
            own,
            single,
        }
    }

    /// Returns the number of mutants, counted as in the book.
    pub(crate) fn count(&self) -> u128 {
        let classes = self.classes.iter().flatten().flatten();
        let classes = classes.map(|class| class.answers.len());
        let timeouts = self.timeouts.iter();
        let timeouts = timeouts.map(|timeouts| timeouts.values().sum::<usize>());
        let all: u128 = classes
            .chain(timeouts)
            .map(|choices| choices as u128)
            .product();
        all - u128::from(self.classes.len() == self.own)
    }

    /// Returns the number of different machines, including the specification if it is in the domain.
    pub(crate) fn machines(&self) -> u128 {
        let classes = self.classes.iter().flatten().flatten();
        let classes = classes.map(|class| class.answers.len());
        let timeouts = self.timeouts.iter().map(BTreeMap::len);
        classes
            .chain(timeouts)
            .map(|choices| choices as u128)
            .product()
    }

    /// Returns the machine with this number, of those that [`Domain::machines`] counts.
    pub(crate) fn mutant(&self, number: u128) -> Mutant {
        let mut left = number;
        let mut pick = |choices: usize| {
            let at = (left % choices as u128) as usize;
            left /= choices as u128;
            at
        };
        let mut answers = Vec::new();
        let mut timeouts = Vec::new();
        for (classes, lengths) in self.classes.iter().zip(&self.timeouts) {
            let mut of_state = Vec::new();
            for classes in classes {
                let chosen = classes.iter().map(|class| {
                    let at = pick(class.answers.len());
                    (class.from, class.answers.iter().nth(at).copied().flatten())
                });
                of_state.push(chosen.collect());
            }
            answers.push(of_state);
            let at = pick(lengths.len());
            timeouts.push(lengths.keys().nth(at).copied().flatten());
        }
        Mutant { answers, timeouts }
    }
}

/// The number of units up to which clocks without a timeout are distinguished. All guards of these machines end before.
const LAST: u64 = 12;

/// A state, and the time in it in quarters of a unit.
type Timed = (usize, u64);

impl Mutant {
    /// Returns a machine without a fault as a mutant.
    pub(crate) fn of(machine: &Machine) -> Mutant {
        let nothing = Faults {
            extra: false,
            lines: Vec::new(),
        };
        Domain::new(machine, Some(&nothing)).mutant(0)
    }

    fn answer(&self, (state, clock): Timed, input: usize) -> Option<Answer> {
        let begun = self.answers[state][input].iter();
        let mut begun = begun.rev().filter(|(from, _)| from.is_passed(clock));
        begun.next().and_then(|(_, answer)| *answer)
    }

    fn tick(&self, (state, clock): Timed) -> Timed {
        match self.timeouts[state] {
            Some((after, target)) if clock + 1 >= 4 * u64::from(after) => (target, 0),
            Some(_) => (state, clock + 1),
            None => (state, (clock + 1).min(4 * LAST + 1)),
        }
    }

    /// Returns the outputs to inputs, up to the first without an answer. Delays between inputs are in quarters of a unit.
    pub(crate) fn run(&self, test: &[(u64, usize)]) -> Vec<usize> {
        let mut now = (0, 0);
        let mut shown = Vec::new();
        for &(delay, input) in test {
            for _ in 0..delay {
                now = self.tick(now);
            }
            let Some(answer) = self.answer(now, input) else {
                break;
            };
            shown.push(answer.output);
            now = (answer.target, 0);
        }
        shown
    }

    /// Whether some test distinguishes it from a specification.
    pub(crate) fn differs(&self, specification: &Mutant) -> bool {
        let inputs = self.answers.first().map_or(0, Vec::len);
        let mut due: Vec<(Timed, Timed)> = vec![((0, 0), (0, 0))];
        let mut seen = BTreeSet::new();
        while let Some((own, other)) = due.pop() {
            if !seen.insert((own, other)) {
                continue;
            }
            due.push((specification.tick(own), self.tick(other)));
            for input in 0..inputs {
                let Some(expected) = specification.answer(own, input) else {
                    continue;
                };
                match self.answer(other, input) {
                    Some(answer) if answer.output == expected.output => {
                        due.push(((expected.target, 0), (answer.target, 0)));
                    }
                    _ => return true,
                }
            }
        }
        false
    }
}
