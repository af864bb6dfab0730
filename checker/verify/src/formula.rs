//! Decision whether a model satisfies a formula.

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certificates::{About, Circuit, written_answer};
use hyperkill_audit::certification::{answer_file, strategy_of};
use hyperkill_audit::documents::{
    self, AnswerCertificate, AnsweredSystem, Answers, FormulaResult, Reading, TruthWord,
};
use hyperkill_audit::model::Loaded;
use hyperkill_audit::names;
use hyperkill_certify::excluding;
use hyperkill_checker::hyperltl::{
    self, Asked, Decided, Played, Shown, StrategyFailure, Truth, Witness, decide_formula,
};
use hyperkill_checker::schedule::{formulas, reachability};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_formulas::Traces;
use hyperkill_run::folder::{RunFolder, Unwritable, write_document};
use hyperkill_run::sink::{Level, Sink};
use hyperkill_run::unfit::Unfit;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::VerifyError;
use crate::means::Means;
use crate::subject::Subject;

/// A mutant that `mut` stands for in a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meant {
    /// Id of the mutant.
    pub id: String,
    /// Selector of the mutant.
    pub selector: SelectorId,
}

/// A strategy given by the user: a circuit that answers for the universal traces of a formula.
#[derive(Clone, Copy, Default, Debug)]
pub struct GivenStrategy<'a> {
    /// Name of its file.
    pub name: &'a str,
    /// Content of its file, an AIGER circuit.
    pub bytes: &'a [u8],
}

/// A question whether models satisfy a formula, with its parameters.
pub struct Question<'a> {
    /// The formula with the models that it is about.
    pub subject: &'a Subject,
    /// Whether the traces of the formula are finite or infinite.
    pub traces: Traces,
    /// The strategy to check, if the user gives one; the engines then try no other.
    pub strategy: Option<GivenStrategy<'a>>,
    /// Whether evidence is kept.
    pub keeps: bool,
}

/// Evidence in the form in which it is kept in a folder.
pub struct Kept {
    certificate: AnswerCertificate,
    /// The strategy, if the evidence is one.
    strategy: Option<String>,
}

/// An answer, with evidence if it is decided and evidence is kept.
pub struct Answer {
    /// The answer as a document.
    pub result: FormulaResult,
    kept: Option<Kept>,
}

/// Result of a search for an answer to a formula.
enum Found {
    Decided(Decided),
    /// The strategy of the user loses against these traces.
    Loses(Witness),
}

/// Returns the options for deciding formulas with these limits and engines.
#[must_use]
pub fn options(means: &Means) -> formulas::Options {
    formulas::Options {
        reachability: means.options(reachability::Options::UNLIMITED),
    }
}

