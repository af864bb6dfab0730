//! Checks the folder that `hyperkill verify -o` writes: each answer by its evidence.

use hyperkill_certify::{certify_answer, excluding};
use hyperkill_core::budget::Budget;
use hyperkill_core::liveness::Search;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::answer::{Exclusion, Shown};
use hyperkill_formulas::{Alternation, Formula, Joint, Response, Systems, Traces, parse};
use rayon::prelude::*;
use std::time::Duration;

use super::findings::{Findings, Kind, Limits, Trouble, fault, same};
use super::folder::{Files, check_digests, document, is_copy, strictly};
use crate::catalogue::Standing;
use crate::certificates::{About, Circuit, names_its_circuit, read_answer};
use crate::documents::{
    AnswerCertificate, AnsweredSystem, Answers, FormulaResult, Reading, ReadingWord, TruthWord,
    answered,
};
use crate::model::Listing;
use crate::names::{self, file_name};

/// The parts of a folder of answers that no check covers.
pub const ANSWERS_NOT_COVERED: [&str; 2] = [
    "how answers that are unknown were searched: known_to, reason",
    "lock.json and log.txt, which are in no digest",
];

/// Returns the document of a folder of answers, after a check of the digests of the document and of the models' copies, and the findings.
/// There is no document if it is missing or has another form.
#[must_use]
pub fn read_answers(place: &dyn Files) -> (Option<Answers>, Findings) {
    let mut files = Findings::default();
    check_digests(place, &[names::ANSWERS], &mut files);
    let answers: Option<Answers> = document(place, names::ANSWERS, Answers::SCHEMA, &mut files);
    for system in answers.iter().flat_map(|answers| &answers.systems) {
        for (name, expected) in system.reading.copies() {
            files.take(Kind::File, name, is_copy(place, name, expected));
        }
    }
    (answers, files)
}

/// Returns the strategy by which universal traces refute the formula, as the text of an AIGER circuit. `None` if there are no universal
/// traces, or the evidence has no strategy or several.
#[must_use]
pub fn strategy_of(
    (model, mutant): (&ConditionalMutant, SelectorId),
    said: &Formula,
    shown: &Shown,
) -> Option<String> {
    let asked = said.as_asked();
    let alternation = Alternation::new(model, mutant, &asked, Traces::Infinite).ok()?;
    let response = match shown {
        Shown::Refuted(refutation) => match &refutation.responses[..] {
            [response] => response.clone(),
            _ => return None,
        },
        Shown::Proof(proof) => {
            let copies = &proof.0.copies[alternation.existential..];
            let whose = copies.iter().map(|copy| copy.choices_of);
            Response::Copies(whose.collect::<Option<_>>()?)
        }
        Shown::Traces(_)
        | Shown::End(_)
        | Shown::Excluded(_)
        | Shown::Withstood(_)
        | Shown::Included(_) => return None,
    };
    if alternation.universal().is_empty() {
        return None;
    }
    let strategy = alternation.circuit_of(&response).ok()??;
    Some(strategy.to_text())
}

/// Returns the file name of an answer's certificate in its folder. `mutant` is `None` for the answer about the formula alone.
#[must_use]
pub fn answer_file(mutant: Option<&str>) -> String {
    let name = match mutant {
        Some(mutant) => file_name(mutant, "json"),
        // No file name of an id contains a plus sign.
        None => "formula+answer.json".to_owned(),
    };
    format!("{}/{name}", names::CERTIFICATES)
}

/// Returns findings with one fault: the document of answers is wrong, as `what` says.
#[must_use]
pub fn answers_are_wrong(what: &str) -> Findings {
    let mut findings = Findings::default();
    findings.faults.push(fault(names::ANSWERS, what));
    findings
}

/// Returns for each trace of the prefix the index of its model in the document. `None` if the document does not list the models in the
/// normal form.
#[must_use]
pub fn systems_of(answers: &Answers, formula: &Formula) -> Option<Vec<usize>> {
    let systems = &answers.systems;
    if let [system] = &systems[..] {
        return (system.traces.is_empty()).then(|| vec![0; formula.prefix.len()]);
    }
    let system = |trace: &String| {
        let has = |system: &AnsweredSystem| system.traces.contains(trace);
        systems.iter().position(has)
    };
    let traces = formula.prefix.iter().map(|(_, trace)| trace.to_string());
    let traces: Vec<String> = traces.collect();
    let of: Vec<usize> = traces.iter().map(system).collect::<Option<_>>()?;
    let written = |number: usize| -> Vec<&String> {
        let own = traces.iter().zip(&of).filter(|(_, of)| **of == number);
        own.map(|(trace, _)| trace).collect()
    };
    let mut numbered = systems.iter().enumerate();
    let as_written = numbered.all(|(number, system)| {
        !system.traces.is_empty() && system.traces.iter().eq(written(number))
    });
    (systems.len() > 1 && of.first() == Some(&0) && as_written).then_some(of)
}

