//! What happens while mutants are decided: every decision goes to the journal, rounds to the log, both to the screen.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_checker::rounds::{Job, Observer};
use hyperkill_checker::testgen::{Answers, Form, Writer};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Clock;
use hyperkill_core::mutant::MutantId;
use hyperkill_evidence::determinism::Answering;
use hyperkill_evidence::verdict::{Outcome, Reason, Verdict};
use hyperkill_run::certificates::{Filing, OfModel, Prescribed};
use hyperkill_run::jobs::Owner;
use hyperkill_run::results::{journal_entry, result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::certificates::Circuit;
use crate::documents::MutantResult;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::model::Loaded;
use crate::pace::{self, Pace};
use crate::report::text::results::{basis, verdict};
use crate::run_folder::RunFolder;
use crate::session::{Level, Session};

/// Kills whose runs are replayed together.
const TOGETHER: usize = 32;

/// Hears of every round and every decided mutant.
pub(crate) struct Recorder<'a, 'io> {
    session: &'a mut Session<'io>,
    loaded: &'a Loaded,
    filing: Filing<'a>,
    folder: Option<&'a mut RunFolder>,
    owner: Owner,
    form: Form,
    writer: Writer<'a>,
    selector_of: BTreeMap<&'a MutantId, SelectorId>,
    results: BTreeMap<SelectorId, (MutantResult, Duration)>,
    round: usize,
    failure: Option<Failure>,
    gauge: Gauge,
}

impl<'a, 'io> Recorder<'a, 'io> {
    /// Will hear of `total` mutants, those with results from before among them, and write their tests in this form.
    pub(crate) fn new(
        session: &'a mut Session<'io>,
        loaded: &'a Loaded,
        folder: Option<&'a mut RunFolder>,
        form: Form,
        total: usize,
        results: BTreeMap<SelectorId, (MutantResult, Duration)>,
    ) -> Recorder<'a, 'io> {
        let circuit = Circuit::of(&loaded.model);
        let gauge = Gauge::new(session, total, results.values().map(|(result, _)| result));
        let selectors = loaded
            .model
            .selectors
            .iter()
            .zip(loaded.model.selector_ids());
        Recorder {
            selector_of: selectors.map(|(selector, id)| (&selector.id, id)).collect(),
            gauge,
            session,
            owner: Owner::of(&circuit.digest),
            filing: Filing::new(circuit),
            loaded,
            folder,
            form,
            writer: Writer::new(&loaded.model),
            results,
            round: 0,
            failure: None,
        }
    }

    /// Files what shows whether the model is deterministic, if that is settled, and which mutants are models.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn file_model(&mut self, answering: Option<&Answering>) -> Result<OfModel, Failure> {
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

    /// The results by selector, with the time each took.
    ///
    /// # Errors
    /// The first thing that went wrong while recording.
    pub(crate) fn finish(self) -> Result<BTreeMap<SelectorId, (MutantResult, Duration)>, Failure> {
        self.gauge.finish();
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.results),
        }
    }

    /// What is answered on the runs of those that are killed; of runs that do not fit it is said later whose they are.
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
        // Work on several mutants is shared out among them by the ledger alone.
        let took = selector.map_or(took, |mutant| self.session.ledger.time_of(mutant));
        let _writes = self.session.budget().writes(selector.as_slice());
        if let Err(failure) = self.record(outcome, took, answers) {
            self.fail(failure);
        }
        self.gauge.bar.inc(1);
    }

    /// Stops the engines: nothing more can be kept.
    fn fail(&mut self, failure: Failure) {
        let interrupt = &self.session.io.interrupt;
        interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        self.failure = Some(failure);
    }

    fn record(
        &mut self,
        outcome: &Outcome,
        took: Duration,
        answers: Option<Answers>,
    ) -> Result<(), Failure> {
        let internal = |error: anyhow::Error| Failure::message(ExitCode::Internal, error);
        let selector = self.selector_of.get(&outcome.mutant).copied();
        let selector = selector
            .ok_or_else(|| internal(anyhow::anyhow!("there is no mutant {}", outcome.mutant)))?;
        let budget = self.session.budget();
        let written = result(
            &self.writer,
            selector,
            outcome,
            answers,
            &self.form,
            &budget,
        );
        let (mut result, test) = written.map_err(|error| internal(error.into()))?;
        if self.session.shows(Level::Detail) {
            let style = self.session.message_style;
            let line = format!(
                "{} {} {}",
                style.cyan(&result.mutant),
                verdict(&result, style),
                basis(&result)
            );
            let session = &mut self.session;
            self.gauge.bar.suspend(|| session.say(Level::Detail, line));
        }
        // A mutant that was only interrupted is not decided.
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
            // Before the journal says that they are there.
            let filing = &mut self.filing;
            let prescribed = test.as_ref().map(|test| Prescribed {
                run: &test.run,
                tree: test.tree.as_ref(),
            });
            let filed = filing.file(selector, outcome, prescribed.as_ref(), &mut result)?;
            folder.file(&filed)?;
            let entry = journal_entry(
                &self.loaded.model,
                result.clone(),
                outcome,
                took,
                (self.round, self.session.is_interrupted()),
            );
            folder.append_journal(&entry)?;
        }
        self.gauge.pace.decided(result.verdict);
        self.results.insert(selector, (result, took));
        self.gauge.show(self.session);
        Ok(())
    }
}

