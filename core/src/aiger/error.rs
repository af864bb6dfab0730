//! What can be wrong with an AIGER file, and where.

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
    /// Definitions of and-gates, in the binary format deltas.
    Gates,
    /// The symbol table, behind the definitions.
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
    /// Where in the file it was noticed.
    pub location: Location,
    /// What the file says that it must not say.
    pub kind: AigerErrorKind,
}

/// What is wrong with an AIGER file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AigerErrorKind {
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: &'static str,
        /// What stands in the file.
        found: String,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} should follow")]
    Truncated {
        /// What the format has there.
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
        /// `M`, the largest index of a variable.
        maximum: u64,
        /// `I`, the number of inputs.
        inputs: u64,
        /// `L`, the number of latches.
        latches: u64,
        /// `A`, the number of and-gates.
        gates: u64,
    },
    /// A definition of a constant or of a complemented literal.
    #[error("literal {literal} cannot be defined: it is constant or complemented")]
    NotDefinable {
        /// The literal that is out of range.
        literal: u32,
    },
    /// A second definition of one variable.
    #[error("literal {literal} is defined twice")]
    DefinedTwice {
        /// The literal that is defined again.
        literal: u32,
    },
    /// A literal that nothing drives.
    #[error("literal {literal} is used but not defined")]
    Undefined {
        /// The literal that nothing defines.
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
        /// The literal that the gate defines.
        literal: u32,
        /// What the file subtracts from it.
        delta: u64,
    },
    /// A reset that is neither 0, 1 nor the latch itself.
    #[error("reset {reset} of latch {latch} must be 0, 1 or {latch}")]
    Reset {
        /// The literal that the latch defines.
        latch: u32,
        /// The reset that is none of 0, 1 and the latch.
        reset: u32,
    },
    /// A second name for one thing.
    #[error("symbol `{symbol}` is named twice")]
    NamedTwice {
        /// Letter and index of the symbol.
        symbol: String,
    },
    /// A name for something that is not there.
    #[error("symbol `{symbol}` names nothing: there are {count} {section}")]
    NamesNothing {
        /// Letter and index of the symbol.
        symbol: String,
        /// What the letter stands for.
        section: Section,
        /// How many there are.
        count: usize,
    },
}

/// A circuit that is no conditional mutant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RoleError {
    /// A selector that can change.
    #[error("latch {latch} (`{name}`) is a mutant selector, but its next value is not itself")]
    SelectorChanges {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
    },
    /// A selector with a fixed value.
    #[error("latch {latch} (`{name}`) is a mutant selector, but it is initialised")]
    SelectorInitialised {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
    },
    /// Two selectors of one mutant.
    #[error("latch {latch} (`{name}`) is a second selector of mutant `{id}`")]
    SelectorTwice {
        /// Index among the latches.
        latch: usize,
        /// Its name in the symbol table.
        name: String,
        /// The mutant that both select.
        id: MutantId,
    },
    /// A comment that says it is ours but does not describe this circuit.
    #[error("comment line {line}: {message}; without that line the file is read untyped")]
    Comment {
        /// Line of the comment section, from 1.
        line: usize,
        /// What it says that is not so.
        message: String,
    },
}
