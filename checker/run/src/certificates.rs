//! Certificates of outcomes. Each claim has its own file; a proof for a family of mutants has one file for all members.

use std::collections::BTreeSet;

use hyperkill_audit::names::{CERTIFICATES, FAMILY, OF_MUTANTS, OF_ORIGINAL, digest, escaped};
use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::determinism::{Answering, Determinism};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::strategy_tree::StrategyTree;
use hyperkill_evidence::verdict::{
    self, Inclusion, InputEnabled, Kill, Outcome, Potential, Stronger, Verdict,
};

use sha2::{Digest, Sha256};

use crate::documents::bits::run_evidence;
use crate::documents::{
    Certificate, ClaimWord, MutantResult, ProofEvidence, QuestionEvidence, Shown, ValidityEvidence,
};
use hyperkill_audit::certificates::{
    Circuit, written_accepted, written_closed, written_estimates, written_kill, written_proof,
    written_relations, written_simulation,
};

/// A certificate with the name of its file in the run folder.
#[derive(Clone, Debug)]
pub struct Filed {
    /// The path of the file in the folder, with `/` between the parts.
    pub place: String,
    /// The document.
    pub certificate: Certificate,
}

/// No document can hold this evidence. This is a bug of hyperkill.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the evidence for {of} cannot be written")]
pub struct Unwritten {
    /// The mutant, or the model.
    of: String,
}

/// Turns the evidence of outcomes into certificates.
#[derive(Debug)]
pub struct Filing<'a> {
    circuit: Circuit<'a>,
    /// The file names of certificates of families that are already returned.
    families: BTreeSet<String>,
}

