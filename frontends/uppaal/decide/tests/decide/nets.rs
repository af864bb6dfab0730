//! Random networks of two or three processes, as plain data and as files.

use std::fmt::Write;

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_uppaal::xml::escaped;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of variables, which are all global and 0 or 1.
pub(crate) const VARIABLES: usize = 2;

/// The channel of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Channel {
    pub(crate) name: &'static str,
    pub(crate) is_broadcast: bool,
    pub(crate) is_urgent: bool,
}

const fn channel(name: &'static str, is_broadcast: bool, is_urgent: bool) -> Channel {
    Channel {
        name,
        is_broadcast,
        is_urgent,
    }
}

const A: Channel = channel("a", false, false);
const B: Channel = channel("b", false, false);
const E: Channel = channel("e", false, false);
const C: Channel = channel("c", true, false);
const D: Channel = channel("d", true, false);
const U: Channel = channel("u", false, true);
const W: Channel = channel("w", false, true);

/// The effect of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Update {
    /// A clock, by its number, is set to a value.
    Clock(usize, i64),
    /// A variable is set to a number.
    Number(usize, i64),
    /// A variable is set to 1 minus itself.
    Turned(usize),
    /// A variable is set to the value of another one.
    Copied(usize, usize),
    /// The selected value of the edge.
    Selected(usize),
}

/// An edge of a template. Clock 0 is the template's own, if it has one, and 1 the global one.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// The channel, and whether it receives.
    pub(crate) sync: Option<(Channel, bool)>,
    pub(crate) guard: Vec<Atom>,
    /// The required value of a variable.
    pub(crate) demands: Option<(usize, i64)>,
    pub(crate) selects: bool,
    pub(crate) updates: Vec<Update>,
}

/// The urgency of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hurry {
    No,
    Urgent,
    Committed,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) invariant: Vec<Atom>,
    pub(crate) hurry: Hurry,
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) has_clock: bool,
    pub(crate) places: Vec<Place>,
    pub(crate) edges: Vec<Edge>,
}

/// A network; the process under test has template 0.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) has_global_clock: bool,
    pub(crate) templates: Vec<Template>,
    /// The template of each process, in the order of the system line.
    pub(crate) processes: Vec<usize>,
    pub(crate) tested: usize,
}

const SIGNS: [(&str, Relation); 5] = [
    ("<", Relation::Less),
    ("<=", Relation::AtMost),
    ("==", Relation::Equal),
    (">=", Relation::AtLeast),
    (">", Relation::Greater),
];

struct Maker {
    random: ChaCha8Rng,
    clocks: Vec<usize>,
}

impl Maker {
    fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    fn below(&mut self, most: usize) -> usize {
        self.random.random_range(0..most)
    }

    fn atom(&mut self, signs: std::ops::Range<usize>) -> Option<Atom> {
        let number = self.below(self.clocks.len().max(1));
        let clock = *self.clocks.get(number)?;
        let sign = self.random.random_range(signs);
        Some(Atom {
            clock,
            relation: SIGNS[sign].1,
            constant: self.random.random_range(1..=2),
        })
    }

    fn edge(&mut self, places: usize, labels: &[(Channel, bool)]) -> Edge {
        let label = self.below(labels.len() + 1);
        let sync = labels.get(label).copied();
        let is_urgent = sync.is_some_and(|(channel, _)| channel.is_urgent);
        let guard = match !is_urgent && self.chance(0.5) {
            true => self.atom(0..5).into_iter().collect(),
            false => Vec::new(),
        };
        let selects = self.chance(0.06);
        let mut updates = Vec::new();
        for clock in self.clocks.clone() {
            if self.chance(0.4) {
                updates.push(Update::Clock(clock, [0, 0, 1][self.below(3)]));
            }
        }
        if self.chance(0.35) {
            let variable = self.below(VARIABLES);
            updates.push(match self.below(4) {
                0 => Update::Turned(variable),
                1 => Update::Copied(variable, self.below(VARIABLES)),
                _ => Update::Number(variable, self.random.random_range(0..2)),
            });
        }
        if selects {
            updates.push(Update::Selected(self.below(VARIABLES)));
        }
        Edge {
            source: self.below(places),
            target: self.below(places),
            sync,
            guard,
            demands: match self.chance(0.2) {
                true => Some((self.below(VARIABLES), self.random.random_range(0..2))),
                false => None,
            },
            selects,
            updates,
        }
    }

