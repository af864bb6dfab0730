//! An oracle for networks: three parts side by side, the mutant, the model and their common environment, region by region, as semantics.md
//! §8 says it. It shares no code with what makes automata of networks, and none with zones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::timed::Atom;

use crate::nets::{Channel, Edge, Hurry, Net, Update, VARIABLES};
use crate::regions::{Region, Says};

/// The maximum number of pairs of states that are explored.
const MOST: usize = 30_000;

/// A network with the numbers of its clocks among those of model and mutant.
struct Side<'a> {
    net: &'a Net,
    /// For each process the number of its own clock.
    clocks: Vec<usize>,
    global: usize,
    /// For each variable, whether processes of the environment use it.
    seen: [bool; VARIABLES],
    global_seen: bool,
    all: Vec<usize>,
}

/// The changes of the process under test that others see.
type Effects = BTreeSet<(usize, i64)>;

/// An edge of a process of the environment, with its selected value.
type Taken = (usize, usize, i64);

/// The label of a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Label {
    /// The process under test sends, or moves alone.
    Output(Option<Channel>, Vec<Taken>, Effects),
    /// The environment moves; the flag says whether the process under test has a part in it, but for broadcasts.
    Input(Option<Channel>, Vec<Taken>, bool, bool),
    /// The changes that the process under test made when it received.
    Effects(Effects),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Discrete {
    places: Vec<usize>,
    values: [i64; VARIABLES],
    unseen: Effects,
}

type State = (Discrete, Region);

struct Move {
    label: Label,
    may_be_refused: bool,
    next: State,
}

impl Move {
    fn is_input(&self) -> bool {
        matches!(self.label, Label::Input(..))
    }
}

/// An edge that a process can take, with its selected value.
#[derive(Clone, Copy)]
struct Could<'a> {
    process: usize,
    number: usize,
    edge: &'a Edge,
    selected: i64,
}

impl<'a> Side<'a> {
    fn clock(&self, process: usize, own: usize) -> usize {
        match own {
            0 => self.clocks[process],
            _ => self.global,
        }
    }

    fn holds(&self, process: usize, atoms: &[Atom], region: &Region) -> bool {
        let moved = atoms.iter().map(|atom| Atom {
            clock: self.clock(process, atom.clock),
            ..*atom
        });
        region.satisfies_all(&moved.collect::<Vec<_>>())
    }