impl Question<'_> {
    /// Returns the question that the engines decide in place of the formula, with the variant of each trace and the size of the monitor.
    ///
    /// # Errors
    /// If the formula is outside of the decided fragments.
    pub fn instead(&self) -> Result<Asked, VerifyError> {
        let (model, formula) = (self.subject.model(), &self.subject.said);
        let asked = hyperltl::asked(model, SelectorId(0), formula, self.traces);
        asked.map_err(|error| self.subject.undecidable(error))
    }

    /// Whether the formula refers to a mutant; false for a formula about several systems.
    ///
    /// # Errors
    /// If the formula is outside of the decided fragments.
    pub fn is_about_a_mutant(&self) -> Result<bool, VerifyError> {
        if self.subject.systems.is_some() {
            return Ok(false);
        }
        let model = &self.subject.loaded[0].model;
        let about = hyperltl::is_about_a_mutant(model, &self.subject.said);
        about.map_err(|error| self.subject.undecidable(error))
    }

    /// Returns the mutants that `mut` stands for one by one: the entries of the catalogue with these indices. Invalid ones are left out,
    /// with a warning to `sink`.
    #[must_use]
    pub fn meant(&self, selected: &[usize], sink: &mut dyn Sink) -> Vec<Meant> {
        let catalogue = &self.subject.loaded[0].listing.catalogue;
        let mut meant = Vec::new();
        for entry in selected.iter().map(|&index| &catalogue[index]) {
            match &entry.standing {
                Standing::Live(selector) => meant.push(Meant {
                    id: entry.id.to_string(),
                    selector: *selector,
                }),
                Standing::Invalid(reason) => sink.say(
                    Level::Warning,
                    format!("mutant {} is left out: {reason}", entry.id),
                ),
            }
        }
        meant
    }

    /// Returns an answer for each mutant, or a single answer for the original if `mutants` is `None`.
    ///
    /// # Errors
    /// If the formula is outside of the decided fragments, or evidence does not check.
    pub fn answers(
        &self,
        mutants: Option<&[Meant]>,
        means: &Means,
        threads: &ThreadPool,
    ) -> Result<Vec<Answer>, VerifyError> {
        let circuit = Circuit::of(self.subject.model());
        let options = options(means);
        let decide = |meant: Option<&Meant>| -> Result<Answer, VerifyError> {
            let selector = meant.map_or(SelectorId(0), |meant| meant.selector);
            let (found, seconds) =
                means.timed(|budget| self.decided(selector, &options, budget))?;
            let id = meant.map(|meant| meant.id.clone());
            let mut answer = match found {
                Found::Decided(decided) => self.answer(&circuit, selector, id, decided)?,
                Found::Loses(against) => self.lost(id, &against),
            };
            answer.result.seconds = seconds;
            Ok(answer)
        };
        threads.install(|| match mutants {
            None => Ok(vec![decide(None)?]),
            Some(mutants) => mutants
                .par_iter()
                .map(|meant| decide(Some(meant)))
                .collect(),
        })
    }

    fn decided(
        &self,
        mutant: SelectorId,
        options: &formulas::Options,
        budget: &Budget,
    ) -> Result<Found, VerifyError> {
        let (model, formula) = (self.subject.model(), &self.subject.said);
        let Some(strategy) = &self.strategy else {
            let decided = decide_formula(model, mutant, formula, self.traces, options, budget);
            let decided = decided.map_err(|error| self.subject.undecidable(error))?;
            return Ok(Found::Decided(decided));
        };
        if self.traces == Traces::Finite {
            return Err(Unfit::new("--strategy is about infinite traces").into());
        }
        let bytes = strategy.bytes;
        match hyperltl::decide_by_strategy(model, mutant, formula, bytes, options, budget) {
            Ok(Played::Decided(decided)) => Ok(Found::Decided(decided)),
            Ok(Played::Loses(traces)) => Ok(Found::Loses(traces)),
            Err(StrategyFailure::Formula(error)) => Err(self.subject.undecidable(error)),
            Err(StrategyFailure::Strategy(error)) => {
                Err(Unfit::new(format!("{}: {error}", strategy.name)).into())
            }
        }
    }

    /// Returns the answer about mutant `id` for a strategy of the user that loses: undecided, with the traces against which it loses.
    fn lost(&self, id: Option<String>, against: &Witness) -> Answer {
        let mut result = documents::unanswered(id);
        result.known_to = Some(0);
        result.reason = Some("strategy".to_owned());
        let about = (self.subject.model(), self.subject.systems.as_ref());
        let traces = documents::traces(about, &self.subject.said, against);
        // A strategy of the user may break constraints; its traces are then no traces of the model.
        result.traces = traces.unwrap_or_default();
        Answer { result, kept: None }
    }

    /// Returns an answer as a document, with its certificate if evidence is kept. It is about mutant `id` with this selector, or about the
    /// original if `id` is `None`.
    ///
    /// # Errors
    /// If an answer has no evidence, or the evidence has no document.
    fn answer(
        &self,
        circuit: &Circuit<'_>,
        mutant: SelectorId,
        id: Option<String>,
        decided: Decided,
    ) -> Result<Answer, VerifyError> {
        let formula = &self.subject.said;
        let (verdict, shown) = match (decided.truth, &decided.shown) {
            (Truth::Holds, Some(shown)) => (TruthWord::Holds, shown),
            (Truth::Fails, Some(shown)) => (TruthWord::Fails, shown),
            (Truth::Unknown { known_to, reason }, _) => {
                let mut result = documents::unanswered(id);
                result.known_to = Some(known_to);
                result.reason = Some(reason.to_string());
                return Ok(Answer { result, kept: None });
            }
            (Truth::Holds | Truth::Fails, None) => {
                let message = format!("nothing shows the answer to {formula}");
                return Err(VerifyError::Internal(message.into()));
            }
        };
        let about = (circuit.model, self.subject.systems.as_ref());
        let result = documents::answered(about, formula, id, verdict, shown)?;
        let kept = match self.keeps {
            true => Some(self.written(circuit, mutant, &result, shown)?),
            false => None,
        };
        Ok(Answer { result, kept })
    }

    /// Returns the evidence for an answer about a circuit as a certificate, with the file of the strategy if there is one.
    fn written(
        &self,
        circuit: &Circuit<'_>,
        mutant: SelectorId,
        result: &FormulaResult,
        shown: &Shown,
    ) -> Result<Kept, VerifyError> {
        let formula = &self.subject.said;
        let asked = formula.as_asked();
        let excluded = excluding((circuit.model, mutant), &asked, self.traces, shown);
        let excluded = excluded.map_err(|error| VerifyError::Internal(error.into()))?;
        let about = About {
            circuit,
            mutant,
            asked: &asked,
        };
        let search = excluded.as_ref().map(|(search, _)| search);
        let evidence = written_answer(about, shown, search).ok_or_else(|| {
            let message = format!("the evidence of {formula} has no document");
            VerifyError::Internal(message.into())
        })?;
        let certificate = AnswerCertificate {
            schema: AnswerCertificate::SCHEMA.to_owned(),
            circuit: circuit.digest.clone(),
            formula: self.subject.written.to_string(),
            traces: self.traces.into(),
            mutant: result.mutant.clone(),
            verdict: result.verdict,
            asked: asked.to_string(),
            evidence,
        };
        // With many mutants, each answer would need a strategy file of its own.
        let alone = result.mutant.is_none();
        let strategy = strategy_of((circuit.model, mutant), formula, shown);
        Ok(Kept {
            certificate,
            strategy: strategy.filter(|_| alone),
        })
    }

    /// Writes the answers, their certificates and copies of the models' files into a folder. `seen` returns how a model was read, relative
    /// to the folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn keep(
        &self,
        answers: &[Answer],
        folder: &mut RunFolder,
        seen: impl Fn(&Reading) -> Reading,
    ) -> Result<(), Unwritable> {
        let Subject {
            loaded, written, ..
        } = self.subject;
        folder.make_folder(names::SOURCES)?;
        for Loaded { listing, .. } in loaded {
            for ((name, _), bytes) in listing.reading.copies().zip(&listing.copies) {
                folder.write(name, bytes)?;
            }
        }
        folder.make_folder(names::CERTIFICATES)?;
        for Answer { result, kept } in answers {
            let Some(kept) = kept else {
                continue;
            };
            let name = answer_file(result.mutant.as_deref());
            write_document(folder, &name, &kept.certificate)?;
            if let Some(strategy) = &kept.strategy {
                folder.write(names::STRATEGY, strategy.as_bytes())?;
            }
        }
        let results = answers.iter().map(|Answer { result, kept }| FormulaResult {
            seconds: None,
            // Traces against which a strategy loses prove nothing about the formula.
            traces: match kept {
                Some(_) => result.traces.clone(),
                None => Vec::new(),
            },
            ..result.clone()
        });
        let systems = loaded.iter().enumerate();
        let systems = systems.map(|(number, Loaded { listing, .. })| AnsweredSystem {
            traces: self.subject.traces(number),
            model: listing.description.clone(),
            reading: seen(&listing.reading),
        });
        let document = Answers {
            schema: Answers::SCHEMA.to_owned(),
            systems: systems.collect(),
            formula: written.to_string(),
            traces: self.traces.into(),
            results: results.collect(),
        };
        write_document(folder, names::ANSWERS, &document)?;
        Ok(folder.seal()?)
    }
}
