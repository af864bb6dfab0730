//! Lists the existing steps where there are too many choices to simulate each: choices are made a few bits at a time. Partial choices that
//! break a constraint are dropped, and bits that no longer matter stay 0.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::sim::{Possible, words};

use super::stepper::{LANES, Move, State, Stepper, WORDS};

/// Number of choice bits that are made at a time.
const AT_ONCE: usize = 2;

/// A partial step: some choice bits are made, the others are open.
#[derive(Clone, Copy)]
struct Beginning {
    /// Index of the state in which it starts.
    from: usize,
    /// Mask of the choice bits that are made; `values` has their values.
    chosen: u64,
    values: u64,
}

impl Beginning {
    /// Returns all extensions of the partial step by values of these bits.
    fn longer(self, bits: &[usize]) -> impl Iterator<Item = Beginning> + '_ {
        (0..1u64 << bits.len()).map(move |code| {
            let bits = bits.iter().enumerate();
            bits.fold(self, |beginning, (k, &bit)| Beginning {
                chosen: beginning.chosen | 1 << bit,
                values: beginning.values | (code >> k & 1) << bit,
                ..beginning
            })
        })
    }
}

/// Number of partial steps that one word of lanes holds.
const STEPS_OF_A_WORD: usize = 64;

/// A search for the steps from some states, choice bit by choice bit.
struct ChoiceSearch<'s> {
    states: &'s [State],
    /// The outputs of interest; `None` if all are.
    among: Option<&'s [&'s [bool]]>,
    /// For each state the order in which its choice bits are made, by position among the choices.
    orders: Vec<Vec<usize>>,
    /// Partial steps that are still to be simulated.
    open: Vec<Beginning>,
    /// For each state, outputs and next state found, the least choice that gives them.
    found: BTreeMap<(usize, Vec<bool>, State), u64>,
    /// Pairs (state, next state) of steps found whose outputs are of no interest.
    other_ends: BTreeSet<(usize, State)>,
}