    fn place(&self, process: usize, state: &Discrete) -> &'a crate::nets::Place {
        &self.net.templates[self.net.processes[process]].places[state.places[process]]
    }

    /// Whether some guard or invariant compares a clock of a process, or other processes may see it.
    fn compares(&self, process: usize, own: usize) -> bool {
        let template = self.net.processes[process];
        let templates = self.net.templates.iter().enumerate();
        let mut templates = templates.filter(|(number, _)| own == 1 || *number == template);
        let compared = templates.any(|(_, template)| {
            let places = template.places.iter().flat_map(|place| &place.invariant);
            let guards = template.edges.iter().flat_map(|edge| &edge.guard);
            places.chain(guards).any(|atom| atom.clock == own)
        });
        compared || (own == 1 && self.global_seen)
    }

    /// Whether the invariants of the processes hold that `which` selects.
    fn invariants(&self, state: &Discrete, region: &Region, which: impl Fn(usize) -> bool) -> bool {
        let processes = (0..state.places.len()).filter(|process| which(*process));
        let mut all = processes
            .map(|process| self.holds(process, &self.place(process, state).invariant, region));
        all.all(|holds| holds)
    }

    fn is_state(&self, (state, region): &State) -> bool {
        self.invariants(state, region, |_| true)
    }

    fn start(&self, clocks: usize) -> State {
        let places = vec![0; self.net.processes.len()];
        let state = Discrete {
            places,
            values: [0; VARIABLES],
            unseen: Effects::new(),
        };
        (state, Region::start(clocks))
    }

    /// Returns all edges that data and clocks enable in a state.
    fn enabled(&self, (state, region): &State) -> Vec<Could<'a>> {
        let mut found = Vec::new();
        for process in 0..state.places.len() {
            let template = &self.net.templates[self.net.processes[process]];
            for (number, edge) in template.edges.iter().enumerate() {
                let demanded = edge
                    .demands
                    .is_none_or(|(v, value)| state.values[v] == value);
                if edge.source != state.places[process]
                    || !demanded
                    || !self.holds(process, &edge.guard, region)
                {
                    continue;
                }
                for selected in 0..=i64::from(edge.selects) {
                    found.push(Could {
                        process,
                        number,
                        edge,
                        selected,
                    });
                }
            }
        }
        found
    }

    /// Returns whether the environment stops time in a state, and whether the process under test does.
    fn stops(&self, at: &State) -> (bool, bool) {
        let state = &at.0;
        if !state.unseen.is_empty() {
            return (false, true);
        }
        let (mut others, mut own) = (false, false);
        let mut stop = |process: usize| match process == self.net.tested {
            true => own = true,
            false => others = true,
        };
        for process in 0..state.places.len() {
            if self.place(process, state).hurry != Hurry::No {
                stop(process);
            }
        }
        let enabled = self.enabled(at);
        for could in &enabled {
            if let Some((channel, false)) = could.edge.sync
                && channel.is_urgent
                && enabled.iter().any(|other| {
                    other.process != could.process && other.edge.sync == Some((channel, true))
                })
            {
                stop(could.process);
            }
        }
        (others, own)
    }

    /// Returns all moves that are possible in a state.
    fn moves(&self, at: &State) -> Vec<Move> {
        let (state, region) = at;
        if !state.unseen.is_empty() {
            let next = Discrete {
                unseen: Effects::new(),
                ..state.clone()
            };
            return vec![Move {
                label: Label::Effects(state.unseen.clone()),
                may_be_refused: false,
                next: (next, region.clone()),
            }];
        }
        let enabled = self.enabled(at);
        let mut found = Vec::new();
        for sender in &enabled {
            for receivers in self.receivers(sender, &enabled) {
                let mut takes = vec![*sender];
                takes.extend(receivers);
                found.extend(self.step(at, &takes));
            }
        }
        found
    }

    /// Returns the possible sets of edges by which other processes receive an output.
    fn receivers(&self, sender: &Could<'a>, enabled: &[Could<'a>]) -> Vec<Vec<Could<'a>>> {
        let Some((channel, receives)) = sender.edge.sync else {
            return vec![Vec::new()];
        };
        if receives {
            return Vec::new();
        }
        let able = |process: usize| -> Vec<Could<'a>> {
            let able = enabled.iter().filter(|could| could.process == process);
            able.filter(|could| could.edge.sync == Some((channel, true)))
                .copied()
                .collect()
        };
        let others = (0..self.net.processes.len()).filter(|process| *process != sender.process);
        if !channel.is_broadcast {
            return others.flat_map(able).map(|could| vec![could]).collect();
        }
        let mut all = vec![Vec::new()];
        for process in others {
            let able = able(process);
            if !able.is_empty() {
                let longer = all.iter().flat_map(|before| {
                    able.iter().map(move |could| {
                        let mut before: Vec<Could<'a>> = Vec::clone(before);
                        before.push(*could);
                        before
                    })
                });
                all = longer.collect();
            }
        }
        all
    }

    /// Returns the step of some edges together, if it is enabled.
    fn step(&self, (state, region): &State, takes: &[Could<'a>]) -> Option<Move> {
        let tested = self.net.tested;
        let hurries = |process: usize| self.place(process, state).hurry == Hurry::Committed;
        let committed: Vec<usize> = (0..state.places.len()).filter(|p| hurries(*p)).collect();
        let part = |process: usize| takes.iter().any(|could| could.process == process);
        if !committed.is_empty() && !committed.iter().any(|process| part(*process)) {
            return None;
        }
        let mut next = state.clone();
        let mut after = region.clone();
        let mut effects = Effects::new();
        for could in takes {
            let before = (next.clone(), after.clone());
            for update in &could.edge.updates {
                match *update {
                    // States do not differ in clocks that are never compared.
                    Update::Clock(own, _) if !self.compares(could.process, own) => {}
                    Update::Clock(own, value) => {
                        after = after.updated(&[(self.clock(could.process, own), value)]);
                    }
                    Update::Number(variable, value) => next.values[variable] = value,
                    Update::Turned(variable) => next.values[variable] = 1 - next.values[variable],
                    Update::Copied(variable, from) => next.values[variable] = next.values[from],
                    Update::Selected(variable) => next.values[variable] = could.selected,
                }
            }
            next.places[could.process] = could.edge.target;
            if could.process == tested {
                for variable in 0..VARIABLES {
                    let value = next.values[variable];
                    if self.seen[variable] && before.0.values[variable] != value {
                        effects.insert((variable, value));
                    }
                }
                let sets = could
                    .edge
                    .updates
                    .iter()
                    .rev()
                    .find_map(|update| match update {
                        Update::Clock(1, value) => Some(*value),
                        _ => None,
                    });
                if let Some(value) = sets.filter(|_| self.global_seen)
                    && before.1.updated(&[(self.global, value)]) != before.1
                {
                    effects.insert((VARIABLES, value));
                }
            }
        }
        let others = takes.iter().filter(|could| could.process != tested);
        let others = others.map(|could| (could.process, could.number, could.selected));
        let others: Vec<Taken> = others.collect();
        let channel = takes[0].edge.sync.map(|(channel, _)| channel);
        let is_broadcast = channel.is_some_and(|channel| channel.is_broadcast);
        if takes[0].process == tested {
            return self.reached(Label::Output(channel, others, effects), false, next, after);
        }
        let excused = part(tested)
            && committed.iter().any(|process| *process != tested)
            && !committed
                .iter()
                .any(|process| *process != tested && part(*process));
        next.unseen = effects;
        let takes_part = part(tested) && !is_broadcast;
        let label = Label::Input(channel, others, takes_part, excused);
        self.reached(label, takes_part && !excused, next, after)
    }

    fn reached(
        &self,
        label: Label,
        may_be_refused: bool,
        next: Discrete,
        region: Region,
    ) -> Option<Move> {
        let next = (next, region);
        self.is_state(&next).then_some(Move {
            label,
            may_be_refused,
            next,
        })
    }

    /// Returns the state with the clocks of this side alone.
    fn own(&self, (state, region): &State) -> State {
        (state.clone(), region.pick(&self.all))
    }
}

