//! The functions of strategies, and learning them from values.

use hyperkill_core::Lit;

/// A bit as a function of the values that a strategy reads at a step: inputs, outputs and next states of existential copies, and all
/// latches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Function {
    /// The same value at every step of all runs.
    Constant(bool),
    /// The value of a literal of the product, at each step.
    Follow(Lit),
}

impl Function {
    /// Returns the value of the function; `of` gives the values of literals.
    pub(super) fn value(&self, of: &(impl Fn(Lit) -> bool + ?Sized)) -> bool {
        match self {
            Function::Constant(value) => *value,
            Function::Follow(lit) => of(*lit),
        }
    }

    /// Returns the function as a literal of a graph; `of` gives the graph's literals for literals of the product.
    pub(super) fn image(&self, of: &impl Fn(Lit) -> Lit) -> Lit {
        match self {
            Function::Constant(value) => Lit::constant(*value),
            Function::Follow(lit) => of(*lit),
        }
    }
}

/// The required values of a function, each with its step.
pub(super) type Points = [(usize, bool)];

/// Returns the first function with all required values: false, true, then each literal and its negation in order. `None` if there is
/// none.
pub(super) fn learn(
    points: &Points,
    literals: &[Lit],
    value: &impl Fn(usize, Lit) -> bool,
) -> Option<Function> {
    let gives = |constant: bool| points.iter().all(|&(_, wanted)| wanted == constant);
    if let Some(constant) = [false, true].into_iter().find(|&constant| gives(constant)) {
        return Some(Function::Constant(constant));
    }
    let follows = |lit: Lit| {
        points
            .iter()
            .all(|&(step, wanted)| value(step, lit) == wanted)
    };
    let mut signed = literals.iter().flat_map(|&lit| [lit, !lit]);
    signed.find(|&lit| follows(lit)).map(Function::Follow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_core::Var;

    #[test]
    fn constants_and_single_literals_are_learned_and_nothing_else() {
        // Literal 1 is the low bit of the step, literal 2 the high one.
        let value =
            |step: usize, of: Lit| (step >> (of.var().index() - 1) & 1 == 1) ^ of.is_negated();
        let literals = [1, 2].map(|index| Var::new(index).lit());
        for number in 0..16 {
            let points: Vec<(usize, bool)> =
                (0..4).map(|step| (step, number >> step & 1 == 1)).collect();
            let learned = learn(&points, &literals, &value);
            let expected = [0b0000, 0b1111, 0b1010, 0b0101, 0b1100, 0b0011];
            assert_eq!(
                learned.is_some(),
                expected.contains(&number),
                "{number:04b}"
            );
            if let Some(function) = learned {
                for (step, wanted) in points {
                    assert_eq!(function.value(&|of| value(step, of)), wanted);
                }
            }
        }
    }
}
