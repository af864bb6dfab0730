//! Records the decisions of a run of a circuit: each goes to the folder and to the sink.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_audit::certificates::Circuit;
use hyperkill_audit::model::Loaded;
use hyperkill_checker::rounds::{Job, Observer};
use hyperkill_checker::testgen::{Answers, Form, Writer};
use hyperkill_core::SelectorId;
use hyperkill_core::mutant::MutantId;
use hyperkill_evidence::determinism::Answering;
use hyperkill_evidence::verdict::{Outcome, Reason, Verdict};

use crate::certificates::{Filing, OfModel, Prescribed};
use crate::documents::MutantResult;
use crate::folder::{RunFolder, Unwritable};
use crate::jobs::{Owner, line};
use crate::limits::Limits;
use crate::procedure::{RunError, Surroundings};
use crate::results::{journal_entry, result};
use crate::sink::{Event, Sink};

/// Results by selector, with the time spent on each mutant.
pub(super) type Recorded = BTreeMap<SelectorId, (MutantResult, Duration)>;

/// The number of kills whose runs are replayed in one batch.
const TOGETHER: usize = 32;

/// Receives every round and every decided mutant.
pub(super) struct Recorder<'a> {
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
    folder: Option<&'a mut RunFolder>,
    loaded: &'a Loaded,
    filing: Filing<'a>,
    owner: Owner,
    form: Form,
    writer: Writer<'a>,
    selector_of: BTreeMap<&'a MutantId, SelectorId>,
    results: Recorded,
    round: usize,
    failure: Option<RunError>,
}