/// Returns all states that are reached, each with whether it is good.
fn good(side: &Side<'_>, clocks: usize, largest: i64) -> BTreeMap<State, bool> {
    let mut states: BTreeMap<State, bool> = BTreeMap::new();
    let mut open = vec![side.start(clocks)];
    while let Some(state) = open.pop() {
        if !side.is_state(&state) || states.contains_key(&state) {
            continue;
        }
        if side.stops(&state) == (false, false) {
            let later = state.1.later(largest);
            open.extend(later.map(|region| (state.0.clone(), region)));
        }
        open.extend(side.moves(&state).into_iter().map(|taken| taken.next));
        states.insert(state, true);
    }
    loop {
        let is_good = |state: &State| states.get(state) == Some(&true);
        let bad = states.keys().filter(|state| is_good(state));
        let bad = bad.filter(|state| !lives_on(side, state, largest, &is_good));
        let bad: Vec<State> = bad.cloned().collect();
        if bad.is_empty() {
            return states;
        }
        for state in bad {
            states.insert(state, false);
        }
    }
}

fn lives_on(
    side: &Side<'_>,
    state: &State,
    largest: i64,
    is_good: &dyn Fn(&State) -> bool,
) -> bool {
    let tested = side.net.tested;
    let mut now = state.clone();
    loop {
        if !is_good(&now) {
            return false;
        }
        let moves = side.moves(&now);
        if moves
            .iter()
            .any(|taken| taken.is_input() && !is_good(&taken.next))
        {
            return false;
        }
        if moves
            .iter()
            .any(|taken| !taken.is_input() && is_good(&taken.next))
        {
            return true;
        }
        let (others, own) = side.stops(&now);
        if others {
            return true;
        }
        if own && now.1.is_open(largest) {
            return false;
        }
        let Some(region) = now.1.later(largest) else {
            return true;
        };
        if !side.invariants(&now.0, &region, |process| process != tested) {
            return true;
        }
        if own {
            return false;
        }
        now.1 = region;
    }
}

/// Returns for each variable, and for the global clock, whether processes of the environment use it.
fn seen(net: &Net) -> ([bool; VARIABLES], bool) {
    let (mut variables, mut global) = ([false; VARIABLES], false);
    for (process, template) in net.processes.iter().enumerate() {
        if process == net.tested {
            continue;
        }
        let template = &net.templates[*template];
        let places = template.places.iter().flat_map(|place| &place.invariant);
        let guards = template.edges.iter().flat_map(|edge| &edge.guard);
        global |= places.chain(guards).any(|atom| atom.clock == 1);
        for edge in &template.edges {
            if let Some((variable, _)) = edge.demands {
                variables[variable] = true;
            }
            for update in &edge.updates {
                match *update {
                    Update::Clock(own, _) => global |= own == 1,
                    Update::Copied(to, from) => (variables[to], variables[from]) = (true, true),
                    Update::Number(v, _) | Update::Turned(v) | Update::Selected(v) => {
                        variables[v] = true;
                    }
                }
            }
        }
    }
    (variables, global)
}

