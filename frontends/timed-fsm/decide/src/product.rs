//! The product of a machine and a mutant, explored breadth first by inputs, so that a difference is a shortest test.
//!
//! Both clocks are 0 after an input, so a position is a pair of states; [`crate::chain`] computes the behaviour during a delay.

use std::cell::OnceCell;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::machine::Machine;
use rustc_hash::FxHashMap;

use crate::chain::{Chain, Meeting, meetings};
use crate::fault::Fault;

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The delays and inputs of a test with the fewest inputs, and among these with the least time.
    Difference(Vec<(u128, usize)>),
    /// No test exists. All pairs of states that common inputs lead to, with the pairs that are met from each.
    Same(Vec<Pair>),
    /// There is no test of this many inputs; then the search was stopped.
    Open(usize, Stop),
}

/// A pair of states right after an input, and all pairs that the machines reach by a delay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The index of the model's state.
    pub(crate) model: usize,
    /// The index of the mutant's state.
    pub(crate) mutant: usize,
    /// The states that a delay leads to.
    pub(crate) meets: Vec<Meeting>,
}

/// The step to a pair: the index of the previous pair, the delay, and the input.
type Way = (usize, u128, usize);

struct Reached {
    pair: Pair,
    /// The least time of all paths with the fewest inputs.
    time: u128,
    way: Option<Way>,
}

struct Machines<'a> {
    model: &'a Machine,
    mutant: &'a Machine,
    chains: [Vec<OnceCell<Chain>>; 2],
    /// The limit on delays that a planted fault sets.
    longest: Option<u128>,
    planted: Option<Fault>,
}

impl<'a> Machines<'a> {
    fn new(model: &'a Machine, mutant: &'a Machine, planted: Option<Fault>) -> Machines<'a> {
        let none = |machine: &Machine| vec![OnceCell::new(); machine.states.len()];
        let states = model.states.iter().chain(&mutant.states);
        let timeouts = states.filter_map(|state| state.timeout);
        let longest = timeouts.map(|timeout| u128::from(timeout.after)).max();
        let is_limited = planted == Some(Fault::DelaysToLongestTimeout);
        Machines {
            model,
            mutant,
            chains: [none(model), none(mutant)],
            longest: longest.filter(|_| is_limited),
            planted,
        }
    }

    fn meetings(&self, model: usize, mutant: usize) -> Vec<Meeting> {
        let late = u128::from(self.planted == Some(Fault::InputBeforeTimeout));
        let [own, other] = &self.chains;
        let own = own[model].get_or_init(|| Chain::new(self.model, model, late));
        let other = other[mutant].get_or_init(|| Chain::new(self.mutant, mutant, late));
        let mut met = meetings(own, other);
        met.retain(|meeting| self.longest.is_none_or(|longest| meeting.after <= longest));
        met
    }
}

/// Compares a machine with a mutant by tests of at most `bound` inputs.
pub(crate) fn compare(
    model: &Machine,
    mutant: &Machine,
    bound: Option<usize>,
    budget: &Budget,
    planted: Option<Fault>,
) -> Found {
    compare_from((model, mutant), (0, 0), bound, budget, planted)
}

/// Compares two machines like [`compare`], from a pair of states that both have just entered.
pub(crate) fn compare_from(
    (model, mutant): (&Machine, &Machine),
    start: (usize, usize),
    bound: Option<usize>,
    budget: &Budget,
    planted: Option<Fault>,
) -> Found {
    let machines = Machines::new(model, mutant, planted);
    let mut search = PairSearch::new(&machines, start);
    let mut level = 0..1;
    let mut length = 0;
    while !level.is_empty() {
        if bound.is_some_and(|bound| length >= bound) {
            return Found::Open(length, Stop::Bound);
        }
        for index in level.clone() {
            if let Err(stop) = search.visit(index, level.end, budget) {
                return Found::Open(length, stop);
            }
        }
        if let Some((_, way)) = search.best {
            return Found::Difference(search.test(way));
        }
        length += 1;
        level = level.end..search.reached.len();
    }
    Found::Same(search.reached.into_iter().map(|r| r.pair).collect())
}

struct PairSearch<'a> {
    machines: &'a Machines<'a>,
    reached: Vec<Reached>,
    index_of: FxHashMap<(usize, usize), usize>,
    /// The difference with the least time so far: the time, and its last step.
    best: Option<(u128, Way)>,
    met: usize,
    charge: Charge,
}

impl<'a> PairSearch<'a> {
    fn new(machines: &'a Machines<'a>, start: (usize, usize)) -> PairSearch<'a> {
        let mut search = PairSearch {
            machines,
            reached: Vec::new(),
            index_of: FxHashMap::default(),
            best: None,
            met: 0,
            charge: Charge::default(),
        };
        search.reach(start, 0, None);
        search
    }

    fn reach(&mut self, (model, mutant): (usize, usize), time: u128, way: Option<Way>) {
        self.index_of.insert((model, mutant), self.reached.len());
        let pair = Pair {
            model,
            mutant,
            meets: Vec::new(),
        };
        self.reached.push(Reached { pair, time, way });
    }

    /// Explores all delays and inputs after the pair `index`. Pairs with an index from `next` on have one input more.
    fn visit(&mut self, index: usize, next: usize, budget: &Budget) -> Result<(), Stop> {
        budget.check()?;
        let (from, start) = (&self.reached[index], self.reached[index].time);
        let meets = self.machines.meetings(from.pair.model, from.pair.mutant);
        for meeting in &meets {
            self.inputs(index, next, start, meeting);
        }
        self.met += meets.len();
        self.reached[index].pair.meets = meets;
        let size = self.reached.len() * size_of::<Reached>() + self.met * size_of::<Meeting>();
        self.charge.hold(budget, size).map_or(Ok(()), Err)
    }

    fn inputs(&mut self, index: usize, next: usize, start: u128, meeting: &Meeting) {
        let Machines {
            model,
            mutant,
            planted,
            ..
        } = *self.machines;
        let time = start + meeting.after;
        let there = &mutant.states[meeting.mutant].answers;
        if planted == Some(Fault::UndefinedStimulated) {
            let own = &model.states[meeting.model].answers;
            let more = there.keys().find(|input| !own.contains_key(input));
            if let Some(&input) = more {
                self.differ(time, (index, meeting.after, input));
            }
        }
        for (&input, expected) in &model.states[meeting.model].answers {
            let way = (index, meeting.after, input);
            match there.get(&input) {
                Some(answer) if answer.output == expected.output => {
                    self.go((expected.target, answer.target), time, way, next);
                }
                None if planted == Some(Fault::SilencePasses) => {}
                Some(_) | None => self.differ(time, way),
            }
        }
    }

    fn differ(&mut self, time: u128, way: Way) {
        if self.best.is_none_or(|(least, _)| time < least) {
            self.best = Some((time, way));
        }
    }

    fn go(&mut self, pair: (usize, usize), time: u128, way: Way, next: usize) {
        match self.index_of.get(&pair) {
            None => self.reach(pair, time, Some(way)),
            Some(&known) => {
                let known_as = &mut self.reached[known];
                if known >= next && time < known_as.time {
                    (known_as.time, known_as.way) = (time, Some(way));
                }
            }
        }
    }

    /// Returns the delays and inputs of the path that ends with a step.
    fn test(&self, last: Way) -> Vec<(u128, usize)> {
        let ways = std::iter::successors(Some(last), |&(from, ..)| self.reached[from].way);
        let mut test: Vec<(u128, usize)> = ways.map(|(_, delay, input)| (delay, input)).collect();
        test.reverse();
        test
    }
}
