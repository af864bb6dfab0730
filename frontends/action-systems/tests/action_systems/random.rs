//! Random action systems as texts: nested choices, sequences, overlapping branches, parameters, priorities, ends, ranges that are left.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns the number of random systems in a test: the value of `HYPERKILL_CASES`, or `usual`.
pub(crate) fn cases(usual: u64) -> u64 {
    let asked = std::env::var("HYPERKILL_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// The generator of a random system, with the names in scope and the ranges of variables.
struct Maker {
    rng: ChaCha8Rng,
    variables: Vec<(String, i64, i64)>,
    parameters: Vec<String>,
}

/// Returns the text of a random system, with a fact `input` if `with_inputs`.
pub(crate) fn system(seed: u64, with_inputs: bool) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let variables = (0..rng.random_range(1..=3)).map(|index| {
        let low = rng.random_range(-1..=1);
        (format!("v{index}"), low, low + rng.random_range(1..=3))
    });
    let variables: Vec<_> = variables.collect();
    let mut maker = Maker {
        rng,
        variables,
        parameters: Vec::new(),
    };
    maker.text(with_inputs)
}

impl Maker {
    fn text(&mut self, with_inputs: bool) -> String {
        let mut text = String::new();
        for (name, low, high) in &self.variables {
            text +=
                &format!("type(t_{name}, X) :- X in {low}..{high}.\nvar([{name}], t_{name}).\n");
        }
        text += "type(small, X) :- X in 0..2.\ntype(wide, X) :- X in -1..5.\n";
        let names: Vec<&str> = self.variables.iter().map(|v| v.0.as_str()).collect();
        text += &format!("state_def([{}]).\n", names.join(", "));
        let initial = self.variables.clone();
        let initial = initial
            .iter()
            .map(|(_, low, high)| self.rng.random_range(*low..=*high).to_string());
        let initial: Vec<String> = initial.collect();
        text += &format!("init([{}]).\n", initial.join(", "));
        let mut actions = Vec::new();
        let mut offers = Vec::new();
        for index in 0..self.rng.random_range(2..=4) {
            let count = [0, 0, 1, 1, 2].choose(&mut self.rng).copied().unwrap_or(0);
            self.parameters = (0..count).map(|p| format!("P{p}")).collect();
            let label = match count {
                0 => format!("'a{index}'"),
                _ => format!("'a{index}'({})", self.parameters.join(", ")),
            };
            let guard = match self.rng.random_bool(0.5) {
                true => "(true)".to_owned(),
                false => format!("({})", self.condition(2)),
            };
            let body = self.command(3);
            actions.push(format!("    {label}::{guard} => ({body})"));
            let bound: Vec<String> = (self.parameters.iter())
                .map(|p| {
                    let of = ["small", "wide"][usize::from(self.rng.random_bool(0.3))];
                    format!("{p}:{of}")
                })
                .collect();
            offers.push(match count {
                0 => label,
                _ => format!("[{}]:{label}", bound.join(", ")),
            });
        }
        if with_inputs {
            let inputs = (0..actions.len()).filter(|_| self.rng.random_bool(0.5));
            let inputs: Vec<String> = inputs.map(|index| format!("'a{index}'")).collect();
            text += &format!("input([{}]).\n", inputs.join(", "));
        }
        let block = self.block(&offers);
        text + &format!(
            "as :-\n  actions (\n{}\n  ),\n  dood ({block}).\n",
            actions.join(",\n")
        )
    }

    fn block(&mut self, offers: &[String]) -> String {
        if let [offer] = offers {
            return offer.clone();
        }
        let cut = self.rng.random_range(1..offers.len());
        let (left, right) = (self.block(&offers[..cut]), self.block(&offers[cut..]));
        match self.rng.random_range(0..5) {
            0 => format!("({left} // {right})"),
            1 => format!("({left} // {right} // {left})"),
            _ => format!("({left} [] {right})"),
        }
    }

    fn command(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            0
        } else {
            self.rng.random_range(0..8)
        };
        match kind {
            0 | 1 => self.assignment(),
            2 => "skip".to_owned(),
            3 => format!("({}) => ({})", self.condition(1), self.command(depth - 1)),
            4 | 5 => self.joined(";", depth),
            _ => self.joined("[]", depth),
        }
    }

    fn joined(&mut self, sign: &str, depth: usize) -> String {
        let count = self.rng.random_range(2..=3);
        let parts = (0..count).map(|_| format!("({})", self.command(depth - 1)));
        parts.collect::<Vec<_>>().join(&format!(" {sign} "))
    }

    fn assignment(&mut self) -> String {
        let (name, low, high) = self
            .variables
            .choose(&mut self.rng)
            .expect("a variable")
            .clone();
        match self.rng.random_bool(0.6) {
            true => format!("{name} := {}", self.rng.random_range(low..=high)),
            // A number outside of the range would be an error.
            false => match self.number(1) {
                number if number.parse::<i64>().is_ok() => format!("{name} := {low}"),
                number => format!("{name} := {number}"),
            },
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            0
        } else {
            self.rng.random_range(0..6)
        };
        match kind {
            0..=2 => {
                let signs = ["#=", r"#\=", "#<", "#=<", "#>", "#>="];
                let sign = signs.choose(&mut self.rng).expect("a sign");
                format!("{} {sign} {}", self.number(1), self.number(1))
            }
            3 => format!(r"{} #/\ {}", self.condition(0), self.condition(depth - 1)),
            4 => format!(r"({} #\/ {})", self.condition(depth - 1), self.condition(0)),
            _ => format!(r"#\ ({})", self.condition(depth - 1)),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            self.rng.random_range(0..4)
        } else {
            self.rng.random_range(0..7)
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
            _ => match (self.number(0), self.rng.random_range(-2..4)) {
                (number, 3) => format!("({number} * {})", self.variables[0].0),
                (number, factor) => format!("({number} * {factor})"),
            },
        }
    }
}
