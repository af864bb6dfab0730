//! Reads results of a run and their evidence from its documents, as outcomes of the checker.
//!
//! Reading trusts nothing: the audit checks these outcomes like all others. Each match on evidence lists all kinds, so that the compiler
//! reports a new kind that is not handled.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_core::SelectorId;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::verdict::{
    self, Engine, Inclusion, InputEnabled, Kill, Outcome, Potential, Property, Reason, Strength,
    Stronger, Verdict,
};

use crate::certificates::{
    Circuit, read_accepted, read_closed, read_estimates, read_kill, read_proof, read_question,
    read_relations, read_simulation,
};
use crate::documents::{
    Certificate, DefiniteWord, MutantResult, ProofEvidence, RunEvidence, Shown, VerdictWord,
};

/// A certificate of the run, by the name that results give it.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The contents of the file.
    pub certificate: &'a Certificate,
}

/// Proofs about several mutants by the file name of their certificate, each read once. `None` if the file is no proof.
#[derive(Debug, Default)]
pub struct Families(RefCell<BTreeMap<String, Option<verdict::Certificate>>>);

/// Returns a result in a document as an outcome of the checker, with the evidence in the certificates `held`. `None` if it is open, or if a
/// certificate that it names is missing or shows another verdict.
#[must_use]
pub fn outcome(
    circuit: &Circuit<'_>,
    result: &MutantResult,
    held: &[Named<'_>],
    families: &Families,
) -> Option<Outcome> {
    let property = property(result.property.as_deref()?)?;
    let reading = Reading {
        circuit,
        result,
        held,
        families,
    };
    reading.outcome(property)
}

/// Returns the engine and the kill of a result, from the certificates `held`. `Some(None)` means that the result has no kill, `None` that
/// its evidence shows none.
#[must_use]
pub fn kill(
    circuit: &Circuit<'_>,
    result: &MutantResult,
    held: &[Named<'_>],
) -> Option<Option<(Engine, Kill)>> {
    let (name, shortest) = match (result.verdict, &result.potential) {
        (VerdictWord::Killed, _) => (result.certificate.as_ref()?, result.shortest),
        (VerdictWord::NotDefinitelyKillable, Some(said)) if said.verdict == VerdictWord::Killed => {
            (said.certificate.as_ref()?, said.shortest)
        }
        _ => return Some(None),
    };
    let held = held.iter().find(|held| held.name == *name)?;
    let Shown::Kill(shown) = &held.certificate.evidence else {
        return None;
    };
    let mut kill = read_kill(circuit, shown).ok()?;
    kill.shortest = shortest?;
    // For other kills than adaptive ones, the tree is only a form of the test.
    kill.tree = kill.tree.filter(|_| kill.strength == Strength::Adaptive);
    let engine = Engine::named(result.engine.as_deref()?)?;
    Some(Some((engine, kill)))
}

/// A result that is read as an outcome, with its certificates.
struct Reading<'a> {
    circuit: &'a Circuit<'a>,
    result: &'a MutantResult,
    held: &'a [Named<'a>],
    families: &'a Families,
}

