//! Priorities and differences of clocks: compares an automaton with the model as written, along random runs.

use std::collections::BTreeSet;
use std::fmt::Write;

use hyperkill_core::timed::{Automaton, Relation};
use hyperkill_frontend::FrontendOptions;
use hyperkill_uppaal::fault::{self, Fault};
use hyperkill_uppaal::read_automaton;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models::model;
use crate::reading::cases;

const CLOCKS: [&str; 3] = ["x", "y", "z"];
/// The labels of edges with their priorities; the last one is the missing label.
const LABELS: [(&str, usize); 5] = [("a!", 0), ("b!", 2), ("c?", 1), ("d?", 0), ("", 1)];
const PRIORITIES: &str = "chan a, b, c, d; chan priority a, d &lt; c, default &lt; b;";

/// A comparison of a clock, or of a difference of two clocks.
struct Test {
    clocks: (usize, Option<usize>),
    relation: Relation,
    constant: i64,
}

struct Edge {
    source: usize,
    target: usize,
    label: usize,
    guard: Vec<Test>,
    resets: Vec<(usize, i64)>,
}

struct Written {
    /// For each location the upper bound of x.
    invariants: Vec<Option<i64>>,
    edges: Vec<Edge>,
    has_priorities: bool,
}

/// The values of the clocks in halves of a unit.
type Values = [i64; 3];

fn random(seed: u64) -> Written {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let locations = 3;
    let invariants =
        (0..locations).map(|_| random.random_bool(0.4).then(|| random.random_range(1..5)));
    let invariants = invariants.collect();
    let edges = (0..random.random_range(3..9)).map(|_| {
        let tests = (0..random.random_range(0..3)).map(|_| {
            let first = random.random_range(0..3);
            let second = random
                .random_bool(0.5)
                .then(|| (first + random.random_range(1..3)) % 3);
            let relations = [
                Relation::Less,
                Relation::AtMost,
                Relation::Equal,
                Relation::AtLeast,
                Relation::Greater,
            ];
            Test {
                clocks: (first, second),
                relation: relations[random.random_range(0..5)],
                constant: random.random_range(if second.is_some() { -3 } else { 0 }..4),
            }
        });
        let guard = tests.collect();
        let resets = (0..3).filter_map(|clock| {
            let value = random.random_range(0..3);
            random.random_bool(0.4).then_some((clock, value))
        });
        Edge {
            guard,
            resets: resets.collect(),
            source: random.random_range(0..locations),
            target: random.random_range(0..locations),
            label: random.random_range(0..LABELS.len()),
        }
    });
    Written {
        edges: edges.collect(),
        invariants,
        has_priorities: random.random_bool(0.6),
    }
}

fn text(written: &Written) -> String {
    let mut text = "<template><name>P</name><declaration>clock x, y, z;</declaration>".to_owned();
    for (number, bound) in written.invariants.iter().enumerate() {
        let invariant = bound.map_or(String::new(), |bound| {
            format!("<label kind=\"invariant\">x &lt;= {bound}</label>")
        });
        let _ = write!(text, "<location id=\"l{number}\">{invariant}</location>");
    }
    text.push_str("<init ref=\"l0\"/>");
    for edge in &written.edges {
        let guard = edge.guard.iter().map(|test| {
            let sign = match test.relation {
                Relation::Less => "&lt;",
                Relation::AtMost => "&lt;=",
                Relation::Equal => "==",
                Relation::AtLeast => "&gt;=",
                Relation::Greater => "&gt;",
            };
            let first = CLOCKS[test.clocks.0];
            match test.clocks.1 {
                None => format!("{first} {sign} {}", test.constant),
                Some(second) if test.constant == 0 => format!("{first} {sign} {}", CLOCKS[second]),
                Some(second) => format!("{first} - {} {sign} {}", CLOCKS[second], test.constant),
            }
        });
        let guard = guard.collect::<Vec<_>>().join(" &amp;&amp; ");
        let resets = edge.resets.iter();
        let resets = resets.map(|(clock, value)| format!("{} = {value}", CLOCKS[*clock]));
        let resets = resets.collect::<Vec<_>>().join(", ");
        let _ = write!(
            text,
            "<transition><source ref=\"l{}\"/><target ref=\"l{}\"/><label kind=\"guard\">{guard}</label>\
             <label kind=\"synchronisation\">{}</label><label kind=\"assignment\">{resets}</label></transition>",
            edge.source, edge.target, LABELS[edge.label].0
        );
    }
    // All clocks are kept, since a clock that is left out could not be compared.
    text.push_str(
        "<transition><source ref=\"l0\"/><target ref=\"l0\"/><label kind=\"guard\">x &gt; 9999 &amp;&amp; y &gt; 9999 &amp;&amp; \
         z &gt; 9999</label><label kind=\"synchronisation\">b!</label></transition></template>",
    );
    let declared = match written.has_priorities {
        true => PRIORITIES,
        false => "chan a, b, c, d;",
    };
    model(declared, &text, "system P;")
}

impl Written {
    /// Returns the clock values after an edge; `None` if its guard or the invariant of its target does not let it be taken.
    fn taken(&self, edge: &Edge, values: Values) -> Option<Values> {
        let holds = edge.guard.iter().all(|test| {
            let (first, second) = test.clocks;
            let value = values[first] - second.map_or(0, |second| values[second]);
            test.relation.holds(&value, &(2 * test.constant))
        });
        let mut after = values;
        for (clock, value) in &edge.resets {
            after[*clock] = 2 * value;
        }
        let lives = self.invariants[edge.target].is_none_or(|bound| after[0] <= 2 * bound);
        (holds && lives).then_some(after)
    }