impl Stepper<'_> {
    /// Returns all steps from these states under these test inputs, by state and choice; of steps that differ in choices alone only the
    /// first. If outputs are given, steps with other outputs are represented by one step per successor state, with arbitrary other outputs.
    /// `None` if there are too many partial steps, or more choices than an assignment has bits.
    pub(crate) fn existing(
        &self,
        states: &[State],
        inputs: &[bool],
        among: Option<&[&[bool]]>,
    ) -> Option<Vec<Move>> {
        if self.choices.len() > u64::BITS as usize {
            return None;
        }
        // Usually there are few partial steps at a time, so that one word per signal suffices.
        let mut narrow = self.under::<1>(inputs);
        let mut wide: Option<Possible<'_, WORDS>> = None;
        let begin = |from| Beginning {
            from,
            chosen: 0,
            values: 0,
        };
        let mut search = ChoiceSearch {
            states,
            among,
            orders: self.orders(&mut narrow, states),
            open: (0..states.len()).map(begin).collect(),
            found: BTreeMap::new(),
            other_ends: BTreeSet::new(),
        };
        let mut looked_at = 0;
        while !search.open.is_empty() {
            let few = search.open.len() <= STEPS_OF_A_WORD;
            let together = if few { STEPS_OF_A_WORD } else { LANES };
            let first = search.open.len().saturating_sub(together);
            let lanes = search.open.split_off(first);
            looked_at += lanes.len();
            if looked_at > self.limit {
                return None;
            }
            match few {
                true => self.go_on(&mut narrow, &lanes, &mut search),
                false => {
                    let wide = wide.get_or_insert_with(|| self.under(inputs));
                    self.go_on(wide, &lanes, &mut search);
                }
            }
        }
        let moves = search.found.into_iter();
        let moves = moves.map(|((from, outputs, next), choice)| Move {
            from,
            choice,
            outputs,
            next,
        });
        let mut moves: Vec<Move> = moves.collect();
        moves.sort_by_key(|step| (step.from, step.choice));
        Some(moves)
    }

    /// Returns a ternary simulation in which the test inputs have these values in all lanes, and everything else is open.
    fn under<const W: usize>(&self, inputs: &[bool]) -> Possible<'_, W> {
        let mut possible = self.simulator.possible::<W>();
        for bit in self.model.input_bits() {
            let value = words::everywhere(inputs[bit]);
            possible.set_input(bit, [value.map(|word: u64| !word), value]);
        }
        possible
    }

    /// Simulates partial steps, one per lane. A lane that breaks a constraint is dropped. If unset choices of a lane matter, its extensions
    /// are added to the search; else its step is recorded.
    fn go_on<const W: usize>(
        &self,
        possible: &mut Possible<'_, W>,
        lanes: &[Beginning],
        search: &mut ChoiceSearch<'_>,
    ) {
        self.load(possible, search.states, lanes);
        possible.eval();
        let outputs = self.model.aig.outputs.iter().map(|output| output.lit);
        let influence = possible.influence(outputs.chain(self.inner()));
        // If a lane cannot show any of the outputs asked for, choices that affect only outputs do not matter.
        let others = search.among.map(|outputs| {
            let shows = self.can_show(possible, outputs);
            (shows.map(|word| !word), possible.influence(self.inner()))
        });
        for lane in self.keeping_constraints(possible, lanes.len()) {
            let beginning = lanes[lane];
            let inner = others.as_ref().and_then(|(others, inner)| {
                let shows_other = words::is_set(others, lane);
                shows_other.then_some(inner)
            });
            let matters = inner.unwrap_or(&influence);
            let is_open = |bit: usize| {
                beginning.chosen >> bit & 1 == 0 && words::is_set(&matters[self.choices[bit]], lane)
            };
            let order = search.orders[beginning.from].iter().copied();
            let next: Vec<usize> = order.filter(|&bit| is_open(bit)).take(AT_ONCE).collect();
            if !next.is_empty() {
                search.open.extend(beginning.longer(&next));
                continue;
            }
            let (outputs, state) = self.step_of(possible, lane);
            let is_other = inner.is_some();
            if is_other && !search.other_ends.insert((beginning.from, state.clone())) {
                continue;
            }
            let choice = (search.found)
                .entry((beginning.from, outputs, state))
                .or_insert(beginning.values);
            *choice = beginning.values.min(*choice);
        }
    }

    /// Returns for each state the order in which its choice bits are made: those that a constraint with few open bits reads come first.
    fn orders<const W: usize>(
        &self,
        possible: &mut Possible<'_, W>,
        states: &[State],
    ) -> Vec<Vec<usize>> {
        let mut orders = Vec::with_capacity(states.len());
        for batch in states.chunks(64 * W) {
            let lanes: Vec<Beginning> = (0..batch.len())
                .map(|from| Beginning {
                    from,
                    chosen: 0,
                    values: 0,
                })
                .collect();
            self.load(possible, batch, &lanes);
            possible.eval();
            for lane in 0..batch.len() {
                let constraints = self.model.aig.constraints.iter().map(|c| c.lit);
                let conditions = possible.conditions(lane, constraints, &self.choices);
                let mut order: Vec<usize> = Vec::with_capacity(self.choices.len());
                for reads in conditions.into_iter().chain([u64::MAX]) {
                    let read = (0..self.choices.len()).filter(|bit| reads >> bit & 1 == 1);
                    let new: Vec<usize> = read.filter(|bit| !order.contains(bit)).collect();
                    order.extend(new);
                }
                orders.push(order);
            }
        }
        orders
    }

    /// Sets the state and the choices of a partial step in each lane; other choices stay open.
    fn load<const W: usize>(
        &self,
        possible: &mut Possible<'_, W>,
        states: &[State],
        beginnings: &[Beginning],
    ) {
        let mut rows = vec![[0; W]; self.latches.len()];
        for (lane, beginning) in beginnings.iter().enumerate() {
            words::set_state(&mut rows, &states[beginning.from], lane..lane + 1);
        }
        for (&latch, &row) in self.latches.iter().zip(&rows) {
            possible.set_latch(latch, row);
        }
        for (bit, &input) in self.choices.iter().enumerate() {
            let mut can_be = [[u64::MAX; W]; 2];
            for (lane, beginning) in beginnings.iter().enumerate() {
                if beginning.chosen >> bit & 1 == 1 {
                    let excluded = usize::from(beginning.values >> bit & 1 == 0);
                    can_be[excluded][lane / 64] &= !(1 << (lane % 64));
                }
            }
            possible.set_input(input, can_be);
        }
    }

    /// Returns the literals of the constraints and of the next values of the latches that form a state.
    fn inner(&self) -> impl Iterator<Item = hyperkill_core::Lit> + '_ {
        let aig = &self.model.aig;
        let next = self.latches.iter().map(|&latch| aig.latches()[latch].next);
        let constraints = aig.constraints.iter().map(|constraint| constraint.lit);
        constraints.chain(next)
    }

    /// Returns the lanes, among the first `lanes`, that no constraint excludes yet.
    fn keeping_constraints<const W: usize>(
        &self,
        possible: &Possible<'_, W>,
        lanes: usize,
    ) -> Vec<usize> {
        let mut alive = words::range::<W>(0..lanes);
        for constraint in &self.model.aig.constraints {
            let [_, one] = possible.can_be(constraint.lit);
            alive = std::array::from_fn(|w| alive[w] & one[w]);
        }
        words::lanes_of(&alive).collect()
    }

    /// Returns the lanes in which one of these output valuations is still possible, given open choices.
    fn can_show<const W: usize>(
        &self,
        possible: &Possible<'_, W>,
        outputs: &[&[bool]],
    ) -> [u64; W] {
        let mut shows = [0; W];
        for wanted in outputs {
            let mut lanes = [u64::MAX; W];
            for (output, &is_one) in self.model.aig.outputs.iter().zip(*wanted) {
                let can_be = possible.can_be(output.lit)[usize::from(is_one)];
                lanes = std::array::from_fn(|w| lanes[w] & can_be[w]);
            }
            shows = std::array::from_fn(|w| shows[w] | lanes[w]);
        }
        shows
    }

    /// Returns the outputs and the next state of a lane whose next state does not depend on open choices. Open outputs count as 1.
    fn step_of<const W: usize>(
        &self,
        possible: &Possible<'_, W>,
        lane: usize,
    ) -> (Vec<bool>, State) {
        let is_one = |lit| {
            let [_, one] = possible.can_be(lit);
            words::is_set(&one, lane)
        };
        let aig = &self.model.aig;
        let outputs = aig.outputs.iter().map(|output| is_one(output.lit));
        let mut next = vec![0; self.latches.len().div_ceil(64)];
        for (position, &latch) in self.latches.iter().enumerate() {
            let bit = u64::from(is_one(aig.latches()[latch].next));
            next[position / 64] |= bit << (position % 64);
        }
        (outputs.collect(), next)
    }
}

