//! Checks runs of languages with a decision procedure of their own. The check reads each verdict from the documents, passes it to the
//! rechecker of the language, and compares the documents with the documents that a run writes for this verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Verdict;
use hyperkill_evidence::determinism::Determinism;
use hyperkill_frontend::decision::{OwnVerdict, Rechecker, Refutation};
use rayon::prelude::*;

use super::domain;
use super::findings::{Findings, Kind, Limits, Trouble, same};
use super::folder::Folder;
use super::folder::strictly;
use super::results::is_in_the_journal;
use super::suite::{is_complete, known};
use crate::catalogue::{Entry, Standing};
use crate::documents::{
    Certificate, MutantResult, OperatorResult, PotentialResult, SuiteKill, SuiteTest, TestStep,
    VerdictWord, build,
};
use crate::model::Listing;
use crate::names::{self, file_name};
use crate::own::{self, Malformed, Part};

impl From<Refutation> for Trouble {
    fn from(refutation: Refutation) -> Trouble {
        match refutation {
            Refutation::Stopped(Stop::Interrupted) => Trouble::Open("interrupted".to_owned()),
            Refutation::Stopped(_) => Trouble::Open(refutation.to_string()),
            Refutation::Wrong(what) => Trouble::Wrong(what),
        }
    }
}

impl From<Malformed> for Trouble {
    fn from(malformed: Malformed) -> Trouble {
        Trouble::wrong(malformed)
    }
}

/// A kill of a mutant that a test of the suite claims.
struct Claimed<'a> {
    /// The index of the test in the suite, and of the kill in the test's list.
    place: (usize, usize),
    steps: Arc<Vec<Step>>,
    kill: &'a SuiteKill,
}

/// The context of the check of a run in a language with a decision procedure of its own.
struct Check<'a> {
    listing: &'a Listing,
    rechecker: &'a dyn Rechecker,
    folder: &'a Folder,
    /// The mutants of the model by their ids.
    entries: BTreeMap<&'a str, &'a Entry>,
    /// The results of the run, by the id of the mutant.
    results: BTreeMap<&'a str, &'a MutantResult>,
    limits: Limits,
}

