//! Clauses for the implementations that pass all tests.
//!
//! A literal selects each choice of the domain. All tests form a trie. For each prefix and each state a literal says that the
//! implementation is in that state after the prefix. Clauses are about successors only, so their number depends on the size of the trie and
//! not on the number of paths in the domain. A literal for each prefix activates its expected outputs.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_sat::{Answer as Found, Lit, Solver};
use hyperkill_sat_cadical::Cadical;
use hyperkill_timed_fsm::choices::{Choice, MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Answer, Machine};

use super::Stimulus;
use super::apart::Apart;
use super::outcome::{Class, Name};
use crate::fault::CompleteFault;
use crate::implementation::Runs;

/// The number of choices up to which a group needs no ladder encoding.
const PAIRS: usize = 4;

/// The number of wrong answers up to which each has its own clause.
const MAX_SINGLE_ANSWERS: usize = 2;

/// The number of states up to which clauses say that an implementation is in at most one of them.
const MOST_EXCLUDED: usize = 40;

/// The number of entries of states with their times, at most.
const MOST_ENTRIES: usize = 3_000_000;

/// A prefix of tests, with the literals about an implementation after it.
pub(super) struct Node {
    pub(super) parent: usize,
    /// The last input of the prefix, with the delay before it.
    pub(super) stimulus: Stimulus,
    /// The state of the specification.
    state: usize,
    /// The states that the implementation enters after the prefix without an input: by time and state, the literal that it does.
    pub(super) entered: BTreeMap<(u64, usize), Lit>,
    /// By delay, the states that the implementation may then be in, each with its literal.
    at: BTreeMap<u64, Vec<(usize, Lit)>>,
    children: BTreeMap<Stimulus, usize>,
    /// The literal that requires the expected answers along the prefix.
    pub(super) on: Lit,
}

/// The behaviour of an implementation that has just entered a state, without an input.
struct Wait {
    /// The states that are entered: by time and state, the literal that the implementation does.
    entered: BTreeMap<(u64, usize), Lit>,
    /// The time up to which entries are encoded.
    until: Option<u64>,
    /// By delay, the states that the implementation may then be in, each with its literal.
    at: BTreeMap<u64, Vec<(usize, Lit)>>,
}

/// The clauses about implementations that pass the tests, with their solver.
pub(crate) struct Formula<'a> {
    machine: &'a Machine,
    mutation: &'a MutationMachine,
    pub(super) solver: Cadical,
    truth: Lit,
    answers: Vec<Vec<Vec<Lit>>>,
    timeouts: Vec<Vec<Lit>>,
    /// For each state the lengths of its timeouts, each with a literal that it expires at this time or earlier.
    expired: Vec<Vec<(u64, Lit)>>,
    /// The waits by the state that was entered.
    waits: Vec<Wait>,
    pub(super) nodes: Vec<Node>,
    entries: usize,
    /// The number of clauses of the formula.
    clauses: usize,
    /// For each state, input and expected output: literals that the answer is another one.
    wrong: BTreeMap<(usize, usize, usize), Vec<Lit>>,
    pub(super) apart: Apart,
    naming: Option<Naming>,
    planted: Option<CompleteFault>,
}

/// Names of states, which hold as long as the tests that separate them exist.
#[derive(Clone)]
pub(crate) struct Naming {
    guard: Lit,
    /// The prefixes of the required tests.
    required: Vec<usize>,
}

/// The answer to a query about implementations.
pub(crate) enum Survivor {
    /// This implementation passes.
    One(Selection),
    /// No implementation passes.
    None,
    /// The query is undecided, for this reason.
    Open(Stop),
}

