//! External model checkers as engines: they get an AIGER file, and their answers need evidence.
//!
//! A [`Program`] takes a circuit and answers with a run or an invariant. This package starts no program and reads no file; the binary does.
//! A run counts if simulation reaches the goal, an invariant if every clause is proved again. A claim without such evidence is dropped with
//! a remark ([`External::remarks`]), and the question stays open. Accepted evidence is certified again on the model itself, like that of
//! any other engine.
//!
//! The running time of programs varies, so a run that asks them is outside the promise of byte-identical results.

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

/// A program that decides whether the bad state of a circuit is reachable. The binary implements it.
pub trait Program: Send + Sync + Debug {
    /// Returns the program's name.
    fn name(&self) -> &str;

    /// Asks about a circuit: binary AIGER 1.9 with one bad state, no constraints, and latches that start at 0.
    ///
    /// # Errors
    /// If the program gives no answer.
    fn ask(&self, circuit: &[u8], budget: &Budget) -> Result<Reply, Trouble>;
}

/// The answer of a program to the question whether a bad state is reachable. It is a claim until its evidence is checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// Whether the program claims that the bad state is reachable; `None` if it does not know.
    pub reached: Option<bool>,
    /// The run to the bad state that the program gives: a witness in the AIGER format.
    pub witness: Option<Vec<u8>>,
    /// The invariant that excludes the bad state, which the program gives.
    pub certificate: Option<Certificate>,
}

/// The reason why a program gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trouble {
    /// The program does not exist or cannot be started, for this reason.
    #[error("cannot be started: {0}")]
    Missing(String),
    /// The program ended without an answer, as this text describes.
    #[error("gives no answer: {0}")]
    Silent(String),
    /// The program's output exceeded this limit, in bytes.
    #[error("wrote more than {0} bytes and was ended")]
    Flood(u64),
    /// The program was ended before it answered, for this reason.
    #[error("was ended: {}", match .0 {
        Stop::Time => "no answer in its time",
        Stop::Memory => "its share of memory is used up",
        Stop::Interrupted => "interrupted",
        Stop::Bound | Stop::Slice | Stop::Engines => "limit",
    })]
    Stopped(Stop),
}

/// The programs to ask, and remarks on their answers. Clones share both.
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

/// An answer of an external program whose evidence has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// This run of the copies reaches the goal, at its last step for the first time.
    Reached(Found),
    /// Clauses over latches of the product that, together with the given equalities, hold in every first step, are kept by every step and
    /// exclude the goal.
    Unreachable(Vec<Clause>),
}

impl External {
    /// Returns the programs, to be asked in this order.
    #[must_use]
    pub fn new(programs: Vec<Arc<dyn Program>>) -> External {
        External {
            programs: programs.into(),
            heard: Arc::default(),
        }
    }

    /// Returns the same programs with no remarks, runs and proofs recorded.
    #[must_use]
    pub fn afresh(&self) -> External {
        External {
            programs: Arc::clone(&self.programs),
            heard: Arc::default(),
        }
    }

    /// Whether there is no program to ask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Returns the remarks for users, each once: claims without evidence, and errors.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.heard().remarks.clone()
    }

    /// Whether the proof is based on a program's proof: it contains all of its facts.
    pub(crate) fn has_proved(&self, proof: &Proof) -> bool {
        let theirs = |known: &Proof| known.facts.iter().all(|fact| proof.facts.contains(fact));
        self.heard().proofs.iter().any(theirs)
    }

    /// Records a proof that a program found, for [`External::has_proved`].
    pub(crate) fn proved(&self, proof: &Proof) {
        self.heard().proofs.push(proof.clone());
    }

    /// Whether the run was found by a program.
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

    /// Returns the budget for the engines of this package before programs are asked: half of the remaining time.
    pub(crate) fn before(budget: &Budget) -> Budget {
        budget.within(budget.remaining().map(|left| left / 2))
    }

    /// Asks the programs in order until an answer holds. `equal` lists latches (by index) that are known to equal a literal of another
    /// latch. Each program gets an equal share of the remaining time; if the engines of this package continue afterwards (`goes_on`), one
    /// share is left for them. Questions about strategies are not asked: their assumptions hold only before the goal.
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

/// Checks the witness or certificate in the reply of an external solver, and returns the answer that it shows; `None` if the reply claims
/// nothing.
///
/// # Errors
/// The defect of the reply, as the end of a sentence about the solver.
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

/// Returns the runs of the copies that a witness encodes, up to the first step at which the goal holds.
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
