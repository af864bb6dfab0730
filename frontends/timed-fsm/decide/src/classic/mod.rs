//! Complete suites as they have long been made for machines without time: the methods W, Wp, HSI, H and SPY.
//!
//! Both clocks are 0 behind an input, so that a timed machine is one without time whose inputs are pairs of a delay and an input. Delays go
//! on as long as two chains of timeouts can show something new. Such suites are complete for everything in so many states; they are here
//! to be compared with, and to begin a search with.

mod abstraction;
mod spy;

use hyperkill_core::budget::Budget;
use hyperkill_timed_fsm::machine::Machine;

use crate::run::Stimulus;

pub use abstraction::{Everything, Unsuited};
pub use hyperkill_frontend::domain::Method;

use abstraction::{Abstraction, Tests};

/// A suite that is complete for everything in so many states.
///
/// # Errors
/// If the machine is none that the method is for.
pub fn suite(
    machine: &Machine,
    domain: Everything,
    method: Method,
    budget: &Budget,
) -> Result<Vec<Vec<Stimulus>>, Unsuited> {
    let abstraction = Abstraction::new(machine, domain, budget)?;
    let mut tests = Tests::new(budget);
    match method {
        Method::W => abstraction.with_sets(&mut tests, |_, _| &abstraction.all)?,
        Method::Wp => abstraction.with_sets(&mut tests, |is_last, state| match is_last {
            true => &abstraction.of_state[&state],
            false => &abstraction.all,
        })?,
        Method::Hsi => {
            abstraction.with_sets(&mut tests, |_, state| &abstraction.of_state[&state])?
        }
        Method::H => abstraction.by_pairs(&mut tests)?,
        Method::Spy => return spy::Spy::tests(&abstraction, budget),
    }
    tests.longest()
}