impl<'a> Formula<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        mutation: &'a MutationMachine,
        planted: Option<CompleteFault>,
    ) -> Formula<'a> {
        let mut solver = Cadical::growing();
        let truth = solver.new_lit();
        solver.add_clause(&[truth]);
        let mut formula = Formula {
            machine,
            mutation,
            solver,
            truth,
            answers: Vec::new(),
            timeouts: Vec::new(),
            expired: Vec::new(),
            waits: Vec::new(),
            nodes: Vec::new(),
            entries: 0,
            clauses: 0,
            wrong: BTreeMap::new(),
            apart: Apart::default(),
            naming: None,
            planted,
        };
        for (state, groups) in mutation.answers.iter().enumerate() {
            let mut selectors: Vec<Vec<Lit>> = Vec::new();
            for (input, group) in groups.iter().enumerate() {
                // Pieces of one class of delays share a choice.
                let place = mutation.place(state, input);
                selectors.push(match formula.answers.get(place) {
                    Some(known) => known[input].clone(),
                    None => formula.group(group.len()),
                });
            }
            formula.answers.push(selectors);
        }
        for group in &mutation.timeouts {
            let selectors = formula.group(group.len());
            formula.timeouts.push(selectors);
        }
        for state in 0..mutation.states.len() {
            let expired = formula.expirations(state);
            formula.expired.push(expired);
        }
        let starts = 0..mutation.states.len();
        let waits = starts.map(|state| Wait {
            entered: BTreeMap::from([((0, state), truth)]),
            until: None,
            at: BTreeMap::new(),
        });
        formula.waits = waits.collect();
        let root = formula.node(0, 0);
        formula.nodes[root].entered.insert((0, 0), truth);
        formula
    }

    fn node(&mut self, parent: usize, state: usize) -> usize {
        self.nodes.push(Node {
            parent,
            stimulus: (0, 0),
            state,
            entered: BTreeMap::new(),
            at: BTreeMap::new(),
            children: BTreeMap::new(),
            on: self.solver.new_lit(),
        });
        self.nodes.len() - 1
    }

    /// Returns a new literal that the solver prefers to be false. Survivors are then close to the specification, and such mutants are hard
    /// to kill.
    fn unlikely(&mut self) -> Lit {
        !self.solver.new_lit()
    }

    /// Adds a clause. Literals that are known to be false are left out, and clauses that are known to be true are not added.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        if literals.contains(&self.truth) {
            return;
        }
        let falsity = !self.truth;
        let open: Vec<Lit> = literals
            .iter()
            .copied()
            .filter(|lit| *lit != falsity)
            .collect();
        self.clauses += 1;
        match open.is_empty() {
            true => self.solver.add_clause(&[falsity]),
            false => self.solver.add_clause(&open),
        }
    }

    /// Returns a selector literal for each choice of a group. Exactly one selector is true.
    fn group(&mut self, choices: usize) -> Vec<Lit> {
        if choices == 1 {
            return vec![self.truth];
        }
        // The first choice is the specification's.
        let own = self.solver.new_lit();
        let others = (1..choices).map(|_| !self.solver.new_lit());
        let selectors: Vec<Lit> = std::iter::once(own).chain(others).collect();
        self.clause(&selectors);
        if choices <= PAIRS {
            for (index, first) in selectors.iter().enumerate() {
                for second in &selectors[index + 1..] {
                    self.clause(&[!*first, !*second]);
                }
            }
            return selectors;
        }
        // Each rung of the ladder says that a choice up to here is made.
        let mut rung = selectors[0];
        for selector in &selectors[1..] {
            self.clause(&[!rung, !*selector]);
            let next = self.solver.new_lit();
            self.clause(&[!rung, next]);
            self.clause(&[!*selector, next]);
            rung = next;
        }
        selectors
    }

    fn expirations(&mut self, state: usize) -> Vec<(u64, Lit)> {
        let group = self.mutation.timeouts[state]
            .iter()
            .zip(&self.timeouts[state]);
        let mut lengths: BTreeMap<u64, Vec<Lit>> = BTreeMap::new();
        let mut never = false;
        for (choice, selector) in group {
            match choice.does {
                Some(timeout) => {
                    let of_length = lengths.entry(u64::from(timeout.after)).or_default();
                    of_length.push(*selector);
                }
                None => never = true,
            }
        }
        let count = lengths.len();
        let mut expired: Vec<(u64, Lit)> = Vec::new();
        for (index, (length, mut selectors)) in lengths.into_iter().enumerate() {
            let mut literal = self.truth;
            if never || index + 1 < count {
                literal = self.solver.new_lit();
                selectors.extend(expired.last().map(|(_, before)| *before));
                selectors.push(!literal);
                self.clause(&selectors);
            }
            expired.push((length, literal));
        }
        expired
    }

    /// Returns the literal that the timeout of a state has expired after a time.
    fn has_expired(&self, state: usize, after: u64) -> Lit {
        let lengths = self.expired[state].iter();
        let is_over = |length: u64| match self.planted {
            Some(CompleteFault::InputBeforeTimeout) => length < after,
            _ => length <= after,
        };
        let over = lengths.take_while(|(length, _)| is_over(*length)).last();
        over.map_or(!self.truth, |(_, literal)| *literal)
    }

    /// Encodes the states that an implementation enters without an input, from its entry into `start` up to a delay.
    fn wait(&mut self, start: usize, delay: u64, budget: &Budget) -> Result<(), Stop> {
        let known = self.waits[start].until;
        if known.is_some_and(|known| known >= delay) {
            return Ok(());
        }
        let mut next = self.waits[start].entered.keys().next().copied();
        while let Some((time, state)) = next {
            let is_new = known.is_none_or(|known| time > known);
            let literal = self.waits[start].entered[&(time, state)];
            for (index, choice) in self.mutation.timeouts[state].iter().enumerate() {
                let Some(timeout) = choice.does else {
                    continue;
                };
                let then = time.saturating_add(u64::from(timeout.after));
                let is_known = !is_new && known.is_some_and(|known| then <= known);
                if then <= delay && !is_known {
                    let entered = self.later(start, (then, timeout.target));
                    let selector = self.timeouts[state][index];
                    self.clause(&[!literal, !selector, entered]);
                }
            }
            if self.entries > MOST_ENTRIES {
                return Err(Stop::Memory);
            }
            budget.check()?;
            let behind = (time, state + 1);
            let mut later = self.waits[start].entered.range(behind..);
            next = later.next().map(|(entry, _)| *entry);
        }
        self.waits[start].until = Some(delay);
        Ok(())
    }

    fn later(&mut self, start: usize, entry: (u64, usize)) -> Lit {
        if let Some(known) = self.waits[start].entered.get(&entry) {
            return *known;
        }
        let literal = self.unlikely();
        self.entries += 1;
        self.waits[start].entered.insert(entry, literal);
        literal
    }

    fn entry(&mut self, node: usize, state: usize) -> Lit {
        if let Some(known) = self.nodes[node].entered.get(&(0, state)) {
            return *known;
        }
        let literal = self.unlikely();
        self.entries += 1;
        self.nodes[node].entered.insert((0, state), literal);
        literal
    }

    /// Returns the states that an implementation may be in after a delay since it entered `start`, each with its literal. They are
    /// independent of the test.
    fn waited(
        &mut self,
        start: usize,
        delay: u64,
        budget: &Budget,
    ) -> Result<Vec<(usize, Lit)>, Stop> {
        if let Some(known) = self.waits[start].at.get(&delay) {
            return Ok(known.clone());
        }
        self.wait(start, delay, budget)?;
        let entered: Vec<((u64, usize), Lit)> = self.waits[start]
            .entered
            .range(..=(delay, usize::MAX))
            .map(|(entry, literal)| (*entry, *literal))
            .collect();
        let mut states: BTreeMap<usize, Lit> = BTreeMap::new();
        for ((time, state), literal) in entered {
            let expired = self.has_expired(state, delay - time);
            if expired == self.truth {
                continue;
            }
            if literal == self.truth && expired == !self.truth {
                states.insert(state, self.truth);
                continue;
            }
            let solver = &mut self.solver;
            let here = *states.entry(state).or_insert_with(|| !solver.new_lit());
            self.clause(&[!literal, expired, here]);
        }
        let states: Vec<(usize, Lit)> = states.into_iter().collect();
        let literals: Vec<Lit> = states.iter().map(|(_, literal)| *literal).collect();
        self.is_in_one(self.truth, &literals);
        self.waits[start].at.insert(delay, states.clone());
        Ok(states)
    }

    /// Returns the states that the implementation may be in after the prefix `node` and a delay, each with its literal.
    fn at(&mut self, node: usize, delay: u64, budget: &Budget) -> Result<Vec<(usize, Lit)>, Stop> {
        if let Some(known) = self.nodes[node].at.get(&delay) {
            return Ok(known.clone());
        }
        let entered: Vec<(usize, Lit)> = self.nodes[node]
            .entered
            .iter()
            .map(|((_, state), literal)| (*state, *literal))
            .collect();
        let mut states: BTreeMap<usize, Lit> = BTreeMap::new();
        for (start, literal) in entered {
            for (state, waited) in self.waited(start, delay, budget)? {
                let solver = &mut self.solver;
                let here = *states.entry(state).or_insert_with(|| !solver.new_lit());
                self.clause(&[!literal, !waited, here]);
            }
        }
        let states: Vec<(usize, Lit)> = states.into_iter().collect();
        let literals: Vec<Lit> = states.iter().map(|(_, literal)| *literal).collect();
        self.is_in_one(self.nodes[node].on, &literals);
        self.nodes[node].at.insert(delay, states.clone());
        Ok(states)
    }

    /// Adds a test and returns its prefix. `None` if the specification has no transition for one of its inputs.
    pub(crate) fn add_test(
        &mut self,
        test: &[Stimulus],
        budget: &Budget,
    ) -> Result<Option<usize>, Stop> {
        let (mut node, mut clock) = (0, 0);
        for &(delay, input) in test {
            let stimulus = match self.planted {
                Some(CompleteFault::StampTakenForDelay) => (clock + delay, input),
                _ => (delay, input),
            };
            clock += delay;
            let own = self.machine.wait(self.nodes[node].state, delay);
            let Some(expected) = self.machine.answer(own, input) else {
                return Ok(None);
            };
            node = match self.nodes[node].children.get(&stimulus) {
                Some(known) => *known,
                None => self.add_child(node, stimulus, expected, budget)?,
            };
        }
        Ok(Some(node))
    }

    fn add_child(
        &mut self,
        node: usize,
        (delay, input): Stimulus,
        expected: Answer,
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let waited = match self.planted {
            Some(CompleteFault::ClockKeptOverInput) => delay + self.nodes[node].stimulus.0,
            _ => delay,
        };
        let states = self.at(node, waited, budget)?;
        let child = self.node(node, expected.target);
        self.nodes[child].stimulus = (delay, input);
        let on = self.nodes[child].on;
        let before = self.nodes[node].on;
        self.clause(&[!on, before]);
        self.nodes[node].children.insert((delay, input), child);
        for (state, here) in states {
            let group = &self.mutation.answers[state][input];
            let mut is_passing = false;
            for (index, choice) in group.iter().enumerate() {
                if let Some(target) = passing(choice, expected.output) {
                    let selector = self.answers[state][input][index];
                    let next = self.entry(child, target);
                    self.clause(&[!here, !selector, next]);
                    is_passing = true;
                }
            }
            if !is_passing {
                self.clause(&[!here, !on]);
                continue;
            }
            for wrong in self.wrong(state, input, expected.output) {
                self.clause(&[!here, !wrong, !on]);
            }
        }
        let entered: Vec<Lit> = self.nodes[child].entered.values().copied().collect();
        self.is_in_one(on, &entered);
        self.part(child, (delay, input), expected.output);
        Ok(child)
    }

    /// Returns a few literals such that at least one holds if the answer to an input in a state has another output than the expected one.
    fn wrong(&mut self, state: usize, input: usize, expected: usize) -> Vec<Lit> {
        let place = (state, input, expected);
        if let Some(known) = self.wrong.get(&place) {
            return known.clone();
        }
        let group = self.mutation.answers[state][input].iter();
        let selectors = group.zip(&self.answers[state][input]);
        let wrong = selectors.filter(|(choice, _)| passing(choice, expected).is_none());
        let mut wrong: Vec<Lit> = wrong.map(|(_, selector)| *selector).collect();
        if wrong.len() > MAX_SINGLE_ANSWERS {
            let any = self.unlikely();
            for selector in wrong {
                self.clause(&[!selector, any]);
            }
            wrong = vec![any];
        }
        self.wrong.insert(place, wrong.clone());
        wrong
    }

    /// Adds that a passing implementation is in exactly one state at a time. The other clauses imply this, but the solver would derive it
    /// again and again.
    fn is_in_one(&mut self, on: Lit, states: &[Lit]) {
        let some: Vec<Lit> = std::iter::once(!on).chain(states.iter().copied()).collect();
        self.clause(&some);
        if states.len() <= MOST_EXCLUDED {
            for (index, first) in states.iter().enumerate() {
                for second in &states[index + 1..] {
                    self.clause(&[!*first, !*second]);
                }
            }
        }
    }

    /// Searches for an implementation that passes the tests that end in these prefixes and is of no blocked class, within a limit on
    /// conflicts.
    pub(crate) fn survivor(
        &mut self,
        leaves: &[usize],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Survivor {
        let mut assumed: Vec<Lit> = leaves.iter().map(|leaf| self.nodes[*leaf].on).collect();
        if self.has_names(leaves) {
            assumed.extend(self.naming.as_ref().map(|naming| naming.guard));
        }
        match self.solver.solve(&assumed, conflicts, budget) {
            Found::Possible => Survivor::One(self.selection()),
            Found::Impossible => Survivor::None,
            Found::Undecided(stop) => Survivor::Open(stop),
        }
    }

    /// Returns one answer for each element of `leaves`: whether the last query had no survivor because of the tests that end there. To be
    /// called only after [`Survivor::None`].
    pub(crate) fn blamed(&mut self, leaves: &[usize]) -> Vec<bool> {
        let assumed = leaves.iter().map(|leaf| self.nodes[*leaf].on);
        assumed.map(|on| self.solver.is_blamed(on)).collect()
    }

    /// Adds that access sequences lead to the states named after them, as long as tests have all the required prefixes.
    pub(crate) fn name(&mut self, names: &[Name], required: Vec<usize>) {
        let guard = self.solver.new_lit();
        for name in names {
            let mut node = 0;
            for stimulus in &name.access {
                match self.nodes[node].children.get(stimulus) {
                    Some(child) => node = *child,
                    // Every access sequence begins a test that separates its state from the initial one.
                    None => return,
                }
            }
            let others = self.nodes[node].entered.range(..(1, 0));
            let others = others.filter(|((_, state), _)| *state != name.state);
            let others: Vec<Lit> = others.map(|(_, literal)| *literal).collect();
            for other in others {
                self.clause(&[!guard, !other]);
            }
        }
        self.naming = Some(Naming { guard, required });
    }

    /// Returns the names of the states, as [`Formula::name_again`] restores them; `None` if there are none.
    pub(crate) fn naming(&self) -> Option<Naming> {
        self.naming.clone()
    }

    /// Restores earlier names of states.
    pub(crate) fn name_again(&mut self, naming: Option<Naming>) {
        self.naming = naming;
    }

    /// Whether states have names with these tests.
    pub(crate) fn has_names(&self, leaves: &[usize]) -> bool {
        let Some(naming) = &self.naming else {
            return false;
        };
        if self.planted == Some(CompleteFault::NamesWithoutTests) {
            return true;
        }
        let mut covered = vec![false; self.nodes.len()];
        covered[0] = true;
        for leaf in leaves {
            let mut node = *leaf;
            while !std::mem::replace(&mut covered[node], true) {
                node = self.nodes[node].parent;
            }
        }
        naming.required.iter().all(|node| covered[*node])
    }

    /// Whether the formula is so large that unneeded tests would cost more than they save.
    pub(crate) fn is_large(&self) -> bool {
        self.entries > MOST_ENTRIES / 3
    }

    /// Returns the number of clauses of the formula.
    pub(crate) fn clauses(&self) -> usize {
        self.clauses
    }

    /// Returns the prefix without its last input.
    pub(crate) fn parent(&self, node: usize) -> usize {
        self.nodes[node].parent
    }

    fn selection(&mut self) -> Selection {
        let solver = &mut self.solver;
        let truth = self.truth;
        let mut selected = |group: &Vec<Lit>| {
            let mut group = group.iter();
            let found = group.position(|lit| *lit == truth || solver.value(*lit));
            found.unwrap_or(0)
        };
        let answers = self.answers.iter();
        Selection {
            answers: answers
                .map(|groups| groups.iter().map(&mut selected).collect())
                .collect(),
            timeouts: self.timeouts.iter().map(&mut selected).collect(),
        }
    }

    /// Adds the clause that excludes the implementations of a class: some choice is outside of it.
    pub(crate) fn block(&mut self, class: &Class) {
        let mut clause = Vec::new();
        let mut leave = |selectors: &[Lit], allowed: &BTreeSet<usize>| {
            if allowed.len() == 1 {
                clause.extend(allowed.iter().map(|at| !selectors[*at]));
                return;
            }
            let others = selectors.iter().enumerate();
            let others = others.filter(|(at, _)| !allowed.contains(at));
            clause.extend(others.map(|(_, selector)| *selector));
        };
        for (&(state, input), allowed) in &class.answers {
            leave(&self.answers[state][input], allowed);
        }
        for (&state, allowed) in &class.timeouts {
            leave(&self.timeouts[state], allowed);
        }
        self.clause(&clause);
    }
}

/// Returns the target of an answer if it has the expected output; otherwise `None`.
fn passing(choice: &Choice<Answer>, expected: usize) -> Option<usize> {
    let answer = choice.does.filter(|answer| answer.output == expected)?;
    Some(answer.target)
}
