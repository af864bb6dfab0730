//! Turns relational systems into systems whose runs are paths (semantics.md §1): a run of n steps has n states, and need not have a step
//! that leaves the last one.
//!
//! A front end writes such a system with lookahead: inputs guess coming values, and constraints [`When::Leaving`] check the guesses. If
//! they had to hold at once, the last state would need a successor. If a latch stored whether they held, a wrong guess would be a run that
//! ends a step later. So the guess for the coming step becomes a choice of that step:
//!
//! - A choice of [`TransitionSystem::leaving`] that decides whether the next state exists is made one step later, as an input of that next
//!   state. State computed from it becomes a value of the step; a latch `was:…` stores it for the following step.
//! - Other reads of the previous step are stored in latches: the largest subterms that do not read the coming step.
//! - Constraints on steps that need no such choice are stored in one latch. A state that breaks them has no leaving step.
//! - A test input that was guessed ahead becomes an input of its own step.
//! - Outputs that read inputs of the leaving step count only where some step carries these inputs (`successor`).
//!
//! Systems without lookahead and without constraints on coming states are unchanged.

mod cuts;
mod reached;
mod successor;

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::conditional::{BEFORE, FIRST_STEP};
use crate::sort::Sort;
use crate::substitution::Substitution;
use crate::system::{Constraint, Init, InputRole, StateVar, TransitionSystem, When};
use crate::term::{BinaryOp, Term, TermError, TermId};

use cuts::Cuts;
use reached::{inputs_in, reached};
pub use successor::CARRIED;

/// Returns the system with paths as runs: no constraint applies to a leaving step, and no input belongs to one.
///
/// # Errors
/// If a term cannot be built, which is a bug of the front end.
pub fn of_paths(system: &TransitionSystem) -> Result<Cow<'_, TransitionSystem>, TermError> {
    let shift = Shift::of(system);
    match shift.is_needed() {
        true => Ok(Cow::Owned(shift.carried_out()?)),
        false => Ok(Cow::Borrowed(system)),
    }
}

/// Returns the system as the front end wrote it, whose step constraints must hold at once: every state of a run has a successor, including
/// the last one. States and steps are counted on it; runs of tests are not.
#[must_use]
pub fn looking_ahead(system: &TransitionSystem) -> TransitionSystem {
    let mut system = system.clone();
    system.leaving.clear();
    for constraint in &mut system.constraints {
        if constraint.when == When::Leaving {
            constraint.when = When::Always;
        }
    }
    system
}

/// The changes that turn a system into one with paths as runs: the inputs that move to the next step, and the state computed from them.
struct Shift<'a> {
    system: &'a TransitionSystem,
    /// Inputs of the leaving step that no term of the state itself reads.
    movable: FxHashSet<usize>,
    /// Inputs that become inputs of the coming step.
    moved: FxHashSet<usize>,
    /// State variables whose next values read moved inputs.
    late: Vec<usize>,
    /// Whether some constraint applies to leaving steps.
    has_steps: bool,
    /// Whether outputs show inputs of a leaving step that need not exist.
    carries: bool,
}

