//! Random expressions.

use rand::RngExt;

use super::Name;
use super::draft::Draft;

impl Draft {
    /// Returns a random expression for an index, which is not constant.
    pub(super) fn index(&mut self) -> String {
        let name = self.pick().name;
        match self.rng.random_range(0..3) {
            0 => format!("{name} + {}", self.number()),
            1 => format!("{name} ^ {}", self.pick().name),
            _ => name,
        }
    }

    pub(super) fn number(&mut self) -> String {
        let width = self.rng.random_range(1..9);
        let value = self.rng.random_range(0..1u32 << width);
        match self.rng.random_range(0..4) {
            0 => format!("{width}'d{value}"),
            1 => format!("{width}'sd{value}"),
            2 => format!("{width}'h{value:x}"),
            _ if self.sized => format!("32'sd{value}"),
            _ => value.to_string(),
        }
    }

    pub(super) fn sized_number(&mut self) -> String {
        let before = std::mem::replace(&mut self.sized, true);
        let number = self.number();
        self.sized = before;
        number
    }

    /// Returns a random expression in braces: a concatenation of one operand, which has no sign.
    pub(super) fn concatenated(&mut self) -> String {
        let before = std::mem::replace(&mut self.sized, true);
        let value = self.expression(1);
        self.sized = before;
        format!("{{{value}}}")
    }

    /// Returns random constant bounds of a part of a vector: the left and the right one.
    pub(super) fn bounds(&mut self, of: &Name) -> (i64, i64) {
        let (low, high) = (of.left.min(of.right), of.left.max(of.right));
        let (a, b) = (
            self.rng.random_range(low..=high),
            self.rng.random_range(low..=high),
        );
        match of.left >= of.right {
            true => (a.max(b), a.min(b)),
            false => (a.min(b), a.max(b)),
        }
    }

    /// Returns a random name or a selection of its bits. Bits outside the bounds occur only where unknown values are allowed.
    pub(super) fn reference(&mut self) -> String {
        let of = self.pick();
        let name = &of.name;
        let kind = self.rng.random_range(0..9);
        let (first, last) = self.bounds(&of);
        // Icarus 11 treats a part as signed if it covers a complete signed vector.
        let all = of.signed && first.abs_diff(last) + 1 == of.width() as u64;
        if all || of.left == of.right {
            return of.name;
        }
        match kind {
            0 => format!("{name}[{first}:{last}]"),
            1 => format!("{name}[{first}]"),
            2 if !self.known => format!("{name}[{}]", self.expression(1)),
            3 if !self.known => {
                let width = self.rng.random_range(1..6);
                let sign = if self.rng.random_bool(0.5) { '+' } else { '-' };
                format!("{name}[{} {sign}: {width}]", self.expression(1))
            }
            4 => {
                let width = first.abs_diff(last) + 1;
                let (low, high) = (first.min(last), first.max(last));
                match self.rng.random_bool(0.5) {
                    true => format!("{name}[{low} +: {width}]"),
                    false => format!("{name}[{high} -: {width}]"),
                }
            }
            _ => of.name,
        }
    }

    pub(super) fn expression(&mut self, depth: usize) -> String {
        let Some(inner) = depth.checked_sub(1) else {
            return match self.rng.random_range(0..4) {
                0 => self.number(),
                _ => self.pick().name,
            };
        };
        match self.rng.random_range(0..18) {
            0 | 1 => self.reference(),
            2..=7 => {
                let ops = [
                    "+", "-", "*", "&", "|", "^", "~^", "<", "<=", ">", ">=", "==", "!=", "&&",
                    "||", "===", "!==",
                ];
                // In a simulator, `===` and `!==` distinguish unknown bits from known ones.
                let count = if self.known { ops.len() } else { ops.len() - 2 };
                let op = ops[self.rng.random_range(0..count)];
                format!(
                    "({} {op} {})",
                    self.expression(inner),
                    self.expression(inner)
                )
            }
            8 | 9 => {
                let op = ["<<", ">>", ">>>", "<<<"][self.rng.random_range(0..4)];
                format!(
                    "({} {op} {})",
                    self.expression(inner),
                    self.expression(inner)
                )
            }
            10 | 11 => {
                let ops = ["~", "-", "+", "!", "&", "|", "^", "~&", "~|", "~^"];
                let op = ops[self.rng.random_range(0..ops.len())];
                format!("({op} {})", self.expression(inner))
            }
            12 => {
                // Icarus 11 ignores the sign of the branch that a constant condition excludes.
                let c = format!("{} != {}", self.pick().name, self.expression(inner));
                let (a, b) = (self.expression(inner), self.expression(inner));
                format!("(({c}) ? {a} : {b})")
            }
            13 => {
                let (a, b) = (self.reference(), self.reference());
                let times = self.rng.random_range(1..3);
                match self.rng.random_bool(0.5) {
                    true => format!("{{{a}, {b}, $signed({a})}}"),
                    false => format!("{{{times}{{{a}, {b}}}}}"),
                }
            }
            14 => {
                let sign = ["$signed", "$unsigned"][self.rng.random_range(0..2)];
                format!("{sign}({})", self.expression(inner))
            }
            15 => {
                let op = ["/", "%"][self.rng.random_range(0..2)];
                let by = match self.known {
                    true => ["32'sd3", "32'sd5", "4'd7", "5'sd6", "(-32'sd3)", "3'sd2"]
                        [self.rng.random_range(0..6)]
                    .to_owned(),
                    false => self.expression(inner),
                };
                format!("({} {op} {by})", self.expression(inner))
            }
            16 if self.memory.0 && self.rng.random_bool(0.5) => {
                format!("m[{{^ {}, | {}}}]", self.pick().name, self.pick().name)
            }
            16 if !self.functions.is_empty() => {
                let at = self.rng.random_range(0..self.functions.len());
                let name = self.functions[at].clone();
                self.all_known(|draft| {
                    let (a, b) = (draft.expression(inner), draft.expression(inner));
                    format!("{name}({a}, {b})")
                })
            }
            _ => {
                let power = self.rng.random_range(0..4);
                match self.rng.random_bool(0.3) {
                    true => format!("({} ** {power})", self.expression(inner)),
                    false => format!("({} + {})", self.expression(inner), self.expression(inner)),
                }
            }
        }
    }
}
