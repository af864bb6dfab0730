//! Closed sets that show that every choice of existential traces is refuted.
//!
//! Steps are found by evaluating the circuit of the question, valuation by valuation, with a walk of its own. What must hold is said at
//! [`Inclusion`].

use std::collections::{HashMap, HashSet};

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::inclusion::{Inclusion, Position};
use hyperkill_formulas::inner::Side;
use hyperkill_formulas::{Formula, Inner, Traces};

use super::CertifyError;

/// Largest number of input bits of both sides together; then the largest number of outer states. The engine lists no more.
const INPUTS: usize = 20;
const STATES: usize = 1 << 18;

const fn wrong(why: &'static str) -> CertifyError {
    CertifyError::ClosedSet(why)
}

/// Checks that for a formula ∃*∀* every choice of existential traces is refuted by universal ones.
///
/// # Errors
/// [`CertifyError::ClosedSet`] with the condition that fails.
pub fn certify_inclusion(
    (model, mutant): (&ConditionalMutant, SelectorId),
    formula: &Formula,
    traces: Traces,
    shown: &Inclusion,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let question = Inner::new(model, mutant, formula, traces);
    let question = question.map_err(|_| wrong("the formula cannot be decided by inclusion"))?;
    let inputs = question.outer.inputs.len() + question.inner.inputs.len();
    if inputs > INPUTS {
        return Err(wrong("there are too many inputs"));
    }
    let mut checker = Checker {
        question: &question,
        shown,
        numbers: HashMap::new(),
        succeeding: HashMap::new(),
        budget,
    };
    checker.tables_fit()?;
    let outer = checker.outer()?;
    checker.sets_are_closed(&outer)?;
    match question.runs.justice.is_empty() {
        true => Ok(()),
        false => checker.rounds_are_closed(&outer),
    }
}

/// The states and steps of the outer traces that go on for ever.
struct Outer {
    /// Values of the outer latches, one entry for each state.
    states: Vec<Vec<bool>>,
    starts: Vec<usize>,
    /// The steps from each state: the inputs as a number, and the index of the successor.
    steps: Vec<Vec<(usize, usize)>>,
    /// For each state its index in the table of the evidence, if it is there.
    in_table: Vec<Option<usize>>,
}

/// The successors of a position by inputs of the outer traces: the position's index, and whether the step meets the last condition.
type Succeeding = HashMap<usize, Vec<(usize, bool)>>;

struct Checker<'a> {
    question: &'a Inner,
    shown: &'a Inclusion,
    /// Indices of the positions in the table of the evidence.
    numbers: HashMap<Position, usize>,
    /// The successors computed so far, by outer state and index of the position.
    succeeding: HashMap<(usize, usize), Succeeding>,
    budget: &'a Budget,
}

