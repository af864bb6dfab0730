//! Jumps: `break`, `continue`, `return` and `disable`.
//!
//! A jump is taken under a condition. The environment of the jumping path is kept with its target until control reaches the target.
//! Execution goes on for the other paths. These keep their constants, so a loop that some paths have left is still unrolled with known
//! bounds.

use std::rc::Rc;

use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;

use crate::ast::{ExprId, Name};
use crate::design::{Run, Stop};
use crate::state::{Elaborator, Env, Parked, Place};

impl Elaborator<'_> {
    /// Runs a part that a jump to its end can leave.
    pub(super) fn with_end<T>(
        &mut self,
        place: Place,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let number = self.jumps.len() + 1;
        self.jumps.push(place);
        let result = run(self);
        self.jumps.pop();
        let result = result?;
        self.arrive(number)?;
        Ok(result)
    }

    /// Joins the pending jumps to this target with the path that reaches it without a jump.
    fn arrive(&mut self, number: usize) -> Run<()> {
        if self.env.parked.iter().all(|parked| parked.at != number) {
            return Ok(());
        }
        let parked = std::mem::take(&mut self.env.parked);
        let (mut rest, mut arrived) = (Vec::new(), None);
        for one in &parked {
            if one.at == number {
                arrived = Some(match arrived {
                    Some(before) => self.either(before, one.condition)?,
                    None => one.condition,
                });
                continue;
            }
            // A path jumps once: subtract the conditions that arrive here from later jumps to other targets.
            rest.push(match arrived {
                None => one.clone(),
                Some(arrived) => {
                    let others = self.design.words.pool.not(arrived)?;
                    self.narrowed(one, others)?
                }
            });
        }
        // Conditions of earlier jumps are tested first, so earlier jumps are joined last.
        for one in parked.iter().rev().filter(|one| one.at == number) {
            let here = std::mem::take(&mut self.env);
            self.join(one.condition, one.env.clone(), here)?;
        }
        self.env.parked = rest;
        Ok(())
    }

    /// Jumps to the innermost target of this kind in the same function or task: the environment becomes a pending jump, and no path is left
    /// here. Returns false, and does nothing, if there is no target.
    fn jump(&mut self, wanted: impl Fn(&Place) -> bool) -> bool {
        for (index, place) in self.jumps.iter().enumerate().rev() {
            if wanted(place) {
                let mut env = std::mem::take(&mut self.env);
                let mut parked = std::mem::take(&mut env.parked);
                parked.push(Rc::new(Parked {
                    at: index + 1,
                    condition: self.design.words.pool.bool(true),
                    env,
                }));
                self.env.parked = parked;
                self.env.gone = true;
                return true;
            }
            if matches!(place, Place::Routine(_)) {
                return false;
            }
        }
        false
    }

    pub(super) fn leave_loop(&mut self, at: Place, place: Span) -> Run<()> {
        match self.jump(|around| *around == at) {
            true => Ok(()),
            false => Err(Stop::at(place, "there is no loop around this")),
        }
    }

    pub(super) fn return_value(&mut self, value: Option<ExprId>, place: Span) -> Run<()> {
        if let Some(value) = value {
            let Some(Some(result)) = self.results.last().copied() else {
                return Err(Stop::at(
                    place,
                    "a value is returned, but not by a function",
                ));
            };
            let layout = self.layout_of_var(result);
            match self.whole_array(result) {
                Some(array) => {
                    let values = self.array_value(value, &array.dimensions, &layout)?;
                    let words = self.words_of(&array);
                    self.env.blocking.extend(words.into_iter().zip(values));
                }
                None => {
                    let value = self.fitted(value, &layout)?;
                    let word = self.word_of(result, 0);
                    self.env.blocking.insert(word, value);
                }
            }
        }
        match self.jump(|around| matches!(around, Place::Routine(_))) {
            true => Ok(()),
            false => Err(Stop::at(place, "`return` outside functions and tasks")),
        }
    }

    pub(super) fn disable(&mut self, name: &Name, place: Span) -> Run<()> {
        let named =
            |around: &Place| matches!(around, Place::Block(of) | Place::Routine(of) if of == name);
        match self.jump(named) {
            true => Ok(()),
            false => {
                let message = format!(
                    "`disable {name}`: no block or task of this name is around it; others are not supported"
                );
                Err(Stop::at(place, message))
            }
        }
    }

    /// Returns the pending jumps of two branches, and removes them from both. Those of `then` are restricted to `condition`, those of
    /// `other` to its negation; jumps from before the branches stay as they are.
    pub(super) fn join_parked(
        &mut self,
        condition: TermId,
        then: &mut Env,
        other: &mut Env,
    ) -> Run<Vec<Rc<Parked>>> {
        let (then, other) = (
            std::mem::take(&mut then.parked),
            std::mem::take(&mut other.parked),
        );
        let pairs = then.iter().zip(&other);
        let common = pairs.take_while(|(a, b)| Rc::ptr_eq(a, b)).count();
        let mut all = then[..common].to_vec();
        for one in &then[common..] {
            all.push(self.narrowed(one, condition)?);
        }
        let negated = self.design.words.pool.not(condition)?;
        for one in &other[common..] {
            all.push(self.narrowed(one, negated)?);
        }
        self.gathered(all)
    }

    /// Merges neighbouring pending jumps to one target: a loop that many turns may leave has one pending jump, not one for each turn.
    fn gathered(&mut self, parked: Vec<Rc<Parked>>) -> Run<Vec<Rc<Parked>>> {
        let mut gathered: Vec<Rc<Parked>> = Vec::with_capacity(parked.len());
        for one in parked {
            match gathered.last_mut() {
                Some(last) if last.at == one.at => {
                    let condition = self.either(last.condition, one.condition)?;
                    let here = std::mem::take(&mut self.env);
                    self.join(last.condition, last.env.clone(), one.env.clone())?;
                    let env = std::mem::replace(&mut self.env, here);
                    *last = Rc::new(Parked {
                        at: one.at,
                        condition,
                        env,
                    });
                }
                _ => gathered.push(one),
            }
        }
        Ok(gathered)
    }

    fn narrowed(&mut self, parked: &Parked, by: TermId) -> Run<Rc<Parked>> {
        let pool = &mut self.design.words.pool;
        Ok(Rc::new(Parked {
            condition: pool.binary(Core::And, by, parked.condition)?,
            ..parked.clone()
        }))
    }

    fn either(&mut self, a: TermId, b: TermId) -> Run<TermId> {
        Ok(self.design.words.pool.binary(Core::Or, a, b)?)
    }

    /// Returns the disjunction of a condition and the conditions of all pending jumps.
    pub(super) fn or_gone(&mut self, mut condition: TermId) -> Run<TermId> {
        for one in self.env.parked.clone() {
            condition = self.either(condition, one.condition)?;
        }
        Ok(condition)
    }
}
