//! Stimulus and witness files in the format of `aigsim`.
//!
//! A vector is a line of `0`, `1` and `x` (unknown, here `None`). A stimulus has one input vector per step and ends with `.`. A witness
//! begins with a status line, its properties and the initial latch values. Lines that start with `c` or `u` are comments. The reader only
//! knows the circuit's counts.

use crate::aig::{Aig, Reset};
use crate::trace::Stimulus;

/// One vector: a value for each input or latch, `None` for `x`.
pub type Vector = Vec<Option<bool>>;

/// A property in a witness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// The bad state property with this index, `b`.
    Bad(u32),
    /// The justice property with this index, `j`.
    Justice(u32),
    /// The output with this index, `o`, which is a bad state property in files older than AIGER 1.9.
    Output(u32),
}

/// The result in a witness file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// Status 0: the properties cannot happen.
    Impossible {
        /// The properties of the witness.
        properties: Vec<Property>,
    },
    /// Status 1: the properties happen in this run.
    Possible {
        /// The properties of the witness.
        properties: Vec<Property>,
        /// First values of the latches.
        initial: Vector,
        /// An input vector per step.
        steps: Vec<Vector>,
    },
    /// Status 2: unknown.
    Unknown {
        /// The properties of the witness.
        properties: Vec<Property>,
    },
}

/// The error that a file is no stimulus or witness for a circuit of these counts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct VectorError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in bytes.
    pub column: usize,
    /// The expected token.
    pub expected: String,
    /// The token found.
    pub found: String,
}

impl Witness {
    /// Returns the witness that these properties happen in a run of this circuit.
    #[must_use]
    pub fn of_run(properties: Vec<Property>, aig: &Aig, stimulus: &Stimulus) -> Witness {
        let vector = |bits: &Vec<bool>| bits.iter().copied().map(Some).collect();
        let latches = aig.latches().iter().zip(stimulus.initial.iter());
        let initial = latches.map(|(latch, given)| match latch.reset {
            Reset::Zero => Some(false),
            Reset::One => Some(true),
            Reset::Free => Some(given),
        });
        Witness::Possible {
            properties,
            initial: initial.collect(),
            steps: stimulus.steps.iter().map(vector).collect(),
        }
    }
}

/// Returns the run of these vectors, with 0 for every `x`, like `aigsim -g`.
#[must_use]
pub fn ground(initial: &Vector, steps: &[Vector]) -> Stimulus {
    let bits = |vector: &Vector| vector.iter().map(|bit| bit.unwrap_or(false)).collect();
    Stimulus {
        initial: initial.iter().map(|bit| bit.unwrap_or(false)).collect(),
        steps: steps.iter().map(bits).collect(),
    }
}

/// Reads a stimulus: one input vector per step, up to `.` or the end of the file.
///
/// # Errors
/// If a line is no vector of `inputs` values.
pub fn read_stimulus(bytes: &[u8], inputs: usize) -> Result<Vec<Vector>, VectorError> {
    let mut lines = Lines::new(bytes);
    lines.vectors(inputs)
}

/// Reads the witnesses of a file, each ended by `.`.
///
/// # Errors
/// If the file is malformed or a vector does not have `latches` or `inputs` values.
pub fn read_witnesses(
    bytes: &[u8],
    latches: usize,
    inputs: usize,
) -> Result<Vec<Witness>, VectorError> {
    let mut lines = Lines::new(bytes);
    let mut witnesses = Vec::new();
    while let Some(status) = lines.next() {
        if !matches!(status, b"0" | b"1" | b"2") {
            return Err(lines.error(0, "status 0, 1 or 2"));
        }
        let properties = lines.properties()?;
        if status == b"1" {
            let initial = lines.vector(latches)?;
            let steps = lines.vectors(inputs)?;
            witnesses.push(Witness::Possible {
                properties,
                initial,
                steps,
            });
            continue;
        }
        if lines.next() != Some(b".") {
            return Err(lines.error(0, "`.`"));
        }
        witnesses.push(match status {
            b"0" => Witness::Impossible { properties },
            _ => Witness::Unknown { properties },
        });
    }
    Ok(witnesses)
}

/// Returns a stimulus as a file.
#[must_use]
pub fn write_stimulus(steps: &[Vector]) -> String {
    let mut file = String::new();
    for step in steps {
        push_vector(&mut file, step);
    }
    file.push_str(".\n");
    file
}

