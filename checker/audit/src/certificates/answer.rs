//! Converts the evidence for answers to formulas to documents and back.

use hyperkill_core::aig::Signal;
use hyperkill_core::aiger::write_binary;
use hyperkill_core::liveness::Search;
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, SelectorId};
use hyperkill_evidence::answer::{Beyond, Exclusion, Invariant, Refutation, Shown, Way, Witness};
use hyperkill_evidence::inclusion::{Inclusion, Position, Reached, Ways};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Composed;
use hyperkill_formulas::{Formula, Response};
use sha2::{Digest, Sha256};

use super::proof::{fact, read_fact};
use super::{Circuit, Unreadable, from_bits};
use crate::documents::bits::{first_state_bits, run_evidence, to_bits};
use crate::documents::{
    AnswerEvidence, BeyondEvidence, CopyEvidence, ExclusionEvidence, InclusionEvidence,
    RefutedEvidence, ResponseEvidence, RunEvidence, SideWord, StatementEvidence, TraceEvidence,
    TracesEvidence, WithstoodEvidence,
};
use crate::names::digest;

/// The subject of an answer to a formula: the circuit, the mutant that `mut` stands for, and the formula that the evidence is about.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The circuit.
    pub circuit: &'a Circuit<'a>,
    /// The mutant that `mut` stands for in the formula.
    pub mutant: SelectorId,
    /// The formula, or its negation if it begins with ∀.
    pub asked: &'a Formula,
}

/// Returns the circuit of a reachability question with its goal as the only bad state, without outputs and liveness conditions.
#[must_use]
pub fn search_circuit(search: &Search) -> Aig {
    let mut aig = search.aig.clone();
    aig.outputs.clear();
    aig.justice.clear();
    aig.fairness.clear();
    aig.comments.clear();
    let lit = search.bad;
    aig.bad = vec![Signal { lit, name: None }];
    aig
}

/// Returns the evidence for an answer as a document. `None` if documents have no form for it. `search` is the reachability question with
/// the circuit of its invariant, if it has one.
#[must_use]
pub fn written_answer(
    about: About<'_>,
    shown: &Shown,
    search: Option<&Search>,
) -> Option<AnswerEvidence> {
    let exclusion = |exclusion: &Exclusion| Some(written_exclusion(exclusion, search?));
    Some(match shown {
        Shown::Traces(witness) => AnswerEvidence::Traces(written_traces(about, witness)?),
        Shown::Proof(proof) => AnswerEvidence::Proof(written_statement(about, &proof.0, &proof.1)?),
        Shown::End(steps) => AnswerEvidence::End(*steps),
        Shown::Excluded(excluded) => AnswerEvidence::Excluded(exclusion(excluded)?),
        Shown::Withstood(shown) => AnswerEvidence::Withstood(WithstoodEvidence {
            traces: written_traces(about, &shown.0)?,
            exclusion: exclusion(&shown.1)?,
        }),
        Shown::Included(shown) => AnswerEvidence::Inclusion(written_inclusion(shown)),
        Shown::Refuted(shown) => AnswerEvidence::Refuted(RefutedEvidence {
            responses: (shown.responses.iter())
                .map(|response| written_response(about, response))
                .collect(),
            exclusion: exclusion(&shown.exclusion)?,
        }),
    })
}

fn side(about: About<'_>, variant: Variant) -> Option<SideWord> {
    match variant {
        Variant::Original => Some(SideWord::Model),
        Variant::Mutant(mutant) => (mutant == about.mutant).then_some(SideWord::Mutant),
    }
}

fn written_run(about: About<'_>, variant: Variant, run: &Stimulus) -> Option<TraceEvidence> {
    let is_later = side(about, variant).is_none();
    Some(TraceEvidence {
        of: side(about, variant).unwrap_or(SideWord::Mutant),
        system: is_later.then(|| variant.system()),
        initial: first_state_bits(about.circuit.model, &run.initial),
        steps: run.steps.iter().map(|step| to_bits(step)).collect(),
    })
}

