//! Words beside arithmetic on plain integers: random expressions, written out, evaluated here and in the circuit.

use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_frontend::{FrontendOptions, NamePredicate, RoleOptions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::Machine;

/// The variables: name, width, whether it is signed.
const VARIABLES: [(&str, u32, bool); 6] = [
    ("u", 3, false),
    ("v", 3, false),
    ("s", 3, true),
    ("t", 3, true),
    ("w", 5, false),
    ("x", 5, true),
];

/// A word: its text, its type, and its bits under some values of the variables.
struct Word {
    text: String,
    width: u32,
    signed: bool,
    bits: u64,
}

impl Word {
    fn new(text: String, width: u32, signed: bool, bits: u64) -> Word {
        Word {
            text,
            width,
            signed,
            bits: bits & ((1 << width) - 1),
        }
    }

    /// Returns the number that the word represents.
    fn number(&self) -> i64 {
        let negative = self.signed && self.bits >> (self.width - 1) & 1 == 1;
        self.bits as i64 - if negative { 1 << self.width } else { 0 }
    }
}

struct Writer {
    rng: ChaCha8Rng,
    values: [u64; VARIABLES.len()],
}

impl Writer {
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.random_range(0..all.len())]
    }

    /// Returns a random word of this type, as an expression of at most this depth and its value.
    fn word(&mut self, width: u32, signed: bool, depth: u32) -> Word {
        let kind = if depth == 0 {
            self.pick(&[0, 1])
        } else {
            self.rng.random_range(0..12)
        };
        let make = |text: String, bits: u64| Word::new(text, width, signed, bits);
        match kind {
            0 => {
                let code = self.rng.random_range(0..1u64 << width);
                let sign = if signed { "s" } else { "u" };
                make(
                    format!("0{sign}b{width}_{code:0size$b}", size = width as usize),
                    code,
                )
            }
            1 => {
                let own = VARIABLES
                    .iter()
                    .position(|(_, w, s)| (*w, *s) == (width, signed));
                match own {
                    Some(first) => {
                        let second = first + 1;
                        let alike = VARIABLES
                            .get(second)
                            .is_some_and(|v| (v.1, v.2) == (width, signed));
                        let i = if alike {
                            self.pick(&[first, second])
                        } else {
                            first
                        };
                        make(VARIABLES[i].0.to_owned(), self.values[i])
                    }
                    None => self.word(width, signed, 0),
                }
            }
            2 | 3 => {
                let (a, b) = (
                    self.word(width, signed, depth - 1),
                    self.word(width, signed, depth - 1),
                );
                let (sign, bits) = match self.rng.random_range(0..3) {
                    0 => ("+", a.bits.wrapping_add(b.bits)),
                    1 => ("-", a.bits.wrapping_sub(b.bits)),
                    _ => ("*", a.bits.wrapping_mul(b.bits)),
                };
                make(format!("({} {sign} {})", a.text, b.text), bits)
            }
            4 => {
                let (a, b) = (
                    self.word(width, signed, depth - 1),
                    self.word(width, signed, depth - 1),
                );
                let (sign, bits) = match self.rng.random_range(0..4) {
                    0 => ("&", a.bits & b.bits),
                    1 => ("|", a.bits | b.bits),
                    2 => ("xor", a.bits ^ b.bits),
                    _ => ("xnor", !(a.bits ^ b.bits)),
                };
                make(format!("({} {sign} {})", a.text, b.text), bits)
            }
            5 => {
                let a = self.word(width, signed, depth - 1);
                match self.rng.random() {
                    true => make(format!("(!{})", a.text), !a.bits),
                    false => make(format!("(-{})", a.text), a.bits.wrapping_neg()),
                }
            }
            6 => {
                let a = self.word(width, signed, depth - 1);
                let by = self.rng.random_range(0..=width);
                match self.rng.random() {
                    true => make(format!("({} << {by})", a.text), a.bits << by),
                    false => make(format!("({} >> {by})", a.text), (a.number() >> by) as u64),
                }
            }
            7 => {
                let condition = self.truth(depth - 1);
                let (a, b) = (
                    self.word(width, signed, depth - 1),
                    self.word(width, signed, depth - 1),
                );
                let bits = if condition.1 { a.bits } else { b.bits };
                make(format!("({} ? {} : {})", condition.0, a.text, b.text), bits)
            }
            8 => {
                let from = self.rng.random_range(1..=5);
                let a = self.word(from, signed, depth - 1);
                let bits = match signed && width < from {
                    // The sign stays.
                    true => {
                        (a.bits & ((1 << (width - 1)) - 1)) | a.bits >> (from - 1) << (width - 1)
                    }
                    false => a.number() as u64,
                };
                make(format!("resize({}, {width})", a.text), bits)
            }
            9 if signed => {
                let a = self.word(width, false, depth - 1);
                make(format!("signed({})", a.text), a.bits)
            }
            9 => {
                let a = self.word(width, true, depth - 1);
                make(format!("unsigned({})", a.text), a.bits)
            }
            10 if width > 1 && !signed => {
                let low = self.rng.random_range(1..width);
                let sides = [self.rng.random(), self.rng.random()];
                let a = self.word(width - low, sides[0], depth - 1);
                let b = self.word(low, sides[1], depth - 1);
                make(
                    format!("({} :: {})", a.text, b.text),
                    a.bits << low | b.bits,
                )
            }
            10 if width > 1 => {
                let more = self.rng.random_range(1..width);
                let a = self.word(width - more, signed, depth - 1);
                make(format!("extend({}, {more})", a.text), a.number() as u64)
            }
            11 if !signed && width == 1 => {
                let a = self.truth(depth - 1);
                make(format!("word1({})", a.0), u64::from(a.1))
            }
            11 if !signed => {
                let (above, low) = (self.rng.random_range(0..3), self.rng.random_range(0..3));
                let side = self.rng.random();
                let a = self.word(width + above + low, side, depth - 1);
                let text = format!("({})[{}:{low}]", a.text, low + width - 1);
                make(text, a.bits >> low)
            }
            _ => self.word(width, signed, depth - 1),
        }
    }

    /// Returns the text of a random condition, and whether it holds.
    fn truth(&mut self, depth: u32) -> (String, bool) {
        let (_, width, signed) = self.pick(&VARIABLES);
        let depth = depth.saturating_sub(1);
        let (a, b) = (
            self.word(width, signed, depth),
            self.word(width, signed, depth),
        );
        let (left, right) = (a.number(), b.number());
        match self.rng.random_range(0..6) {
            0 => (format!("{} = {}", a.text, b.text), left == right),
            1 => (format!("{} != {}", a.text, b.text), left != right),
            2 => (format!("{} < {}", a.text, b.text), left < right),
            3 => (format!("{} >= {}", a.text, b.text), left >= right),
            4 => (
                format!("toint({}) <= toint({}) + 1", a.text, b.text),
                left <= right + 1,
            ),
            _ => {
                let bit = self.rng.random_range(0..width);
                (
                    format!("bool(({})[{bit}:{bit}])", a.text),
                    a.bits >> bit & 1 == 1,
                )
            }
        }
    }
}