impl<'a> Shift<'a> {
    fn of(system: &'a TransitionSystem) -> Shift<'a> {
        let pool = &system.terms;
        let has_steps = system.constraints.iter().any(|c| c.when == When::Leaving);
        let mut shift = Shift {
            system,
            movable: FxHashSet::default(),
            moved: FxHashSet::default(),
            late: Vec::new(),
            has_steps,
            carries: false,
        };
        if system.leaving.is_empty() {
            return shift;
        }
        let guesses = shift.guesses();
        let outputs: Vec<TermId> = system.outputs.iter().map(|output| output.term).collect();
        let mut read_now = inputs_in(pool, &reached(pool, outputs.iter().copied()));
        let shown = system.leaving.iter().any(|input| read_now.contains(input));
        // Without a TRANS, too, a state may have no successor, and a choice may lead to no state.
        let is_limited = system.constraints.iter().any(|c| c.when == When::Always);
        shift.carries = shown && (has_steps || is_limited);
        let read_by = |terms: &[TermId]| reached(pool, terms.iter().copied());
        let others = (0..system.states.len()).filter(|&state| shift.guess(state).is_none());
        let others: Vec<TermId> = others.map(|state| system.states[state].next).collect();
        let looks_ahead = !inputs_in(pool, &read_by(&others)).is_disjoint(&guesses);
        let is_test = |input: &usize| system.inputs[*input].role == InputRole::Test;
        if !has_steps && !is_limited && !looks_ahead && !guesses.iter().any(is_test) {
            return shift;
        }
        let of_states = reached(pool, shift.constraints(false));
        read_now.extend(inputs_in(pool, &of_states));
        let movable = system.leaving.iter().copied().filter(|input| {
            !read_now.contains(input) && (!is_test(input) || guesses.contains(input))
        });
        shift.movable = movable.collect();
        let limited = of_states.iter().filter_map(|term| match pool.term(*term) {
            Term::State(index) => Some(system.states[*index as usize].next),
            _ => None,
        });
        let decides = reached(pool, limited.chain(shift.constraints(true)));
        let mut deciding = inputs_in(pool, &decides);
        deciding.extend(guesses.iter().copied().filter(is_test));
        shift.moved = match shown {
            // Every state then needs a step, so all choices that decide the state move.
            true => shift.movable.clone(),
            false => shift.movable.intersection(&deciding).copied().collect(),
        };
        shift.late = shift.states_from(&shift.moved);
        shift
    }

    /// Returns the indices of the state variables whose next values read some of these inputs.
    fn states_from(&self, inputs: &FxHashSet<usize>) -> Vec<usize> {
        let (pool, states) = (&self.system.terms, &self.system.states);
        let mut order: Vec<TermId> = reached(pool, states.iter().map(|state| state.next))
            .into_iter()
            .collect();
        // Operands precede terms.
        order.sort_unstable();
        let mut reading: FxHashSet<TermId> = FxHashSet::default();
        for term in order {
            let reads = match pool.term(term) {
                Term::Input(index) => inputs.contains(&(*index as usize)),
                top => top
                    .operands()
                    .into_iter()
                    .flatten()
                    .any(|o| reading.contains(&o)),
            };
            if reads {
                reading.insert(term);
            }
        }
        let states = states.iter().enumerate();
        let late = states.filter(|(_, state)| reading.contains(&state.next));
        late.map(|(index, _)| index).collect()
    }

    /// Returns the terms of the constraints on leaving steps if `on_steps`, else of all other constraints.
    fn constraints(&self, on_steps: bool) -> impl Iterator<Item = TermId> + use<'a> {
        let all = self.system.constraints.iter();
        all.filter(move |c| (c.when == When::Leaving) == on_steps)
            .map(|c| c.term)
    }

    /// Returns the index of the input that guesses the next value of a state variable; `None` if that value is computed.
    fn guess(&self, state: usize) -> Option<usize> {
        let next = self.system.terms.term(self.system.states[state].next);
        match *next {
            Term::Input(index) if self.system.guessed.contains(&state) => Some(index as usize),
            _ => None,
        }
    }

    /// Returns the indices of all inputs that guess the next value of a state variable.
    fn guesses(&self) -> FxHashSet<usize> {
        let states = self.system.guessed.iter();
        states.filter_map(|&state| self.guess(state)).collect()
    }

    fn is_needed(&self) -> bool {
        self.has_steps || self.carries || !self.moved.is_empty()
    }

    fn carried_out(&self) -> Result<TransitionSystem, TermError> {
        let mut system = self.system.clone();
        system.leaving.clear();
        let carried = successor::condition(&mut system, self.system, &self.movable)?;
        let first = self.first_step(&mut system);
        let mut cuts = self.cuts(&mut system);
        let values = self.values(&mut system, &mut cuts, first)?;
        let mut now = Substitution::new();
        for (&state, &value) in self.late.iter().zip(&values) {
            let sort = system.states[state].sort.clone();
            now.replace(system.terms.state(state, sort), value);
        }
        self.limit_steps(&mut system, &mut cuts, &mut now, first)?;
        if let Some(term) = carried {
            system.constraints.push(Constraint {
                name: Some(CARRIED.to_owned()),
                term: now.apply(&mut system.terms, term)?,
                when: When::Always,
                span: None,
            });
        }
        self.move_values(&mut system, &mut now)?;
        for (&state, &value) in self.late.iter().zip(&values) {
            let variable = &mut system.states[state];
            variable.next = value;
            variable.name = format!("{BEFORE}{}", variable.name);
        }
        self.drop_first_inputs(&mut system)?;
        Ok(system)
    }

