//! Enumerates the steps of states in which most input valuations break a constraint. Bits are chosen a few at a time, and a partial choice
//! without any completion to a step is abandoned. A bit that cannot matter any more is not chosen.
//!
//! The module shares nothing with the explicit engine, which uses a similar search. [`super::steps`] tries all choices instead.

use hyperkill_core::Lit;
use hyperkill_core::aig::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::steps::{Asked, Bits, LANES, LIMIT, Place, Steps};

/// Number of partial choices tried from a state, at most, if too many bits matter to try all valuations.
const MAX_PARTIAL_CHOICES: usize = 1 << 24;

/// Number of valuations of inputs up to which trying them one by one is faster than choosing bits.
const MAX_SINGLE_STEPS: usize = LANES;

/// Largest number of choosable bits of a state; their values are one word.
const WIDEST: usize = usize::BITS as usize - 4;

/// Number of bits up to which the order of choosing bits at one place (a state with inputs) is reused for other places where the same bits
/// matter.
const MAX_REUSED_BITS: usize = 20;

/// The number of bits that are chosen at once.
const AT_ONCE: usize = 2;

/// A partial choice of a step from a place: some bits are chosen.
#[derive(Clone, Copy)]
struct Beginning {
    place: usize,
    /// The chosen bits among those that matter at the place, one bit each; then their values.
    chosen: u64,
    values: u64,
    /// The index of the values (code) of choices that outputs show, if they are chosen.
    code: Option<usize>,
}

/// The steps found so far from a place.
struct Found {
    /// Bits in the order in which they are chosen.
    order: Vec<usize>,
    /// Mask of the bits of test inputs, whose valuations are enumerated one by one.
    tested: u64,
    by_valuation: Vec<FxHashSet<Bits>>,
    looked_at: usize,
    /// Whether a step is found with outputs outside the requested ones.
    shows_others: bool,
}

impl Found {
    /// Returns the bits to choose next, a few in the order of choosing: open bits of test inputs, and open bits that matter.
    fn next(&self, beginning: &Beginning, matters: impl Fn(usize) -> bool) -> Vec<usize> {
        let wanted = self.order.iter().copied().filter(|&bit| {
            let is_open = beginning.chosen >> bit & 1 == 0;
            is_open && (self.tested >> bit & 1 == 1 || matters(bit))
        });
        wanted.take(AT_ONCE).collect()
    }
}

