//! A program under construction: the places to read and to assign, and the source of randomness.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::types::Type;

/// An expression that can be read, with its type. Some places can also be assigned.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) of: Type,
}

/// A function of a package.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) arguments: usize,
}

/// A program under construction.
pub(super) struct Draft {
    pub(super) rng: ChaCha8Rng,
    pub(super) seed: u64,
    /// Named types of the packages.
    pub(super) types: Vec<Type>,
    /// Names of constants and members of enumerations, with the package.
    pub(super) constants: Vec<String>,
    pub(super) functions: Vec<Function>,
    pub(super) readable: Vec<Place>,
    /// The places that the current block assigns, by the operator `operator`.
    pub(super) writable: Vec<Place>,
    pub(super) operator: &'static str,
    /// The number of names used so far for loops and blocks.
    pub(super) names: usize,
}

impl Draft {
    pub(super) fn new(seed: u64) -> Draft {
        Draft {
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            types: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            readable: Vec::new(),
            writable: Vec::new(),
            operator: "=",
            names: 0,
        }
    }

    pub(super) fn chance(&mut self, of: f64) -> bool {
        self.rng.random_bool(of)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.rng.random_range(0..count.max(1))
    }

    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.random_range(0..of.len())].clone()
    }

    pub(super) fn name(&mut self, first: &str) -> String {
        self.names += 1;
        format!("{first}{}", self.names)
    }
}