    /// Adds a state variable that is true at step 0 only, and returns its term.
    fn first_step(&self, system: &mut TransitionSystem) -> TermId {
        let terms = &mut system.terms;
        let (yes, no) = (terms.bool(true), terms.bool(false));
        let first = terms.state(system.states.len(), Sort::Bool);
        system.states.push(StateVar {
            name: FIRST_STEP.to_owned(),
            sort: Sort::Bool,
            init: Init::Term(yes),
            next: no,
        });
        first
    }

    /// Returns a translation of terms about a step into terms with the same value one step later. Adds to `system` the latches that these
    /// read: they store the values of the largest subterms that read neither moved inputs nor late state.
    fn cuts(&self, system: &mut TransitionSystem) -> Cuts {
        let of_steps = self.constraints(true).filter(|term| self.is_moved(*term));
        let invariants = system.invariants.iter().map(|invariant| invariant.term);
        let roots: Vec<TermId> = (self.late.iter())
            .map(|&state| self.system.states[state].next)
            .chain(of_steps)
            .chain(invariants.filter(|term| self.is_about_steps(*term)))
            .collect();
        Cuts::new(system, &roots, &self.moved, &self.late)
    }

    fn inputs_of(&self, term: TermId) -> FxHashSet<usize> {
        let pool = &self.system.terms;
        inputs_in(pool, &reached(pool, [term]))
    }

    /// Whether a term reads a moved input.
    fn is_moved(&self, term: TermId) -> bool {
        !self.inputs_of(term).is_disjoint(&self.moved)
    }

    /// Whether a term reads an input of the leaving step.
    fn is_about_steps(&self, term: TermId) -> bool {
        let inputs = self.inputs_of(term);
        self.system.leaving.iter().any(|i| inputs.contains(i))
    }

    /// Returns the current values of the late state variables, which are computed from moved inputs. From now on these state variables hold
    /// the previous values, except at step 0, where they hold the initial values.
    ///
    /// `first` is the term that is true at step 0. `cuts` translates terms about the previous step.
    fn values(
        &self,
        system: &mut TransitionSystem,
        cuts: &mut Cuts,
        first: TermId,
    ) -> Result<Vec<TermId>, TermError> {
        let initially_read: FxHashSet<TermId> = {
            let inits = system.states.iter().filter_map(|state| match state.init {
                Init::Term(term) => Some(term),
                Init::Free => None,
            });
            reached(&system.terms, inits)
        };
        let mut values = Vec::new();
        for &state in &self.late {
            let variable = self.system.states[state].clone();
            let value = cuts.apply(&mut system.terms, variable.next)?;
            let was = system.terms.state(state, variable.sort.clone());
            let guess = self.guess(state);
            if let Some(guess) = guess {
                system.inputs[guess].name.clone_from(&variable.name);
            }
            if guess.is_some() && (variable.init == Init::Free || self.first_input(state).is_some())
            {
                // The choice is also made at step 0.
                let nothing = system.terms.constant(variable.sort.clone(), 0);
                let init = match initially_read.contains(&was) {
                    true => value,
                    false => nothing,
                };
                system.states[state].init = Init::Term(init);
                values.push(value);
            } else {
                values.push(system.terms.ite(first, was, value)?);
            }
        }
        Ok(values)
    }

    /// Returns the test input that is the initial value of a state variable whose next value another test input guesses; `None` for any
    /// other state variable.
    fn first_input(&self, state: usize) -> Option<usize> {
        let system = self.system;
        let Init::Term(init) = system.states[state].init else {
            return None;
        };
        let Term::Input(input) = *system.terms.term(init) else {
            return None;
        };
        let guess = self.guess(state)?;
        let is_test = |index: usize| system.inputs[index].role == InputRole::Test;
        (is_test(input as usize) && is_test(guess)).then_some(input as usize)
    }

