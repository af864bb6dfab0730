//! Classes of input valuations: valuations of one class have the same effect on outputs, next states and constraints in every state.
//!
//! The bits of an input port mostly reach the rest of a circuit through a few comparisons. The gates that depend on inputs only are cut off
//! ([`Cut`]); the values of their frontier determine the effect of the inputs. Decision diagrams compute the possible values of the
//! frontier ([`Partition`]). Each class is represented by its least valuation. If a computation exceeds the effort, every valuation is a
//! class of its own.

mod cut;
mod groups;
mod partition;
mod shown;

pub(crate) use cut::Cut;
pub(crate) use partition::Partition;
pub(crate) use shown::{Representatives, representatives};

/// Some inputs with the classes of their valuations: valuations in one class have the same effect. Classes of different groups can be
/// combined freely.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    /// The inputs by index in the circuit; the first is the lowest bit of a valuation.
    pub(crate) inputs: Vec<usize>,
    /// The least valuation of each class, by input of the group, ascending. The first is all zeros.
    pub(crate) classes: Vec<Vec<bool>>,
}

impl Group {
    /// Returns a group of one input whose two values have different effects.
    pub(crate) fn single(input: usize) -> Group {
        Group {
            inputs: vec![input],
            classes: vec![vec![false], vec![true]],
        }
    }

    /// Returns the number of bits that number the classes.
    pub(crate) fn bits(&self) -> usize {
        bits_for(self.classes.len())
    }

    /// Returns the least valuation of the class with this number. Numbers without a class stand for the first class.
    pub(crate) fn class(&self, number: usize) -> &[bool] {
        &self.classes[if number < self.classes.len() {
            number
        } else {
            0
        }]
    }
}

/// Returns the number of bits that this many distinct numbers need.
pub(crate) fn bits_for(numbers: usize) -> usize {
    numbers.max(1).next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hyperkill_core::aig::{Leaf, Signal};
    use hyperkill_core::budget::Budget;
    use hyperkill_core::sim::Simulator;
    use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};

    use super::{Cut, Group};

    /// A generator of pseudo-random numbers.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    /// Returns a random circuit whose gates read ten inputs; some inputs are read by gates with a latch.
    fn random(numbers: &mut Numbers) -> ConditionalMutant {
        let mut aig = Aig::new();
        let mut pool: Vec<Lit> = (0..10).map(|_| aig.add_input(None)).collect();
        let latch = aig.add_latch(Reset::Zero, None);
        for _ in 0..numbers.below(40) {
            let [a, b] = std::array::from_fn(|_| {
                let lit = pool[numbers.below(pool.len())];
                lit ^ (numbers.below(2) == 0)
            });
            pool.push(match numbers.below(3) {
                0 => aig.xor(a, b),
                1 => aig.and(a, b),
                _ => aig.or(a, b),
            });
        }
        let mut next = latch;
        for _ in 0..=numbers.below(3) {
            let read = pool[pool.len() - 1 - numbers.below(pool.len().min(12))];
            next = aig.xor(next, read);
        }
        aig.set_next(0, next);
        aig.outputs.push(Signal {
            lit: latch,
            name: None,
        });
        ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: String::new(),
            aig,
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            selectors: Vec::new(),
            mutants: Vec::new(),
        }
    }

    fn number(class: &[bool]) -> usize {
        let bits = class.iter().enumerate();
        bits.fold(0, |number, (k, &bit)| number | usize::from(bit) << k)
    }

    #[test]
    fn classes_are_represented_by_the_least_valuation_for_each_value_of_the_frontier() {
        let mut numbers = Numbers(3);
        let (mut grouped, mut single) = (0, 0);
        for case in 0..400 {
            let model = random(&mut numbers);
            let signals = model.aig.outputs.iter().map(|signal| signal.lit);
            let simulator = Simulator::compile(&model.aig, signals);
            let inputs: Vec<usize> = (0..10).collect();
            let mut cut = Cut::new(&model, &inputs);
            let frontier = cut.add(&model, &simulator);
            for Group { inputs, classes } in cut.groups(&frontier, &Budget::unlimited()) {
                if inputs.len() == 1 {
                    single += 1;
                    continue;
                }
                grouped += 1;
                let mut least: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
                for valuation in 0..1usize << inputs.len() {
                    let values = cut.graph.evaluate(|leaf| match leaf {
                        Leaf::Input(input) => {
                            let place = inputs.iter().position(|&own| own == input);
                            place.is_some_and(|place| valuation >> place & 1 == 1)
                        }
                        Leaf::Latch(_) => false,
                    });
                    let seen = frontier.iter().map(|&lit| values.of(lit)).collect();
                    least.entry(seen).or_insert(valuation);
                }
                let mut expected: Vec<usize> = least.into_values().collect();
                expected.sort_unstable();
                let listed: Vec<usize> = classes.iter().map(|class| number(class)).collect();
                assert_eq!(listed, expected, "case {case}");
            }
        }
        assert!(
            grouped > 50 && single > 500,
            "{grouped} groups, {single} single"
        );
    }
}