/// Returns the ids and selectors of the mutants that `mut` in a formula may stand for: all valid ones.
#[must_use]
pub fn mutants(listing: &Listing) -> Vec<(String, SelectorId)> {
    let entries = listing.catalogue.iter();
    let live = entries.filter_map(|entry| match &entry.standing {
        Standing::Live(selector) => Some((entry.id.to_string(), *selector)),
        Standing::Invalid(_) => None,
    });
    live.collect()
}

/// Checks that the document describes the model as it was read, and with the same options. The places of the files are not checked.
#[must_use]
pub fn is_described(system: &AnsweredSystem, listing: &Listing) -> Findings {
    let bare = |reading: &Reading| {
        let mut reading = reading.clone();
        reading.places.clear();
        for source in &mut reading.sources {
            source.place = None;
        }
        reading
    };
    if system.model != listing.description {
        return answers_are_wrong("the description of the model is not the one of the files");
    }
    match bare(&system.reading) == bare(&listing.reading) {
        true => Findings::default(),
        false => {
            answers_are_wrong("the recorded options are not those with which the model is read")
        }
    }
}

/// A checked answer with an invariant: its file, the reachability question of the invariant, and the invariant.
pub type Excluding = (String, Search, Exclusion);

/// The question that the answers of a folder are about, as read from the models.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The circuit of the model, or of several models side by side.
    pub model: &'a ConditionalMutant,
    /// The formula about signals of this circuit.
    pub said: &'a Formula,
    /// The systems in the circuit, if there are several.
    pub systems: Option<&'a Systems>,
    /// The ids and selectors of the mutants in the circuit.
    pub mutants: &'a [(String, SelectorId)],
}

/// Checks the answers of a folder. Returns the findings, and each checked answer whose evidence is an invariant. `timeout` limits the check
/// of each answer.
pub fn certify_answers(
    place: &dyn Files,
    answers: &Answers,
    asked: &Asking<'_>,
    timeout: Option<Duration>,
    budget: &Budget,
) -> (Findings, Vec<Excluding>) {
    let Asking {
        model,
        said,
        systems,
        mutants,
    } = *asked;
    let limits = Limits {
        budget: budget.clone(),
        timeout,
        effort: None,
    };
    let mut findings = Findings::default();
    if let Err(trouble) = are_asked_for(answers, asked) {
        findings.take(Kind::File, names::ANSWERS, Err(trouble));
        return (findings, Vec::new());
    }
    let circuit = Circuit::of(model);
    let audit = Audit {
        place,
        answers,
        formula: said,
        systems,
        asked: &said.as_asked(),
        circuit: &circuit,
        mutants,
        limits: &limits,
    };
    let checked: Vec<_> = (answers.results.par_iter())
        .map(|result| (result, audit.answer(result)))
        .collect();
    let mut proofs = Vec::new();
    for (result, checked) in checked {
        let file = answer_file(result.mutant.as_deref());
        match checked {
            Ok(excluding) => {
                findings.counted(Kind::Answer(result.verdict));
                proofs.extend(excluding.map(|(search, exclusion)| (file, search, exclusion)));
            }
            Err(trouble) => findings.take(Kind::Answer(result.verdict), &file, Err(trouble)),
        }
    }
    (findings, proofs)
}

/// Checks that the answers are those that the formula asks for: one about the original, or one for each of some mutants, in order.
fn are_asked_for(answers: &Answers, asked: &Asking<'_>) -> Result<(), Trouble> {
    let formula = parse(&answers.formula).map_err(Trouble::wrong)?;
    if formula.to_string() != answers.formula {
        return Err(Trouble::wrong("the formula is not in its normal form"));
    }
    let specs = Joint::specifications(asked.model, SelectorId(0), &asked.said.as_asked());
    let specs = specs.map_err(Trouble::wrong)?;
    let about_mutants =
        asked.systems.is_none() && specs.iter().any(|spec| spec.variant != Variant::Original);
    let said: Vec<Option<&str>> = (answers.results.iter())
        .map(|result| result.mutant.as_deref())
        .collect();
    let as_asked = match about_mutants {
        false => said == [None],
        true => {
            let place = |id: &Option<&str>| {
                let id = (*id)?;
                asked.mutants.iter().position(|(mutant, _)| mutant == id)
            };
            let places: Option<Vec<usize>> = said.iter().map(place).collect();
            places.is_some_and(|places| places.is_sorted_by(|a, b| a < b))
        }
    };
    match as_asked {
        true => Ok(()),
        false => Err(Trouble::wrong(
            "the answers are not in order, or about other mutants than the formula asks for",
        )),
    }
}