/// The mutant and the model in their common environment. `mutant` has another template 0; other processes with template 0 have the model's.
struct Product<'a> {
    sides: [Side<'a>; 2],
    good: [BTreeMap<State, bool>; 2],
    is_pruned: bool,
}

impl Product<'_> {
    fn may_be(&self, side: usize, state: &State) -> bool {
        let own = &self.sides[side];
        match self.is_pruned {
            true => self.good[side].get(&own.own(state)) == Some(&true),
            false => own.is_state(state),
        }
    }

    fn moves(&self, side: usize, state: &State) -> Vec<Move> {
        let mut moves = self.sides[side].moves(state);
        moves.retain(|taken| self.may_be(side, &taken.next));
        moves
    }
}

/// Returns the mutated network with the unchanged template for all processes but the process under test.
fn with_others(mutant: &Net, model: &Net) -> Net {
    let mut net = mutant.clone();
    net.templates.push(model.templates[0].clone());
    let last = net.templates.len() - 1;
    for (process, template) in net.processes.iter_mut().enumerate() {
        if process != mutant.tested && *template == 0 {
            *template = last;
        }
    }
    net
}

/// Decides by enumeration whether a mutant fails in its environment, and the least number of steps to the failure.
pub(crate) fn fails(mutant: &Net, model: &Net, is_pruned: bool, largest: i64) -> Says {
    let mutant = &with_others(mutant, model);
    let (variables, global_seen) = seen(model);
    let has_clock = |process: &usize| model.templates[model.processes[*process]].has_clock;
    let owners: Vec<usize> = (0..model.processes.len()).filter(has_clock).collect();
    let has_global = usize::from(model.has_global_clock);
    // The mutant's clocks come first, then those of the model that are not common.
    let is_common = |clock: usize| match owners.get(clock) {
        Some(process) => *process != model.tested,
        None => global_seen,
    };
    let count = owners.len() + has_global;
    let mut total = count;
    let own: Vec<usize> = (0..count).collect();
    let other = own.iter().map(|clock| match is_common(*clock) {
        true => *clock,
        false => {
            total += 1;
            total - 1
        }
    });
    let other: Vec<usize> = other.collect();
    let side = |net, all: &[usize]| {
        let number = |process| owners.iter().position(|owner| *owner == process);
        let clocks = (0..model.processes.len()).map(|process| number(process).map(|at| all[at]));
        Side {
            net,
            clocks: clocks.map(|clock| clock.unwrap_or(usize::MAX)).collect(),
            global: all.last().copied().unwrap_or(usize::MAX),
            seen: variables,
            global_seen,
            all: all.to_vec(),
        }
    };
    let good = [
        good(&side(mutant, &own), count, largest),
        good(&side(model, &own), count, largest),
    ];
    let product = Product {
        sides: [side(mutant, &own), side(model, &other)],
        good,
        is_pruned,
    };
    walk(&product, total, largest)
}

type Pair = (Discrete, Discrete, Region);

fn walk(product: &Product<'_>, clocks: usize, largest: i64) -> Says {
    let (own, region) = product.sides[0].start(clocks);
    let (other, _) = product.sides[1].start(clocks);
    let can_start = |side: usize, state: &Discrete| {
        let start = (state.clone(), region.clone());
        product.may_be(side, &start)
    };
    // The model must be consistent under all rules.
    let model_start = product.sides[1].own(&(other.clone(), region.clone()));
    let lives = product.good[1].get(&model_start) == Some(&true);
    if !can_start(0, &own) || !can_start(1, &other) || !lives {
        return Says::Inconsistent;
    }
    let start: Pair = (own, other, region);
    let mut depths: BTreeMap<Pair, usize> = BTreeMap::from([(start.clone(), 0)]);
    let mut open = VecDeque::from([start]);
    let mut fewest: Option<usize> = None;
    let mut ambiguous = false;
    while let Some(pair) = open.pop_front() {
        if depths.len() > MOST {
            return Says::TooLarge;
        }
        let depth = depths[&pair];
        if fewest.is_some_and(|fewest| fewest <= depth + 1) {
            continue;
        }
        match successors(product, &pair, largest) {
            Err(Says::Fails(_)) => fewest = Some(depth + 1),
            Err(_) => ambiguous = true,
            Ok(Next { all, fails_next }) => {
                if fails_next && fewest.is_none_or(|fewest| fewest > depth + 2) {
                    fewest = Some(depth + 2);
                }
                for (cost, pair) in all {
                    let reached = depth + cost;
                    if depths.get(&pair).is_none_or(|known| *known > reached) {
                        depths.insert(pair.clone(), reached);
                        match cost {
                            0 => open.push_front(pair),
                            _ => open.push_back(pair),
                        }
                    }
                }
            }
        }
    }
    match (ambiguous, fewest) {
        (true, _) => Says::Ambiguous,
        (false, Some(fewest)) => Says::Fails(fewest),
        (false, None) => Says::Refines,
    }
}

