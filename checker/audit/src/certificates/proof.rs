//! Proofs by induction, as documents and back.

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_evidence::proof::{Fact, Proof, Site};
use hyperkill_evidence::question::{
    Aim, Family, Options, Preference, Question, Shaped, StateBit, Steered,
};

use super::{Circuit, Unreadable};
use crate::documents::{
    AimWord, ClauseEvidence, FactEvidence, LiteralEvidence, OptionsEvidence, PairWord, Place,
    PreferenceWord, ProofEvidence, QuestionEvidence, SideWord, SteeredEvidence,
};

const PAIRS: [PairWord; 3] = [
    PairWord::Phi1,
    PairWord::Phi1Controllable,
    PairWord::Identity,
];

/// Returns the question about the original and this mutant that a word in documents names.
fn pair(word: PairWord, mutant: SelectorId) -> Question {
    match word {
        PairWord::Phi1 => Question::phi1(mutant, false),
        PairWord::Phi1Controllable => Question::phi1(mutant, true),
        PairWord::Identity => Question::identity(mutant),
    }
}

/// Returns the question about the original and any of these mutants that a word in documents names.
fn family(word: PairWord, members: Vec<SelectorId>) -> Family {
    match word {
        PairWord::Phi1 => Family::phi1(members, false),
        PairWord::Phi1Controllable => Family::phi1(members, true),
        PairWord::Identity => Family::identity(members),
    }
}

/// Returns a question in the form of certificates, and its mutants. `None` if certificates have no form for it.
pub(super) fn question(
    circuit: &Circuit<'_>,
    asked: &Question,
) -> Option<(QuestionEvidence, Vec<SelectorId>)> {
    match asked {
        Question::Pair(_) if *asked == Question::nondeterminism(Variant::Original) => {
            Some((QuestionEvidence::Determinism, Vec::new()))
        }
        Question::Pair(about) => {
            let [Variant::Original, Variant::Mutant(mutant)] = about.variants else {
                return None;
            };
            let word = PAIRS.into_iter().find(|&word| pair(word, mutant) == *asked);
            let refusal = |(who, side)| {
                let same = Question::refusal(mutant, who) == *asked;
                same.then_some(QuestionEvidence::Refusal(side))
            };
            let asked = word.map(QuestionEvidence::Pair).or_else(|| {
                [(0, SideWord::Model), (1, SideWord::Mutant)]
                    .into_iter()
                    .find_map(refusal)
            });
            Some((asked?, vec![mutant]))
        }
        Question::Family(about) => {
            let members = about.members.clone();
            let mut words = PAIRS.into_iter();
            let word = words.find(|&word| family(word, members.clone()) == *about)?;
            Some((QuestionEvidence::Family(word), members))
        }
        Question::Steered(about) => {
            let steered = steered(circuit, about)?;
            Some((QuestionEvidence::Steered(steered), vec![about.mutant]))
        }
        Question::Composed(_) => None,
    }
}

fn steered(circuit: &Circuit<'_>, question: &Steered) -> Option<SteeredEvidence> {
    let latches = |all: &[usize]| {
        all.iter()
            .map(|&i| circuit.latch(i))
            .collect::<Vec<Place>>()
    };
    let inputs = |all: &[usize]| {
        all.iter()
            .map(|&i| circuit.input(i))
            .collect::<Vec<Place>>()
    };
    let options = |options: &Options| OptionsEvidence {
        initial: latches(&options.initial),
        late: inputs(&options.late),
        early: inputs(&options.early),
    };
    let witness = |variant: &Variant| match variant {
        Variant::Original => Some(SideWord::Model),
        Variant::Mutant(mutant) => (*mutant == question.mutant).then_some(SideWord::Mutant),
    };
    Some(SteeredEvidence {
        aim: match question.aim {
            Aim::Track => AimWord::Track,
            Aim::Agree => AimWord::Agree,
        },
        preference: match question.preference {
            Preference::Any => PreferenceWord::Any,
            Preference::Copy => PreferenceWord::Copy,
            Preference::State => PreferenceWord::State,
            Preference::Lowest => PreferenceWord::Lowest,
            Preference::Highest => PreferenceWord::Highest,
        },
        options: question.options.iter().map(options).collect(),
        witnesses: question
            .witnesses
            .iter()
            .map(witness)
            .collect::<Option<_>>()?,
        compared_first: latches(&question.shaped.first),
        compared_later: latches(&question.shaped.later),
        compared_next: latches(&question.shaped.next),
    })
}