struct Audit<'a> {
    place: &'a dyn Files,
    answers: &'a Answers,
    formula: &'a Formula,
    systems: Option<&'a Systems>,
    asked: &'a Formula,
    circuit: &'a Circuit<'a>,
    mutants: &'a [(String, SelectorId)],
    limits: &'a Limits,
}

impl Audit<'_> {
    fn answer(&self, result: &FormulaResult) -> Result<Option<(Search, Exclusion)>, Trouble> {
        let file = answer_file(result.mutant.as_deref());
        if result.verdict == TruthWord::Unknown {
            return self.nothing_is_shown(result, &file).map(|()| None);
        }
        let bytes = self.place.read(&file).map_err(Trouble::wrong)?;
        let certificate: AnswerCertificate = strictly(&bytes)?;
        let expected = AnswerCertificate {
            schema: AnswerCertificate::SCHEMA.to_owned(),
            circuit: self.circuit.digest.clone(),
            formula: self.answers.formula.clone(),
            traces: self.answers.traces,
            mutant: result.mutant.clone(),
            verdict: result.verdict,
            asked: self.asked.to_string(),
            evidence: certificate.evidence.clone(),
        };
        same(&expected, &certificate)?;
        let mutant = (result.mutant.as_ref())
            .and_then(|id| self.mutants.iter().find(|(mutant, _)| mutant == id));
        let about = About {
            circuit: self.circuit,
            mutant: mutant.map_or(SelectorId(0), |(_, selector)| *selector),
            asked: self.asked,
        };
        let shown = read_answer(about, &certificate.evidence).map_err(Trouble::wrong)?;
        let excluded = self.is_shown(about, &certificate, &shown)?;
        let model = self.circuit.model;
        self.has_strategy(about.mutant, result, &shown)?;
        let described = answered(
            (model, self.systems),
            self.formula,
            result.mutant.clone(),
            result.verdict,
            &shown,
        );
        same(&described.map_err(Trouble::wrong)?, result)?;
        Ok(excluded)
    }

    /// Checks that the evidence shows the answer. Returns the reachability question and the invariant that exclude infinite traces, if the
    /// evidence has one.
    fn is_shown(
        &self,
        about: About<'_>,
        certificate: &AnswerCertificate,
        shown: &Shown,
    ) -> Result<Option<(Search, Exclusion)>, Trouble> {
        let model = (self.circuit.model, about.mutant);
        let traces = match self.answers.traces {
            ReadingWord::Infinite => Traces::Infinite,
            ReadingWord::Finite => Traces::Finite,
        };
        let excluded = excluding(model, self.asked, traces, shown)?;
        let search = excluded.as_ref().map(|(search, _)| search);
        names_its_circuit(&certificate.evidence, search).map_err(Trouble::wrong)?;
        let holds = certificate.verdict == TruthWord::Holds;
        let budget = self.limits.one();
        certify_answer(model, self.formula, traces, holds, shown, &budget)?;
        Ok(excluded.map(|(search, exclusion)| (search, exclusion.clone())))
    }

    /// Checks that the folder stores the strategy that the evidence determines, and no other. A folder with answers for several mutants
    /// passes.
    fn has_strategy(
        &self,
        mutant: SelectorId,
        result: &FormulaResult,
        shown: &Shown,
    ) -> Result<(), Trouble> {
        let alone = result.mutant.is_none();
        let expected = strategy_of((self.circuit.model, mutant), self.formula, shown);
        let expected = expected.filter(|_| alone);
        let found = self.place.has(names::STRATEGY);
        let said = match found {
            true => Some(self.place.read(names::STRATEGY).map_err(Trouble::wrong)?),
            false => None,
        };
        match said == expected.map(String::into_bytes) || !alone {
            true => Ok(()),
            false => Err(Trouble::wrong(
                "the strategy is not the one in the evidence",
            )),
        }
    }

    /// Checks that an unknown answer claims only the reason why the search ended, and has no certificate.
    fn nothing_is_shown(&self, result: &FormulaResult, file: &str) -> Result<(), Trouble> {
        let expected = FormulaResult {
            known_to: result.known_to,
            reason: result.reason.clone(),
            ..crate::documents::unanswered(result.mutant.clone())
        };
        same(&expected, result)?;
        match self.place.has(file) {
            true => Err(Trouble::wrong(
                "the answer is unknown, but there is evidence",
            )),
            false => Ok(()),
        }
    }
}