fn written_traces(about: About<'_>, witness: &Witness) -> Option<TracesEvidence> {
    let runs = witness.runs.iter().zip(&witness.variants);
    let runs = runs.map(|(run, &variant)| written_run(about, variant, run));
    Some(TracesEvidence {
        runs: runs.collect::<Option<_>>()?,
        decided: witness.decided,
        beyond: match witness.beyond {
            Beyond::Nothing => BeyondEvidence::Nothing,
            Beyond::Anything => BeyondEvidence::Anything,
            Beyond::Loop(back) => BeyondEvidence::Loop(back),
        },
    })
}

fn written_statement(
    about: About<'_>,
    composed: &Composed,
    proof: &Proof,
) -> Option<StatementEvidence> {
    let copies = composed.copies.iter().map(|copy| {
        Some(CopyEvidence {
            of: side(about, copy.variant)?,
            inputs_of: copy.inputs_of,
            choices_of: copy.choices_of,
        })
    });
    let facts = proof.facts.iter().map(|one| fact(about.circuit, one));
    Some(StatementEvidence {
        copies: copies.collect::<Option<_>>()?,
        k: proof.k,
        simple_path: proof.simple_path,
        facts: facts.collect::<Option<_>>()?,
        facts_depth: proof.facts_depth,
    })
}

fn written_exclusion(exclusion: &Exclusion, search: &Search) -> ExclusionEvidence {
    let literal = |&(latch, value): &(usize, bool)| match value {
        true => latch.to_string(),
        false => format!("!{latch}"),
    };
    let clauses = exclusion.invariant.iter();
    let clauses = clauses.map(|clause| {
        let literals: Vec<String> = clause.iter().map(literal).collect();
        literals.join(" ")
    });
    ExclusionEvidence {
        k: match exclusion.way {
            Way::NoLasso => None,
            Way::Counted(k) => Some(k),
        },
        circuit: digest_of(search),
        clauses: clauses.collect(),
    }
}

fn digest_of(search: &Search) -> String {
    digest(Sha256::new_with_prefix(write_binary(&search_circuit(
        search,
    ))))
}

fn written_response(about: About<'_>, response: &Response) -> ResponseEvidence {
    match response {
        Response::Copies(whose) => ResponseEvidence::Copies(whose.clone()),
        Response::Follows => ResponseEvidence::Follows,
        Response::Circuit(text) => ResponseEvidence::Circuit(text.clone()),
        Response::Traces { runs, back } => {
            // The formula determines the system of each trace.
            let runs = runs.iter();
            let runs = runs.map(|run| run_evidence(about.circuit.model, run, None));
            ResponseEvidence::Traces {
                runs: runs.collect(),
                loop_from: *back,
            }
        }
    }
}

fn written_inclusion(shown: &Inclusion) -> InclusionEvidence {
    let numbers = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        numbers.join(" ")
    };
    let way = |&(from, to, all): &(usize, usize, bool)| {
        format!("{from} {to}{}", if all { "!" } else { "" })
    };
    InclusionEvidence {
        outer: shown.outer.iter().map(|state| to_bits(state)).collect(),
        positions: (shown.inner.iter())
            .map(|position| format!("{} {}", to_bits(&position.latches), position.waits_for))
            .collect(),
        sets: (shown.sets.iter())
            .map(|set| format!("{}: {}", set.outer, numbers(&set.positions)))
            .collect(),
        ways: (shown.ways.iter())
            .map(|round| {
                let ways: Vec<String> = round.ways.iter().map(way).collect();
                format!("{} {}: {}", round.from, round.to, ways.join(" "))
            })
            .collect(),
    }
}