impl Steps<'_> {
    /// Whether the search by partial choices pays: these inputs have many valuations, and constraints may exclude most of them.
    pub(super) fn is_sparse(&self, matter: &[usize]) -> bool {
        (1 << matter.len().min(WIDEST)) > MAX_SINGLE_STEPS
            && matter.len() <= WIDEST
            && !self.constraints.is_empty()
    }

    /// Returns for each of these places (a state with inputs) the steps from it by input valuation. `matter` lists for each place the
    /// inputs that matter, as for [`Steps::tabulated`]. `None` if there are too many partial choices.
    pub(super) fn existing(
        &self,
        places: &[Place<'_>],
        matter: &[&[usize]],
        asked: Asked<'_>,
    ) -> Option<Vec<Vec<FxHashSet<Bits>>>> {
        if matter.iter().any(|matter| matter.len() > WIDEST) {
            return None;
        }
        let codes = asked.codes;
        let mut found = self.nothing_found(places, matter);
        let begin = |place| Beginning {
            place,
            chosen: 0,
            values: 0,
            code: (codes.len() <= 1).then_some(0),
        };
        let mut open: Vec<Beginning> = (0..places.len()).map(begin).collect();
        let mut can_be = vec![(u64::MAX, 0); self.model.aig.len()];
        while !open.is_empty() {
            let lanes = open.split_off(open.len().saturating_sub(LANES));
            self.load_lanes(&mut can_be, &lanes, places, matter, codes);
            self.propagate(&mut can_be);
            let constraints = self.constraints.iter();
            let alive = constraints.fold(u64::MAX, |alive, &lit| alive & read(&can_be, lit).1);
            let influence = self.influence(&can_be);
            let shows = asked
                .among
                .map_or(u64::MAX, |outputs| self.can_show(&can_be, outputs));
            for (lane, beginning) in lanes.iter().enumerate() {
                let at = &mut found[beginning.place];
                at.looked_at += 1;
                let matter = matter[beginning.place];
                let most = asked.most.unwrap_or(MAX_PARTIAL_CHOICES);
                if at.looked_at > most && (asked.most.is_some() || matter.len() > LIMIT) {
                    return None;
                }
                let shows_others = shows >> lane & 1 == 0;
                if alive >> lane & 1 == 0 || shows_others && at.shows_others {
                    continue;
                }
                let matters = |input: usize| {
                    let input = self.model.aig.inputs()[input].var.index();
                    influence[input] >> lane & 1 == 1
                };
                let next = at.next(beginning, |bit| matters(self.varying[matter[bit]]));
                if !next.is_empty() {
                    open.extend(beginning.longer(&next));
                } else if beginning.code.is_none() && self.given.iter().any(|&bit| matters(bit)) {
                    open.extend((0..codes.len()).map(|code| Beginning {
                        code: Some(code),
                        ..*beginning
                    }));
                } else {
                    let valuation = self.valuation(beginning.values, matter);
                    let step = self.step_of_lane(&can_be, lane);
                    at.by_valuation[valuation].insert(step);
                    at.shows_others |= shows_others;
                }
            }
        }
        Some(found.into_iter().map(|found| found.by_valuation).collect())
    }

    /// Returns for each place the search before any step is found, with the order of its bits.
    fn nothing_found(&self, places: &[Place<'_>], matter: &[&[usize]]) -> Vec<Found> {
        let valuations = 1usize << (self.varying.len() - self.choices);
        let mut orders: FxHashMap<&[usize], Vec<usize>> = FxHashMap::default();
        (places.iter().zip(matter))
            .map(|(place, &matter)| {
                let order = || {
                    let mut can_be = self.open_values(place.state, place.given);
                    self.propagate(&mut can_be);
                    self.decisive_first(&can_be, matter)
                };
                let bits = matter.iter().enumerate();
                let tested = bits.filter(|&(_, &input)| input >= self.choices);
                Found {
                    order: match matter.len() > MAX_REUSED_BITS {
                        true => order(),
                        false => orders.entry(matter).or_insert_with(order).clone(),
                    },
                    tested: tested.fold(0, |all, (bit, _)| all | 1 << bit),
                    by_valuation: vec![FxHashSet::default(); valuations],
                    looked_at: 0,
                    shows_others: false,
                }
            })
            .collect()
    }

    /// Returns the lanes in which one of these outputs is still possible. `can_be` has for each node the lanes in which it can be 0 and 1.
    fn can_show(&self, can_be: &[(u64, u64)], outputs: &[Bits]) -> u64 {
        let lanes = outputs.iter().map(|wanted| {
            let own = self.outputs.iter().enumerate();
            own.fold(u64::MAX, |lanes, (place, &output)| {
                let (zero, one) = read(can_be, output);
                let is_one = wanted[place / 64] >> (place % 64) & 1 == 1;
                lanes & if is_one { one } else { zero }
            })
        });
        lanes.fold(0, |all, lanes| all | lanes)
    }

    /// Returns the number of the input valuation in a choice of bits: the chosen values of test inputs.
    fn valuation(&self, values: u64, matter: &[usize]) -> usize {
        let bits = matter.iter().enumerate();
        let bits = bits.filter(|&(_, &input)| input >= self.choices);
        bits.fold(0, |all, (bit, &input)| {
            all | usize::from(values >> bit & 1 == 1) << (input - self.choices)
        })
    }

    /// Writes the possible values of latches and inputs into `can_be`, with one lane for each partial choice. Bits that are not chosen can
    /// be both.
    fn load_lanes(
        &self,
        can_be: &mut [(u64, u64)],
        lanes: &[Beginning],
        places: &[Place<'_>],
        matter: &[&[usize]],
        codes: &[Vec<bool>],
    ) {
        let aig = &self.model.aig;
        for (i, input) in aig.inputs().iter().enumerate() {
            let of_lanes = lanes.iter().enumerate();
            can_be[input.var.index()] = of_lanes.fold((0, 0), |(zero, one), (lane, beginning)| {
                let value = places[beginning.place].given.get(i).copied();
                let can_be = |wanted: bool| u64::from(value.is_none_or(|v| v == wanted)) << lane;
                (zero | can_be(false), one | can_be(true))
            });
        }
        for &bit in self.varying.iter().chain(&self.given) {
            can_be[aig.inputs()[bit].var.index()] = (u64::MAX, u64::MAX);
        }
        for (lane, beginning) in lanes.iter().enumerate() {
            let mut set = |input: usize, value: bool| {
                let (zero, one) = &mut can_be[aig.inputs()[input].var.index()];
                let other = if value { zero } else { one };
                *other &= !(1 << lane);
            };
            for (bit, &input) in matter[beginning.place].iter().enumerate() {
                if beginning.chosen >> bit & 1 == 1 {
                    set(self.varying[input], beginning.values >> bit & 1 == 1);
                }
            }
            if let Some(code) = beginning.code.and_then(|code| codes.get(code)) {
                for &bit in &self.given {
                    set(bit, code[bit]);
                }
            }
        }
        for i in self.read_latches() {
            let of_lanes = lanes.iter().enumerate();
            let ones = of_lanes.fold(0, |word, (lane, beginning)| {
                let state = places[beginning.place].state;
                word | (state[i / 64] >> (i % 64) & 1) << lane
            });
            can_be[aig.latches()[i].var.index()] = (!ones, ones);
        }
    }

    /// Returns the bits that matter in the order in which they are chosen: those first that constraints restrict most. The order affects
    /// only the time.
    fn decisive_first(&self, can_be: &[(u64, u64)], matter: &[usize]) -> Vec<usize> {
        let aig = &self.model.aig;
        let mut reads = vec![0u64; aig.len()];
        for (bit, &place) in matter.iter().enumerate() {
            reads[aig.inputs()[self.varying[place]].var.index()] |= 1 << bit;
        }
        let open = |var: usize| can_be[var].0 & can_be[var].1 & 1 == 1;
        let mut operands = vec![None; aig.len()];
        for &(node, a, b) in &self.gates {
            operands[node] = Some((a, b));
            if open(node) {
                reads[node] = reads[a.var().index()] | reads[b.var().index()];
            }
        }
        // Splits the constraints, which must be 1, into the operands of their conjunctions.
        let mut wanted: Vec<Lit> = self.constraints.clone();
        let mut demands = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some(lit) = wanted.pop() {
            let var = lit.var().index();
            if !open(var) || !seen.insert(var) {
                continue;
            }
            match operands[var] {
                Some((a, b)) if !lit.is_negated() => wanted.extend([a, b]),
                Some((a, b)) if !open(a.var().index()) => wanted.push(!b),
                Some((a, b)) if !open(b.var().index()) => wanted.push(!a),
                _ => demands.push(reads[var]),
            }
        }
        demands.sort_by_key(|reads| (reads.count_ones(), *reads));
        let mut order: Vec<usize> = Vec::with_capacity(matter.len());
        let everything = (1u64 << matter.len()) - 1;
        for demand in demands.into_iter().chain([everything]) {
            let new = (0..matter.len()).filter(|bit| demand >> bit & 1 == 1);
            let new: Vec<usize> = new.filter(|bit| !order.contains(bit)).collect();
            order.extend(new);
        }
        order
    }

    /// Returns for each node whether it can be 0 and 1, for inputs and latches, equal in all lanes. Inputs that vary can be both, as can
    /// those that are not given.
    fn open_values(&self, state: &[u64], given: &[bool]) -> Vec<(u64, u64)> {
        let aig = &self.model.aig;
        let known = |value: bool| match value {
            true => (0, u64::MAX),
            false => (u64::MAX, 0),
        };
        let mut can_be = vec![known(false); aig.len()];
        for (i, input) in aig.inputs().iter().enumerate() {
            let value = given
                .get(i)
                .map_or((u64::MAX, u64::MAX), |&value| known(value));
            can_be[input.var.index()] = value;
        }
        for &bit in self.varying.iter().chain(&self.given) {
            can_be[aig.inputs()[bit].var.index()] = (u64::MAX, u64::MAX);
        }
        for (i, latch) in aig.latches().iter().enumerate() {
            can_be[latch.var.index()] = known(state[i / 64] >> (i % 64) & 1 == 1);
        }
        debug_assert!(matches!(aig.nodes().next(), Some((_, Node::False))));
        can_be
    }

    pub(super) fn propagate(&self, can_be: &mut [(u64, u64)]) {
        for &(node, a, b) in &self.gates {
            let (a, b) = (read(can_be, a), read(can_be, b));
            can_be[node] = (a.0 | b.0, a.1 & b.1);
        }
    }
}

impl Beginning {
    /// Returns all extensions of the partial choice by values of these bits.
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

/// Returns the lanes in which a literal can be 0, and those in which it can be 1.
fn read(can_be: &[(u64, u64)], lit: Lit) -> (u64, u64) {
    let (zero, one) = can_be[lit.var().index()];
    if lit.is_negated() {
        (one, zero)
    } else {
        (zero, one)
    }
}
