//! Certificates about a part of a model's mutants, in terms of the circuit with all mutants.
//!
//! Runs and states are the same in both circuits, since they do not name selectors. Latches and nodes have other numbers.

use hyperkill_core::Lit;
use hyperkill_core::specialise::Part;

use super::multiplexers::moved_line;
use super::{Circuit, Unreadable};
use crate::documents::{
    AcceptedRelationsEvidence, Certificate, ClauseEvidence, EstimatesEvidence, FactEvidence,
    LiteralEvidence, OptionsEvidence, Place, ProofEvidence, QuestionEvidence, Shown,
    SimulationEvidence, SteeredEvidence,
};

/// A translation of certificates about the circuit of a part of the mutants into certificates about the circuit of all mutants.
#[derive(Debug)]
pub struct ToWhole<'c> {
    part: Circuit<'c>,
    whole: &'c Circuit<'c>,
    /// For each latch of the part, its index in the whole.
    latches: Vec<usize>,
    /// For each node of the part, a literal of the whole with its value.
    nodes: Vec<Lit>,
}

impl<'c> ToWhole<'c> {
    /// Returns the translation from the circuit of a part to the circuit of the whole.
    #[must_use]
    pub fn new(part: &'c Part, whole: &'c Circuit<'c>) -> ToWhole<'c> {
        ToWhole {
            part: Circuit::of(&part.model),
            whole,
            latches: part.latches(),
            nodes: part.nodes(),
        }
    }

    /// Returns the SHA-256 digest of the circuit of the part.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.part.digest
    }

    /// Returns a certificate about the part as a certificate about the whole.
    ///
    /// # Errors
    /// If it does not fit the circuit of the part.
    pub fn certificate(&self, certificate: &Certificate) -> Result<Certificate, Unreadable> {
        if certificate.circuit != self.part.digest {
            return Err(Unreadable::Malformed("it is about another circuit"));
        }
        Ok(Certificate {
            circuit: self.whole.digest.clone(),
            evidence: self.shown(&certificate.evidence)?,
            ..certificate.clone()
        })
    }

    fn shown(&self, shown: &Shown) -> Result<Shown, Unreadable> {
        Ok(match shown {
            // Runs, states and names of mutants.
            Shown::Kill(_)
            | Shown::Accepted(_)
            | Shown::ClosedSet(_)
            | Shown::AcceptedSets(_)
            | Shown::Endless(_)
            | Shown::Differing(_)
            | Shown::Validity(_)
            | Shown::OwnKill(_)
            | Shown::Own(_) => shown.clone(),
            Shown::Proof(proof) => Shown::Proof(self.proof(proof)?),
            Shown::BothProofs([one, other]) => {
                Shown::BothProofs([self.proof(one)?, self.proof(other)?])
            }
            Shown::Simulation(simulation) => Shown::Simulation(self.simulation(simulation)?),
            Shown::Estimates(estimates) => Shown::Estimates(self.estimates(estimates)?),
            Shown::AcceptedRelations(relations) => {
                let model = relations.model.as_ref();
                Shown::AcceptedRelations(AcceptedRelationsEvidence {
                    mutant: self.simulation(&relations.mutant)?,
                    model: model.map(|model| self.simulation(model)).transpose()?,
                })
            }
            Shown::Unchosen(latches) => Shown::Unchosen(self.latches(latches)?),
        })
    }

    fn latch(&self, place: &Place) -> Result<Place, Unreadable> {
        let latch = self.part.read_latch(place)?;
        Ok(self.whole.latch(self.latches[latch]))
    }

    fn latches(&self, places: &[Place]) -> Result<Vec<Place>, Unreadable> {
        places.iter().map(|place| self.latch(place)).collect()
    }

    fn literal(&self, place: &Place) -> Result<Place, Unreadable> {
        let lit = self.part.read_literal(place)?;
        let there = self.nodes[lit.var().index()] ^ lit.is_negated();
        Ok(self.whole.literal(there))
    }

    /// Returns the node of the whole circuit that has the value of a node of the part, or the complement of this value.
    fn node(&self, place: &Place) -> Result<Place, Unreadable> {
        let var = self.part.read_node(place)?;
        Ok(self.whole.node(self.nodes[var.index()].var()))
    }

    fn proof(&self, proof: &ProofEvidence) -> Result<ProofEvidence, Unreadable> {
        let facts = proof.facts.iter().map(|fact| self.fact(fact));
        Ok(ProofEvidence {
            question: self.question(&proof.question)?,
            facts: facts.collect::<Result<_, _>>()?,
            ..proof.clone()
        })
    }

    fn question(&self, question: &QuestionEvidence) -> Result<QuestionEvidence, Unreadable> {
        let QuestionEvidence::Steered(steered) = question else {
            return Ok(question.clone());
        };
        let options = steered.options.iter().map(|options| {
            Ok(OptionsEvidence {
                initial: self.latches(&options.initial)?,
                ..options.clone()
            })
        });
        Ok(QuestionEvidence::Steered(SteeredEvidence {
            options: options.collect::<Result<_, Unreadable>>()?,
            compared_first: self.latches(&steered.compared_first)?,
            compared_later: self.latches(&steered.compared_later)?,
            compared_next: self.latches(&steered.compared_next)?,
            ..steered.clone()
        }))
    }

    fn fact(&self, fact: &FactEvidence) -> Result<FactEvidence, Unreadable> {
        let site = |site: &LiteralEvidence| -> Result<LiteralEvidence, Unreadable> {
            Ok(LiteralEvidence {
                copy: site.copy,
                literal: self.literal(&site.literal)?,
            })
        };
        let clause = |part: &ClauseEvidence| -> Result<ClauseEvidence, Unreadable> {
            let (latch, before) = (part.latch.as_ref(), part.before.as_ref());
            Ok(ClauseEvidence {
                latch: latch.map(|latch| self.latch(latch)).transpose()?,
                before: before.map(|before| self.literal(before)).transpose()?,
                ..part.clone()
            })
        };
        Ok(match fact {
            FactEvidence::Same { copies, node } => FactEvidence::Same {
                copies: *copies,
                node: self.node(node)?,
            },
            FactEvidence::Equal([one, other]) => FactEvidence::Equal([site(one)?, site(other)?]),
            FactEvidence::SameUnless {
                copies,
                node,
                literal,
            } => FactEvidence::SameUnless {
                copies: *copies,
                node: self.node(node)?,
                literal: self.literal(literal)?,
            },
            FactEvidence::Clause(parts) => {
                FactEvidence::Clause(parts.iter().map(clause).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Returns lines of multiplexers, choices or a variable order with the latch indices of the whole circuit.
    fn lines(&self, lines: &[String]) -> Result<Vec<String>, Unreadable> {
        let lines = lines.iter();
        lines.map(|line| moved_line(line, &self.latches)).collect()
    }

    fn simulation(&self, shown: &SimulationEvidence) -> Result<SimulationEvidence, Unreadable> {
        Ok(SimulationEvidence {
            multiplexers: self.lines(&shown.multiplexers)?,
            initial: self.lines(&shown.initial)?,
            choices: self.lines(&shown.choices)?,
            order: self.lines(&shown.order)?,
            ..shown.clone()
        })
    }

    fn estimates(&self, shown: &EstimatesEvidence) -> Result<EstimatesEvidence, Unreadable> {
        Ok(EstimatesEvidence {
            multiplexers: self.lines(&shown.multiplexers)?,
            last: self.lines(&shown.last)?,
            before: self.lines(&shown.before)?,
            order: self.lines(&shown.order)?,
            ..shown.clone()
        })
    }
}