#[cfg(test)]
mod tests {
    use hyperkill_core::SelectorId;
    use hyperkill_core::product::Variant;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::random::random;
    use super::*;

    #[test]
    fn steps_found_by_choosing_bits_are_the_first_of_those_found_by_simulating_each_choice() {
        let (mut steps, mut fewer, mut others_left_out) = (0, 0, 0);
        for seed in 0..400 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (choices, latches) = (1 + seed as usize % 7, 1 + seed as usize % 4);
            let model = random(&mut rng, choices, latches);
            for variant in [Variant::Original, Variant::Mutant(SelectorId(0))] {
                let stepper = Stepper::new(&model, variant, 1 << 14);
                let states = stepper.initial().unwrap();
                for input in [false, true] {
                    let mut inputs = vec![false; model.aig.inputs().len()];
                    inputs[0] = input;
                    let all = stepper.moves(&states, &inputs).unwrap();
                    let mut seen = BTreeSet::new();
                    let mut first = all.clone();
                    first.retain(|step| {
                        seen.insert((step.from, step.outputs.clone(), step.next.clone()))
                    });
                    let found = stepper.existing(&states, &inputs, None).unwrap();
                    assert_eq!(found, first, "seed {seed}, {variant:?}, input {input}");
                    let wanted: Vec<&[bool]> = first.iter().map(|step| &step.outputs[..]).collect();
                    let wanted = &wanted[..wanted.len() / 2];
                    let some = stepper.existing(&states, &inputs, Some(wanted)).unwrap();
                    let asked = |steps: &[Move], is_wanted: bool| -> Vec<Move> {
                        let is_asked =
                            |step: &&Move| wanted.contains(&&step.outputs[..]) == is_wanted;
                        steps.iter().filter(is_asked).cloned().collect()
                    };
                    assert_eq!(asked(&some, true), asked(&first, true), "seed {seed}");
                    let leads = |steps: Vec<Move>| -> BTreeSet<(usize, State)> {
                        steps
                            .into_iter()
                            .map(|step| (step.from, step.next))
                            .collect()
                    };
                    let others = [&some, &first].map(|steps| asked(steps, false));
                    others_left_out += others[1].len() - others[0].len();
                    let [some, every] = others.map(leads);
                    assert_eq!(some, every, "seed {seed}");
                    steps += found.len();
                    fewer += all.len() - found.len();
                }
            }
        }
        assert!(steps > 2000 && fewer > 2000, "{steps} steps, {fewer} fewer");
        assert!(others_left_out > 50, "{others_left_out}");
    }
}