impl<'a> Filing<'a> {
    /// Returns a writer of certificates for a circuit.
    #[must_use]
    pub fn new(circuit: Circuit<'a>) -> Filing<'a> {
        Filing {
            circuit,
            families: BTreeSet::new(),
        }
    }

    /// Returns the new certificates of an outcome, and adds the names of all its certificates to the result. `test` is the test of its
    /// kill.
    ///
    /// # Errors
    /// If no document can hold the evidence.
    pub fn file(
        &mut self,
        selector: SelectorId,
        outcome: &Outcome,
        test: Option<&Prescribed<'_>>,
        result: &mut MutantResult,
    ) -> Result<Vec<Filed>, Unwritten> {
        let mut filed = Vec::new();
        for (slot, claim, shown) in self.shown(selector, outcome, test) {
            let (name, new) = self.filed(selector, slot, claim, shown)?;
            filed.extend(new);
            match (slot, &mut result.potential) {
                (Slot::Verdict, _) => result.certificate = Some(name),
                (Slot::Definite, _) => result.definite_certificate = Some(name),
                (Slot::Accepts, _) => result.acceptance_certificate = Some(name),
                (Slot::Potential, Some(potential)) => potential.certificate = Some(name),
                (Slot::Potential, None) => {}
                (Slot::Refuses, _) => {
                    if let Some(refusal) = &mut result.refusal {
                        refusal.certificate = Some(name);
                    }
                }
            }
        }
        Ok(filed)
    }

    /// Returns the two certificates about the model with their file names: its determinism, and the mutants that are models.
    ///
    /// # Errors
    /// If no document can hold the evidence.
    pub fn file_model(
        &self,
        answering: Option<&Answering>,
        validity: Option<&ValidityEvidence>,
    ) -> Result<(OfModel, Vec<Filed>), Unwritten> {
        let (mut places, mut filed) = (OfModel::default(), Vec::new());
        if let Some(answering) = answering {
            let claim = match answering.shows() {
                Determinism::NonDeterministic => ClaimWord::NonDeterministic,
                _ => ClaimWord::Deterministic,
            };
            let shown = answers(&self.circuit, answering).ok_or_else(|| Unwritten {
                of: "the model".to_owned(),
            })?;
            let new = self.certified(OF_ORIGINAL, claim, Vec::new(), shown);
            places.original = Some(new.place.clone());
            filed.push(new);
        }
        if let Some(validity) = validity {
            let selectors = self.circuit.model.selectors.iter();
            let ids = selectors.map(|selector| selector.id.to_string()).collect();
            let shown = Shown::Validity(validity.clone());
            let new = self.certified(OF_MUTANTS, ClaimWord::Models, ids, shown);
            places.validity = Some(new.place.clone());
            filed.push(new);
        }
        Ok((places, filed))
    }

    fn certified(
        &self,
        name: &str,
        claim: ClaimWord,
        mutants: Vec<String>,
        evidence: Shown,
    ) -> Filed {
        let certificate = Certificate {
            schema: Certificate::SCHEMA.to_owned(),
            circuit: self.circuit.digest.clone(),
            claim,
            mutants,
            evidence,
        };
        Filed {
            place: format!("{CERTIFICATES}/{name}"),
            certificate,
        }
    }

    fn shown(
        &self,
        selector: SelectorId,
        outcome: &Outcome,
        test: Option<&Prescribed<'_>>,
    ) -> Vec<Entry> {
        let killed = |kill: &Kill| {
            let test = test?;
            let test = run_evidence(self.circuit.model, test.run, test.tree);
            Some((
                Shown::Kill(written_kill(self.circuit.model, kill, test)),
                vec![selector],
            ))
        };
        let excluded = ClaimWord::NotDefinitelyKillable;
        let mut all: Vec<Entry> = Vec::new();
        match &outcome.verdict {
            Verdict::Killed(kill) => {
                all.push((Slot::Verdict, ClaimWord::Killed, killed(kill)));
                if let Stronger::Excluded(certificate) = &kill.stronger {
                    all.push((Slot::Definite, excluded, self.proved(certificate)));
                }
            }
            Verdict::Equivalent(certificate) | Verdict::RefusesInput { certificate, .. } => {
                let shown = self.proved(certificate);
                all.push((Slot::Verdict, ClaimWord::Equivalent, shown));
            }
            Verdict::NotDefinitelyKillable {
                certificate,
                potential,
            } => {
                all.push((Slot::Verdict, excluded, self.proved(certificate)));
                if let Potential::Killed(kill) = potential {
                    all.push((Slot::Potential, ClaimWord::Killed, killed(kill)));
                }
            }
            Verdict::Inconsistent(certificate) => {
                let shown = self.proved(certificate);
                all.push((Slot::Verdict, ClaimWord::Inconsistent, shown));
            }
            Verdict::Invalid(_) | Verdict::DuplicateOf(_) | Verdict::Unknown { .. } => {}
        }
        let (claim, inclusion) = match &outcome.input_enabled {
            InputEnabled::Equally(inclusion) => (ClaimWord::AcceptsTheSame, Some(inclusion)),
            InputEnabled::Differently {
                mutant_refuses,
                run,
                otherwise,
            } => {
                let claim = match mutant_refuses {
                    true => ClaimWord::Refuses,
                    false => ClaimWord::AcceptsMore,
                };
                let shown = Shown::Accepted(run_evidence(self.circuit.model, run, None));
                all.push((Slot::Refuses, claim, Some((shown, vec![selector]))));
                (ClaimWord::AcceptsAll, otherwise.as_ref())
            }
            InputEnabled::Unsettled => return all,
        };
        match inclusion {
            // The circuit itself shows this inclusion: no evidence is needed.
            None | Some(Inclusion::Unconstrained) => {}
            Some(inclusion) => {
                all.push((Slot::Accepts, claim, self.included(selector, inclusion)));
            }
        }
        all
    }

    fn proved(&self, certificate: &verdict::Certificate) -> Option<(Shown, Vec<SelectorId>)> {
        match certificate {
            verdict::Certificate::Induction { question, proof } => {
                let (proof, mutants) = written_proof(&self.circuit, question, proof)?;
                Some((Shown::Proof(proof), mutants))
            }
            verdict::Certificate::Simulation(simulation) => Some((
                Shown::Simulation(written_simulation(simulation)),
                simulation.members.clone(),
            )),
            verdict::Certificate::Estimates(estimates) => Some((
                Shown::Estimates(written_estimates(estimates)),
                estimates.members.clone(),
            )),
            verdict::Certificate::ClosedSet(closed) => Some((
                Shown::ClosedSet(written_closed(self.circuit.model, closed)),
                closed.members.clone(),
            )),
        }
    }

    fn included(
        &self,
        selector: SelectorId,
        inclusion: &Inclusion,
    ) -> Option<(Shown, Vec<SelectorId>)> {
        let refusal = |who: usize, proof: &Proof| {
            let question = Question::refusal(selector, who);
            Some(written_proof(&self.circuit, &question, proof)?.0)
        };
        let shown = match inclusion {
            Inclusion::Unconstrained => return None,
            Inclusion::CommonChoices { mutant, model } => match model {
                None => Shown::Proof(refusal(1, mutant)?),
                Some(model) => Shown::BothProofs([refusal(1, mutant)?, refusal(0, model)?]),
            },
            Inclusion::Sets(sets) => {
                Shown::AcceptedSets(written_accepted(self.circuit.model, sets))
            }
            Inclusion::Relations { mutant, model } => {
                Shown::AcceptedRelations(written_relations(mutant, model.as_deref()))
            }
            Inclusion::Endless { mutant, model } => {
                let run = |run| run_evidence(self.circuit.model, run, None);
                Shown::Endless([run(mutant), run(model)])
            }
        };
        Some((shown, vec![selector]))
    }

    /// Returns the name of the certificate's file, and the certificate unless it belongs to a family and is already filed.
    ///
    /// # Errors
    /// If `shown` is `None`, since no document can hold the evidence.
    fn filed(
        &mut self,
        selector: SelectorId,
        slot: Slot,
        claim: ClaimWord,
        shown: Option<(Shown, Vec<SelectorId>)>,
    ) -> Result<(String, Option<Filed>), Unwritten> {
        let model = self.circuit.model;
        let (evidence, mutants) = shown.ok_or_else(|| Unwritten {
            of: format!("mutant {}", model.selectors[selector.0].id),
        })?;
        let ids = mutants
            .iter()
            .map(|&mutant| model.selectors[mutant.0].id.to_string());
        let ids: Vec<String> = ids.collect();
        let name = match &evidence {
            Shown::Proof(ProofEvidence {
                question: QuestionEvidence::Family(_),
                ..
            }) => family_name(&ids),
            Shown::ClosedSet(_) | Shown::Simulation(_) | Shown::Estimates(_) if ids.len() > 1 => {
                family_name(&ids)
            }
            _ => slot.file_name(&model.selectors[selector.0].id.0),
        };
        if name.starts_with(FAMILY) && !self.families.insert(name.clone()) {
            return Ok((format!("{CERTIFICATES}/{name}"), None));
        }
        let new = self.certified(&name, claim, ids, evidence);
        Ok((new.place.clone(), Some(new)))
    }
}

/// A test: its run of the model, and its strategy tree if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Prescribed<'a> {
    /// A run of the model.
    pub run: &'a Stimulus,
    /// The strategy tree that the run is a play of, if the test is a tree.
    pub tree: Option<&'a StrategyTree>,
}

