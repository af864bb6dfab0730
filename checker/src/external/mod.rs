//! Other people's model checkers as engines: asked by an AIGER file, believed only with evidence.
//!
//! A program is any [`Program`] that takes a circuit and answers with a run or an invariant. This package starts none and reads no file;
//! the binary does. An answer is a claim: a run counts if it leads to the goal when it is followed gate by gate, an invariant if
//! every part of it is proved again. What is claimed without that is dropped and remarked on ([`External::remarks`]), and the question
//! stays open. Evidence that passes goes the way of any other engine's, and is certified again on the model itself.
//!
//! Programs take their time as they like, so a run that asks them is outside the promise of byte-identical results.

mod evidence;
mod plain;

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperkill_certify::{CertifyError, certify_invariant};
use hyperkill_core::Lit;
use hyperkill_core::aiger::stimulus::{Vector, Witness, read_witnesses};
use hyperkill_core::aiger::write_binary;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::proof::Proof;

use crate::engines::pdr::Clause;
use crate::question::{Found, ProductRun, Reachability};

pub use evidence::Certificate;
use plain::Plain;

/// A program that decides whether the bad state of a circuit can be reached. The binary knows how to run it.
pub trait Program: Send + Sync + Debug {
    /// What to call it.
    fn name(&self) -> &str;

    /// Asks about a circuit: binary AIGER 1.9 with one bad state, no constraints, and latches that start at 0.
    ///
    /// # Errors
    /// If there is no answer.
    fn ask(&self, circuit: &[u8], budget: &Budget) -> Result<Reply, Trouble>;
}

/// What a program answers. Nothing of it is believed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// Whether it says that the bad state can be reached; `None` if it does not know.
    pub reached: Option<bool>,
    /// A run to the bad state: a witness in the AIGER format.
    pub witness: Option<Vec<u8>>,
    /// An invariant that excludes the bad state.
    pub certificate: Option<Certificate>,
}

/// Why a program gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trouble {
    /// It is not there, or cannot be started.
    #[error("cannot be started: {0}")]
    Missing(String),
    /// It ended by itself, without an answer.
    #[error("gives no answer: {0}")]
    Silent(String),
    /// It wrote more than anybody wants to read.
    #[error("wrote more than {0} bytes and was ended")]
    Flood(u64),
    /// It was ended, for this reason, before it answered.
    #[error("was ended: {}", match .0 {
        Stop::Time => "no answer in its time",
        Stop::Memory => "its share of memory is used up",
        Stop::Interrupted => "interrupted",
        Stop::Bound | Stop::Slice | Stop::Engines => "limit",
    })]
    Stopped(Stop),
}

/// Programs to ask, and what there is to say of their answers. Cloning shares both.
#[derive(Clone, Debug, Default)]
pub struct External {
    programs: Arc<[Arc<dyn Program>]>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    remarks: Vec<String>,
    proofs: Vec<Proof>,
    runs: Vec<Found>,
}

/// An answer that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// This run of the copies reaches the goal, and none of its steps before the last does.
    Reached(Found),
    /// Clauses over latches of the product that hold in every first step, are kept by every step and exclude the goal, together with
    /// what was said to be equal.
    Unreachable(Vec<Clause>),
}

impl External {
    /// These programs, asked one after the other.
    #[must_use]
    pub fn new(programs: Vec<Arc<dyn Program>>) -> External {
        External {
            programs: programs.into(),
            heard: Arc::default(),
        }
    }

    /// The same programs, of which nothing has been heard.
    #[must_use]
    pub fn afresh(&self) -> External {
        External {
            programs: Arc::clone(&self.programs),
            heard: Arc::default(),
        }
    }