    fn template(
        &mut self,
        has_clock: bool,
        has_global: bool,
        labels: &[(Channel, bool)],
    ) -> Template {
        let clocks = [has_clock.then_some(0), has_global.then_some(1)];
        self.clocks = clocks.into_iter().flatten().collect();
        let count = self.random.random_range(1..=3);
        let places = (0..count).map(|number| {
            let invariant = match self.chance(0.4) {
                true => self.atom(0..2).into_iter().collect(),
                false => Vec::new(),
            };
            let hurry = match number > 0 {
                true => [Hurry::Urgent, Hurry::Committed, Hurry::No][self.below(8).min(2)],
                false => Hurry::No,
            };
            Place { invariant, hurry }
        });
        let places: Vec<Place> = places.collect();
        let edges = self.random.random_range(2..=5);
        Template {
            has_clock,
            edges: (0..edges).map(|_| self.edge(count, labels)).collect(),
            places,
        }
    }
}

/// The channels of the process under test, each with whether it receives.
const OWN: [(Channel, bool); 6] = [
    (A, false),
    (B, true),
    (C, false),
    (D, true),
    (U, false),
    (W, true),
];
const OTHERS: [(Channel, bool); 9] = [
    (A, true),
    (A, true),
    (B, false),
    (C, true),
    (D, false),
    (U, true),
    (W, false),
    (E, false),
    (E, true),
];

/// Returns the random network of a seed.
pub(crate) fn net(seed: u64) -> Net {
    let mut maker = Maker {
        random: ChaCha8Rng::seed_from_u64(seed),
        clocks: Vec::new(),
    };
    let three = maker.chance(0.35);
    let shared = maker.chance(0.15);
    let has_global_clock = !three && maker.chance(0.3);
    let both: Vec<(Channel, bool)> = OWN.into_iter().chain(OTHERS).collect();
    let own = if shared { both.as_slice() } else { &OWN };
    let mut templates = vec![maker.template(true, has_global_clock, own)];
    let mut processes = vec![0];
    if shared {
        processes.push(0);
    } else {
        let has_clock = maker.chance(0.7);
        templates.push(maker.template(has_clock, has_global_clock, &OTHERS));
        processes.push(1);
    }
    if three {
        templates.push(maker.template(false, false, &OTHERS));
        processes.push(templates.len() - 1);
    }
    // The process under test may stand anywhere.
    let places = processes.len();
    let tested = maker.below(places);
    processes.swap(0, tested);
    Net {
        has_global_clock,
        templates,
        processes,
        tested,
    }
}

/// Returns the network with a random change in the template of the process under test.
pub(crate) fn mutant(net: &Net, seed: u64) -> Net {
    let mut maker = Maker {
        random: ChaCha8Rng::seed_from_u64(seed ^ 0x5eed),
        clocks: Vec::new(),
    };
    let mut mutant = net.clone();
    let clocks = [Some(0), net.has_global_clock.then_some(1)];
    maker.clocks = clocks.into_iter().flatten().collect();
    let template = &mut mutant.templates[0];
    let (places, count) = (template.places.len(), template.edges.len());
    let which = maker.below(count);
    match maker.below(10) {
        0 => {
            template.edges.remove(which);
        }
        1 => template.edges[which].target = maker.below(places),
        2 => template.edges[which].source = maker.below(places),
        3 => {
            let labels: Vec<_> = template.edges.iter().filter_map(|edge| edge.sync).collect();
            let edge = maker.edge(places, &labels);
            template.edges.push(edge);
        }
        4 => {
            let updates = &mut template.edges[which].updates;
            match updates.is_empty() {
                true => updates.push(Update::Clock(0, 0)),
                false => drop(updates.pop()),
            }
        }
        5 => {
            let place = maker.below(places);
            template.places[place].invariant = maker.atom(0..2).into_iter().collect();
        }
        6 => {
            template.edges[which]
                .updates
                .push(Update::Number(maker.below(VARIABLES), 1));
        }
        7 => {
            let place = maker.below(places);
            template.places[place].hurry =
                [Hurry::No, Hurry::Urgent, Hurry::Committed][maker.below(3)];
        }
        _ => {
            let edge = &mut template.edges[which];
            let is_urgent = edge.sync.is_some_and(|(channel, _)| channel.is_urgent);
            edge.guard = match is_urgent {
                true => Vec::new(),
                false => maker.atom(0..5).into_iter().collect(),
            };
        }
    }
    mutant
}

