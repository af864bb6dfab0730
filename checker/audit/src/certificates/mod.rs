//! Evidence on disk: converts values of the checker to `certificates/*.json` and back.
//!
//! Reading checks the form only: names must be those of the circuit, and all parts must exist in it. `hyperkill_certify` decides whether
//! the evidence shows its claim.

mod answer;
mod circuit;
mod estimates;
mod kill;
mod multiplexers;
mod proof;
mod run_form;
mod sets;
mod simulation;
mod validity;
mod whole;

pub use answer::{About, names_its_circuit, read_answer, search_circuit, written_answer};
pub use circuit::Circuit;
pub use estimates::{read_estimates, written_estimates};
pub use kill::{read_kill, read_run, read_tree, written_kill};
pub use proof::{read_latches, read_proof, read_question, written_proof};
pub use sets::{read_accepted, read_closed, written_accepted, written_closed};
pub use simulation::{read_relations, read_simulation, written_relations, written_simulation};
pub use validity::{read_validity, written_validity};
pub use whole::ToWhole;

use hyperkill_core::ConditionalMutant;

/// The reason why a certificate is no evidence about a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// The certificate refers to a place that the circuit does not have.
    #[error("the circuit has no {what} {at}")]
    NoSuchPlace {
        /// The kind of the place: latch, input or node.
        what: &'static str,
        /// The index or number of the place.
        at: usize,
    },
    /// The certificate gives a place another name than the circuit.
    #[error("{what} {at} of the circuit is called {is}, not {said}")]
    Name {
        /// The kind of the place: latch, input or node.
        what: &'static str,
        /// The index or number of the place.
        at: usize,
        /// The name in the circuit.
        is: String,
        /// The name in the certificate.
        said: String,
    },
    /// A bit string has the wrong number of bits.
    #[error("there are {found} values for {expected} {what}")]
    Width {
        /// The object that the bits describe.
        what: &'static str,
        /// The expected number of bits.
        expected: usize,
        /// The number of bits found.
        found: usize,
    },
    /// A bit string contains a character other than 0 and 1.
    #[error("`{0}` is no string of bits")]
    Bits(String),
    /// A part of the certificate is malformed, or contradicts another part; as this text says.
    #[error("{0}")]
    Malformed(&'static str),
}

fn from_bits(text: &str, expected: usize, what: &'static str) -> Result<Vec<bool>, Unreadable> {
    let bit = |c: char| match c {
        '0' => Ok(false),
        '1' => Ok(true),
        _ => Err(Unreadable::Bits(text.to_owned())),
    };
    let bits: Vec<bool> = text.chars().map(bit).collect::<Result<_, _>>()?;
    if bits.len() == expected {
        return Ok(bits);
    }
    Err(Unreadable::Width {
        what,
        expected,
        found: bits.len(),
    })
}

/// Returns the state of the circuit that a bit string describes: one bit per latch that is no selector. Selectors are 0.
fn state(model: &ConditionalMutant, text: &str) -> Result<Vec<bool>, Unreadable> {
    let hidden = model.hidden_latches();
    let values = from_bits(text, hidden.len(), "latches")?;
    let mut state = vec![false; model.aig.latches().len()];
    for (latch, value) in hidden.into_iter().zip(values) {
        state[latch] = value;
    }
    Ok(state)
}