impl Observer for Recorder<'_, '_> {
    fn begins(&mut self, number: usize) {
        self.round = number;
    }

    fn round(&mut self, name: &str, live: usize) {
        let line = format!("{name}: {live} mutants open");
        let session = &mut self.session;
        self.gauge.bar.suspend(|| session.say(Level::Detail, line));
        self.gauge.bar.set_prefix(format!("{name}, "));
        self.gauge.pace.tries(name, live);
        self.gauge.show(self.session);
    }

    fn waits(&mut self) {
        self.gauge.show(self.session);
    }

    fn worked(&mut self, job: &Job<'_>) {
        if self.failure.is_none()
            && let Some(folder) = &mut self.folder
            && let Err(error) = folder.append_job(&self.owner, job)
        {
            self.fail(error.into());
        }
        self.gauge.show(self.session);
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
            let _writes = self.session.budget().writes(&mutants);
            let answers = self.answers(some);
            for ((outcome, took), answers) in some.iter().zip(answers) {
                self.hear(outcome, *took, answers);
            }
        }
    }
}

/// How far a run is: on a terminal a bar, elsewhere a line now and then.
pub(crate) struct Gauge {
    bar: ProgressBar,
    pace: Pace,
}

impl Gauge {
    /// For so many mutants, of which these were decided before.
    pub(crate) fn new<'r>(
        session: &Session<'_>,
        total: usize,
        before: impl Iterator<Item = &'r MutantResult>,
    ) -> Gauge {
        let bar = bar(session, total);
        let mut pace = Pace::new(total, session.clock.now());
        for result in before {
            bar.inc(1);
            pace.was_decided(result.verdict);
        }
        Gauge { bar, pace }
    }

    /// One more is decided.
    pub(crate) fn decided(&mut self, session: &mut Session<'_>, result: &MutantResult) {
        self.pace.decided(result.verdict);
        self.bar.inc(1);
        self.show(session);
    }

    /// Shows it.
    fn show(&mut self, session: &mut Session<'_>) {
        let now = session.clock.now();
        if !self.bar.is_hidden() {
            self.bar.set_message(pace::rest(&self.pace.progress(now)));
        } else if self.pace.is_due(now) {
            let progress = self.pace.progress(now);
            session.say_progress(progress);
        }
    }

    /// Nothing more is to be decided.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn bar(session: &Session<'_>, total: usize) -> ProgressBar {
    if !session.draws_progress() || total == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64);
    let template = "{bar:32} {pos}/{len} decided, {prefix}{elapsed}, {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
