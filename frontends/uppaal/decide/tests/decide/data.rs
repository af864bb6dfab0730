//! Random processes with data, urgency and clocks that are set. Compares the results of zones on the text with those of regions on the
//! process itself, which is unfolded here independently.

use std::fmt::Write;

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Location, Relation, Rules};
use hyperkill_frontend::FrontendOptions;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::read_automaton;
use hyperkill_uppaal::xml::escaped;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random_models::cases;
use crate::regions::{self, Says};

/// Values of the only variable.
const VALUES: i64 = 3;

const SIGNS: [(&str, Relation); 5] = [
    ("<", Relation::Less),
    ("<=", Relation::AtMost),
    ("==", Relation::Equal),
    (">=", Relation::AtLeast),
    (">", Relation::Greater),
];

/// A comparison of a clock, or of the variable, with a constant.
#[derive(Clone, Copy, Debug)]
struct Compared {
    what: usize,
    sign: usize,
    constant: i64,
}

/// The change of the variable.
#[derive(Clone, Copy, Debug)]
enum Change {
    Kept,
    Set(i64),
    Next,
    Mirrored,
}

#[derive(Clone, Debug)]
struct Place {
    invariant: Option<Compared>,
    /// The only value of the variable for which the invariant holds.
    only_for: Option<i64>,
    is_urgent: bool,
}

