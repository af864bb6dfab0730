//! Random expressions of vectors.

use super::draft::{Draft, Place};
use super::types::Type;

impl Draft {
    /// Returns a random place that can be read, or a part of one.
    pub(super) fn read(&mut self) -> Place {
        let place = self.one(&self.readable.clone());
        self.part(&place, 3)
    }

    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(8) {
                0 => {
                    let value = self.rng_value(5);
                    self.one(&[
                        format!("5'd{value}"),
                        format!("6'sd{value}"),
                        format!("{value}"),
                    ])
                }
                1 | 2 => self.one(&self.constants.clone()),
                _ => self.read().text,
            };
        }
        let inner = depth - 1;
        let a = self.expression(inner);
        match self.below(13) {
            0..=2 => {
                let b = self.expression(inner);
                let operator = self.one(&["+", "-", "&", "|", "^", "*"]);
                format!("({a} {operator} {b})")
            }
            3 => {
                let b = self.expression(inner);
                let operator = self.one(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({a} {operator} {b})")
            }
            4 => {
                let by = self.below(5);
                let operator = self.one(&["<<", ">>", ">>>"]);
                format!("({a} {operator} {by})")
            }
            5 => {
                let b = self.expression(inner);
                format!("({} ? {a} : {b})", self.condition())
            }
            6 => {
                let (first, second) = (self.read().text, self.read().text);
                format!("{{{first}, {second}}}")
            }
            7 => {
                let operator = self.one(&["~", "-", "!", "|", "^"]);
                format!("({operator}{a})")
            }
            8 => {
                let width = 1 + self.below(12);
                self.one(&[
                    format!("{width}'({a})"),
                    format!("signed'({a})"),
                    format!("unsigned'({a})"),
                ])
            }
            9 => self.call(inner),
            10 => {
                let (low, more) = (self.below(6), self.below(9));
                let single = self.rng_value(6);
                let of = self.read().text;
                // Verilator compares with constants of the same width only.
                format!(
                    "(12'({of}) inside {{[12'd{low}:12'd{}], 12'd{single}}})",
                    low + more
                )
            }
            11 => {
                let place = self.read();
                format!("{}'({a})", place.of.width())
            }
            _ => {
                let structs: Vec<Type> = self
                    .types
                    .iter()
                    .filter(|of| !of.is_enum())
                    .cloned()
                    .collect();
                match structs.is_empty() {
                    true => a,
                    false => {
                        let of = self.one(&structs);
                        let width = of.width();
                        format!("({}'({width}'({a})) ^ {width}'d1)", of.written())
                    }
                }
            }
        }
    }

    fn call(&mut self, depth: usize) -> String {
        if self.functions.is_empty() {
            return self.expression(depth);
        }
        let function = self.one(&self.functions.clone());
        let arguments: Vec<String> = (0..function.arguments)
            .map(|_| self.expression(depth))
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    pub(super) fn condition(&mut self) -> String {
        let a = self.expression(1);
        match self.below(3) {
            0 => format!("({a}) != 0"),
            1 => format!("({a}) < {}", self.expression(0)),
            _ => format!("|({a})"),
        }
    }

    /// Returns a random expression whose value can be assigned to a place of this type. Its type is the same if this is an enumeration.
    pub(super) fn value(&mut self, of: &Type) -> String {
        if of.is_enum() {
            let Type::Named { name, .. } = of else {
                return "0".to_owned();
            };
            let package = name.trim_end_matches("e_t");
            let member = self.below(3);
            if self.chance(0.3) {
                return format!("{name}'({})", self.expression(1));
            }
            return format!("{package}E{member}");
        }
        if self.chance(0.35) {
            return match (of, of.plain()) {
                (Type::Named { .. }, Type::Struct { parts, .. }) => self.pattern(parts),
                (_, Type::Array { count, of }) => {
                    let values: Vec<String> = (0..*count).map(|_| self.value(of)).collect();
                    match self.chance(0.5) {
                        true => format!("'{{{}}}", values.join(", ")),
                        false => format!("'{{default: {}}}", values[0]),
                    }
                }
                (_, plain) => self.stream(plain.width()),
            };
        }
        self.expression(2)
    }

    fn pattern(&mut self, parts: &[(String, Type)]) -> String {
        let values: Vec<String> = parts.iter().map(|(_, of)| self.value(of)).collect();
        if self.chance(0.5) {
            return format!("'{{{}}}", values.join(", "));
        }
        let mut named: Vec<String> = (parts.iter().zip(&values))
            .map(|((name, _), value)| format!("{name}: {value}"))
            .collect();
        named.reverse();
        format!("'{{{}}}", named.join(", "))
    }

    fn stream(&mut self, width: usize) -> String {
        let of = self.read();
        if of.of.width() > width || of.text.contains("+:") {
            return self.expression(2);
        }
        let (way, slice) = (self.one(&["<<", ">>"]), 1 + self.below(4));
        format!("{{{way}{slice}{{{}}}}}", of.text)
    }
}