/// Returns a proof as a document, and its mutants. `None` if certificates have no form for its question.
#[must_use]
pub fn written_proof(
    circuit: &Circuit<'_>,
    asked: &Question,
    proof: &Proof,
) -> Option<(ProofEvidence, Vec<SelectorId>)> {
    let (question, mutants) = question(circuit, asked)?;
    let facts = proof.facts.iter().map(|fact| self::fact(circuit, fact));
    let proof = ProofEvidence {
        question,
        k: proof.k,
        simple_path: proof.simple_path,
        facts: facts.collect::<Option<_>>()?,
        facts_depth: proof.facts_depth,
    };
    Some((proof, mutants))
}

pub(super) fn fact(circuit: &Circuit<'_>, fact: &Fact) -> Option<FactEvidence> {
    Some(match fact {
        Fact::Equal([a, b]) if a.lit == b.lit && !a.lit.is_negated() => FactEvidence::Same {
            copies: [a.copy, b.copy],
            node: circuit.node(a.lit.var()),
        },
        Fact::Equal(sites) => FactEvidence::Equal(sites.map(|site| LiteralEvidence {
            copy: site.copy,
            literal: circuit.literal(site.lit),
        })),
        Fact::SameUnless(copies, var, unless) => FactEvidence::SameUnless {
            copies: *copies,
            node: circuit.node(*var),
            literal: circuit.literal(*unless),
        },
        Fact::Clause(clause) => {
            let parts = clause.iter().map(|&(bit, is)| match bit {
                StateBit::Latch { copy, latch } => Some(ClauseEvidence {
                    copy,
                    latch: Some(circuit.latch(latch)),
                    before: None,
                    is,
                }),
                StateBit::Before { copy, lit } => Some(ClauseEvidence {
                    copy,
                    latch: None,
                    before: Some(circuit.literal(lit)),
                    is,
                }),
                StateBit::First => None,
            });
            FactEvidence::Clause(parts.collect::<Option<_>>()?)
        }
    })
}

/// Returns the question about these mutants that a document describes.
///
/// # Errors
/// If it names parts that the circuit does not have, or is about another number of mutants.
pub fn read_question(
    circuit: &Circuit<'_>,
    question: &QuestionEvidence,
    mutants: &[SelectorId],
) -> Result<Question, Unreadable> {
    let one = match mutants {
        [mutant] => Ok(*mutant),
        _ => Err(Unreadable::Malformed(
            "the question needs exactly one mutant",
        )),
    };
    Ok(match question {
        QuestionEvidence::Determinism if mutants.is_empty() => {
            Question::nondeterminism(Variant::Original)
        }
        QuestionEvidence::Determinism => {
            return Err(Unreadable::Malformed(
                "the question is about the model, but the certificate names mutants",
            ));
        }
        QuestionEvidence::Pair(word) => pair(*word, one?),
        QuestionEvidence::Refusal(SideWord::Model) => Question::refusal(one?, 0),
        QuestionEvidence::Refusal(SideWord::Mutant) => Question::refusal(one?, 1),
        QuestionEvidence::Family(word) => {
            if mutants.is_empty() || !mutants.is_sorted_by(|a, b| a < b) {
                return Err(Unreadable::Malformed(
                    "the mutants of the family are missing, or not in order",
                ));
            }
            Question::Family(family(*word, mutants.to_vec()))
        }
        QuestionEvidence::Steered(steered) => {
            Question::Steered(read_steered(circuit, steered, one?)?)
        }
    })
}