/// Returns a witness as a file; files may be concatenated.
#[must_use]
pub fn write_witness(witness: &Witness) -> String {
    let (status, properties) = match witness {
        Witness::Impossible { properties } => ("0\n", properties),
        Witness::Possible { properties, .. } => ("1\n", properties),
        Witness::Unknown { properties } => ("2\n", properties),
    };
    let mut file = status.to_owned();
    for property in properties {
        file.push_str(&match property {
            Property::Bad(index) => format!("b{index}"),
            Property::Justice(index) => format!("j{index}"),
            Property::Output(index) => format!("o{index}"),
        });
    }
    file.push('\n');
    if let Witness::Possible { initial, steps, .. } = witness {
        push_vector(&mut file, initial);
        for step in steps {
            push_vector(&mut file, step);
        }
    }
    file.push_str(".\n");
    file
}

fn push_vector(file: &mut String, vector: &Vector) {
    file.extend(vector.iter().map(|bit| match bit {
        Some(false) => '0',
        Some(true) => '1',
        None => 'x',
    }));
    file.push('\n');
}

/// Reads the lines of a file, without comment lines.
struct Lines<'a> {
    rest: Option<&'a [u8]>,
    current: Option<&'a [u8]>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: (!bytes.is_empty()).then_some(bytes),
            current: None,
            number: 0,
        }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            self.number += 1;
            let Some(rest) = self.rest else {
                self.current = None;
                return None;
            };
            let line = match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    let after = &rest[end + 1..];
                    self.rest = (!after.is_empty()).then_some(after);
                    &rest[..end]
                }
                None => {
                    self.rest = None;
                    rest
                }
            };
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !matches!(line, [b'c' | b'u', ..]) {
                self.current = Some(line);
                return Some(line);
            }
        }
    }

    fn error(&self, at: usize, expected: impl Into<String>) -> VectorError {
        let found = match self.current {
            None => "end of file".to_owned(),
            Some(line) => match line.get(at..at + 1) {
                None => "end of line".to_owned(),
                Some(byte) => format!("`{}`", byte.escape_ascii()),
            },
        };
        VectorError {
            line: self.number,
            column: at + 1,
            expected: expected.into(),
            found,
        }
    }

    fn properties(&mut self) -> Result<Vec<Property>, VectorError> {
        const EXPECTED: &str = "a property: b, j or o and its index";
        let Some(line) = self.next() else {
            return Err(self.error(0, EXPECTED));
        };
        let mut properties = Vec::new();
        let mut at = 0;
        while at < line.len() || properties.is_empty() {
            let kind = match line.get(at) {
                Some(b'b') => Property::Bad,
                Some(b'j') => Property::Justice,
                Some(b'o') => Property::Output,
                _ => return Err(self.error(at, EXPECTED)),
            };
            at += 1;
            let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit());
            let length = digits.count();
            let index = str::from_utf8(&line[at..at + length]).unwrap_or_default();
            let index = index.parse().map_err(|_| self.error(at, EXPECTED))?;
            properties.push(kind(index));
            at += length;
        }
        Ok(properties)
    }

    fn vector(&mut self, width: usize) -> Result<Vector, VectorError> {
        match self.next() {
            Some(line) => self.values(line, width),
            None => Err(self.error(0, format!("{width} values"))),
        }
    }

    /// Reads vectors of `width` values, one per line, up to `.` or the end of the file.
    fn vectors(&mut self, width: usize) -> Result<Vec<Vector>, VectorError> {
        let mut vectors = Vec::new();
        while let Some(line) = self.next() {
            if line == b"." {
                break;
            }
            vectors.push(self.values(line, width)?);
        }
        Ok(vectors)
    }

    fn values(&self, line: &[u8], width: usize) -> Result<Vector, VectorError> {
        let mut values = Vec::new();
        for (at, byte) in line.iter().enumerate() {
            values.push(match byte {
                b'0' => Some(false),
                b'1' => Some(true),
                b'x' => None,
                _ => return Err(self.error(at, "0, 1 or x")),
            });
        }
        if values.len() == width {
            Ok(values)
        } else {
            let expected = format!("{width} values in the line, not {}", values.len());
            Err(self.error(values.len().min(width), expected))
        }
    }
}
