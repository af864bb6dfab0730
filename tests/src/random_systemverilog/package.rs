//! Random packages with types and constants, and places for members of values with such types.

use std::fmt::Write as _;

use rand::RngExt;

use super::draft::{Draft, Place};
use super::types::Type;

impl Draft {
    fn vector(&mut self) -> Type {
        let width = self.one(&[1, 2, 3, 4, 5, 8, 11]);
        let signed = width > 1 && self.chance(0.4);
        Type::vector(width, signed)
    }

    /// Returns a random type for a member of a struct.
    fn part_type(&mut self) -> Type {
        let small: Vec<Type> = self
            .types
            .iter()
            .filter(|of| of.width() < 24)
            .cloned()
            .collect();
        match self.below(6) {
            0 | 1 if !small.is_empty() => self.one(&small),
            2 => Type::Array {
                count: self.one(&[2, 4]),
                of: Box::new(Type::vector(self.one(&[1, 2, 3]), false)),
            },
            3 if !small.is_empty() => {
                let of = self.one(&small);
                match of.width() < 9 {
                    true => Type::Array {
                        count: 2,
                        of: Box::new(of),
                    },
                    false => of,
                }
            }
            _ => self.vector(),
        }
    }

    /// Writes the beginning of a package with constants and types. Each may refer to those before.
    pub(super) fn package(&mut self, name: &str, text: &mut String) {
        let mut own = String::new();
        for i in 0..2 {
            let value = self.rng_value(12);
            writeln!(own, "localparam logic [11:0] K{i} = 12'd{value};").expect("memory");
            self.constants.push(format!("{name}::K{i}"));
        }
        let enumeration = self.enumeration(name, &mut own);
        self.types.push(enumeration);
        for i in 0..2 {
            let parts: Vec<(String, Type)> = (0..2 + self.below(3))
                .map(|k| (format!("f{k}"), self.part_type()))
                .collect();
            let signed = self.chance(0.2);
            let of = Type::Struct { parts, signed };
            if of.width() <= 48 {
                self.named(name, &format!("s{i}_t"), of, &mut own);
            }
        }
        let width = self.types.last().map_or(4, Type::width);
        if let Some(last) = self.types.last().cloned().filter(|of| !of.is_enum()) {
            let parts = vec![
                ("all".to_owned(), Type::vector(width, false)),
                ("s".to_owned(), last),
            ];
            self.named(name, "u_t", Type::Union { parts }, &mut own);
        }
        write!(text, "package {name};\n{own}").expect("memory");
    }

    fn named(&mut self, package: &str, name: &str, of: Type, text: &mut String) {
        let (word, parts) = match &of {
            Type::Struct {
                parts,
                signed: true,
            } => ("struct packed signed", parts),
            Type::Struct { parts, .. } => ("struct packed", parts),
            Type::Union { parts } => ("union packed", parts),
            _ => return,
        };
        let parts: String = (parts.iter())
            .map(|(part, of)| {
                format!(
                    "{} {part}; ",
                    of.written().replace(&format!("{package}::"), "")
                )
            })
            .collect();
        writeln!(text, "typedef {word} {{{parts}}} {name};").expect("memory");
        self.types.push(Type::Named {
            name: format!("{package}::{name}"),
            of: Box::new(of),
        });
    }

    fn enumeration(&mut self, package: &str, text: &mut String) -> Type {
        let (width, signed) = (self.one(&[3, 4, 6]), self.chance(0.5));
        let members: Vec<String> = (0..3).map(|i| format!("E{i}")).collect();
        // In rising order, the first one below 0 if there is a sign.
        let first = if signed {
            -(1 + self.below(3) as i64)
        } else {
            self.below(2) as i64
        };
        let second = 1 + first.max(0) + self.below(2) as i64;
        let number = |value: i64| match value < 0 {
            true => format!("-{width}'sd{}", -value),
            false if signed => format!("{width}'sd{value}"),
            false => format!("{width}'d{value}"),
        };
        let sign = if signed { "signed " } else { "" };
        writeln!(
            text,
            "typedef enum logic {sign}[{}:0] {{E0 = {}, E1 = {}, E2}} e_t;",
            width - 1,
            number(first),
            number(second),
        )
        .expect("memory");
        let members = members.iter().map(|name| format!("{package}::{name}"));
        self.constants.extend(members);
        Type::Named {
            name: format!("{package}::e_t"),
            of: Box::new(Type::Enum { width }),
        }
    }

    pub(super) fn rng_value(&mut self, width: usize) -> u64 {
        self.rng.random_range(0..1u64 << width)
    }

    /// Returns a place: a random part of the given one at most `depth` selections deep, or all of it.
    pub(super) fn part(&mut self, place: &Place, depth: usize) -> Place {
        if depth == 0 || self.chance(0.2) {
            return place.clone();
        }
        let (text, of) = (&place.text, place.of.plain().clone());
        let found = match of {
            Type::Struct { parts, .. } | Type::Union { parts } => {
                let (name, of) = self.one(&parts);
                Place {
                    text: format!("{text}.{name}"),
                    of,
                }
            }
            Type::Array { count, of } => {
                let index = self.index(count);
                Place {
                    text: format!("{text}[{index}]"),
                    of: *of,
                }
            }
            // A part of a part of a union is read by few.
            Type::Vector { width, .. } if width > 2 && self.chance(0.4) => {
                let low = self.below(width - 1);
                let high = low + self.below(width - low);
                return match self.below(3) {
                    0 => Place {
                        text: format!("{text}[{low}]"),
                        of: Type::vector(1, false),
                    },
                    1 => Place {
                        text: format!("{text}[{low} +: {}]", high - low + 1),
                        of: Type::vector(high - low + 1, false),
                    },
                    _ => Place {
                        text: format!("{text}[{high}:{low}]"),
                        of: Type::vector(high - low + 1, false),
                    },
                };
            }
            Type::Vector { .. } | Type::Enum { .. } | Type::Named { .. } => return place.clone(),
        };
        self.part(&found, depth - 1)
    }

    /// Returns an index that is within bounds, whatever its value: counts are powers of 2.
    fn index(&mut self, count: usize) -> String {
        if self.chance(0.5) {
            return self.below(count).to_string();
        }
        match count {
            2 => format!("a[{}]", self.below(8)),
            4 => "b[2:1]".to_owned(),
            _ => self.below(count).to_string(),
        }
    }
}
