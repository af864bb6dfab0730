//! Errors in AIGER files, with their locations.

use std::fmt;

use crate::mutant::MutantId;

/// A part of an AIGER file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// The first line, with the counts.
    Header,
    /// Definitions of inputs, one a line.
    Inputs,
    /// Definitions of latches, one a line.
    Latches,
    /// Definitions of outputs, one a line.
    Outputs,
    /// Definitions of bad state properties.
    Bad,
    /// Definitions of invariant constraints.
    Constraints,
    /// Justice properties: their sizes and literals.
    Justice,
    /// Definitions of fairness constraints.
    Fairness,
    /// Definitions of and-gates; in the binary format they are differences of literals.
    Gates,
    /// The symbol table, after the definitions.
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

/// A location in a file: the byte always, and the line where lines are meaningful (not among or after the gates of a binary file).
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

/// The error that a file is not AIGER 1.9, or that its graph is no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{location}: {kind}")]
pub struct AigerError {
    /// The location at which the error was detected.
    pub location: Location,
    /// The kind of the error.
    pub kind: AigerErrorKind,
}

/// The kind of an error in an AIGER file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AigerErrorKind {
    /// Another token was expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected token.
        expected: &'static str,
        /// The token in the file.
        found: String,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} should follow")]
    Truncated {
        /// The token that the format requires there.
        expected: &'static str,
    },
    /// A number is too large for any supported file.
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
        /// `M`, the largest index of a variable.
        maximum: u64,
        /// `I`, the number of inputs.
        inputs: u64,
        /// `L`, the number of latches.
        latches: u64,
        /// `A`, the number of and-gates.
        gates: u64,
    },
    /// A constant or a complemented literal is defined.
    #[error("literal {literal} cannot be defined: it is constant or complemented")]
    NotDefinable {
        /// The literal that cannot be defined.
        literal: u32,
    },
    /// A variable is defined twice.
    #[error("literal {literal} is defined twice")]
    DefinedTwice {
        /// The literal that is defined again.
        literal: u32,
    },
    /// A literal is used, but no input, latch or gate defines its variable.
    #[error("literal {literal} is used but not defined")]
    Undefined {
        /// The undefined literal.
        literal: u32,
    },
    /// A gate depends on itself within a step.
    #[error("combinational cycle through {}", .literals.iter().map(u32::to_string).collect::<Vec<_>>().join(" ← "))]
    Cycle {
        /// Gate literals of the cycle, each reading the next one, the last reading the first.
        literals: Vec<u32>,
    },
    /// An operand of a binary gate is not smaller than the gate.
    #[error("and-gate {literal} must have smaller operands: delta {delta} is impossible")]
    Delta {
        /// The literal that the gate defines.
        literal: u32,
        /// The delta in the file.
        delta: u64,
    },
    /// A reset is neither 0, 1 nor the latch itself.
    #[error("reset {reset} of latch {latch} must be 0, 1 or {latch}")]
    Reset {
        /// The literal that the latch defines.
        latch: u32,
        /// The invalid reset.
        reset: u32,
    },
    /// An input, latch, output or property is named twice.
    #[error("symbol `{symbol}` is named twice")]
    NamedTwice {
        /// Letter and index of the symbol.
        symbol: String,
    },
    /// A name refers to an input, latch, output or property that does not exist.
    #[error("symbol `{symbol}` names nothing: there are {count} {section}")]
    NamesNothing {
        /// Letter and index of the symbol.
        symbol: String,
        /// The section that the letter denotes.
        section: Section,
        /// The number of definitions in that section.
        count: usize,
    },
}

/// The error that a circuit is no conditional mutant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RoleError {
    /// A selector can change.
    #[error("latch {latch} (`{name}`) is a mutant selector, but its next value is not itself")]
    SelectorChanges {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
    },
    /// A selector has a fixed initial value.
    #[error("latch {latch} (`{name}`) is a mutant selector, but it is initialised")]
    SelectorInitialised {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
    },
    /// A mutant has two selectors.
    #[error("latch {latch} (`{name}`) is a second selector of mutant `{id}`")]
    SelectorTwice {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
        /// The mutant that both select.
        id: MutantId,
    },
    /// A comment with hyperkill's schema does not describe this circuit.
    #[error("comment line {line}: {message}; without that line the file is read untyped")]
    Comment {
        /// Line of the comment section, from 1.
        line: usize,
        /// The contradiction.
        message: String,
    },
}
