//! What can be wrong with an AIGER file, and where.

use std::fmt;

/// A part of an AIGER file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// The first line.
    Header,
    /// Input definitions.
    Inputs,
    /// Latch definitions.
    Latches,
    /// Outputs.
    Outputs,
    /// Bad state properties.
    Bad,
    /// Invariant constraints.
    Constraints,
    /// Justice properties: their sizes and literals.
    Justice,
    /// Fairness constraints.
    Fairness,
    /// And-gates.
    Gates,
    /// The symbol table.
    Symbols,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Header => "header",
            Section::Inputs => "inputs",
            Section::Latches => "latches",
            Section::Outputs => "outputs",
            Section::Bad => "bad state properties",
            Section::Constraints => "invariant constraints",
            Section::Justice => "justice properties",
            Section::Fairness => "fairness constraints",
            Section::Gates => "and-gates",
            Section::Symbols => "symbol table",
        })
    }
}

/// Where in the file: always the byte, and the line where lines mean something (not among or after the gates of a binary file).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Byte offset from the start of the file, from 0.
    pub byte: usize,
    /// Line and column, both from 1; the column counts bytes.
    pub line_column: Option<(usize, usize)>,
    /// The part of the file.
    pub section: Section,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line_column {
            Some((line, column)) => write!(f, "line {line}, column {column}")?,
            None => write!(f, "byte {}", self.byte)?,
        }
        write!(f, " ({})", self.section)
    }
}

/// A file that is not AIGER 1.9, or a graph that is no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{location}: {kind}")]
pub struct AigerError {
    /// Where.
    pub location: Location,
    /// What.
    pub kind: AigerErrorKind,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AigerErrorKind {
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} should follow")]
    Truncated {
        /// What should follow.
        expected: &'static str,
    },
    /// A number that no supported file can contain.
    #[error("number too large: at most {limit} is possible here")]
    TooLarge {
        /// The greatest possible number.
        limit: u64,
    },
    /// The header's counts contradict each other.
    #[error(
        "maximum variable {maximum} does not fit {inputs} inputs + {latches} latches + {gates} and-gates"
    )]
    Counts {
        /// `M`.
        maximum: u64,
        /// `I`.
        inputs: u64,
        /// `L`.
        latches: u64,
        /// `A`.
        gates: u64,
    },
    /// A definition of a constant or of a complemented literal.
    #[error("literal {literal} cannot be defined: it is constant or complemented")]
    NotDefinable {
        /// The literal.
        literal: u32,
    },
    /// A second definition.
    #[error("literal {literal} is defined twice")]
    DefinedTwice {
        /// The literal.
        literal: u32,
    },
    /// A literal that nothing drives.
    #[error("literal {literal} is used but not defined")]
    Undefined {
        /// The literal.
        literal: u32,
    },
    /// A gate that depends on itself within a step.
    #[error("combinational cycle through {}", .literals.iter().map(u32::to_string).collect::<Vec<_>>().join(" ← "))]
    Cycle {
        /// Gate literals of the cycle, each reading the next one, the last reading the first.
        literals: Vec<u32>,
    },
    /// A binary gate whose operand is not smaller than itself.
    #[error("and-gate {literal} must have smaller operands: delta {delta} is impossible")]
    Delta {
        /// The gate's literal.
        literal: u32,
        /// The delta found.
        delta: u64,
    },
    /// A reset that is neither 0, 1 nor the latch itself.
    #[error("reset {reset} of latch {latch} must be 0, 1 or {latch}")]
    Reset {
        /// The latch's literal.
        latch: u32,
        /// The reset found.
        reset: u32,
    },
    /// A second name for one thing.
    #[error("symbol `{symbol}` is named twice")]
    NamedTwice {
        /// Letter and index.
        symbol: String,
    },
    /// A name for something that is not there.
    #[error("symbol `{symbol}` names nothing: there are {count} {section}")]
    NamesNothing {
        /// Letter and index.
        symbol: String,
        /// What the letter stands for.
        section: Section,
        /// How many there are.
        count: usize,
    },
}