/// Returns the indices of the latches that these places refer to.
///
/// # Errors
/// If the circuit does not have one of them.
pub fn read_latches(circuit: &Circuit<'_>, places: &[Place]) -> Result<Vec<usize>, Unreadable> {
    let places = places.iter();
    places.map(|place| circuit.read_latch(place)).collect()
}

fn read_steered(
    circuit: &Circuit<'_>,
    steered: &SteeredEvidence,
    mutant: SelectorId,
) -> Result<Steered, Unreadable> {
    let latches = |places: &[Place]| read_latches(circuit, places);
    let inputs = |places: &[Place]| -> Result<Vec<usize>, Unreadable> {
        places
            .iter()
            .map(|place| circuit.read_input(place))
            .collect()
    };
    let options = |options: &OptionsEvidence| -> Result<Options, Unreadable> {
        Ok(Options {
            initial: latches(&options.initial)?,
            late: inputs(&options.late)?,
            early: inputs(&options.early)?,
        })
    };
    let witness = |side: &SideWord| match side {
        SideWord::Model => Variant::Original,
        SideWord::Mutant => Variant::Mutant(mutant),
    };
    Ok(Steered {
        mutant,
        aim: match steered.aim {
            AimWord::Track => Aim::Track,
            AimWord::Agree => Aim::Agree,
        },
        preference: match steered.preference {
            PreferenceWord::Any => Preference::Any,
            PreferenceWord::Copy => Preference::Copy,
            PreferenceWord::State => Preference::State,
            PreferenceWord::Lowest => Preference::Lowest,
            PreferenceWord::Highest => Preference::Highest,
        },
        options: steered
            .options
            .iter()
            .map(options)
            .collect::<Result<_, _>>()?,
        witnesses: steered.witnesses.iter().map(witness).collect(),
        shaped: Shaped {
            first: latches(&steered.compared_first)?,
            later: latches(&steered.compared_later)?,
            next: latches(&steered.compared_next)?,
        },
    })
}

/// Returns the proof by induction that a document describes.
///
/// # Errors
/// If it names parts that the circuit does not have.
pub fn read_proof(circuit: &Circuit<'_>, proof: &ProofEvidence) -> Result<Proof, Unreadable> {
    let facts = proof.facts.iter().map(|fact| read_fact(circuit, fact));
    Ok(Proof {
        k: proof.k,
        simple_path: proof.simple_path,
        facts: facts.collect::<Result<_, _>>()?,
        facts_depth: proof.facts_depth,
    })
}

pub(super) fn read_fact(circuit: &Circuit<'_>, fact: &FactEvidence) -> Result<Fact, Unreadable> {
    Ok(match fact {
        FactEvidence::Same { copies, node } => Fact::same(*copies, circuit.read_node(node)?),
        FactEvidence::Equal([a, b]) => {
            let site = |side: &LiteralEvidence| {
                let lit = circuit.read_literal(&side.literal)?;
                let copy = side.copy;
                Ok(Site { copy, lit })
            };
            Fact::Equal([site(a)?, site(b)?])
        }
        FactEvidence::SameUnless {
            copies,
            node,
            literal,
        } => Fact::SameUnless(
            *copies,
            circuit.read_node(node)?,
            circuit.read_literal(literal)?,
        ),
        FactEvidence::Clause(parts) => {
            let part = |part: &ClauseEvidence| {
                let copy = part.copy;
                let bit = match (&part.latch, &part.before) {
                    (Some(latch), None) => StateBit::Latch {
                        copy,
                        latch: circuit.read_latch(latch)?,
                    },
                    (None, Some(before)) => StateBit::Before {
                        copy,
                        lit: circuit.read_literal(before)?,
                    },
                    _ => {
                        return Err(Unreadable::Malformed(
                            "a clause names neither or both of a latch and a literal",
                        ));
                    }
                };
                Ok((bit, part.is))
            };
            Fact::Clause(parts.iter().map(part).collect::<Result<_, _>>()?)
        }
    })
}
