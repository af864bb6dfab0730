//! Jobs: pieces of work on some mutants, each done once.
//!
//! A job depends only on the rounds before it. The observer is told of each completed job, and a resumed run recalls the jobs of the
//! earlier process. So a resumed run takes all rounds again, but repeats only work that was not completed.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;

use super::{Earlier, Observer, Run};
use crate::decide::DecideError;
use crate::decide::facts::Facts;

/// A job that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The number of the round in which the job was done, counted from 1.
    pub round: usize,
    /// A number that distinguishes jobs of one round on the same mutants.
    pub part: u32,
    /// The mutants on which the job worked, at least one.
    pub members: &'a [SelectorId],
    /// New facts about some of the mutants, each with its mutant.
    pub facts: &'a [(SelectorId, Facts)],
    /// The mutants that the job itself decided, as opposed to those about which it only found facts.
    pub decided: &'a [SelectorId],
}

/// A job that an earlier process completed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecalledJob {
    /// The mutants on which the job worked.
    pub members: Vec<SelectorId>,
    /// New facts about some of the mutants; `None` if the mutant was decided or proved, so that its verdict contains all facts.
    pub facts: Vec<(SelectorId, Option<Facts>)>,
}

/// Completed jobs, by number of the round, number of the part, and first mutant.
pub type Recalled = BTreeMap<(usize, u32, SelectorId), RecalledJob>;

/// The context of the jobs of a round: the observer, the budget, and the jobs and verdicts of an earlier process.
pub(super) struct Desk<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) budget: &'a Budget,
    pub(super) recalled: &'a Recalled,
    pub(super) earlier: &'a BTreeMap<SelectorId, Earlier>,
    pub(super) round: usize,
    pub(super) part: u32,
}

/// New facts about some mutants, each with its mutant.
pub(super) type Learned = Vec<(SelectorId, Facts)>;

/// Time without a message after which the observer is told that work goes on.
const SILENCE: Duration = Duration::from_secs(1);

/// Runs `work`, and reports to the observer at intervals that the work continues.
pub(super) fn attended<R>(observer: &mut dyn Observer, work: impl FnOnce() -> R) -> R {
    let (done, hear) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || listen(&hear, |_| observer.waits()));
        let result = work();
        drop(done);
        result
    })
}

/// Calls `told` with each message, and with `None` after each interval without a message, until all senders are gone.
pub(super) fn listen<T>(hear: &Receiver<T>, mut told: impl FnMut(Option<T>)) {
    loop {
        match hear.recv_timeout(SILENCE) {
            Ok(news) => told(Some(news)),
            Err(RecvTimeoutError::Timeout) => told(None),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Desk<'_> {
    /// Does a job for each group of mutants, in parallel, and reports it to the observer; recalled jobs are not done again. Returns the new
    /// facts in the order of the groups. Facts of recalled jobs omit mutants that the round has decided.
    ///
    /// # Errors
    /// The first error of a job.
    pub(super) fn each(
        self,
        groups: Vec<Vec<SelectorId>>,
        work: impl Fn(&[SelectorId]) -> Result<Learned, DecideError> + Sync,
    ) -> Result<Learned, DecideError> {
        let Desk {
            observer,
            budget,
            recalled,
            earlier,
            round,
            part,
        } = self;
        let memory = Memory {
            recalled,
            earlier,
            round,
            part,
        };
        let (tell, hear) = mpsc::channel::<(Vec<SelectorId>, Learned)>();
        let learned: Result<Vec<Learned>, DecideError> = std::thread::scope(|scope| {
            scope.spawn(move || {
                listen(&hear, |news| match news {
                    Some((members, facts)) => observer.worked(&Job {
                        round,
                        part,
                        members: &members,
                        facts: &facts,
                        decided: &[],
                    }),
                    None => observer.waits(),
                });
            });
            let _waits = budget.waits();
            let groups = groups.into_par_iter().filter(|group| !group.is_empty());
            let learned = groups.map_with(tell, |tell, members| {
                if let Some(facts) = memory.of(&members) {
                    return Ok(facts);
                }
                let facts = work(&members)?;
                // An interrupted job might have found more, so it is not recorded.
                if budget.stopped().is_none() {
                    // The receiver is gone only after a panic of the observer, which the scope propagates.
                    let _ = tell.send((members, facts.clone()));
                }
                Ok(facts)
            });
            learned.collect()
        });
        Ok(learned?.into_iter().flatten().collect())
    }
}

#[derive(Clone, Copy)]
struct Memory<'a> {
    recalled: &'a Recalled,
    earlier: &'a BTreeMap<SelectorId, Earlier>,
    round: usize,
    part: u32,
}

impl Memory<'_> {
    /// Returns the recalled facts of a job on these mutants. `None` if the job was not completed, or if facts or verdicts of it are
    /// missing.
    fn of(&self, members: &[SelectorId]) -> Option<Learned> {
        let first = *members.first()?;
        let job = self.recalled.get(&(self.round, self.part, first))?;
        if job.members != members {
            return None;
        }
        let is_decided = |mutant: &SelectorId| {
            let earlier = self.earlier.get(mutant);
            earlier.is_some_and(|earlier| earlier.round <= self.round)
        };
        let is_lost =
            |(mutant, facts): &(SelectorId, Option<Facts>)| facts.is_none() && !is_decided(mutant);
        if job.facts.iter().any(is_lost) {
            return None;
        }
        let kept = job.facts.iter();
        Some(
            kept.filter_map(|(mutant, facts)| Some((*mutant, facts.clone()?)))
                .collect(),
        )
    }
}

impl Run<'_> {
    /// Does work that leaves nothing but verdicts, as a job. If an earlier process completed the job, its verdicts are taken over instead.
    pub(super) fn once(
        &mut self,
        part: u32,
        members: &[SelectorId],
        work: impl FnOnce(&mut Self) -> Result<(), DecideError>,
    ) -> Result<(), DecideError> {
        let memory = Memory {
            recalled: &self.options.recalled,
            earlier: &self.options.earlier,
            round: self.number,
            part,
        };
        if memory.of(members).is_some() {
            self.take_over_of_this_round(members);
            return Ok(());
        }
        work(self)?;
        let mut decided = members.to_vec();
        decided.retain(|member| self.decided.contains_key(member));
        if self.budget.stopped().is_none() && !members.is_empty() {
            self.observer.worked(&Job {
                round: self.number,
                part,
                members,
                facts: &[],
                decided: &decided,
            });
        }
        Ok(())
    }

    /// Settles the mutants of a list that an earlier process decided in this round. Returns their number.
    pub(super) fn take_over_of_this_round(&mut self, mutants: &[SelectorId]) -> usize {
        let mut before = mutants.to_vec();
        before.retain(|mutant| self.is_of_this_round(*mutant));
        self.take_over(&before);
        before.len()
    }
}