impl Checker<'_> {
    fn tables_fit(&mut self) -> Result<(), CertifyError> {
        let (shown, question) = (self.shown, self.question);
        let widths = shown
            .outer
            .iter()
            .all(|state| state.len() == question.outer.latches.len());
        let positions = shown.inner.iter().all(|position| {
            position.latches.len() == question.inner.latches.len()
                && position.waits_for <= question.runs.justice.len()
        });
        let numbers = shown.inner.iter().cloned().enumerate();
        self.numbers = numbers
            .map(|(number, position)| (position, number))
            .collect();
        let outer = |state: usize| state < shown.outer.len();
        let inner = |position: usize| position < shown.inner.len();
        let sets = shown.sets.iter();
        let ways = shown.ways.iter();
        let named = sets.clone().all(|set| outer(set.outer))
            && sets.flat_map(|set| &set.positions).all(|&p| inner(p))
            && ways
                .clone()
                .all(|round| outer(round.from) && outer(round.to))
            && ways
                .flat_map(|round| &round.ways)
                .all(|&(p, q, _)| inner(p) && inner(q));
        match widths && positions && named {
            true => Ok(()),
            false => Err(wrong("its tables do not fit the question")),
        }
    }

    /// Returns the values of all nodes in a block of 64 valuations of the inputs, by these latches; one word per node, one bit per
    /// valuation.
    fn evaluate(&self, outer: &[bool], inner: &[bool], block: usize) -> Vec<u64> {
        let question = self.question;
        let spread = |value: bool| if value { u64::MAX } else { 0 };
        let mut given = vec![0; question.runs.aig.inputs().len()];
        let places = question.outer.inputs.iter().chain(&question.inner.inputs);
        for (place, &input) in places.enumerate() {
            let lanes = (0..64).map(|lane| (block * 64 + lane) >> place & 1);
            given[input] = lanes.rev().fold(0, |word, bit| word << 1 | bit as u64);
        }
        let mut state = vec![0; question.runs.aig.latches().len()];
        for (side, values) in [(&question.outer, outer), (&question.inner, inner)] {
            for (&latch, &value) in side.latches.iter().zip(values) {
                state[latch] = spread(value);
            }
        }
        let mut values: Vec<u64> = Vec::with_capacity(question.runs.aig.len());
        for (_, node) in question.runs.aig.nodes() {
            let of = |lit: Lit| values[lit.var().index()] ^ spread(lit.is_negated());
            let value = match node {
                Node::False => 0,
                Node::Input(input) => given[input as usize],
                Node::Latch(latch) => state[latch as usize],
                Node::And(a, b) => of(a) & of(b),
            };
            values.push(value);
        }
        values
    }

    fn next(&self, side: &Side, values: Values<'_>) -> Vec<bool> {
        let latches = self.question.runs.aig.latches();
        let next = side.latches.iter().map(|&latch| latches[latch].next);
        next.map(|lit| values.of(lit)).collect()
    }

    /// Returns the states and steps of all outer traces that go on for ever.
    fn outer(&self) -> Result<Outer, CertifyError> {
        let question = self.question;
        let nothing = vec![false; question.inner.latches.len()];
        let mut states = self.starts();
        let known = states.len();
        let mut numbers: HashMap<Vec<bool>, usize> = HashMap::new();
        numbers.extend(
            states
                .iter()
                .cloned()
                .enumerate()
                .map(|(i, state)| (state, i)),
        );
        let mut steps: Vec<Vec<(usize, usize)>> = Vec::new();
        while steps.len() < states.len() {
            self.budget.check().map_err(CertifyError::Stopped)?;
            if states.len() > STATES {
                return Err(wrong("there are too many states"));
            }
            let from = states[steps.len()].clone();
            let mut out = Vec::new();
            let mut block = Vec::new();
            for inputs in 0..1_usize << question.outer.inputs.len() {
                if inputs % 64 == 0 {
                    block = self.evaluate(&from, &nothing, inputs / 64);
                }
                let values = Values(&block, inputs % 64);
                if question.exists.iter().all(|&lit| values.of(lit)) {
                    let to = self.next(&question.outer, values);
                    let fresh = states.len();
                    let number = *numbers.entry(to.clone()).or_insert(fresh);
                    if number == fresh {
                        states.push(to);
                    }
                    out.push((inputs, number));
                }
            }
            steps.push(out);
        }
        let mut live = vec![true; states.len()];
        loop {
            let before = live.clone();
            for state in 0..states.len() {
                live[state] &= steps[state].iter().any(|&(_, to)| live[to]);
            }
            if live == before {
                break;
            }
        }
        for out in &mut steps {
            out.retain(|&(_, to)| live[to]);
        }
        let table: HashMap<&Vec<bool>, usize> = self
            .shown
            .outer
            .iter()
            .enumerate()
            .map(|(i, state)| (state, i))
            .collect();
        Ok(Outer {
            starts: (0..known).filter(|&start| live[start]).collect(),
            in_table: states
                .iter()
                .map(|state| table.get(state).copied())
                .collect(),
            states,
            steps,
        })
    }

    fn starts(&self) -> Vec<Vec<bool>> {
        let latches = self.question.runs.aig.latches();
        let mut starts = vec![Vec::new()];
        for &latch in &self.question.outer.latches {
            let values: &[bool] = match latches[latch].reset {
                Reset::Zero => &[false],
                Reset::One => &[true],
                Reset::Free => &[false, true],
            };
            let longer = starts.iter().flat_map(|start: &Vec<bool>| {
                values.iter().map(move |&value| {
                    let mut longer = start.clone();
                    longer.push(value);
                    longer
                })
            });
            starts = longer.take(STATES + 1).collect();
        }
        let place = |latch: usize| self.question.outer.latches.iter().position(|&l| l == latch);
        starts.retain(|start| {
            self.question
                .equal
                .iter()
                .all(|&(one, other)| match (place(one), place(other)) {
                    (Some(one), Some(other)) => start[one] == start[other],
                    _ => true,
                })
        });
        starts
    }

    /// Returns the successors of a position beside an outer state, among the positions of the table.
    fn succeeding(&mut self, outer: &Outer, state: usize, position: usize) -> &Succeeding {
        if !self.succeeding.contains_key(&(state, position)) {
            let found = self.steps_of(outer, state, position);
            self.succeeding.insert((state, position), found);
        }
        &self.succeeding[&(state, position)]
    }

    fn steps_of(&self, outer: &Outer, state: usize, position: usize) -> Succeeding {
        let question = self.question;
        let from = &self.shown.inner[position];
        let conditions = question.runs.justice.len();
        let given = question.outer.inputs.len();
        let all = given + question.inner.inputs.len();
        let mut found = Succeeding::new();
        let mut block = Vec::new();
        for inputs in 0..1_usize << all {
            if inputs % 64 == 0 {
                block = self.evaluate(&outer.states[state], &from.latches, inputs / 64);
            }
            let values = Values(&block, inputs % 64);
            let mut constraints = question.runs.aig.constraints.iter();
            if !constraints.all(|signal| values.of(signal.lit)) {
                continue;
            }
            let mut waits_for = from.waits_for;
            while waits_for < conditions && values.of(question.runs.justice[waits_for]) {
                waits_for += 1;
            }
            let met = waits_for == conditions;
            let to = Position {
                latches: self.next(&question.inner, values),
                waits_for: if met { 0 } else { waits_for },
            };
            if let Some(&to) = self.numbers.get(&to) {
                let outer = inputs & ((1 << given) - 1);
                found.entry(outer).or_default().push((to, met));
            }
        }
        found
    }

    /// Checks that the evidence's sets of positions are closed. Each initial state has a set with initial positions only. After each step
    /// of the outer traces, a set has successor positions only. No set is empty.
    fn sets_are_closed(&mut self, outer: &Outer) -> Result<(), CertifyError> {
        let shown = self.shown;
        if shown.sets.iter().any(|set| set.positions.is_empty()) {
            return Err(wrong("a set is empty"));
        }
        let latches = self.question.runs.aig.latches();
        let begins = |position: usize| {
            let Position {
                latches: values,
                waits_for,
            } = &shown.inner[position];
            let mut values = self.question.inner.latches.iter().zip(values);
            let fits = values.all(|(&latch, &value)| match latches[latch].reset {
                Reset::Zero => !value,
                Reset::One => value,
                Reset::Free => true,
            });
            fits && *waits_for == 0
        };
        let mut beside: Vec<Vec<&[usize]>> = vec![Vec::new(); shown.outer.len()];
        for set in &shown.sets {
            beside[set.outer].push(&set.positions);
        }
        for &start in &outer.starts {
            let found = outer.in_table[start].is_some_and(|start| {
                let mut sets = beside[start].iter();
                sets.any(|positions| positions.iter().all(|&p| begins(p)))
            });
            if !found {
                return Err(wrong("an initial state of the outer traces has no set"));
            }
        }
        let numbers = outer_numbers(outer);
        for set in &shown.sets {
            let Some(&state) = numbers.get(&set.outer) else {
                continue;
            };
            for &(inputs, to) in &outer.steps[state] {
                self.budget.check().map_err(CertifyError::Stopped)?;
                let mut reached: HashSet<usize> = HashSet::new();
                for &position in &set.positions {
                    let out = self.succeeding(outer, state, position).get(&inputs);
                    reached.extend(out.into_iter().flatten().map(|&(to, _)| to));
                }
                let found = outer.in_table[to].is_some_and(|to| {
                    let mut sets = beside[to].iter();
                    sets.any(|positions| positions.iter().all(|p| reached.contains(p)))
                });
                if !found {
                    return Err(wrong("a step leads to a set that is not listed"));
                }
            }
        }
        Ok(())
    }

    /// Whether existential traces that visit this state infinitely often must be refuted. Infinite traces must be refuted in every state,
    /// finite ones in the states after their end.
    fn is_to_be_refuted(&self, outer: &Outer, state: usize) -> bool {
        let latches = &self.question.outer.latches;
        let alive = self.question.alive;
        let place = alive.and_then(|alive| latches.iter().position(|&latch| latch == alive));
        place.is_none_or(|place| !outer.states[state][place])
    }

    /// Checks that the evidence's transition profiles are closed. Each step from a base (the state where a profile begins) contains a
    /// profile of the evidence, and so does each profile extended by a step. All loops must accept.
    fn rounds_are_closed(&mut self, outer: &Outer) -> Result<(), CertifyError> {
        let shown = self.shown;
        let bases: HashSet<usize> = shown.ways.iter().map(|round| round.from).collect();
        if !meets_again(outer, &bases, |state| self.is_to_be_refuted(outer, state)) {
            return Err(wrong(
                "a loop of the outer traces passes no base of a transition profile",
            ));
        }
        let numbers = outer_numbers(outer);
        for &base in &bases {
            let Some(&state) = numbers.get(&base) else {
                continue;
            };
            let itself: Vec<(usize, usize, bool)> =
                (0..shown.inner.len()).map(|p| (p, p, false)).collect();
            self.goes_on(outer, (base, state), &itself)?;
        }
        for round in &shown.ways {
            if let Some(&state) = numbers.get(&round.to) {
                self.goes_on(outer, (round.from, state), &round.ways)?;
            }
        }
        for round in shown.ways.iter().filter(|round| round.from == round.to) {
            let accepting = accepting(&round.ways);
            for set in shown.sets.iter().filter(|set| set.outer == round.from) {
                if !set.positions.iter().any(|p| accepting.contains(p)) {
                    return Err(wrong(
                        "a transition profile of a loop has no accepting position",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that a profile from the base `from`, extended by each step from its last state `state`, contains a profile of the evidence.
    fn goes_on(
        &mut self,
        outer: &Outer,
        (from, state): (usize, usize),
        ways: &[(usize, usize, bool)],
    ) -> Result<(), CertifyError> {
        let shown = self.shown;
        for &(inputs, to) in &outer.steps[state] {
            self.budget.check().map_err(CertifyError::Stopped)?;
            let mut longer: HashMap<(usize, usize), bool> = HashMap::new();
            for &(one, via, all) in ways {
                let out = self.succeeding(outer, state, via).get(&inputs);
                for &(other, met) in out.into_iter().flatten() {
                    *longer.entry((one, other)).or_default() |= all || met;
                }
            }
            let is_part = |part: &[(usize, usize, bool)]| {
                part.iter().all(|&(one, other, all)| {
                    let known = longer.get(&(one, other));
                    known.is_some_and(|&met| met || !all)
                })
            };
            let found = outer.in_table[to].is_some_and(|to| {
                let mut rounds = shown.ways.iter();
                rounds.any(|round| round.from == from && round.to == to && is_part(&round.ways))
            });
            if !found {
                return Err(wrong(
                    "a step leads to a transition profile that is not listed",
                ));
            }
        }
        Ok(())
    }
}

/// The values of all nodes in a block of valuations, and the lane of one valuation in it.
#[derive(Clone, Copy)]
struct Values<'a>(&'a [u64], usize);

impl Values<'_> {
    fn of(self, lit: Lit) -> bool {
        let Values(words, lane) = self;
        (words[lit.var().index()] >> lane & 1 == 1) ^ lit.is_negated()
    }
}

/// Returns the indices of the outer states, by their numbers in the evidence.
fn outer_numbers(outer: &Outer) -> HashMap<usize, usize> {
    let table = outer.in_table.iter().enumerate();
    table
        .filter_map(|(state, number)| Some(((*number)?, state)))
        .collect()
}

/// Whether every infinite trace through the states that `is_asked` names visits a base infinitely often: without the bases these states
/// have no loop.
fn meets_again(outer: &Outer, bases: &HashSet<usize>, is_asked: impl Fn(usize) -> bool) -> bool {
    let is_base = |state: usize| outer.in_table[state].is_some_and(|n| bases.contains(&n));
    let left = (0..outer.states.len()).filter(|&state| is_asked(state) && !is_base(state));
    let mut left: Vec<usize> = left.collect();
    loop {
        let inside: HashSet<usize> = left.iter().copied().collect();
        let before = left.len();
        left.retain(|&state| outer.steps[state].iter().any(|(_, to)| inside.contains(to)));
        if left.is_empty() {
            return true;
        }
        if left.len() == before {
            return false;
        }
    }
}

/// Returns the positions from which a profile, repeated for ever, can meet all conditions infinitely often: the greatest set of positions
/// that reach a link with all conditions met and its end again in the set.
fn accepting(ways: &[(usize, usize, bool)]) -> HashSet<usize> {
    let mut good: HashSet<usize> = ways.iter().map(|&(from, ..)| from).collect();
    loop {
        // From where a step that meets all conditions is reached, and what follows is good.
        let met = ways
            .iter()
            .filter(|&&(_, to, all)| all && good.contains(&to));
        let mut reaching: HashSet<usize> = met.map(|&(from, ..)| from).collect();
        loop {
            let more = ways.iter().filter(|(_, to, _)| reaching.contains(to));
            let more: Vec<usize> = more.map(|&(from, ..)| from).collect();
            let before = reaching.len();
            reaching.extend(more);
            if reaching.len() == before {
                break;
            }
        }
        if reaching.len() == good.len() {
            return good;
        }
        good = reaching;
    }
}