    /// Turns constraints on leaving steps into constraints on the next states, and translates all other constraints and the invariants.
    ///
    /// `cuts` translates terms about the previous step, `now` terms about the current step. `first` is the term that is true at step 0.
    fn limit_steps(
        &self,
        system: &mut TransitionSystem,
        cuts: &mut Cuts,
        now: &mut Substitution,
        first: TermId,
    ) -> Result<(), TermError> {
        let mut possible = system.terms.bool(true);
        let mut known: Option<Constraint> = None;
        for mut constraint in std::mem::take(&mut system.constraints) {
            let terms = &mut system.terms;
            match constraint.when {
                When::Always | When::Initially => {
                    constraint.term = now.apply(terms, constraint.term)?
                }
                When::Leaving if self.is_moved(constraint.term) => {
                    let taken = cuts.apply(terms, constraint.term)?;
                    constraint.term = terms.binary(BinaryOp::Or, first, taken)?;
                    constraint.when = When::Always;
                }
                When::Leaving => {
                    let term = now.apply(terms, constraint.term)?;
                    possible = terms.binary(BinaryOp::And, possible, term)?;
                    known.get_or_insert(constraint);
                    continue;
                }
            }
            system.constraints.push(constraint);
        }
        if let Some(constraint) = known {
            let terms = &mut system.terms;
            let yes = terms.bool(true);
            let term = terms.state(system.states.len(), Sort::Bool);
            system.states.push(StateVar {
                name: "hyperkill:possible".to_owned(),
                sort: Sort::Bool,
                init: Init::Term(yes),
                next: possible,
            });
            system.constraints.push(Constraint {
                term,
                when: When::Always,
                ..constraint
            });
        }
        for index in 0..system.invariants.len() {
            let term = system.invariants[index].term;
            let terms = &mut system.terms;
            system.invariants[index].term = match self.is_about_steps(term) {
                true => {
                    let held = cuts.apply(terms, term)?;
                    terms.binary(BinaryOp::Or, first, held)?
                }
                false => now.apply(terms, term)?,
            };
        }
        Ok(())
    }

    /// Applies `now`, which replaces late state (computed from moved inputs) by its current values, to outputs, obligations and the next
    /// values of all other state.
    fn move_values(
        &self,
        system: &mut TransitionSystem,
        now: &mut Substitution,
    ) -> Result<(), TermError> {
        let TransitionSystem {
            terms,
            states,
            outputs,
            obligations,
            ..
        } = system;
        let own = states.iter_mut().take(self.system.states.len());
        for (index, state) in own.enumerate() {
            if !self.late.contains(&index) {
                state.next = now.apply(terms, state.next)?;
            }
        }
        for output in outputs {
            output.term = now.apply(terms, output.term)?;
        }
        for obligation in obligations {
            obligation.term = now.apply(terms, obligation.term)?;
        }
        Ok(())
    }

    /// Removes the inputs that only give a guessed test input its value at step 0 ([`Shift::first_input`]), and renumbers the other inputs.
    fn drop_first_inputs(&self, system: &mut TransitionSystem) -> Result<(), TermError> {
        let dropped: FxHashSet<usize> = (self.late.iter())
            .filter_map(|&state| self.first_input(state))
            .collect();
        if dropped.is_empty() {
            return Ok(());
        }
        let mut renumbered = Substitution::new();
        let mut kept = Vec::new();
        for (index, input) in std::mem::take(&mut system.inputs).into_iter().enumerate() {
            if !dropped.contains(&index) {
                let old = system.terms.input(index, input.sort.clone());
                let new = system.terms.input(kept.len(), input.sort.clone());
                renumbered.replace(old, new);
                kept.push(input);
            }
        }
        system.inputs = kept;
        let TransitionSystem {
            terms,
            states,
            outputs,
            constraints,
            obligations,
            invariants,
            ..
        } = system;
        let inits = states.iter_mut().filter_map(|s| match &mut s.init {
            Init::Term(term) => Some(term),
            Init::Free => None,
        });
        let mut all: Vec<&mut TermId> = inits.collect();
        all.extend(outputs.iter_mut().map(|output| &mut output.term));
        all.extend(
            constraints
                .iter_mut()
                .map(|constraint| &mut constraint.term),
        );
        all.extend(
            obligations
                .iter_mut()
                .map(|obligation| &mut obligation.term),
        );
        all.extend(invariants.iter_mut().map(|invariant| &mut invariant.term));
        for term in all {
            *term = renumbered.apply(terms, *term)?;
        }
        for state in states {
            state.next = renumbered.apply(terms, state.next)?;
        }
        Ok(())
    }
}