impl Reading<'_> {
    fn outcome(&self, property: Property) -> Option<Outcome> {
        let result = self.result;
        let verdict = match result.verdict {
            VerdictWord::Killed => {
                let mut kill = self.kill()?;
                kill.stronger = self.stronger()?;
                Verdict::Killed(Box::new(kill))
            }
            VerdictWord::Equivalent => Verdict::Equivalent(self.proved(&result.certificate)?),
            VerdictWord::NotDefinitelyKillable => Verdict::NotDefinitelyKillable {
                certificate: self.proved(&result.certificate)?,
                potential: self.potential()?,
            },
            VerdictWord::RefusesInput => Verdict::RefusesInput {
                run: self.refusal()?,
                certificate: self.proved(&result.certificate)?,
            },
            VerdictWord::Invalid | VerdictWord::DuplicateOf | VerdictWord::Unknown => return None,
        };
        Some(Outcome {
            mutant: MutantId(result.mutant.clone()),
            property: Some(property),
            verdict,
            engine: Some(Engine::named(result.engine.as_deref()?)?),
            input_enabled: self.accepts()?,
            notes: result.notes.clone(),
        })
    }

    fn kill(&self) -> Option<Kill> {
        let found = kill(self.circuit, self.result, self.held)??;
        Some(found.1)
    }

    fn stronger(&self) -> Option<Stronger> {
        Some(match self.result.definite {
            None => Stronger::NotAsked,
            Some(DefiniteWord::Excluded) => {
                let certificate = self.proved(&self.result.definite_certificate)?;
                Stronger::Excluded(Box::new(certificate))
            }
            Some(DefiniteWord::Unsettled) => Stronger::Unsettled {
                known_to: self.result.definite_known_to?,
                reason: settled(self.result.definite_reason.as_deref())?,
            },
        })
    }

    fn potential(&self) -> Option<Potential> {
        let said = self.result.potential.as_ref()?;
        Some(match said.verdict {
            VerdictWord::Killed => Potential::Killed(Box::new(self.kill()?)),
            _ => Potential::Unsettled {
                known_to: said.known_to?,
                reason: settled(said.reason.as_deref())?,
            },
        })
    }

    fn refusal(&self) -> Option<Stimulus> {
        let refusal = self.result.refusal.as_ref()?;
        match self.shown(&refusal.certificate)?.1 {
            Shown::Accepted(run) => self.run(run),
            _ => None,
        }
    }

    fn run(&self, run: &RunEvidence) -> Option<Stimulus> {
        self.circuit.read_run(&run.initial, &run.steps).ok()
    }

    fn accepts(&self) -> Option<InputEnabled> {
        let inclusion = || match &self.result.acceptance_certificate {
            None => Some(Inclusion::Unconstrained),
            some => self.included(some),
        };
        Some(match (self.result.input_enabled, &self.result.refusal) {
            (None, _) => InputEnabled::Unsettled,
            (Some(true), _) => InputEnabled::Equally(inclusion()?),
            (Some(false), refusal) => {
                let mutant_refuses = refusal.as_ref()?.by == "mutant";
                InputEnabled::Differently {
                    mutant_refuses,
                    run: self.refusal()?,
                    otherwise: match (mutant_refuses, &self.result.acceptance_certificate) {
                        (false, some @ Some(_)) => Some(self.included(some)?),
                        _ => None,
                    },
                }
            }
        })
    }

    fn included(&self, name: &Option<String>) -> Option<Inclusion> {
        let proof =
            |proof: &ProofEvidence| -> Option<Proof> { read_proof(self.circuit, proof).ok() };
        Some(match self.shown(name)?.1 {
            Shown::Proof(mutant) => Inclusion::CommonChoices {
                mutant: proof(mutant)?,
                model: None,
            },
            Shown::BothProofs([mutant, model]) => Inclusion::CommonChoices {
                mutant: proof(mutant)?,
                model: Some(proof(model)?),
            },
            Shown::AcceptedSets(sets) => Inclusion::Sets(read_accepted(self.circuit, sets).ok()?),
            Shown::AcceptedRelations(relations) => {
                let selector = self.circuit.selector(&self.result.mutant)?;
                let (mutant, model) = read_relations(relations, selector).ok()?;
                let (mutant, model) = (Box::new(mutant), model.map(Box::new));
                Inclusion::Relations { mutant, model }
            }
            Shown::Endless([mutant, model]) => Inclusion::Endless {
                mutant: self.run(mutant)?,
                model: self.run(model)?,
            },
            Shown::Kill(_)
            | Shown::Accepted(_)
            | Shown::ClosedSet(_)
            | Shown::Simulation(_)
            | Shown::Estimates(_)
            | Shown::Differing(_)
            | Shown::Unchosen(_)
            | Shown::Validity(_)
            | Shown::OwnKill(_)
            | Shown::Own(_) => return None,
        })
    }

    fn proved(&self, name: &Option<String>) -> Option<verdict::Certificate> {
        let (ids, shown) = self.shown(name)?;
        if ids.len() < 2 {
            return self.read(ids, shown);
        }
        let mut families = self.families.0.borrow_mut();
        let proof = families.entry(name.clone()?);
        proof.or_insert_with(|| self.read(ids, shown)).clone()
    }

    /// Returns the proof about the mutants `ids` in this evidence. `None` if the evidence is no proof, or does not fit the circuit.
    fn read(&self, ids: &[String], shown: &Shown) -> Option<verdict::Certificate> {
        let mutants = ids.iter().map(|id| self.circuit.selector(id));
        let mutants: Vec<SelectorId> = mutants.collect::<Option<_>>()?;
        Some(match shown {
            Shown::Proof(proof) => verdict::Certificate::Induction {
                question: read_question(self.circuit, &proof.question, &mutants).ok()?,
                proof: read_proof(self.circuit, proof).ok()?,
            },
            Shown::ClosedSet(closed) => {
                let closed = read_closed(self.circuit, closed, &mutants).ok()?;
                verdict::Certificate::ClosedSet(Arc::new(closed))
            }
            Shown::Simulation(simulation) => {
                verdict::Certificate::Simulation(read_simulation(simulation, &mutants).ok()?)
            }
            Shown::Estimates(estimates) => {
                verdict::Certificate::Estimates(read_estimates(estimates, &mutants).ok()?)
            }
            Shown::Kill(_)
            | Shown::Accepted(_)
            | Shown::BothProofs(_)
            | Shown::AcceptedSets(_)
            | Shown::AcceptedRelations(_)
            | Shown::Endless(_)
            | Shown::Differing(_)
            | Shown::Unchosen(_)
            | Shown::Validity(_)
            | Shown::OwnKill(_)
            | Shown::Own(_) => return None,
        })
    }

    /// Returns the mutants and the evidence of the certificate with this file name; `None` if there is no name, or no such certificate.
    fn shown(&self, name: &Option<String>) -> Option<(&[String], &Shown)> {
        let name = name.as_ref()?;
        let held = self.held.iter().find(|held| held.name == *name)?;
        Some((&held.certificate.mutants, &held.certificate.evidence))
    }
}

/// Returns the killing formula with this name in documents; `None` if there is none.
fn property(name: &str) -> Option<Property> {
    let all = [
        Property::Phi1,
        Property::Phi2,
        Property::Phi3,
        Property::Phi4,
    ];
    all.into_iter()
        .find(|property| property.to_string() == name)
}

/// Returns the reason why a result is open, if more time or memory would not change it; `None` for other reasons.
fn settled(reason: Option<&str>) -> Option<Reason> {
    let reasons = [Reason::Bound, Reason::Engines, Reason::Precondition];
    let reason = reason?;
    reasons
        .into_iter()
        .find(|known| known.to_string() == reason)
}
