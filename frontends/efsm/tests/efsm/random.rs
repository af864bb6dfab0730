//! Random machines as texts: locations, several transitions at once, `else`, updates one after another, outputs, ranges that are left.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns the number of random machines in a test: the value of `HYPERKILL_CASES`, or `usual`.
pub(crate) fn cases(usual: u64) -> u64 {
    let asked = std::env::var("HYPERKILL_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// The generator of a random machine, with the names in scope and the ranges of variables.
struct Maker {
    rng: ChaCha8Rng,
    /// Number variables, each with its least and greatest value.
    variables: Vec<(String, i64, i64)>,
    /// The parameters that are numbers.
    parameters: Vec<String>,
}

/// Returns the text of the random machine of a seed.
pub(crate) fn machine(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let variables = (0..rng.random_range(1..=2)).map(|index| {
        let low = rng.random_range(-1..=1);
        (format!("v{index}"), low, low + rng.random_range(1..=3))
    });
    let variables: Vec<_> = variables.collect();
    let mut maker = Maker {
        rng,
        variables,
        parameters: Vec::new(),
    };
    maker.text()
}

impl Maker {
    fn text(&mut self) -> String {
        let refusal = ["", "refuse;\n", "may refuse;\n"].choose(&mut self.rng);
        let mut text = (*refusal.expect("a kind")).to_owned();
        if self.rng.random_bool(0.3) {
            text += "bounded;\n";
        }
        let locations: Vec<&str> = match self.rng.random_range(0..4) {
            0 => Vec::new(),
            count => ["A", "B", "C"][..count].to_vec(),
        };
        if !locations.is_empty() {
            text += &format!("location {};\n", locations.join(", "));
        }
        for (name, low, high) in self.variables.clone() {
            let initial = self.rng.random_range(low..=high);
            text += &format!("var {name}: {low}..{high} = {initial};\n");
        }
        text += "var b: bool = false;\noutput plain;\noutput other;\noutput shown(n: -1..3);\n";
        let events: Vec<(String, Vec<String>)> = (0..self.rng.random_range(1..=3))
            .map(|index| {
                let count = [0, 1, 1].choose(&mut self.rng).copied().unwrap_or(0);
                let names = (0..count).map(|p| format!("p{p}")).collect();
                (format!("e{index}"), names)
            })
            .collect();
        for (event, names) in &events {
            let domains: Vec<String> = names
                .iter()
                .map(|name| {
                    let domain = ["0..2", "-1..1"].choose(&mut self.rng).expect("a range");
                    format!("{name}: {domain}")
                })
                .collect();
            text += &match domains.is_empty() {
                true => format!("event {event};\n"),
                false => format!("event {event}({});\n", domains.join(", ")),
            };
        }
        for _ in 0..self.rng.random_range(2..=7) {
            let (event, names) = events.choose(&mut self.rng).expect("an event").clone();
            self.parameters = names;
            text += &self.transition(&event, &locations);
        }
        text
    }

    fn transition(&mut self, event: &str, locations: &[&str]) -> String {
        let mut text = String::new();
        if let Some(from) = locations.choose(&mut self.rng) {
            text += &match self.rng.random_range(0..5) {
                0 => String::new(),
                1 if locations.len() > 1 => format!("from {}, {} ", locations[0], locations[1]),
                _ => format!("from {from} "),
            };
        }
        text += &format!("on {event}");
        if !self.parameters.is_empty() && self.rng.random_bool(0.7) {
            text += &format!("({})", self.parameters.join(", "));
        }
        match self.rng.random_range(0..4) {
            0 => {}
            1 => text += " else",
            _ => text += &format!(" if {}", self.condition(2)),
        }
        let count = self.rng.random_range(0..=3);
        let depth = self.rng.random_range(0..=2);
        let commands: Vec<String> = (0..count).map(|_| self.command(depth)).collect();
        text += &format!(" {{ {} }}", commands.join(" "));
        if let Some(to) = locations.choose(&mut self.rng)
            && self.rng.random_bool(0.7)
        {
            text += &format!(" to {to}");
        }
        text + "\n"
    }

    fn command(&mut self, depth: usize) -> String {
        let kind = match depth {
            0 => self.rng.random_range(0..4),
            _ => self.rng.random_range(0..9),
        };
        match kind {
            0 | 1 => self.assignment(),
            2 => format!("b := {};", self.condition(1)),
            3 => match self.rng.random_range(0..4) {
                0 => "emit plain;".to_owned(),
                1 => "emit other;".to_owned(),
                _ => format!("emit shown({});", self.value(1)),
            },
            4 => format!(
                "when {} {{ {} }}",
                self.condition(1),
                self.command(depth - 1)
            ),
            5 => "skip;".to_owned(),
            6 => self.choice(depth, "else"),
            _ => self.choice(depth, "or"),
        }
    }

    fn choice(&mut self, depth: usize, word: &str) -> String {
        let count = self.rng.random_range(2..=3);
        let parts: Vec<String> = (0..count)
            .map(|_| format!("{{ {} {} }}", self.command(depth - 1), self.command(0)))
            .collect();
        format!("choose {}", parts.join(&format!(" {word} ")))
    }

    fn assignment(&mut self) -> String {
        let variable = self.variables.choose(&mut self.rng);
        let (name, low, high) = variable.expect("a variable").clone();
        match self.rng.random_bool(0.4) {
            true => format!("{name} := {};", self.rng.random_range(low..=high)),
            false => format!("{name} := {};", self.value(2)),
        }
    }

    /// Returns a random number expression that is no constant: one outside of a range would be an error.
    fn value(&mut self, depth: usize) -> String {
        let variable = self.variables.choose(&mut self.rng);
        let name = variable.expect("a variable").0.clone();
        format!("{name} + {}", self.number(depth))
    }

    fn condition(&mut self, depth: usize) -> String {
        let kind = match depth {
            0 => self.rng.random_range(0..3),
            _ => self.rng.random_range(0..7),
        };
        match kind {
            0 => "b".to_owned(),
            1 | 2 => {
                let signs = ["==", "!=", "<", "<=", ">", ">="];
                let sign = signs.choose(&mut self.rng).expect("a sign");
                format!("{} {sign} {}", self.number(1), self.number(1))
            }
            3 => format!("{} & ({})", self.condition(0), self.condition(depth - 1)),
            4 => format!("({} | {})", self.condition(depth - 1), self.condition(0)),
            5 => format!(
                "{} & ({} | {}) & b",
                self.condition(0),
                self.condition(0),
                self.condition(0)
            ),
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let kind = match depth {
            0 => self.rng.random_range(0..4),
            _ => self.rng.random_range(0..7),
        };
        match kind {
            0 | 1 => self
                .variables
                .choose(&mut self.rng)
                .expect("a variable")
                .0
                .clone(),
            2 => match self.parameters.choose(&mut self.rng) {
                Some(parameter) => parameter.clone(),
                None => self.rng.random_range(0..4).to_string(),
            },
            3 => self.rng.random_range(-1..4).to_string(),
            4 => format!("{} + {}", self.number(0), self.number(0)),
            5 => format!("{} - {}", self.number(0), self.number(0)),
            _ => format!("({} * {})", self.number(0), self.rng.random_range(0..3)),
        }
    }
}