/// The successors of a pair of states.
struct Next {
    /// Pairs, each with the number of steps to it.
    all: Vec<(usize, Pair)>,
    /// Whether the mutant fails one step later, where the environments are in different states.
    fails_next: bool,
}

/// Whether a mutant that has received an input fails at once, where the model makes effects visible: the mutant has other effects, may
/// wait, or can make an output.
fn shows_otherwise(product: &Product<'_>, own: &State, largest: i64) -> bool {
    if !own.0.unseen.is_empty() {
        return true;
    }
    let waits = product.sides[0].stops(own) == (false, false)
        && (own.1.is_open(largest)
            || own
                .1
                .later(largest)
                .is_some_and(|later| product.may_be(0, &(own.0.clone(), later))));
    waits || product.moves(0, own).iter().any(|taken| !taken.is_input())
}

fn successors(
    product: &Product<'_>,
    (own, other, region): &Pair,
    largest: i64,
) -> Result<Next, Says> {
    let mut fails_next = false;
    let at = [
        (own.clone(), region.clone()),
        (other.clone(), region.clone()),
    ];
    let mut next: Vec<(usize, Pair)> = Vec::new();
    let stops = [0, 1].map(|side| product.sides[side].stops(&at[side]));
    let waits_on = stops[0] == (false, false) && region.is_open(largest);
    if waits_on && stops[1] == (false, true) {
        return Err(Says::Fails(0));
    }
    if let Some(later) = region.later(largest)
        && stops[0] == (false, false)
        && product.may_be(0, &(own.clone(), later.clone()))
        && !stops[1].0
    {
        if stops[1].1 || !product.may_be(1, &(other.clone(), later.clone())) {
            return Err(Says::Fails(0));
        }
        next.push((0, (own.clone(), other.clone(), later)));
    }
    let [ours, theirs] = [product.moves(0, &at[0]), product.moves(1, &at[1])];
    for expected in theirs.iter().filter(|taken| taken.is_input()) {
        let alike = theirs.iter().filter(|taken| taken.label == expected.label);
        if alike
            .map(|taken| &taken.next)
            .collect::<BTreeSet<_>>()
            .len()
            > 1
        {
            return Err(Says::Ambiguous);
        }
        let answers = ours.iter().filter(|taken| taken.label == expected.label);
        let answers: Vec<&Move> = answers.collect();
        if answers.is_empty() && expected.may_be_refused {
            return Err(Says::Fails(0));
        }
        for taken in answers {
            // The states of the environment differ by the effects that are not visible yet.
            match taken.next.0.unseen == expected.next.0.unseen {
                true => next.push((1, joined(product, taken, expected, region))),
                false => fails_next |= shows_otherwise(product, &taken.next, largest),
            }
        }
    }
    for made in ours.iter().filter(|taken| !taken.is_input()) {
        let alike = theirs.iter().filter(|taken| taken.label == made.label);
        let alike: Vec<&Move> = alike.collect();
        let targets: BTreeSet<&State> = alike.iter().map(|taken| &taken.next).collect();
        match targets.len() {
            0 => return Err(Says::Fails(0)),
            1 => next.push((1, joined(product, made, alike[0], region))),
            _ => return Err(Says::Ambiguous),
        }
    }
    Ok(Next {
        all: next,
        fails_next,
    })
}

/// Returns the pair of states after both sides have moved from one region: each has set its own clocks, and both the common ones alike.
fn joined(product: &Product<'_>, own: &Move, other: &Move, before: &Region) -> Pair {
    let all = &product.sides[1].all;
    let mut region = own.next.1.clone();
    for clock in all {
        // A clock that the model's step has set has an integer value; other clocks keep theirs.
        let (now, then) = (other.next.1.pick(&[*clock]), before.pick(&[*clock]));
        if now != then {
            region = region.updated(&[(*clock, now.whole())]);
        }
    }
    (own.next.0.clone(), other.next.0.clone(), region)
}
