//! Random statements.

use std::fmt::Write as _;

use rand::RngExt;

use super::Name;
use super::draft::Draft;

impl Draft {
    pub(super) fn statements(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    pub(super) fn statement(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            0
        } else {
            self.rng.random_range(0..10)
        };
        let inner = depth.saturating_sub(1);
        match kind {
            0..=4 => self.assignment(),
            5 | 6 => {
                let condition = self.expression(2);
                let then = self.statements(2, inner);
                match self.rng.random_bool(0.6) {
                    true => {
                        let other = self.statements(1, inner);
                        format!("if ({condition}) begin\n{then}end else begin\n{other}end\n")
                    }
                    false => format!("if ({condition}) begin\n{then}end\n"),
                }
            }
            7 => self.case(inner),
            8 => {
                let body = self.statements(1, inner);
                format!("begin\n{body}end\n")
            }
            _ => self.for_loop(),
        }
    }

    pub(super) fn target(&mut self) -> (Name, &'static str) {
        let all = self.blocking.len() + self.waiting.len();
        let at = self.rng.random_range(0..all);
        match self.blocking.get(at) {
            Some(name) => (name.clone(), "="),
            None => (self.waiting[at - self.blocking.len()].clone(), "<="),
        }
    }

    pub(super) fn assignment(&mut self) -> String {
        let kind = self.rng.random_range(0..12);
        if kind == 0 && self.memory.1 {
            // Icarus 11 computes sums in memory indices with too many bits, so the index is a plain name.
            return format!("m[{}] <= {};\n", self.pick().name, self.expression(2));
        }
        if kind == 1 && self.counter >= 2 && !self.blocking.is_empty() {
            let at = self.rng.random_range(0..self.blocking.len());
            let name = self.blocking[at].name.clone();
            let task = self.counter;
            return format!("tk{task}({}, {name});\n", self.expression(1));
        }
        let (of, sign) = self.target();
        let name = &of.name;
        let value = self.expression(2);
        let (first, last) = self.bounds(&of);
        let target = match self.rng.random_range(0..9) {
            0 => format!("{name}[{first}:{last}]"),
            1 => format!("{name}[{first}]"),
            2 => format!("{name}[{}]", self.index()),
            // For a vector with ascending bounds, Icarus 11 writes the bits of such a part that lie outside the vector to wrong places.
            3 if of.left >= of.right => {
                let width = self.rng.random_range(1..=of.width());
                let way = if self.rng.random_bool(0.5) { '+' } else { '-' };
                format!("{name}[{} {way}: {width}]", self.index())
            }
            4 => {
                let all = if sign == "=" {
                    &self.blocking
                } else {
                    &self.waiting
                };
                let names: Vec<&str> = all.iter().map(|name| name.name.as_str()).collect();
                format!("{{{}}}", names.join(", "))
            }
            _ => of.name.clone(),
        };
        format!("{target} {sign} {value};\n")
    }

    pub(super) fn case(&mut self, inner: usize) -> String {
        let word = ["case", "case", "casez", "casex"][self.rng.random_range(0..4)];
        // Icarus 11 sign-extends signed labels and subjects even if another one is unsigned, and in some cases even under `$unsigned`. The
        // extension of a concatenation is never in doubt.
        let mut text = format!("{word} ({})\n", self.concatenated());
        for _ in 0..self.rng.random_range(1..4) {
            let labels: Vec<String> = (0..self.rng.random_range(1..3))
                .map(|_| match (word, self.rng.random_range(0..3)) {
                    ("case", 0) => self.concatenated(),
                    ("case", _) | (_, 0) => format!("{{{}}}", self.sized_number()),
                    _ => {
                        let marks = if word == "casez" { "01?" } else { "01?x" };
                        let marks: Vec<char> = marks.chars().collect();
                        let digits: String = (0..self.rng.random_range(1..5))
                            .map(|_| marks[self.rng.random_range(0..marks.len())])
                            .collect();
                        format!("{}'b{digits}", digits.len())
                    }
                })
                .collect();
            let body = self.statements(1, inner);
            writeln!(text, "{}: begin\n{body}end", labels.join(", ")).expect("memory");
        }
        if self.rng.random_bool(0.5) {
            let body = self.statements(1, inner);
            writeln!(text, "default: begin\n{body}end").expect("memory");
        }
        text + "endcase\n"
    }

    /// Returns a loop that assigns a vector bit by bit.
    pub(super) fn for_loop(&mut self) -> String {
        let (of, sign) = self.target();
        let (low, high) = (of.left.min(of.right), of.left.max(of.right));
        let name = of.name;
        let k = format!("k{}", self.counter);
        let value = self.expression(1);
        let other = self.pick().name;
        let head = format!("for ({k} = {low}; {k} <= {high}; {k} = {k} + 1)");
        let body = format!("{name}[{k}] {sign} ({value}) ^ ({other} >> {k});");
        // In Icarus 11, a block without a clock stops waiting for changes after a jump has left it.
        if self.counter < 2 || self.rng.random_bool(0.6) {
            return format!("{head} {body}\n");
        }
        self.named += 1;
        let (label, condition) = (
            format!("s{}_{}", self.counter, self.named),
            self.expression(1),
        );
        let condition = format!("({condition}) >> {k} & 1");
        match self.rng.random_bool(0.5) {
            true => format!(
                "begin : {label} {head} begin {body} if ({condition}) disable {label}; end end\n"
            ),
            false => {
                format!("{head} begin : {label} if ({condition}) disable {label}; {body} end\n")
            }
        }
    }
}
