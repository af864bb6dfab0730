//! Greatest fixpoints on pairs of states (semantics.md §6.9).

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Stop;
use hyperkill_evidence::closed_set::Relation as Question;
use hyperkill_evidence::fault::{Fault, planted};

use super::Among;
use super::relation::Relation;
use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT, System};

/// A fixpoint computation on pairs of states (model, mutant): transition relations of both sides, initial and reachable states.
pub(super) struct Game<'s, 'm> {
    pub(super) system: &'s mut System<'m>,
    pub(super) question: Question,
    /// The relation of the model's steps, which answer steps of the mutant.
    answers: Relation,
    /// The relation of the mutant's steps.
    steps: Relation,
    /// The initial states of each side, model first; the next field has their reachable states.
    pub(super) starts: [Bdd; 2],
    reached: [Bdd; 2],
}

impl<'s, 'm> Game<'s, 'm> {
    pub(super) fn new(
        system: &'s mut System<'m>,
        question: Question,
        among: Among,
    ) -> Result<Game<'s, 'm>, Stop> {
        let (of_model, _) = system.reachable(MODEL, &[])?;
        // If pairs are limited to similar states, the mutant's states need no bound of their own.
        let (of_mutant, _) = match among {
            Among::All => system.reachable(MUTANT, &[of_model])?,
            Among::Equal | Among::Alike | Among::Chosen => (system.one_member, 0),
        };
        let parts = system.parts(MODEL, true)?;
        let [model, mutant] = [&system.sides[MODEL], &system.sides[MUTANT]];
        let hidden = [model.coming(), model.chosen()].concat();
        let mut observed = [mutant.coming(), mutant.chosen(), system.shown.clone()].concat();
        if question == Question::Matched {
            observed.extend(system.input_levels());
        }
        let starts = [model.initial, mutant.initial];
        let answers = Relation::new(&mut system.store, &parts, &hidden)?;
        let parts = system.parts(MUTANT, true)?;
        let steps = Relation::new(&mut system.store, &parts, &observed)?;
        Ok(Game {
            system,
            question,
            answers,
            steps,
            starts,
            reached: [of_model, of_mutant],
        })
    }

    /// Returns the same set of pairs of states with current-state variables replaced by next-state variables.
    pub(super) fn coming(&mut self, pairs: Bdd) -> Result<Bdd, Stop> {
        let sides = self.system.sides.iter().flat_map(|side| &side.states);
        let levels: Vec<(Level, Level)> = sides.map(|state| (state.now, state.next)).collect();
        let store = &mut self.system.store;
        let images: Vec<(Level, Bdd)> = levels
            .into_iter()
            .map(|(now, next)| (now, store.variable(next)))
            .collect();
        let shift = store.substitution(images);
        store.substitute(pairs, &shift)
    }

    /// Frees the nodes of the store that neither `pairs` nor the decision diagrams of the game contain.
    pub(super) fn keep(&mut self, pairs: Bdd) {
        let mut roots = self.system.roots();
        roots.extend(self.answers.roots().chain(self.steps.roots()));
        roots.extend(self.starts.iter().chain(&self.reached).copied());
        roots.push(pairs);
        self.system.store.keep(roots);
    }

    /// Returns the greatest simulation relation within the pairs that `among` permits, and the members whose initial states it relates.
    /// `None` if there is no such member.
    pub(super) fn greatest(
        &mut self,
        members: &[SelectorId],
        among: Among,
    ) -> Result<Option<(Bdd, Vec<SelectorId>)>, Stop> {
        let near = self.near(among)?;
        let [of_model, of_mutant] = self.reached;
        let pairs = self.system.store.and(near, of_mutant)?;
        let mut pairs = self.system.store.and(pairs, of_model)?;
        loop {
            let lost = self.lost(pairs)?;
            let left = self.system.store.without(pairs, lost)?;
            let failing = self.failing(left)?;
            if failing == Bdd::TRUE || (failing == self.system.one_member) {
                return Ok(None);
            }
            let left = self.system.store.without(left, failing)?;
            if left == pairs {
                let proved = self.proved(members, failing);
                return Ok((!proved.is_empty()).then_some((left, proved)));
            }
            pairs = left;
            self.keep(pairs);
        }
    }

    /// Returns the pairs that must leave the relation `pairs`. For [`Question::Matched`], some step of the mutant has no answer in the
    /// relation; for [`Question::Agreeing`], some input has no pair of steps with equal outputs.
    fn lost(&mut self, pairs: Bdd) -> Result<Bdd, Stop> {
        let coming = self.coming(pairs)?;
        let store = &mut self.system.store;
        let answered = self.answers.image(store, coming)?;
        // In a pair both states are nearly equal, so diagrams stay small if they are conjoined with the pairs first.
        match self.question {
            Question::Matched => {
                let unanswered = store.without(pairs, answered)?;
                self.steps.image(store, unanswered)
            }
            Question::Agreeing => {
                let answered = store.and(pairs, answered)?;
                let agreed = self.steps.image(store, answered)?;
                let inputs = self.system.inputs.iter().map(|&(_, level)| level);
                let inputs = store.cube(inputs.collect::<Vec<_>>())?;
                let disagreed = store.without(pairs, agreed)?;
                store.exists(disagreed, inputs)
            }
        }
    }

    /// Returns the members, as values of selectors, whose initial states fail. For [`Question::Matched`], an initial state of the mutant is
    /// paired with none of the model; for [`Question::Agreeing`], no pair of initial states is related.
    fn failing(&mut self, pairs: Bdd) -> Result<Bdd, Stop> {
        let [model, mutant] = [&self.system.sides[MODEL], &self.system.sides[MUTANT]];
        let (model, mutant) = (model.now(), mutant.now());
        let store = &mut self.system.store;
        let (model, mutant) = (store.cube(model)?, store.cube(mutant)?);
        let started = store.and_exists(pairs, self.starts[MODEL], model)?;
        let failing = match self.question {
            Question::Matched => store.and_exists(!started, self.starts[MUTANT], mutant)?,
            Question::Agreeing => !store.and_exists(started, self.starts[MUTANT], mutant)?,
        };
        if planted(Fault::QuantifiedSelector) {
            let selectors: Vec<Level> = self.system.selectors.iter().map(|s| s.1).collect();
            let selectors = store.cube(selectors)?;
            let one_passes = store.without(self.system.one_member, failing)?;
            return Ok(!store.exists(one_passes, selectors)?);
        }
        store.and(failing, self.system.one_member)
    }

    fn proved(&self, members: &[SelectorId], failing: Bdd) -> Vec<SelectorId> {
        let selectors = &self.system.selectors;
        let is_proved = |member: &SelectorId| {
            let of = |level: Level| selectors.iter().any(|s| s.1 == level && s.0 == *member);
            !self.system.store.value(failing, of)
        };
        members.iter().copied().filter(is_proved).collect()
    }
}
