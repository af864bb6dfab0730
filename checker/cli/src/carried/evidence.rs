//! Results of an earlier run with their evidence, as the checker has them.
//!
//! Nothing is believed: what is carried over from here is audited.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hyperkill_core::SelectorId;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::verdict::{
    self, Engine, Inclusion, InputEnabled, Kill, Outcome, Potential, Property, Reason, Stronger,
    Verdict,
};

use crate::certificates::{
    Circuit, read_accepted, read_closed, read_estimates, read_proof, read_question, read_relations,
    read_run, read_simulation,
};
use crate::documents::{
    DefiniteWord, JournalEntry, MutantResult, ProofEvidence, Shown, VerdictWord,
};
use crate::model::Loaded;
use crate::resumption::{self, Evidence, Held, live};

/// The outcomes of mutants that need not be looked at again as long as nothing changes that they depend on: those that are settled and
/// have evidence.
pub(super) fn read(
    dir: &Path,
    loaded: &Loaded,
    entries: &[JournalEntry],
) -> BTreeMap<SelectorId, Outcome> {
    let circuit = Circuit::of(&loaded.model);
    let known = live(&loaded.listing);
    let mut stored = Evidence::of(dir, &circuit.digest);
    let families = RefCell::new(BTreeMap::new());
    let mut outcomes = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.hurried) {
        let result = &entry.result;
        let mut read = || {
            let property = property(result.property.as_deref()?)?;
            let selector = *known.get(result.mutant.as_str())?;
            let held = stored.named_by(result)?;
            let reading = Reading {
                circuit: &circuit,
                result,
                held,
                families: &families,
            };
            Some((selector, reading.outcome(property)?))
        };
        outcomes.extend(read());
    }
    outcomes
}

/// A result and its certificates.
struct Reading<'a> {
    circuit: &'a Circuit<'a>,
    result: &'a MutantResult,
    held: Vec<Held>,
    /// Proofs about several mutants, by file.
    families: &'a RefCell<BTreeMap<String, Option<verdict::Certificate>>>,
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
        let found = resumption::kill(self.circuit, self.result, &self.held)??;
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
            Shown::Accepted(run) => read_run(self.circuit.model, &run.initial, &run.steps).ok(),
            _ => None,
        }
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
                let selector = self.circuit.model.selector_of_mutant(&self.result.mutant)?;
                let (mutant, model) = read_relations(relations, selector).ok()?;
                let (mutant, model) = (Box::new(mutant), model.map(Box::new));
                Inclusion::Relations { mutant, model }
            }
            _ => return None,
        })
    }

    fn proved(&self, name: &Option<String>) -> Option<verdict::Certificate> {
        let (ids, shown) = self.shown(name)?;
        if ids.len() < 2 {
            return self.read(ids, shown);
        }
        let mut families = self.families.borrow_mut();
        let proof = families.entry(name.clone()?);
        proof.or_insert_with(|| self.read(ids, shown)).clone()
    }

    /// The proof that evidence about these mutants is.
    fn read(&self, ids: &[String], shown: &Shown) -> Option<verdict::Certificate> {
        let mutants = ids
            .iter()
            .map(|id| self.circuit.model.selector_of_mutant(id));
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
            _ => return None,
        })
    }

    /// What a file shows of which mutants.
    fn shown(&self, name: &Option<String>) -> Option<(&[String], &Shown)> {
        let name = name.as_ref()?;
        let held = self.held.iter().find(|held| held.name == *name)?;
        Some((&held.certificate.mutants, &held.certificate.evidence))
    }
}

/// The killing formula of this name.
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

/// Why something is open, if more time or memory would not change it.
fn settled(reason: Option<&str>) -> Option<Reason> {
    let reasons = [Reason::Bound, Reason::Engines, Reason::Precondition];
    let reason = reason?;
    reasons
        .into_iter()
        .find(|known| known.to_string() == reason)
}
