//! The memory of a job, as the sum of estimates by solvers and lists of states.
//!
//! Each growing structure holds a charge and reports its size at intervals; an account adds up the charges of one job. The estimates count
//! clauses, literals and states, so a job ends at the same point on every machine. The memory of the process is measured only before a job
//! starts ([`Meter`]).

use std::sync::Arc;

use super::account::Account;
use super::{Budget, Stop};

pub use super::account::{Meter, NoMeter};

/// The memory charged for one structure. Dropping the charge returns it.
#[derive(Debug, Default)]
pub struct Charge {
    account: Option<Arc<Account>>,
    bytes: u64,
}

impl Charge {
    /// Reports the size of the structure, in bytes, to the job of this budget; returns the reason to stop if the job exceeds its share.
    /// Small changes are ignored, so that frequent calls are cheap.
    pub fn hold(&mut self, budget: &Budget, bytes: usize) -> Option<Stop> {
        let account = budget.account()?;
        let bytes = bytes as u64;
        let same = self
            .account
            .as_ref()
            .is_some_and(|a| Arc::ptr_eq(a, account));
        if !same {
            self.release();
            self.account = Some(Arc::clone(account));
        }
        if !same || bytes > self.bytes + self.bytes / 16 || bytes < self.bytes / 2 {
            account.change(self.bytes, bytes);
            self.bytes = bytes;
        }
        account.is_exceeded().then_some(Stop::Memory)
    }

    fn release(&mut self) {
        if let Some(account) = self.account.take() {
            account.change(self.bytes, 0);
        }
        self.bytes = 0;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u64);

    impl Meter for Fixed {
        fn used(&self) -> Option<u64> {
            Some(self.0)
        }
    }

    fn budget(share: u64, cap: u64, used: u64) -> Budget {
        Budget::unlimited().with_memory(share, cap, Arc::new(Fixed(used)))
    }

    #[test]
    fn charges_add_up_and_a_job_that_had_too_much_stays_over() {
        let budget = budget(1000, 5000, 0).job();
        let (mut one, mut other) = (Charge::default(), Charge::default());
        assert_eq!(one.hold(&budget, 600), None);
        assert_eq!(other.hold(&budget, 300), None);
        assert_eq!(budget.stopped(), None);
        assert_eq!(one.hold(&budget, 800), Some(Stop::Memory));
        drop((one, other));
        assert_eq!(budget.stopped(), Some(Stop::Memory));
        assert_eq!(budget.within(None).stopped(), Some(Stop::Memory));
    }

    #[test]
    fn what_is_let_go_of_is_free_again_and_other_jobs_have_their_own() {
        let run = budget(1000, 5000, 0);
        let job = run.job();
        for _ in 0..10 {
            assert_eq!(Charge::default().hold(&job, 900), None);
        }
        let mut shrinking = Charge::default();
        assert_eq!(shrinking.hold(&job, 900), None);
        assert_eq!(shrinking.hold(&job, 100), None);
        assert_eq!(Charge::default().hold(&job, 800), None);
        let mut elsewhere = Charge::default();
        assert_eq!(elsewhere.hold(&run.job(), 900), None);
        assert_eq!(shrinking.hold(&run.job(), 900), None);
    }

    #[test]
    fn nothing_starts_above_the_cap_and_nothing_is_counted_without_one() {
        assert_eq!(budget(1000, 5000, 5000).job().stopped(), None);
        assert_eq!(budget(1000, 5000, 5001).job().stopped(), Some(Stop::Memory));
        let free = Budget::unlimited().job();
        assert_eq!(Charge::default().hold(&free, usize::MAX), None);
        assert_eq!(free.stopped(), None);
    }
}