impl<'a> Recorder<'a> {
    /// Returns a recorder of `total` mutants, and tells the sink that the run begins. `results` are earlier results. Tests are written in
    /// this form.
    pub(super) fn new(
        around: &'a mut Surroundings<'_>,
        loaded: &'a Loaded,
        form: Form,
        total: usize,
        results: Recorded,
    ) -> Recorder<'a> {
        let model = &loaded.model;
        let circuit = Circuit::of(model);
        around.sink.hear(Event::Begins {
            mutants: total,
            before: results.values().map(|(result, _)| result).collect(),
        });
        let selectors = model.selectors.iter().zip(model.selector_ids());
        Recorder {
            limits: around.limits,
            sink: &mut *around.sink,
            folder: match &mut around.folder {
                Some(folder) => Some(&mut **folder),
                None => None,
            },
            selector_of: selectors.map(|(selector, id)| (&selector.id, id)).collect(),
            owner: Owner::of(&circuit.digest),
            filing: Filing::new(circuit),
            loaded,
            form,
            writer: Writer::new(model),
            results,
            round: 0,
            failure: None,
        }
    }

    /// Writes the certificates about the model's determinism, if it is known, and about the mutants that are models.
    pub(super) fn file_model(
        &mut self,
        answering: Option<&Answering>,
    ) -> Result<OfModel, RunError> {
        match &mut self.folder {
            Some(folder) => {
                let validity = self.loaded.validity.as_ref();
                let (places, filed) = self.filing.file_model(answering, validity)?;
                folder.file(&filed)?;
                Ok(places)
            }
            None => Ok(OfModel::default()),
        }
    }

    /// Returns the results, or the first error of the recording.
    pub(super) fn finish(self) -> Result<Recorded, RunError> {
        self.sink.hear(Event::Ends);
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.results),
        }
    }

    /// Returns the outputs of model and mutant for each kill, and `None` for other outcomes. If a run does not fit the circuit, all are
    /// `None`; recording that outcome then reports the misfit.
    fn answers(&self, decided: &[(Outcome, Duration)]) -> Vec<Option<Answers>> {
        let kills = decided.iter().map(|(outcome, _)| {
            let selector = self.selector_of.get(&outcome.mutant)?;
            Some((*selector, outcome.verdict.kill()?))
        });
        let kills: Vec<_> = kills.collect();
        let known: Vec<_> = kills.iter().copied().flatten().collect();
        let answers = Answers::of(&self.loaded.model, &known);
        let mut answers = answers.unwrap_or_default().into_iter();
        let of = |kill: &Option<_>| kill.as_ref().and_then(|_| answers.next());
        kills.iter().map(of).collect()
    }

    fn hear(&mut self, outcome: &Outcome, took: Duration, answers: Option<Answers>) {
        if self.failure.is_some() {
            return;
        }
        let selector = self.selector_of.get(&outcome.mutant).copied();
        // The ledger divides the time of joint work among the mutants.
        let took = selector.map_or(took, |mutant| self.limits.ledger.time_of(mutant));
        let _writes = self.limits.budget().writes(selector.as_slice());
        if let Err(failure) = self.record(outcome, took, answers) {
            self.fail(failure);
        }
    }

    /// Stops the engines after an error, since no more results can be recorded.
    fn fail(&mut self, failure: RunError) {
        self.limits.interrupt();
        self.failure = Some(failure);
    }

    fn record(
        &mut self,
        outcome: &Outcome,
        took: Duration,
        answers: Option<Answers>,
    ) -> Result<(), RunError> {
        let selector = self.selector_of.get(&outcome.mutant).copied();
        let selector = selector.ok_or_else(|| RunError::Stranger(outcome.mutant.clone()))?;
        let budget = self.limits.budget();
        let (mut result, test) = result(
            &self.writer,
            selector,
            outcome,
            answers,
            &self.form,
            &budget,
        )?;
        // An interrupted mutant without a verdict counts as open.
        let interrupted = matches!(
            outcome.verdict,
            Verdict::Unknown {
                reason: Reason::Interrupted,
                ..
            }
        );
        if let Some(folder) = &mut self.folder
            && !interrupted
        {
            let prescribed = test.as_ref().map(|test| Prescribed {
                run: &test.run,
                tree: test.tree.as_ref(),
            });
            // Certificates are written before the journal names them.
            let filing = &mut self.filing;
            let filed = filing.file(selector, outcome, prescribed.as_ref(), &mut result)?;
            folder.file(&filed)?;
            let entry = journal_entry(
                &self.loaded.model,
                result.clone(),
                outcome,
                took,
                (self.round, self.limits.is_interrupted()),
            );
            folder.append_journal(&entry)?;
        }
        self.sink.hear(Event::Decided(&result));
        self.results.insert(selector, (result, took));
        Ok(())
    }

    fn keep(&mut self, job: &Job<'_>) -> Result<(), Unwritable> {
        if let Some(folder) = &mut self.folder
            && let Some(line) = line(job)?
        {
            folder.append_job(&self.owner.line()?, &line)?;
        }
        Ok(())
    }
}

impl Observer for Recorder<'_> {
    fn begins(&mut self, number: usize) {
        self.round = number;
    }

    fn round(&mut self, name: &str, live: usize) {
        self.sink.hear(Event::Tries {
            method: name,
            open: live,
        });
    }

    fn waits(&mut self) {
        self.sink.hear(Event::Works);
    }

    fn worked(&mut self, job: &Job<'_>) {
        if self.failure.is_none()
            && let Err(error) = self.keep(job)
        {
            self.fail(error.into());
        }
        self.sink.hear(Event::Works);
    }

    fn decided(&mut self, outcome: &Outcome, took: Duration) {
        self.hear(outcome, took, None);
    }

    fn decided_together(&mut self, decided: &[(Outcome, Duration)]) {
        for some in decided.chunks(TOGETHER) {
            let mutants = some
                .iter()
                .filter_map(|(outcome, _)| self.selector_of.get(&outcome.mutant));
            let mutants: Vec<SelectorId> = mutants.copied().collect();
            let _writes = self.limits.budget().writes(&mutants);
            let answers = self.answers(some);
            for ((outcome, took), answers) in some.iter().zip(answers) {
                self.hear(outcome, *took, answers);
            }
        }
    }
}