fn label(kind: &str, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("<label kind=\"{kind}\">{}</label>", escaped(text)),
    }
}

fn condition(atom: &Atom) -> String {
    let signs = SIGNS
        .iter()
        .filter(|(_, relation)| *relation == atom.relation);
    let sign = signs.map(|(sign, _)| *sign).next().expect("a sign");
    format!("{} {sign} {}", ["x", "g"][atom.clock], atom.constant)
}

fn update(update: &Update) -> String {
    match update {
        Update::Clock(clock, value) => format!("{} = {value}", ["x", "g"][*clock]),
        Update::Number(variable, value) => format!("v{variable} = {value}"),
        Update::Turned(variable) => format!("v{variable} = 1 - v{variable}"),
        Update::Copied(variable, from) => format!("v{variable} = v{from}"),
        Update::Selected(variable) => format!("v{variable} = i"),
    }
}

fn edge(edge: &Edge) -> String {
    let mut guard: Vec<String> = edge.guard.iter().map(condition).collect();
    guard.extend(
        edge.demands
            .map(|(variable, value)| format!("v{variable} == {value}")),
    );
    let sync = edge.sync.map_or(String::new(), |(channel, receives)| {
        format!("{}{}", channel.name, if receives { '?' } else { '!' })
    });
    let updates: Vec<String> = edge.updates.iter().map(update).collect();
    format!(
        "<transition><source ref=\"l{}\"/><target ref=\"l{}\"/>{}{}{}{}</transition>",
        edge.source,
        edge.target,
        label("select", if edge.selects { "i : int[0,1]" } else { "" }),
        label("guard", &guard.join(" && ")),
        label("synchronisation", &sync),
        label("assignment", &updates.join(", ")),
    )
}

/// Returns the network as a file of Uppaal.
pub(crate) fn text(net: &Net) -> String {
    let mut text = String::from(
        "<nta><declaration>chan a, b, e; broadcast chan c, d; urgent chan u, w; int[0,1] v0, v1;",
    );
    text.push_str(if net.has_global_clock {
        " clock g;</declaration>\n"
    } else {
        "</declaration>\n"
    });
    for (number, template) in net.templates.iter().enumerate() {
        let clock = if template.has_clock {
            "<declaration>clock x;</declaration>"
        } else {
            ""
        };
        let _ = writeln!(text, "<template><name>T{number}</name>{clock}");
        for (number, place) in template.places.iter().enumerate() {
            let invariant: Vec<String> = place.invariant.iter().map(condition).collect();
            let hurry = match place.hurry {
                Hurry::No => "",
                Hurry::Urgent => "<urgent/>",
                Hurry::Committed => "<committed/>",
            };
            let invariant = label("invariant", &invariant.join(" && "));
            let _ = writeln!(
                text,
                "<location id=\"l{number}\">{invariant}{hurry}</location>"
            );
        }
        text.push_str("<init ref=\"l0\"/>\n");
        for written in &template.edges {
            let _ = writeln!(text, "{}", edge(written));
        }
        text.push_str("</template>\n");
    }
    text.push_str("<system>");
    for (number, template) in net.processes.iter().enumerate() {
        let _ = write!(text, "P{number} = T{template}(); ");
    }
    let names: Vec<String> = (0..net.processes.len())
        .map(|number| format!("P{number}"))
        .collect();
    let _ = write!(text, "system {};</system></nta>", names.join(", "));
    text
}