#[derive(Clone, Debug)]
struct DataEdge {
    from: usize,
    to: usize,
    /// The name, whether it is an input, and whether its channel is urgent. An edge without a label has an empty name.
    action: (&'static str, bool, bool),
    guard: Option<Compared>,
    data: Option<Compared>,
    set: Vec<(usize, i64)>,
    change: Change,
}

#[derive(Clone, Debug)]
struct Process {
    clocks: usize,
    places: Vec<Place>,
    steps: Vec<DataEdge>,
}

const ACTIONS: [(&str, bool, bool); 6] = [
    ("a", true, false),
    ("b", true, false),
    ("c", false, false),
    ("d", false, false),
    ("u", false, true),
    ("", false, false),
];

fn compared(random: &mut ChaCha8Rng, of: usize, most: i64) -> Compared {
    Compared {
        what: random.random_range(0..of),
        sign: random.random_range(0..5),
        constant: random.random_range(0..=most),
    }
}

fn step(random: &mut ChaCha8Rng, clocks: usize, places: usize) -> DataEdge {
    let action = ACTIONS[random.random_range(0..ACTIONS.len())];
    let guard = random.random_bool(0.6).then(|| compared(random, clocks, 2));
    let mut set = Vec::new();
    for clock in 0..clocks {
        if random.random_bool(0.4) {
            set.push((clock, [0, 0, 0, 1][random.random_range(0..4)]));
        }
    }
    DataEdge {
        from: random.random_range(0..places),
        to: random.random_range(0..places),
        // An edge on an urgent channel has no guard on clocks.
        guard: guard.filter(|_| !action.2),
        action,
        data: random.random_bool(0.4).then(|| compared(random, 1, 2)),
        set,
        change: match random.random_range(0..6) {
            0 => Change::Set(random.random_range(0..VALUES)),
            1 => Change::Next,
            2 => Change::Mirrored,
            _ => Change::Kept,
        },
    }
}

fn process(random: &mut ChaCha8Rng) -> Process {
    let clocks = random.random_range(1..=2);
    let places = random.random_range(2..=3);
    Process {
        clocks,
        places: (0..places)
            .map(|number| Place {
                invariant: random.random_bool(0.4).then(|| Compared {
                    sign: random.random_range(0..2),
                    constant: random.random_range(1..=2),
                    ..compared(random, clocks, 2)
                }),
                only_for: random
                    .random_bool(0.3)
                    .then(|| random.random_range(0..VALUES)),
                is_urgent: number > 0 && random.random_bool(0.15),
            })
            .collect(),
        steps: (0..random.random_range(2..=6))
            .map(|_| step(random, clocks, places))
            .collect(),
    }
}

fn changed(random: &mut ChaCha8Rng, process: &Process) -> Process {
    let mut process = process.clone();
    let (places, steps) = (process.places.len(), process.steps.len());
    let (at, place) = (
        random.random_range(0..steps),
        random.random_range(0..places),
    );
    let shift = |random: &mut ChaCha8Rng, compared: &mut Option<Compared>| {
        if let Some(compared) = compared {
            let by = if random.random_bool(0.5) { 1 } else { -1 };
            compared.constant = (compared.constant + by).clamp(0, 2);
        }
    };
    match random.random_range(0..7) {
        0 if steps > 1 => {
            process.steps.remove(at);
        }
        1 => process.steps.push(step(random, process.clocks, places)),
        2 => shift(random, &mut process.places[place].invariant),
        3 => shift(random, &mut process.steps[at].data),
        4 => process.steps[at].change = Change::Next,
        5 => process.places[random.random_range(1..places)].is_urgent ^= true,
        _ => shift(random, &mut process.steps[at].guard),
    }
    process
}

fn written(compared: &Compared, names: &[&str]) -> String {
    let Compared {
        what,
        sign,
        constant,
    } = *compared;
    format!("{} {} {constant}", names[what], SIGNS[sign].0)
}

/// Returns the process as a file of Uppaal.
fn text(process: &Process) -> String {
    let clocks = &["x", "y"][..process.clocks];
    let label = |kind: &str, text: &str| match text {
        "" => String::new(),
        text => format!("<label kind=\"{kind}\">{}</label>", escaped(text)),
    };
    let mut inside = String::new();
    for (number, place) in process.places.iter().enumerate() {
        let invariant = place.invariant.map_or(String::new(), |invariant| {
            let written = written(&invariant, clocks);
            place.only_for.map_or(written.clone(), |value| {
                format!("v == {value} imply {written}")
            })
        });
        let urgent = if place.is_urgent { "<urgent/>" } else { "" };
        let invariant = label("invariant", &invariant);
        let _ = writeln!(
            inside,
            "<location id=\"l{number}\">{invariant}{urgent}</location>"
        );
    }
    inside.push_str("<init ref=\"l0\"/>\n");
    for step in &process.steps {
        let guard = step.guard.map(|guard| written(&guard, clocks));
        let data = step.data.map(|data| written(&data, &["v"]));
        let guard: Vec<String> = guard.into_iter().chain(data).collect();
        let (name, is_input, _) = step.action;
        let sync = match name {
            "" => String::new(),
            name => format!("{name}{}", if is_input { '?' } else { '!' }),
        };
        let set = step.set.iter();
        let set = set.map(|(clock, value)| format!("{} = {value}", clocks[*clock]));
        let change = match step.change {
            Change::Kept => None,
            Change::Set(value) => Some(format!("v = {value}")),
            Change::Next => Some(format!("v = (v + 1) % {VALUES}")),
            Change::Mirrored => Some(format!("v = {} - v", VALUES - 1)),
        };
        let update: Vec<String> = set.chain(change).collect();
        let _ = writeln!(
            inside,
            "<transition><source ref=\"l{}\"/><target ref=\"l{}\"/>{}{}{}</transition>",
            step.from,
            step.to,
            label("guard", &guard.join(" && ")),
            label("synchronisation", &sync),
            label("assignment", &update.join(", ")),
        );
    }
    format!(
        "<nta><declaration>chan a, b, c, d; urgent chan u;</declaration><template><name>P</name>\
         <declaration>clock {}; int[0,{}] v;</declaration>\n{inside}</template><system>system P;</system></nta>",
        clocks.join(", "),
        VALUES - 1
    )
}

fn holds(compared: Option<Compared>, value: i64) -> bool {
    compared.is_none_or(|c| SIGNS[c.sign].1.holds(&value, &c.constant))
}

/// Returns the process as an automaton: a location for each place and value, and a clock that every edge sets and that stops time where it
/// has to.
fn automaton(process: &Process) -> Automaton {
    let atom = |compared: Compared| Atom {
        clock: compared.what,
        relation: SIGNS[compared.sign].1,
        constant: compared.constant,
    };
    let stopped = Atom {
        clock: process.clocks,
        relation: Relation::AtMost,
        constant: 0,
    };
    let number = |place: usize, value: i64| place * VALUES as usize + value as usize;
    let mut made = Automaton {
        clocks: (0..=process.clocks)
            .map(|clock| format!("c{clock}"))
            .collect(),
        ..Automaton::default()
    };
    for (at, place) in process.places.iter().enumerate() {
        for value in 0..VALUES {
            let applies = place.only_for.is_none_or(|only| only == value);
            let invariant = place.invariant.filter(|_| applies).map(atom);
            let mut urgent = process.steps.iter().filter(|step| step.action.2);
            let hurries = urgent.any(|step| step.from == at && holds(step.data, value));
            let stops = (place.is_urgent || hurries).then_some(stopped);
            made.locations.push(Location {
                name: format!("{at} {value}"),
                invariant: invariant.into_iter().chain(stops).collect(),
            });
        }
    }
    for step in &process.steps {
        for value in (0..VALUES).filter(|value| holds(step.data, *value)) {
            let after = match step.change {
                Change::Kept => value,
                Change::Set(new) => new,
                Change::Next => (value + 1) % VALUES,
                Change::Mirrored => VALUES - 1 - value,
            };
            let mut updates = step.set.clone();
            updates.push((process.clocks, 0));
            made.edges.push(Edge {
                source: number(step.from, value),
                target: number(step.to, after),
                action: Action {
                    name: match step.action.0 {
                        "" => "tau".to_owned(),
                        name => name.to_owned(),
                    },
                    is_input: step.action.1,
                },
                guard: step.guard.map(atom).into_iter().collect(),
                updates,
            });
        }
    }
    made
}

const RULES: [Rules; 3] = [Rules::STRICT, Rules::VERIFYTGA, Rules::DEFINITION_7];

/// Returns the result of the comparison by zones of two processes, which are read from their texts.
fn says(mutant: &Process, model: &Process, rules: Rules) -> Option<Says> {
    let budget = Budget::unlimited();
    let side = |process: &Process| {
        let automaton = read_automaton(&text(process), &FrontendOptions::default());
        let automaton = automaton.unwrap_or_else(|errors| panic!("{errors:?}\n{}", text(process)));
        Side::new(automaton, rules.is_pruned, &budget).expect("no limit")
    };
    let (mutant, model) = (side(mutant), side(model));
    if model.ambiguity().is_some() {
        return Some(Says::Ambiguous);
    }
    if !mutant.is_consistent() || !model.is_consistent() {
        return Some(Says::Inconsistent);
    }
    match refine(&mutant, &model, rules, None, &budget) {
        Found::Refines(_) => Some(Says::Refines),
        Found::Fails(trace) => Some(Says::Fails(trace.events.len() + 1)),
        Found::Alphabets | Found::Open(..) => None,
    }
}

#[test]
fn zones_say_of_a_text_with_data_and_urgency_what_regions_say_of_its_process() {
    let mut counts = [0; 5];
    for seed in 0..cases(400) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let model = process(&mut random);
        let mutant = changed(&mut random, &model);
        let rules = RULES[(seed % 3) as usize];
        let found = says(&mutant, &model, rules);
        let (index, compares) = match found {
            Some(Says::Refines) => (0, true),
            Some(Says::Fails(_)) => (1, true),
            Some(Says::Inconsistent) => (2, true),
            // Regions explore reachable states only; others may be ambiguous.
            _ => (3, false),
        };
        counts[index] += 1;
        if !compares {
            continue;
        }
        let expected = regions::refines(&automaton(&mutant), &automaton(&model), rules);
        if expected == Says::TooLarge {
            counts[4] += 1;
            continue;
        }
        assert_eq!(
            found,
            Some(expected),
            "seed {seed} {rules:?}\n{}\n{}",
            text(&model),
            text(&mutant)
        );
    }
    println!("refines, fails, inconsistent, ambiguous, too large: {counts:?}");
    assert!(counts[..4].iter().all(|count| *count > 10) && counts[4] * 20 < counts[0]);
}
