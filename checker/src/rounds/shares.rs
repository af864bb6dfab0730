//! Shares of a limited time: where the clock ends a run, no mutant may take what would have decided many others.

use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::SelectorId;

use super::Run;
use crate::decide::DecideError;
use crate::decide::facts::Facts;

/// How often what is left is shared out.
const PASSES: usize = 2;

/// The part of what is left that is shared out each time.
const PART: u32 = 2;

impl Run<'_> {
    /// Looks at each mutant of which nothing is known for its share of the time that is left for all, if there is a limit and it would not
    /// do for all. What comes of it is kept; what each needs beyond its share it gets in the order of the round.
    pub(super) fn share_time(&mut self) -> Result<(), DecideError> {
        for _ in 0..PASSES {
            let open = self.unkilled();
            let Some(share) = self.share(open.len()) else {
                return Ok(());
            };
            self.observer
                .round("a share of the time for each", open.len());
            let facts = open.into_iter().map(|mutant| {
                let kept = self.facts.get(&mutant).cloned();
                (mutant, kept.unwrap_or_else(|| self.known(mutant).into()))
            });
            let facts: Vec<(SelectorId, Facts)> = facts.collect();
            let (inquiry, budget) = (&self.inquiry, self.budget);
            let waits = budget.waits();
            let narrowed: Result<Vec<(SelectorId, Facts)>, DecideError> = facts
                .into_par_iter()
                .map(|(mutant, facts)| {
                    let _finds = budget.finds("solving", &[mutant]);
                    let facts =
                        inquiry.narrowed(mutant, facts, &budget.job().within(Some(share)))?;
                    Ok((mutant, facts))
                })
                .collect();
            drop(waits);
            let mut done = Vec::new();
            for (mutant, facts) in narrowed? {
                // Of kills that may be made better others come first.
                match self.inquiry.schedule.pairs_are_kills && facts.potential.is_answered() {
                    true => done.push((mutant, facts)),
                    false => drop(self.facts.insert(mutant, facts)),
                }
            }
            let killed = self.decide_from(done)?;
            self.drop_tests(&killed)?;
        }
        Ok(())
    }

    /// How long each of so many mutants may take; `None` if each may take as long as any.
    fn share(&self, open: usize) -> Option<Duration> {
        let left = self.budget.remaining().filter(|left| !left.is_zero())?;
        let threads = u32::try_from(rayon::current_num_threads()).unwrap_or(u32::MAX);
        let number = u32::try_from(open).unwrap_or(u32::MAX);
        let share = left.checked_mul(threads)? / number.checked_mul(PART)?.max(1);
        let is_less = self.options.timeout.is_none_or(|timeout| share < timeout);
        (open > 1 && is_less && self.options.external.is_none()).then_some(share)
    }
}
