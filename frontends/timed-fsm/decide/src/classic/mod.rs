//! Complete suites by the classic methods for machines without time: W, Wp, HSI, H and SPY.
//!
//! Both clocks are 0 after an input, so a timed machine is an untimed one with pairs of a delay and an input as inputs. Delays are bounded:
//! longer ones show nothing new about two chains of timeouts. Such suites are complete for all implementations with a number of states.
//! They are a baseline, and the start of a search.

mod abstraction;
mod spy;

use hyperkill_core::budget::Budget;
use hyperkill_timed_fsm::machine::Machine;

use crate::run::Stimulus;

pub use abstraction::{Everything, Unsuited};
pub use hyperkill_frontend::domain::Method;

use abstraction::{Abstraction, Tests};

/// Returns a suite that is complete for all implementations with a number of states.
///
/// # Errors
/// If the method does not apply to the machine.
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