/// Returns the evidence for an answer that a document contains.
///
/// # Errors
/// If it names parts that the circuit does not have, or is not in the normal form.
pub fn read_answer(about: About<'_>, evidence: &AnswerEvidence) -> Result<Shown, Unreadable> {
    Ok(match evidence {
        AnswerEvidence::Traces(traces) => Shown::Traces(read_traces(about, traces)?),
        AnswerEvidence::Proof(statement) => {
            Shown::Proof(Box::new(read_statement(about, statement)?))
        }
        AnswerEvidence::End(steps) => Shown::End(*steps),
        AnswerEvidence::Excluded(exclusion) => Shown::Excluded(read_exclusion(exclusion)?),
        AnswerEvidence::Withstood(shown) => Shown::Withstood(Box::new((
            read_traces(about, &shown.traces)?,
            read_exclusion(&shown.exclusion)?,
        ))),
        AnswerEvidence::Inclusion(shown) => Shown::Included(Box::new(read_inclusion(shown)?)),
        AnswerEvidence::Refuted(shown) => {
            let responses = shown.responses.iter();
            let responses = responses.map(|response| read_response(about, response));
            Shown::Refuted(Box::new(Refutation {
                responses: responses.collect::<Result<_, _>>()?,
                exclusion: read_exclusion(&shown.exclusion)?,
            }))
        }
    })
}

/// Checks that evidence with an invariant names the digest of the invariant's circuit, which `search` contains.
///
/// # Errors
/// If it names another digest, or if only one of the two is there.
pub fn names_its_circuit(
    evidence: &AnswerEvidence,
    search: Option<&Search>,
) -> Result<(), Unreadable> {
    let said = match evidence {
        AnswerEvidence::Excluded(exclusion) => Some(&exclusion.circuit),
        AnswerEvidence::Withstood(shown) => Some(&shown.exclusion.circuit),
        AnswerEvidence::Refuted(shown) => Some(&shown.exclusion.circuit),
        AnswerEvidence::Traces(_)
        | AnswerEvidence::Proof(_)
        | AnswerEvidence::End(_)
        | AnswerEvidence::Inclusion(_) => None,
    };
    match said.cloned() == search.map(digest_of) {
        true => Ok(()),
        false => Err(Unreadable::Malformed(
            "its invariant is about another circuit",
        )),
    }
}

fn variant(about: About<'_>, word: SideWord) -> Variant {
    match word {
        SideWord::Model => Variant::Original,
        SideWord::Mutant => Variant::Mutant(about.mutant),
    }
}

fn variant_of_trace(about: About<'_>, run: &TraceEvidence) -> Result<Variant, Unreadable> {
    let Some(number) = run.system else {
        return Ok(variant(about, run.of));
    };
    let is_known = number <= about.circuit.model.selectors.len();
    let later = Variant::of_system(number);
    match is_known && run.of == SideWord::Mutant && side(about, later).is_none() {
        true => Ok(later),
        false => Err(Unreadable::Malformed(
            "a trace names a system that does not exist",
        )),
    }
}

fn read_traces(about: About<'_>, traces: &TracesEvidence) -> Result<Witness, Unreadable> {
    let runs = traces.runs.iter();
    let read = |run: &TraceEvidence| about.circuit.read_run(&run.initial, &run.steps);
    Ok(Witness {
        variants: (runs.clone())
            .map(|run| variant_of_trace(about, run))
            .collect::<Result<_, _>>()?,
        runs: runs.map(read).collect::<Result<_, _>>()?,
        decided: traces.decided,
        beyond: match traces.beyond {
            BeyondEvidence::Nothing => Beyond::Nothing,
            BeyondEvidence::Anything => Beyond::Anything,
            BeyondEvidence::Loop(back) => Beyond::Loop(back),
        },
    })
}

fn read_statement(
    about: About<'_>,
    statement: &StatementEvidence,
) -> Result<(Composed, Proof), Unreadable> {
    let copies = statement.copies.iter().map(|copy| CopySpec {
        variant: variant(about, copy.of),
        inputs_of: copy.inputs_of,
        choices_of: copy.choices_of,
    });
    let composed = Composed {
        formula: about.asked.clone(),
        mutant: about.mutant,
        copies: copies.collect(),
    };
    let facts = statement.facts.iter();
    let facts = facts.map(|fact| read_fact(about.circuit, fact));
    let proof = Proof {
        k: statement.k,
        simple_path: statement.simple_path,
        facts: facts.collect::<Result<_, _>>()?,
        facts_depth: statement.facts_depth,
    };
    Ok((composed, proof))
}