/// The file names of the certificates about the model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OfModel {
    /// The certificate of the model's determinism.
    pub original: Option<String>,
    /// The certificate of the mutants that are models.
    pub validity: Option<String>,
}

/// Returns the evidence for the determinism of the model. `None` if documents have no form for it.
fn answers(circuit: &Circuit<'_>, answering: &Answering) -> Option<Shown> {
    Some(match answering {
        Answering::Unchosen(latches) => {
            let places = latches.iter().map(|&latch| circuit.latch(latch));
            Shown::Unchosen(places.collect())
        }
        Answering::Proved(found) => {
            let question = Question::nondeterminism(Variant::Original);
            Shown::Proof(written_proof(circuit, &question, found)?.0)
        }
        Answering::Differing(runs) => {
            let [one, other] = runs;
            Shown::Differing([
                run_evidence(circuit.model, one, None),
                run_evidence(circuit.model, other, None),
            ])
        }
    })
}

/// The slot of a certificate, its claim, and its evidence with the mutants. The last part is `None` if no document can hold the evidence.
type Entry = (Slot, ClaimWord, Option<(Shown, Vec<SelectorId>)>);

/// The parts of a mutant's result that have certificates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    /// The verdict.
    Verdict,
    /// For a killed mutant: no test kills it definitely.
    Definite,
    /// For a mutant without a definite kill: a test kills it potentially.
    Potential,
    /// The inputs that the mutant accepts.
    Accepts,
    /// The inputs that the mutant or the model refuses.
    Refuses,
}

impl Slot {
    /// Returns the file name for a mutant. File names of ids have no plus sign, so that names of slots are unique.
    fn file_name(self, id: &str) -> String {
        let id = escaped(id);
        match self {
            Slot::Verdict => format!("{id}.json"),
            Slot::Definite => format!("{id}+definite.json"),
            Slot::Potential => format!("{id}+potential.json"),
            Slot::Accepts => format!("{id}+accepts.json"),
            Slot::Refuses => format!("{id}+refuses.json"),
        }
    }
}

/// Returns the file name of a family's certificate. It is a hash of the ids, so that equal families share the file.
fn family_name(ids: &[String]) -> String {
    let digest = digest(Sha256::new_with_prefix(ids.join("\n")));
    let digits = digest.trim_start_matches("sha256:");
    format!("{FAMILY}{}.json", &digits[..10])
}