/// Checks the folder of a run against its model, and returns the findings. The checking procedure of the language checks the evidence.
/// `timeout` limits each check.
pub fn certify_own(
    listing: &Listing,
    rechecker: &dyn Rechecker,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> Findings {
    let check = Check {
        listing,
        rechecker,
        folder,
        entries: (listing.catalogue.iter())
            .map(|entry| (entry.id.0.as_str(), entry))
            .collect(),
        results: (folder.run.results.iter())
            .map(|result| (result.mutant.as_str(), result))
            .collect(),
        limits: Limits {
            budget: budget.clone(),
            timeout,
            effort: None,
        },
    };
    let mut findings = folder.is_of(listing);
    // The claim has no evidence, so it is not counted: the language states it.
    if let Err(Trouble::Wrong(what)) = check.model() {
        findings.wrong(names::OUTCOMES, what);
    }
    let results = folder.run.results.par_iter();
    let results: Vec<Findings> = results.map(|result| check.result(result)).collect();
    let tests = check.tests();
    let all = results.into_iter().chain([tests]);
    let domain = domain::check((listing, rechecker), folder, &check.limits);
    let findings = all.fold(findings, Findings::join).join(domain);
    findings.join(is_complete(folder))
}

impl Check<'_> {
    /// Checks that the documents name the determinism, the question and the table by operator that the rechecker gives. They have no
    /// further evidence.
    fn model(&self) -> Result<(), Trouble> {
        let contents = self.rechecker.contents();
        let determinism = build::determinism(determinism(contents.deterministic));
        let run = &self.folder.run;
        same(&determinism, &run.original)?;
        same(&contents.question, &run.property)?;
        let mutants = &self.folder.table.mutants;
        let table = OperatorResult::table(mutants, &run.results, &contents.needless);
        same(&table, &run.by_operator)?;
        match (&run.original_certificate, &run.validity_certificate) {
            (None, None) => Ok(()),
            _ => Err(Trouble::wrong("it names a certificate that no run writes")),
        }
    }

    fn result(&self, result: &MutantResult) -> Findings {
        let mut findings = Findings::default();
        let Some(entry) = self.entries.get(result.mutant.as_str()) else {
            // The faults are reported at the mutants.
            return findings;
        };
        let kind = match (result.verdict, result.strength) {
            (VerdictWord::Killed, Some(strength)) => Kind::Kill(strength),
            (verdict, _) => Kind::Verdict(verdict),
        };
        findings.take(kind, &result.mutant, self.verdict(entry, result));
        findings
    }

    fn verdict(&self, entry: &Entry, result: &MutantResult) -> Result<(), Trouble> {
        is_in_the_journal(self.folder, result)?;
        if let Standing::Invalid(reason) = &entry.standing {
            return same(&build::invalid(&entry.id, reason), result);
        }
        let certificates = self.certificates(result)?;
        let shown = |part| certificates.get(&place(part)).map(|held| &held.evidence);
        let verdict = own::read(result, shown)?;
        self.recheck(&entry.id, &verdict)?;
        let expected = self.expected(&entry.id, &verdict, result)?;
        let claims: BTreeMap<&str, _> = (expected.certificates.iter())
            .map(|(part, claim, _)| (place(*part), *claim))
            .collect();
        let agree = certificates.iter().all(|(part, held)| {
            claims.get(part) == Some(&held.claim)
                && held.mutants == [result.mutant.as_str()]
                && held.circuit == self.listing.description.hash
        });
        if !agree || claims.len() != certificates.len() {
            return Err(Trouble::wrong("a certificate claims something else"));
        }
        same(&expected.result, result)
    }

    fn recheck(&self, mutant: &MutantId, verdict: &OwnVerdict) -> Result<(), Trouble> {
        if let Some(kill) = verdict.kill() {
            own::are_of_one_test(kill)?;
        }
        match verdict {
            Verdict::Unknown { .. } => Ok(()),
            _ => Ok((self.rechecker).recheck(mutant, verdict, &self.limits.one())?),
        }
    }

    /// Returns the documents of the result that a run writes for a verdict. The engine, the notes and the names of files are taken from
    /// `said`.
    ///
    /// # Errors
    /// If the procedure of the language may not return this verdict.
    fn expected(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        said: &MutantResult,
    ) -> Result<own::Written, Trouble> {
        let language = &self.listing.description.language;
        let question = &self.rechecker.contents().question;
        let written = own::written(language, question, mutant, verdict);
        let mut written = written.map_err(Trouble::wrong)?;
        let expected = &mut written.result;
        expected.engine.clone_from(&said.engine);
        expected.notes.clone_from(&said.notes);
        expected.carried_over = said.carried_over;
        expected.certificate.clone_from(&said.certificate);
        let definite = &said.definite_certificate;
        expected.definite_certificate.clone_from(definite);
        let potential = (expected.potential.as_mut()).zip(said.potential.as_ref());
        if let Some((expected, said)) = potential {
            expected.certificate.clone_from(&said.certificate);
        }
        Ok(written)
    }

    /// Returns the certificates that a result names, by the key of [`place`] for the part that they are about.
    fn certificates(
        &self,
        result: &MutantResult,
    ) -> Result<BTreeMap<&'static str, Certificate>, Trouble> {
        let potential = result.potential.as_ref();
        let potential = potential.and_then(|p: &PotentialResult| p.certificate.as_ref());
        let named = [
            (Part::Verdict, result.certificate.as_ref()),
            (Part::Definite, result.definite_certificate.as_ref()),
            (Part::Potential, potential),
        ];
        let named = named
            .into_iter()
            .filter_map(|(part, file)| Some((part, file?)));
        let read = named.map(|(part, file)| {
            let held: Certificate = strictly(&self.folder.bytes(file)?)?;
            match held.schema == Certificate::SCHEMA {
                true => Ok((place(part), held)),
                false => Err(Trouble::Wrong(format!("{file} is no certificate"))),
            }
        });
        read.collect()
    }

    /// Checks the form of all tests of the suite, and every kill that they claim.
    fn tests(&self) -> Findings {
        let mut findings = Findings::default();
        let tests = self.folder.suite.tests.iter();
        let read: Vec<_> = tests.map(|test| self.steps(test)).collect();
        // Reading a mutant takes longer than checking a kill, so all kills of a mutant are checked together.
        let mut kills: BTreeMap<&str, Vec<Claimed<'_>>> = BTreeMap::new();
        for (number, (test, steps)) in self.folder.suite.tests.iter().zip(read).enumerate() {
            let steps = match steps {
                Ok(steps) => Arc::new(steps),
                Err(trouble) => {
                    findings.take(Kind::Test, &test.id, Err(trouble));
                    continue;
                }
            };
            findings.counted(Kind::Test);
            for (place, kill) in test.kills.iter().enumerate() {
                kills.entry(&kill.mutant).or_default().push(Claimed {
                    place: (number, place),
                    steps: Arc::clone(&steps),
                    kill,
                });
            }
        }
        let kills: Vec<_> = kills.into_iter().collect();
        let checked = kills.par_iter();
        let checked = checked.flat_map_iter(|(mutant, kills)| self.kills(mutant, kills));
        let mut checked: Vec<_> = checked.collect();
        checked.sort_by_key(|(place, _)| *place);
        for ((test, place), checked) in checked {
            let test = &self.folder.suite.tests[test];
            let place = format!("{} on {}", test.id, test.kills[place].mutant);
            findings.take(Kind::Kills, &place, checked);
        }
        findings
    }

    /// Checks the kills of a mutant that tests claim. Returns for each its place (index of the test, and of the kill there) and the result.
    fn kills(
        &self,
        mutant: &str,
        claimed: &[Claimed<'_>],
    ) -> Vec<((usize, usize), Result<(), Trouble>)> {
        let result = self.results.get(mutant).copied();
        let said = result.and_then(known).map(|(strength, _)| strength);
        let (agreed, others): (Vec<_>, Vec<_>) =
            (claimed.iter()).partition(|claimed| said == Some(claimed.kill.strength));
        let kills = agreed.iter().map(|claimed| {
            let strength = own::read_strength(claimed.kill.strength);
            (claimed.steps.as_slice(), strength)
        });
        let (mutant, kills): (_, Vec<_>) = (MutantId(mutant.to_owned()), kills.collect());
        let checked = (self.rechecker).recheck_kills(&mutant, &kills, &|| self.limits.one());
        let mut checked = checked.into_iter();
        let agreed = agreed.iter().map(|claimed| match checked.next() {
            Some(checked) => (claimed.place, checked.map_err(Trouble::from)),
            None => (claimed.place, Err(Trouble::wrong("it was not checked"))),
        });
        let others = others.iter().map(|claimed| {
            let trouble = Trouble::wrong("the verdict of the mutant has another strength");
            (claimed.place, Err(trouble))
        });
        agreed.chain(others).collect()
    }

    /// Returns the steps of a test; an error unless its entry in the suite and its file are in the normal form.
    fn steps(&self, test: &SuiteTest) -> Result<Vec<Step>, Trouble> {
        let steps = own::read_steps(&test.steps)?;
        let bare = |step: &TestStep| step.mutant_outputs.is_none();
        let is_plain = test.kind == own::kind(&steps)
            && !test.controllable
            && test.initial.is_empty()
            && test.tree.is_none()
            && test.machine.is_none()
            && test.steps.iter().all(bare)
            && test.found_by == self.listing.description.language;
        if !is_plain {
            return Err(Trouble::wrong(
                "the test has parts that tests in this language do not have",
            ));
        }
        let file = format!("{}/{}", names::TESTS, file_name(&test.id, "txt"));
        let text = (self.folder.texts.test)(&[], test);
        self.folder.is_text(&file, &text)?;
        Ok(steps)
    }
}

/// Returns a key for the part of a result that a certificate is about.
fn place(part: Part) -> &'static str {
    match part {
        Part::Verdict => "verdict",
        Part::Definite => "definite",
        Part::Potential => "potential",
    }
}

/// Returns the determinism that a language states of a model; `None` becomes unsettled.
#[must_use]
pub fn determinism(deterministic: Option<bool>) -> Determinism {
    match deterministic {
        Some(true) => Determinism::Deterministic,
        Some(false) => Determinism::NonDeterministic,
        None => Determinism::Unsettled,
    }
}
