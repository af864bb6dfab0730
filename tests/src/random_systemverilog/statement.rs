//! Random statements.

use std::fmt::Write as _;

use super::draft::{Draft, Function, Place};
use super::types::Type;

impl Draft {
    pub(super) fn statements(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        let kind = if depth == 0 { 0 } else { self.below(10) };
        let inner = depth.saturating_sub(1);
        match kind {
            0..=4 => self.assignment(),
            5 | 6 => {
                let condition = self.condition();
                let then = self.statements(2, inner);
                let other = self.statements(1, inner);
                format!("if ({condition}) begin\n{then}end else begin\n{other}end\n")
            }
            7 => self.case(inner),
            8 => self.for_loop(inner),
            _ => self.labelled(inner),
        }
    }

    fn assignment(&mut self) -> String {
        let place = self.one(&self.writable.clone());
        let target = self.part(&place, 3);
        let value = self.value(&target.of);
        format!("{} {} {value};\n", target.text, self.operator)
    }

    /// Returns a case statement over a part of an input, with distinct constant labels and a default.
    fn case(&mut self, inner: usize) -> String {
        let word = self.one(&["case", "unique0 case", "priority case"]);
        let mut text = format!("{word} (a[2:0])\n");
        let mut labels: Vec<usize> = (0..8).collect();
        for _ in 0..1 + self.below(3) {
            let at = self.below(labels.len());
            let label = labels.remove(at);
            let body = self.statements(1, inner);
            writeln!(text, "3'd{label}: begin\n{body}end").expect("memory");
        }
        let body = self.statements(1, inner);
        text + &format!("default: begin\n{body}end\nendcase\n")
    }

    /// Returns a case statement whose labels may overlap, so that only their order decides.
    fn labelled(&mut self, inner: usize) -> String {
        // Verilator reads no part of an array at a computed place in a label.
        let first = format!("(a[{}] ^ b[{}])", self.below(8), self.below(7));
        let second = format!("(a > 8'd{})", self.rng_value(7));
        let bodies: Vec<String> = (0..3).map(|_| self.statements(1, inner)).collect();
        match self.chance(0.5) {
            true => format!(
                "priority case (1'b1)\n{first}: begin\n{}end\n{second}: begin\n{}end\ndefault: begin\n{}end\nendcase\n",
                bodies[0], bodies[1], bodies[2]
            ),
            false => format!(
                "case (a) inside\n[8'd3:8'd40], 8'd77: begin\n{}end\n[8'd30:8'd120]: begin\n{}end\ndefault: begin\n{}end\nendcase\n",
                bodies[0], bodies[1], bodies[2]
            ),
        }
    }

    fn for_loop(&mut self, inner: usize) -> String {
        let vectors: Vec<Place> = (self.writable.iter())
            .filter(|place| matches!(place.of.plain(), Type::Vector { width, .. } if *width > 1))
            .cloned()
            .collect();
        if vectors.is_empty() {
            return self.assignment();
        }
        let place = self.one(&vectors);
        let (k, width) = (self.name("k"), place.of.width());
        let value = self.expression(1);
        let set = format!("{}[{k}] {} ({value}) > {k};\n", place.text, self.operator);
        let mut body = set.clone();
        let mut head = format!("for (int {k} = 0; {k} < {width}; {k}++)");
        let condition = self.condition();
        let jump = self.one(&["break", "continue"]);
        match self.below(3) {
            0 => body = format!("if ({condition} && {k} > 1) {jump};\n{set}"),
            1 => head = format!("foreach ({}[{k}])", place.text),
            _ => body += &self.statements(1, inner.min(1)),
        }
        format!("{head} begin\n{body}end\n")
    }

    /// Writes two functions of vectors with loops and jumps, and the end of their package.
    pub(super) fn functions(&mut self, package: &str, text: &mut String) {
        let outside = std::mem::take(&mut self.readable);
        let operator = std::mem::replace(&mut self.operator, "=");
        let prefix = format!("{package}::");
        for i in 0..2 {
            let arguments: Vec<Place> = (0..1 + self.below(2))
                .map(|k| Place {
                    text: format!("x{k}"),
                    of: Type::vector(self.one(&[4, 7, 8]), self.chance(0.4)),
                })
                .collect();
            let result = Type::vector(self.one(&[3, 8, 9]), self.chance(0.4));
            let heads: Vec<String> = (arguments.iter())
                .map(|place| format!("input {} {}", place.of.written(), place.text))
                .collect();
            let local = Place {
                text: "r".to_owned(),
                of: Type::vector(result.width(), false),
            };
            self.readable = arguments.clone();
            self.readable.push(local.clone());
            self.writable = vec![local];
            let (first, last) = (self.simple(2), self.simple(1));
            let early = format!("if ({} > 3) return {};\n", self.simple(0), self.simple(1));
            let end = "return r".to_owned();
            let jump = format!("if ({} == k) break;", self.simple(0));
            let body = format!(
                "r = {first};\n{early}for (k = 0; k < 3; k = k + 1) begin {jump} r = r ^ (({last}) >> k); end\n{end};\n"
            );
            let own = format!(
                "function automatic {} f{i}({});\n{} r; int k;\nbegin\n{body}end\nendfunction\n",
                result.written(),
                heads.join(", "),
                Type::vector(result.width(), false).written(),
            );
            text.push_str(&own.replace(&prefix, ""));
            self.functions.push(Function {
                name: format!("{package}::f{i}"),
                arguments: arguments.len(),
            });
        }
        text.push_str("endpackage\n");
        self.readable = outside;
        self.operator = operator;
        self.writable.clear();
    }

    /// Returns a random expression over constants and places that can be read, with operators nested at most `depth` deep.
    fn simple(&mut self, depth: usize) -> String {
        let place = self.one(&self.readable.clone()).text;
        if depth == 0 {
            return place;
        }
        let other = self.simple(depth - 1);
        let operator = self.one(&["+", "-", "&", "^", ">", "*"]);
        let constant = self.one(&self.constants.clone());
        match self.below(3) {
            0 => format!("({place} {operator} {constant})"),
            1 => format!("({place} >>> {})", self.below(4)),
            _ => format!("({place} {operator} {other})"),
        }
    }
}