#[test]
fn random_words_are_what_arithmetic_makes_them() {
    let mut compared = 0;
    for seed in 0..150 {
        let mut writer = Writer {
            rng: ChaCha8Rng::seed_from_u64(seed),
            values: [0; VARIABLES.len()],
        };
        for (i, (_, width, _)) in VARIABLES.iter().enumerate() {
            writer.values[i] = writer.rng.random_range(0..1u64 << width);
        }
        let mut text = "MODULE main\nVAR\n".to_owned();
        for (name, width, signed) in VARIABLES {
            let sign = if signed { "signed" } else { "unsigned" };
            text += &format!("  {name} : {sign} word[{width}];\n");
        }
        text += "DEFINE\n";
        let mut expected = Vec::new();
        for number in 0..6 {
            let (width, signed) = (writer.rng.random_range(1..=6), writer.rng.random());
            let word = writer.word(width, signed, 4);
            text += &format!("  d{number} := {};\n", word.text);
            expected.push((format!("d{number}"), word.number()));
        }
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| false)),
            roles: RoleOptions {
                outputs: Some(NamePredicate::new(|name| name.starts_with('d'))),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let machine = Machine::with_options(&text, &options);
        let machine = machine.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let model = &machine.blasted.model;
        let mut step = vec![false; model.aig.inputs().len()];
        for port in &model.inputs {
            let variable = VARIABLES.iter().position(|v| v.0 == port.name).unwrap();
            for (i, bit) in port.bits.iter().enumerate() {
                step[*bit] = writer.values[variable] >> i & 1 == 1;
            }
        }
        let stimulus = Stimulus {
            initial: vec![false; model.aig.latches().len()].into(),
            steps: vec![step],
        };
        let trace = replay(model, Variant::Original, &stimulus).unwrap();
        for (name, value) in decode(&model.outputs, &trace.outputs[0]) {
            let (_, number) = expected.iter().find(|(other, _)| *other == name).unwrap();
            assert_eq!(
                value.to_string(),
                number.to_string(),
                "{name} under {:?}\n{text}",
                writer.values
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 900);
}
