//! Random Verilog: modules of expressions, and modules of blocks, with test benches that print what they do.
//!
//! Modules of expressions may select outside bounds and divide by 0, so that some bits are unknown in some steps. Modules of blocks
//! never make an unknown value: a simulator would take one branch of an `if` for it, where a reader of hardware takes either.
//! What Icarus Verilog 11 gets wrong is not written; each place that leaves something out says why.

mod bench;
mod draft;
mod expression;
mod module;
mod statement;

pub use bench::Step;
pub use module::{blocks, expressions};

/// A port, or a variable.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Bound on the left.
    pub left: i64,
    /// Bound on the right.
    pub right: i64,
    /// Two's complement.
    pub signed: bool,
}

impl Name {
    /// Bits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.left.abs_diff(self.right) as usize + 1
    }

    fn declared(&self, class: &str) -> String {
        let sign = if self.signed { "signed " } else { "" };
        format!("{class} {sign}[{}:{}] {}", self.left, self.right, self.name)
    }
}

/// A random module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its inputs without the clock.
    pub inputs: Vec<Name>,
    /// Its outputs.
    pub outputs: Vec<Name>,
    /// Whether it has an input `clk`.
    pub clocked: bool,
}
