//! Random Verilog: modules of expressions, and modules of blocks, with test benches that print their outputs.
//!
//! Modules of expressions may select outside bounds and divide by 0, so that some bits are unknown in some steps. Modules of blocks never
//! produce an unknown value: for one in an `if`, a simulator takes one branch, where a reader of hardware takes either. Constructs that
//! Icarus Verilog 11 gets wrong are not written; each omission states its reason.

mod bench;
mod draft;
mod expression;
mod module;
mod statement;

pub use bench::BenchStep;
pub use module::{blocks, expressions};

/// A port, or a variable.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name of the port or variable.
    pub name: String,
    /// The bound on the left.
    pub left: i64,
    /// The bound on the right.
    pub right: i64,
    /// Whether values are in two's complement.
    pub signed: bool,
}

impl Name {
    /// Returns the number of bits of the port or variable.
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
    /// The name of the module.
    pub name: String,
    /// The text of the module.
    pub text: String,
    /// The inputs of the module without the clock.
    pub inputs: Vec<Name>,
    /// The outputs of the module.
    pub outputs: Vec<Name>,
    /// Whether the module has an input `clk`.
    pub clocked: bool,
}