fn number(text: &str) -> Result<usize, Unreadable> {
    // `+1` and `01` are other spellings of the same number.
    let number = text.parse::<usize>().ok();
    let spelled = number.filter(|number| number.to_string() == text);
    spelled.ok_or(Unreadable::Malformed(
        "a number is missing, or not in its normal form",
    ))
}

fn read_exclusion(exclusion: &ExclusionEvidence) -> Result<Exclusion, Unreadable> {
    let literal = |word: &str| match word.strip_prefix('!') {
        Some(latch) => Ok((number(latch)?, false)),
        None => Ok((number(word)?, true)),
    };
    let clause = |text: &String| -> Result<Vec<(usize, bool)>, Unreadable> {
        let words = text.split(' ').filter(|_| !text.is_empty());
        words.map(literal).collect()
    };
    let clauses = exclusion.clauses.iter().map(clause);
    Ok(Exclusion {
        way: match exclusion.k {
            None => Way::NoLasso,
            Some(k) => Way::Counted(k),
        },
        invariant: clauses.collect::<Result<Invariant, _>>()?,
    })
}

fn read_response(about: About<'_>, response: &ResponseEvidence) -> Result<Response, Unreadable> {
    Ok(match response {
        ResponseEvidence::Copies(whose) => Response::Copies(whose.clone()),
        ResponseEvidence::Follows => Response::Follows,
        ResponseEvidence::Circuit(text) => Response::Circuit(text.clone()),
        ResponseEvidence::Traces { runs, loop_from } => {
            if runs.iter().any(|run| !run.tree.is_empty()) {
                return Err(Unreadable::Malformed(
                    "a response has a strategy, and it must not",
                ));
            }
            let read = |run: &RunEvidence| about.circuit.read_run(&run.initial, &run.steps);
            Response::Traces {
                runs: runs.iter().map(read).collect::<Result<_, _>>()?,
                back: *loop_from,
            }
        }
    })
}

fn read_inclusion(shown: &InclusionEvidence) -> Result<Inclusion, Unreadable> {
    const NO: Unreadable = Unreadable::Malformed("a line of the closed set is malformed");
    let bits = |text: &str| from_bits(text, text.len(), "latches");
    let position = |text: &String| -> Result<Position, Unreadable> {
        let (latches, waits_for) = text.split_once(' ').ok_or(NO)?;
        Ok(Position {
            latches: bits(latches)?,
            waits_for: number(waits_for)?,
        })
    };
    let numbers = |text: &str| -> Result<Vec<usize>, Unreadable> {
        let words = text.split(' ').filter(|_| !text.is_empty());
        words.map(number).collect()
    };
    let set = |text: &String| -> Result<Reached, Unreadable> {
        let (outer, positions) = text.split_once(": ").ok_or(NO)?;
        Ok(Reached {
            outer: number(outer)?,
            positions: numbers(positions)?,
        })
    };
    let round = |text: &String| -> Result<Ways, Unreadable> {
        let (ends, ways) = text.split_once(": ").ok_or(NO)?;
        let (from, to) = ends.split_once(' ').ok_or(NO)?;
        let words: Vec<&str> = ways.split(' ').filter(|_| !ways.is_empty()).collect();
        let (pairs, []) = words.as_chunks::<2>() else {
            return Err(NO);
        };
        let way = |[one, other]: &[&str; 2]| {
            let (other, all) = match other.strip_suffix('!') {
                Some(other) => (other, true),
                None => (*other, false),
            };
            Ok((number(one)?, number(other)?, all))
        };
        Ok(Ways {
            from: number(from)?,
            to: number(to)?,
            ways: pairs.iter().map(way).collect::<Result<_, Unreadable>>()?,
        })
    };
    Ok(Inclusion {
        outer: (shown.outer.iter().map(|state| bits(state))).collect::<Result<_, _>>()?,
        inner: shown
            .positions
            .iter()
            .map(position)
            .collect::<Result<_, _>>()?,
        sets: shown.sets.iter().map(set).collect::<Result<_, _>>()?,
        ways: shown.ways.iter().map(round).collect::<Result<_, _>>()?,
    })
}