    /// Whether there is nobody to ask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// What users must know of the answers, each once: claims without evidence, and what went wrong.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.heard().remarks.clone()
    }

    /// Whether the proof is one of theirs, with or without what was known before they were asked.
    pub(crate) fn has_proved(&self, proof: &Proof) -> bool {
        let theirs = |known: &Proof| known.facts.iter().all(|fact| proof.facts.contains(fact));
        self.heard().proofs.iter().any(theirs)
    }

    /// Takes down that this proof is one of theirs.
    pub(crate) fn proved(&self, proof: &Proof) {
        self.heard().proofs.push(proof.clone());
    }

    /// Whether the run is one of theirs.
    pub(crate) fn has_found(&self, found: &Found) -> bool {
        self.heard().runs.contains(found)
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remark(&self, remark: String) {
        let remarks = &mut self.heard().remarks;
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// Time that the engines of this package have before others are asked: half of what is left.
    pub(crate) fn before(budget: &Budget) -> Budget {
        budget.within(budget.remaining().map(|left| left / 2))
    }

    /// Asks one program after the other until an answer holds. `equal` says of latches (by index) that they have the value of a literal
    /// of another latch, which is known. Each program gets its share of the time that is left, and one stays for who
    /// `goes_on`. Questions about strategies, which assume something of the steps before the goal only, are not worth a
    /// program each.
    pub(crate) fn ask(
        &self,
        question: &Reachability,
        equal: &[(usize, Lit)],
        goes_on: bool,
        budget: &Budget,
    ) -> Option<Answer> {
        if !question.before.is_empty() {
            return None;
        }
        let plain = Plain::new(question, equal);
        if plain.bad() == Lit::FALSE {
            return Some(Answer::Unreachable(Vec::new()));
        }
        let circuit = write_binary(&plain.aig);
        for (asked, program) in self.programs.iter().enumerate() {
            if budget.stopped().is_some() {
                return None;
            }
            let shares = self.programs.len() - asked + usize::from(goes_on);
            let shares = u32::try_from(shares).unwrap_or(u32::MAX);
            let share = budget.within(budget.remaining().map(|left| left / shares));
            let name = program.name();
            let reply = match program.ask(&circuit, &share) {
                Ok(reply) => reply,
                Err(Trouble::Stopped(Stop::Interrupted)) => return None,
                Err(trouble) => {
                    self.remark(format!("{name} {trouble}"));
                    continue;
                }
            };
            match examine(question, &plain, &reply, budget) {
                Ok(Some(answer)) => {
                    self.remark(match &answer {
                        Answer::Reached(found) => {
                            self.heard().runs.push(found.clone());
                            let steps = counted(found.steps, "step");
                            format!("a run of {name} was followed: {steps}")
                        }
                        Answer::Unreachable(clauses) => {
                            let clauses = counted(clauses.len(), "clause");
                            format!("an invariant of {name} was checked: {clauses}")
                        }
                    });
                    return Some(answer);
                }
                Ok(None) => self.remark(format!("{name} does not know")),
                Err(what) => self.remark(format!("{name} {what}")),
            }
        }
        None
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// What of a reply holds; an error says what is wrong with it.
fn examine(
    question: &Reachability,
    plain: &Plain,
    reply: &Reply,
    budget: &Budget,
) -> Result<Option<Answer>, String> {
    if let (Some(witness), true) = (&reply.witness, reply.reached != Some(false)) {
        let found = follow(question, plain, witness, budget);
        let found = found.map_err(|what| format!("claims a run, and the one it gives {what}"))?;
        return Ok(Some(Answer::Reached(found)));
    }
    if let (Some(certificate), true) = (&reply.certificate, reply.reached != Some(true)) {
        let wrong = |what: String| format!("claims a proof, and its certificate {what}");
        let clauses = certificate.clauses(&plain.aig).map_err(wrong)?;
        return match certify_invariant(&plain.aig, plain.bad(), &clauses, budget) {
            Ok(()) => Ok(Some(Answer::Unreachable(plain.clauses(&clauses)))),
            Err(CertifyError::Stopped(_)) => Err(wrong("could not be checked in time".to_owned())),
            Err(error) => Err(wrong(format!("does not check: {error}"))),
        };
    }
    match reply.reached {
        Some(true) => Err("claims a run, without a witness".to_owned()),
        Some(false) => Err("claims a proof, without a certificate".to_owned()),
        None => Ok(None),
    }
}

/// The runs of the copies that a witness means, up to the goal.
fn follow(
    question: &Reachability,
    plain: &Plain,
    witness: &[u8],
    budget: &Budget,
) -> Result<Found, String> {
    let (latches, inputs) = (plain.aig.latches().len(), plain.aig.inputs().len());
    let witnesses = read_witnesses(witness, latches, inputs)
        .map_err(|error| format!("cannot be read: {error}"))?;
    let Some(Witness::Possible { steps, .. }) = witnesses.into_iter().next() else {
        return Err("is none".to_owned());
    };
    let bits = |step: &Vector| -> Vec<bool> { step.iter().map(|&b| b == Some(true)).collect() };
    let steps: Vec<Vec<bool>> = steps.iter().map(bits).collect();
    let (first, steps) = plain.run(question, &steps);
    let mut simulation = ProductRun::new(question, first);
    for step in &steps {
        if budget.stopped().is_some() {
            return Err("could not be followed in time".to_owned());
        }
        simulation.step(step);
        if !question.always.iter().all(|&lit| simulation.holds(lit)) {
            return Err("breaks a constraint".to_owned());
        }
        if simulation.holds(question.goal) {
            return Ok(simulation.found());
        }
    }
    Err("does not lead to a bad state".to_owned())
}
