//! Jobs: pieces of work on some mutants, done once.
//!
//! A job depends on the rounds before it and on nothing else. The observer hears of each that ends, and a run that goes on recalls those
//! that an earlier process has done. So rounds are taken again from the first one, and each costs what it had not come to.

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
    /// The round, counted from 1.
    pub round: usize,
    /// Jobs of a round on the same mutants are told apart by this number.
    pub part: u32,
    /// The mutants that it is about, at least one.
    pub members: &'a [SelectorId],
    /// New facts about some of them.
    pub facts: &'a [(SelectorId, Facts)],
    /// The mutants among them that it has decided itself, and not only found facts about.
    pub decided: &'a [SelectorId],
}

/// A job that an earlier process has done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecalledJob {
    /// The mutants that it is about.
    pub members: Vec<SelectorId>,
    /// New facts about some of them; `None` if the mutant was decided, or proved, so that all that is known is in its verdict.
    pub facts: Vec<(SelectorId, Option<Facts>)>,
}

/// Jobs by round, part and first mutant.
pub type Recalled = BTreeMap<(usize, u32, SelectorId), RecalledJob>;

/// Where jobs of a round are recalled and told.
pub(super) struct Desk<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) budget: &'a Budget,
    pub(super) recalled: &'a Recalled,
    pub(super) earlier: &'a BTreeMap<SelectorId, Earlier>,
    pub(super) round: usize,
    pub(super) part: u32,
}

/// New facts about some mutants.
pub(super) type Learned = Vec<(SelectorId, Facts)>;

/// Time without news after which an observer is told that there is none.
const SILENCE: Duration = Duration::from_secs(1);

/// Works while an observer is told now and then that the work goes on.
pub(super) fn attended<R>(observer: &mut dyn Observer, work: impl FnOnce() -> R) -> R {
    let (done, hear) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || listen(&hear, |_| observer.waits()));
        let result = work();
        drop(done);
        result
    })
}

/// Hands over each message, and `None` whenever none has come for a while, until nobody sends any more.
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
    /// Does a job for each group of mutants on all threads; returns the new facts in the order of the groups. Facts of recalled jobs leave
    /// out mutants that the round has decided.
    ///
    /// # Errors
    /// The first of a job.
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
                // Of what was interrupted more might have been found.
                if budget.stopped().is_none() {
                    // Only a panic of the observer makes nobody listen, and that comes out of the scope.
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
    /// What a job on these mutants has left, if it was done and nothing of it is lost.
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
    /// Does work on these mutants that leaves nothing but verdicts, unless an earlier process has done it: then its verdicts are taken
    /// over.
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

    /// Leaves those of these mutants as they are that an earlier process has decided in this round; returns how many they are.
    pub(super) fn take_over_of_this_round(&mut self, mutants: &[SelectorId]) -> usize {
        let mut before = mutants.to_vec();
        before.retain(|mutant| self.is_of_this_round(*mutant));
        self.take_over(&before);
        before.len()
    }
}