    /// Returns all possible moves: the label, the next location and the clock values there.
    fn moves(&self, location: usize, values: Values) -> BTreeSet<(String, usize, Values)> {
        let leaving = self.edges.iter().filter(|edge| edge.source == location);
        let able = leaving.filter_map(|edge| Some((edge, self.taken(edge, values)?)));
        let able: Vec<(&Edge, Values)> = able.collect();
        let is_first = |edge: &Edge| {
            let (_, own) = LABELS[edge.label];
            let mut rivals = able.iter().map(|(rival, _)| LABELS[rival.label]);
            !self.has_priorities
                || !rivals.any(|(label, other)| !label.ends_with('?') && other > own)
        };
        let first = able.iter().filter(|(edge, _)| is_first(edge));
        let moves = first.map(|(edge, after)| {
            let label = match LABELS[edge.label].0 {
                "" => "tau!",
                label => label,
            };
            (label.to_owned(), edge.target, *after)
        });
        moves.collect()
    }
}

/// Returns the values of the clocks that an automaton has, in its order.
fn kept(automaton: &Automaton, values: Values) -> Vec<i64> {
    let clocks = automaton.clocks.iter();
    let places = clocks.map(|name| CLOCKS.iter().position(|clock| clock == name));
    places
        .map(|place| place.map_or(0, |place| values[place]))
        .collect()
}

/// Returns the moves of the automaton: the label, the location of the model, the values, and its own location.
fn moves(
    automaton: &Automaton,
    location: usize,
    values: Values,
) -> BTreeSet<(String, usize, Values, usize)> {
    let mut found = BTreeSet::new();
    for (_, edge) in automaton.leaving(location) {
        let before = kept(automaton, values);
        let holds = |atom: &hyperkill_core::timed::Atom, values: &[i64]| {
            atom.relation
                .holds(&values[atom.clock], &(2 * atom.constant))
        };
        let mut after = values;
        for (clock, value) in &edge.updates {
            if let Some(place) = CLOCKS
                .iter()
                .position(|name| *name == automaton.clocks[*clock])
            {
                after[place] = 2 * value;
            }
        }
        let behind = kept(automaton, after);
        let is_able = edge.guard.iter().all(|atom| holds(atom, &before))
            && automaton
                .invariant(edge.target)
                .all(|atom| holds(atom, &behind));
        if is_able {
            let sign = if edge.action.is_input { '?' } else { '!' };
            let name = &automaton.locations[edge.target].name;
            let target = name[1..2].parse().expect("a number");
            let label = format!("{}{sign}", edge.action.name);
            found.insert((label, target, after, edge.target));
        }
    }
    found
}

/// Returns the first difference between an automaton and its text along a random run.
fn differs(written: &Written, automaton: &Automaton, seed: u64) -> Option<String> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut own, mut other, mut values) = (0, automaton.initial, [0; 3]);
    for step in 0..40 {
        let bound = written.invariants[own].map_or(i64::MAX, |bound| 2 * bound);
        let wait = random
            .random_range(0..6)
            .min(bound.saturating_sub(values[0]));
        values = values.map(|value| value + wait);
        // A clock that the automaton does not have may differ: nothing asks for it.
        let same = |values: Values| kept(automaton, values);
        let expected = written.moves(own, values);
        let expected: BTreeSet<(String, usize, Vec<i64>)> = (expected.into_iter())
            .map(|(label, target, after)| (label, target, same(after)))
            .collect();
        let able = moves(automaton, other, values);
        let found: BTreeSet<(String, usize, Vec<i64>)> = (able.iter())
            .map(|(label, target, after, _)| (label.clone(), *target, same(*after)))
            .collect();
        if expected != found {
            return Some(format!(
                "step {step} at {values:?}: {expected:?}, not {found:?}"
            ));
        }
        if able.is_empty() {
            continue;
        }
        let chosen = random.random_range(0..able.len());
        let (_, target, after, number) = able.into_iter().nth(chosen)?;
        (own, other, values) = (target, number, after);
    }
    None
}

/// Returns the first random case, of `count`, in which an automaton with a planted fault differs from its text.
fn first_difference(planted: Option<Fault>, count: u64) -> Option<String> {
    (0..count).find_map(|seed| {
        let written = random(seed);
        let text = text(&written);
        let read = || read_automaton(&text, &FrontendOptions::default());
        let automaton = fault::with(planted, read);
        let automaton =
            automaton.unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
        let runs = seed * 8..seed * 8 + 8;
        let mut found = runs.filter_map(|run| differs(&written, &automaton, run));
        Some(format!("seed {seed}: {}\n{text}", found.next()?))
    })
}

#[test]
fn an_automaton_does_what_priorities_and_differences_of_clocks_say() {
    let found = first_difference(None, cases(1500));
    assert_eq!(found, None, "{}", found.clone().unwrap_or_default());
}

#[test]
fn faults_of_priorities_and_differences_are_noticed() {
    for planted in fault::ALL {
        assert!(
            first_difference(Some(planted), cases(1500)).is_some(),
            "{planted:?}"
        );
    }
}
