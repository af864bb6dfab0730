//! Random automata and mutants of them.

use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Location, Relation};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns the number of cases: the value of `HYPERKILL_CASES`, or `otherwise`.
pub(crate) fn cases(otherwise: u64) -> u64 {
    let said = std::env::var("HYPERKILL_CASES").ok();
    said.map_or(otherwise, |text| text.parse().expect("a number"))
}

pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

const RELATIONS: [Relation; 5] = [
    Relation::Less,
    Relation::AtMost,
    Relation::Equal,
    Relation::AtLeast,
    Relation::Greater,
];

const ACTIONS: [(&str, bool); 5] = [
    ("a", true),
    ("b", true),
    ("x", false),
    ("y", false),
    ("z", false),
];

fn atom(random: &mut ChaCha8Rng, clocks: usize, largest: i64) -> Atom {
    Atom {
        clock: random.random_range(0..clocks),
        relation: RELATIONS[random.random_range(0..RELATIONS.len())],
        constant: random.random_range(0..=largest),
    }
}

fn location(random: &mut ChaCha8Rng, name: usize, clocks: usize, largest: i64) -> Location {
    let mut invariant = Vec::new();
    if random.random_bool(0.5) {
        invariant.push(Atom {
            relation: RELATIONS[random.random_range(0..2)],
            constant: random.random_range(1..=largest),
            ..atom(random, clocks, largest)
        });
    }
    if random.random_bool(0.05) {
        invariant.push(atom(random, clocks, largest));
    }
    Location {
        name: format!("l{name}"),
        invariant,
    }
}

fn edge(random: &mut ChaCha8Rng, locations: usize, clocks: usize, largest: i64) -> Edge {
    let (name, is_input) = ACTIONS[random.random_range(0..ACTIONS.len())];
    let guard = (0..random.random_range(0..3)).map(|_| atom(random, clocks, largest));
    let guard = guard.collect();
    let mut updates = Vec::new();
    for clock in 0..clocks {
        if random.random_bool(0.4) {
            let value = match random.random_bool(0.8) {
                true => 0,
                false => random.random_range(0..=largest),
            };
            updates.push((clock, value));
        }
    }
    Edge {
        source: random.random_range(0..locations),
        target: random.random_range(0..locations),
        action: Action {
            name: name.to_owned(),
            is_input,
        },
        guard,
        updates,
    }
}

/// Returns an automaton with at most `clocks` clocks and constants up to `largest`.
pub(crate) fn automaton(random: &mut ChaCha8Rng, clocks: usize, largest: i64) -> Automaton {
    let clocks = random.random_range(1..=clocks);
    let locations = random.random_range(1..=4);
    let edges = random.random_range(1..=7);
    Automaton {
        clocks: (0..clocks).map(|clock| format!("c{clock}")).collect(),
        locations: (0..locations)
            .map(|number| location(random, number, clocks, largest))
            .collect(),
        initial: 0,
        edges: (0..edges)
            .map(|_| edge(random, locations, clocks, largest))
            .collect(),
        ..Automaton::default()
    }
}

/// Returns the model with one or two random changes.
pub(crate) fn mutant(random: &mut ChaCha8Rng, model: &Automaton, largest: i64) -> Automaton {
    let mut mutant = model.clone();
    for _ in 0..random.random_range(1..=2) {
        change(random, &mut mutant, largest);
    }
    mutant
}

fn change(random: &mut ChaCha8Rng, mutant: &mut Automaton, largest: i64) {
    let (clocks, locations) = (mutant.clocks.len(), mutant.locations.len());
    let edges = mutant.edges.len();
    let shift = |random: &mut ChaCha8Rng, atom: &mut Atom| {
        let by = if random.random_bool(0.5) { 1 } else { -1 };
        atom.constant = (atom.constant + by).clamp(0, largest);
        if random.random_bool(0.2) {
            atom.relation = RELATIONS[random.random_range(0..RELATIONS.len())];
        }
    };
    match random.random_range(0..7) {
        0 if edges > 1 => {
            mutant.edges.remove(random.random_range(0..edges));
        }
        1 => mutant.edges.push(edge(random, locations, clocks, largest)),
        2 => {
            let at = random.random_range(0..locations);
            for atom in &mut mutant.locations[at].invariant {
                shift(random, atom);
            }
        }
        3 if edges > 0 => {
            let at = random.random_range(0..edges);
            mutant.edges[at] = Edge {
                source: mutant.edges[at].source,
                action: mutant.edges[at].action.clone(),
                ..edge(random, locations, clocks, largest)
            };
        }
        4 if clocks < 3 && edges > 0 && random.random_bool(0.5) => {
            mutant.clocks.push("added".to_owned());
            let (reset, guarded) = (random.random_range(0..edges), random.random_range(0..edges));
            mutant.edges[reset].updates.push((clocks, 0));
            mutant.edges[guarded].guard.push(Atom {
                clock: clocks,
                ..atom(random, clocks, largest)
            });
        }
        _ if edges > 0 => {
            let at = random.random_range(0..edges);
            for atom in &mut mutant.edges[at].guard {
                shift(random, atom);
            }
        }
        _ => {}
    }
}
