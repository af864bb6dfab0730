//! Checks results: each must be exactly the one that its evidence determines.

use std::collections::BTreeSet;

use hyperkill_certify::{LISTING, answers, certify_duplicate, certify_free, certify_test};

use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_core::values::{codes, free_values, inputs_of};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::verdict::{Kill, Strength};

use super::certificates::{Certificates, Held, Killing};
use super::findings::{Findings, Kind, Limits, Trouble, same};
use super::folder::Folder;
use super::folder::is_journaled;
use super::index::RunIndex;
use crate::catalogue::{Entry, Standing};
use crate::certificates::Circuit;
use crate::documents::{
    ClaimWord, DefiniteWord, Evidence, Machine, MutantResult, PotentialResult, StrengthWord, Test,
    TestStep, Valuation, VerdictWord, build,
};

/// The context of the check of a result.
struct Check<'a> {
    /// A circuit with the mutant, and with the one that it duplicates.
    circuit: &'a Circuit<'a>,
    model: &'a ConditionalMutant,
    folder: &'a Folder,
    run: &'a RunIndex<'a>,
    certificates: &'a Certificates,
    result: &'a MutantResult,
    limits: &'a Limits,
}

/// Checks that a result is the one that its certificates determine, and returns the findings.
pub(super) fn check(
    run: &RunIndex<'_>,
    certificates: &Certificates,
    result: &MutantResult,
    limits: &Limits,
) -> Findings {
    let mut findings = Findings::default();
    let place = &result.mutant;
    let Some(entry) = run.entry(place) else {
        // The faults are reported at the mutants.
        return findings;
    };
    let circuit = run.circuit(place);
    let check = Check {
        circuit,
        model: circuit.model,
        folder: run.folder,
        run,
        certificates,
        result,
        limits,
    };
    let kind = match (result.verdict, result.strength) {
        (VerdictWord::Killed, Some(strength)) => Kind::Kill(strength),
        (verdict, _) => Kind::Verdict(verdict),
    };
    findings.take(kind, place, check.verdict(entry));
    if result.input_enabled.is_some() {
        findings.take(Kind::Acceptance, place, check.acceptance(entry));
    }
    if result.definite == Some(DefiniteWord::Excluded) {
        let claim = ClaimWord::NotDefinitelyKillable;
        let proved = check.proved(result.definite_certificate.as_ref(), claim);
        findings.take(
            Kind::Verdict(VerdictWord::NotDefinitelyKillable),
            place,
            proved.map(drop),
        );
    }
    if let Some(potential) = &result.potential
        && potential.verdict == VerdictWord::Killed
    {
        let kind = Kind::Kill(StrengthWord::Potential);
        findings.take(kind, place, check.potential(entry, potential));
    }
    findings
}

/// Checks that the journal has a line with this result if the mutant was decided.
pub(super) fn is_in_the_journal(folder: &Folder, result: &MutantResult) -> Result<(), Trouble> {
    let entry = folder.journal.get(&result.mutant);
    match (entry, is_journaled(result)) {
        (Some(entry), true) => same(&entry.result, result),
        (None, false) => Ok(()),
        (Some(_), false) => Err(Trouble::wrong(
            "the journal has a result that is not to be journaled",
        )),
        (None, true) => Err(Trouble::wrong("the journal lacks the result")),
    }
}

impl Check<'_> {
    /// Checks that the verdict and all other facts of the result are those that its certificates determine.
    fn verdict(&self, entry: &Entry) -> Result<(), Trouble> {
        is_in_the_journal(self.folder, self.result)?;
        let result = self.result;
        let selector = match (&entry.standing, result.verdict) {
            (Standing::Invalid(reason), _) => {
                return same(&build::invalid(&entry.id, reason), result);
            }
            (Standing::Live(_), VerdictWord::Invalid) => {
                return Err(Trouble::wrong(
                    "the mutant is invalid by its verdict, but a valid model",
                ));
            }
            (Standing::Live(_), _) => self.selector(entry)?,
        };
        let mut expected = build::blank(&entry.id, result.verdict);
        // Engine and notes have no evidence.
        expected.engine.clone_from(&result.engine);
        expected.notes.clone_from(&result.notes);
        expected.carried_over = result.carried_over;
        if result.verdict == VerdictWord::DuplicateOf {
            expected.of.clone_from(&result.of);
            self.duplicate(selector)?;
            return same(&expected, result);
        }
        expected.property = Some(self.folder.run.property.clone());
        // The acceptance of inputs is checked separately.
        expected.input_enabled = result.input_enabled;
        expected.refusal.clone_from(&result.refusal);
        let acceptance = &result.acceptance_certificate;
        expected.acceptance_certificate.clone_from(acceptance);
        expected.certificate.clone_from(&result.certificate);
        let by_mutant = result.refusal.as_ref().is_some_and(|r| r.by == "mutant");
        match result.verdict {
            VerdictWord::Killed => self.killed(selector, &mut expected)?,
            VerdictWord::Equivalent if by_mutant => {
                return Err(Trouble::wrong(
                    "the mutant is equivalent by its verdict, but refuses an input that the model accepts",
                ));
            }
            VerdictWord::Equivalent if result.input_enabled.is_none() => {
                return Err(Trouble::wrong("whether it refuses inputs is open"));
            }
            VerdictWord::RefusesInput if !by_mutant => {
                return Err(Trouble::wrong("the refused input is missing"));
            }
            VerdictWord::Equivalent | VerdictWord::RefusesInput => {
                let certificate = result.certificate.as_ref();
                expected.evidence = Some(self.proved(certificate, ClaimWord::Equivalent)?);
            }
            VerdictWord::NotDefinitelyKillable => {
                let certificate = result.certificate.as_ref();
                let claim = ClaimWord::NotDefinitelyKillable;
                expected.evidence = Some(self.proved(certificate, claim)?);
                // A kill beside it is checked separately.
                expected.potential = Some(match &result.potential {
                    None => return Err(Trouble::wrong("the result on potential kills is missing")),
                    Some(potential) if potential.verdict == VerdictWord::Killed => {
                        potential.clone()
                    }
                    Some(potential) => PotentialResult {
                        known_to: potential.known_to,
                        reason: potential.reason.clone(),
                        ..PotentialResult::blank(VerdictWord::Unknown)
                    },
                });
            }
            VerdictWord::Unknown => {
                expected.certificate = None;
                expected.known_to = result.known_to;
                expected.reason.clone_from(&result.reason);
            }
            VerdictWord::Invalid | VerdictWord::DuplicateOf => {}
        }
        same(&expected, result)
    }

    /// Returns the selector of a mutant that is a model, in the circuit of the check.
    fn selector(&self, entry: &Entry) -> Result<SelectorId, Trouble> {
        let Standing::Live(_) = entry.standing else {
            return Err(Trouble::Elsewhere);
        };
        let selector = self.circuit.selector(&entry.id.0);
        selector.ok_or_else(|| Trouble::wrong("the circuit has no such mutant"))
    }

    fn duplicate(&self, selector: SelectorId) -> Result<(), Trouble> {
        let missing = || Trouble::wrong("the mutant that it duplicates is missing from the run");
        let of = self.result.of.as_ref().ok_or_else(missing)?;
        let first = self.run.result(of).ok_or_else(missing)?;
        let is_first = !matches!(
            first.verdict,
            VerdictWord::DuplicateOf | VerdictWord::Invalid
        );
        let other = self.circuit.selector(of);
        let other = other.filter(|&other| is_first && other != selector);
        let variants = [selector, other.ok_or_else(missing)?].map(Variant::Mutant);
        Ok(certify_duplicate(self.model, variants, &self.limits.one())?)
    }

    fn proved(&self, certificate: Option<&String>, claim: ClaimWord) -> Result<Evidence, Trouble> {
        match self
            .certificates
            .of(certificate, claim, &self.result.mutant)?
        {
            Held::Proof(certificate) => Ok(build::evidence(certificate)),
            _ => Err(Trouble::wrong("the certificate is no proof")),
        }
    }

    fn kill(&self, certificate: Option<&String>) -> Result<&Killing, Trouble> {
        let id = &self.result.mutant;
        match self.certificates.of(certificate, ClaimWord::Killed, id)? {
            Held::Kill(killing) => Ok(killing),
            _ => Err(Trouble::wrong("the certificate is no kill")),
        }
    }

    fn killed(&self, selector: SelectorId, expected: &mut MutantResult) -> Result<(), Trouble> {
        let result = self.result;
        let killing = self.kill(result.certificate.as_ref())?;
        let kill = &killing.kill;
        self.has_run(kill)?;
        expected.strength = Some(build::strength(kill.strength));
        expected.steps = Some(kill.steps());
        expected.shortest = result.shortest.or(Some(false));
        expected.replayed = Some(true);
        expected.definite = result.definite;
        match result.definite {
            None => {}
            Some(_) if kill.strength == Strength::Definite => {
                return Err(Trouble::wrong(
                    "the result on definite kills contradicts the kill, which is definite",
                ));
            }
            Some(DefiniteWord::Excluded) => {
                let certificate = &result.definite_certificate;
                let claim = ClaimWord::NotDefinitelyKillable;
                expected.evidence = Some(self.proved(certificate.as_ref(), claim)?);
                expected.definite_certificate.clone_from(certificate);
            }
            Some(DefiniteWord::Unsettled) => {
                expected.definite_known_to = result.definite_known_to;
                expected.definite_reason.clone_from(&result.definite_reason);
            }
        }
        let test = result.test.as_ref();
        let test = test.ok_or_else(|| Trouble::wrong("the test is missing"))?;
        expected.test = Some(self.test(selector, killing, test)?);
        Ok(())
    }

    /// Checks that the journal has the runs of this kill for the mutant.
    fn has_run(&self, kill: &Kill) -> Result<(), Trouble> {
        let entry = self.folder.journal.get(&self.result.mutant);
        same(
            &Some(build::runs(self.model, kill)),
            &entry.and_then(|entry| entry.runs.as_ref()),
        )
    }

    /// Checks the potential kill of a mutant beside a proof that there is no definite one.
    fn potential(&self, entry: &Entry, potential: &PotentialResult) -> Result<(), Trouble> {
        let selector = self.selector(entry)?;
        let killing = self.kill(potential.certificate.as_ref())?;
        let kill = &killing.kill;
        self.has_run(kill)?;
        if kill.strength != Strength::Potential {
            return Err(Trouble::wrong(
                "the kill has another strength than potential",
            ));
        }
        let test = potential.test.as_ref();
        let test = test.ok_or_else(|| Trouble::wrong("the test is missing"))?;
        let expected = PotentialResult {
            steps: Some(kill.steps()),
            shortest: potential.shortest.or(Some(false)),
            test: Some(self.test(selector, killing, test)?),
            certificate: potential.certificate.clone(),
            ..PotentialResult::blank(VerdictWord::Killed)
        };
        same(&expected, potential)
    }

    /// Returns the test that the documents should contain for a kill with the run of the model that its test prescribes. `test` is the one
    /// in the result.
    ///
    /// # Errors
    /// If the test has other inputs than the kill, or prescribes no run of the model.
    fn test(&self, selector: SelectorId, killing: &Killing, test: &Test) -> Result<Test, Trouble> {
        let model = self.model;
        let (kill, run) = (&killing.kill, &killing.test);
        let set = |run: &Stimulus| -> Vec<Vec<bool>> {
            let step = |step: &Vec<bool>| model.input_bits().map(|bit| step[bit]).collect();
            run.steps.iter().map(step).collect()
        };
        if set(run) != set(&kill.model_run) {
            return Err(Trouble::wrong("the test has other inputs than the kill"));
        }
        let controllable = kill.strength == Strength::Controllable;
        let budget = self.limits.one();
        if controllable {
            certify_test(model, selector, run, kill.strength, LISTING, &budget)?;
        }
        let variants = [Variant::Original, Variant::Mutant(selector)];
        let arranged = controllable.then(|| Relevance::to(model, &variants));
        let answered = match killing.expected() {
            Some(outputs) => outputs.to_vec(),
            None => prescribed(model, run)?,
        };
        let mut expected = spelled(model, run, &answered, arranged.as_ref(), test, self.limits)?;
        for (step, outputs) in expected.steps.iter_mut().zip(&killing.shown.observed) {
            step.mutant_outputs = Some(Valuation(decode(&model.outputs, outputs)));
        }
        if (test.kind == "tree") != kill.tree.is_some() {
            return Err(Trouble::wrong(
                "the test has a strategy and is no tree, or is a tree without a strategy",
            ));
        }
        expected.machine = kill.tree.as_ref().map(|tree| build::machine(model, tree));
        expected.tree = expected.machine.as_ref().and_then(Machine::unfold);
        if kill.strength == Strength::Definite && kill.tree.is_none() {
            let killed = [&*self.result.mutant];
            add_free(self.run, &killed, run, (&mut expected.steps, &test.steps))?;
        }
        Ok(expected)
    }

    /// Whether the model and this mutant accept all inputs, since no constraint is left when the other mutants are off; then no certificate
    /// is needed. A shard of a plan has a circuit without the mutants of other shards: their constraints are gone there, and no certificate
    /// is written.
    fn accepts_everything(&self, mutant: SelectorId) -> bool {
        let Some(accepting) = self.model.accepting() else {
            return false;
        };
        accepting.is_unconstrained() || keep_mutants(&accepting, &[mutant]).is_unconstrained()
    }

    /// Checks what the result says about the inputs that model and mutant accept, against its certificates.
    fn acceptance(&self, entry: &Entry) -> Result<(), Trouble> {
        let selector = self.selector(entry)?;
        let result = self.result;
        let inclusion = result.acceptance_certificate.as_ref();
        let included =
            |claim: ClaimWord| match self.certificates.of(inclusion, claim, &result.mutant)? {
                Held::Inclusion => Ok(()),
                _ => Err(Trouble::wrong("the certificate is not about inputs")),
            };
        let Some(refusal) = &result.refusal else {
            return match (result.input_enabled, inclusion) {
                (Some(false), _) => Err(Trouble::wrong("the refused input is missing")),
                (_, None) if self.accepts_everything(selector) => Ok(()),
                _ => included(ClaimWord::AcceptsTheSame),
            };
        };
        if result.input_enabled != Some(false) {
            return Err(Trouble::wrong(
                "the result has a refused input, but says that all are accepted",
            ));
        }
        let by_mutant = refusal.by == "mutant";
        let claim = match by_mutant {
            true => ClaimWord::Refuses,
            false => ClaimWord::AcceptsMore,
        };
        let certificate = refusal.certificate.as_ref();
        let Held::Accepted(run) = self.certificates.of(certificate, claim, &result.mutant)? else {
            return Err(Trouble::wrong("the certificate is no refusal"));
        };
        let expected = build::refusal(self.model, selector, by_mutant, run);
        let mut expected = expected.map_err(Trouble::wrong)?;
        expected.certificate.clone_from(&refusal.certificate);
        same(&expected, refusal)?;
        match (by_mutant, inclusion) {
            (true, None) => Ok(()),
            (true, Some(_)) => Err(Trouble::wrong(
                "the mutant refuses inputs, but has a certificate that it accepts all",
            )),
            (false, _) => included(ClaimWord::AcceptsAll),
        }
    }
}

/// Returns the outputs of the model on the run that a test prescribes: per step, one bool per output of the circuit.
pub(super) fn prescribed(
    model: &ConditionalMutant,
    run: &Stimulus,
) -> Result<Vec<Vec<bool>>, Trouble> {
    let trace = replay(model, Variant::Original, run).map_err(Trouble::wrong)?;
    match trace.broken_at {
        Some(_) => Err(Trouble::wrong("the test prescribes no run of the model")),
        None => Ok(trace.outputs),
    }
}

/// Adds to the steps in `expected` the inputs that `said` lists as free (their values do not matter), if that is true. The run must kill
/// these mutants definitely whatever the values are.
///
/// # Errors
/// If the claim does not hold.
pub(super) fn add_free(
    index: &RunIndex<'_>,
    mutants: &[&str],
    run: &Stimulus,
    (expected, said): (&mut [TestStep], &[TestStep]),
) -> Result<(), Trouble> {
    if said.iter().all(|step| step.free.is_empty()) {
        return Ok(());
    }
    if mutants.is_empty() {
        return Err(Trouble::wrong(
            "inputs are called free in a test that kills no mutant",
        ));
    }
    let model = index.model();
    let mut unknown = vec![vec![false; model.aig.inputs().len()]; run.steps.len()];
    for ((step, said), unknown) in expected.iter_mut().zip(said).zip(&mut unknown) {
        // Each once and in order, so that the list has one form.
        let ports = model.inputs.iter();
        let ports = ports.filter(|port| said.free.contains(&port.name));
        for port in ports {
            step.free.push(port.name.clone());
            port.bits.iter().for_each(|&bit| unknown[bit] = true);
        }
    }
    for (circuit, killed) in index.pieces.divided(mutants.iter().map(|id| (*id, ()))) {
        let killed = killed.iter().map(|killed| killed.selector);
        let killed: Vec<SelectorId> = killed.collect();
        certify_free(circuit.model, &killed, &run.steps, &unknown)?;
    }
    Ok(())
}

/// Returns the test that prescribes this run of the model, as documents have it. `answered` are the outputs of the model, `arranged` the
/// choices that the test arranges.
///
/// From `test`, only its kind is trusted, and which of its lists of allowed outputs are incomplete.
pub(super) fn spelled(
    model: &ConditionalMutant,
    run: &Stimulus,
    answered: &[Vec<bool>],
    arranged: Option<&Relevance>,
    test: &Test,
    limits: &Limits,
) -> Result<Test, Trouble> {
    let allowing = match test.kind.as_str() {
        "linear" | "tree" => None,
        "local" => Some(Allowing::Local),
        "global" => Some(Allowing::Global),
        kind => return Err(Trouble::Wrong(format!("there are no {kind} tests"))),
    };
    let own: Vec<Valuation> = answered
        .iter()
        .map(|outputs| Valuation(decode(&model.outputs, outputs)))
        .collect();
    let all: Vec<Option<Vec<Valuation>>> = match allowing {
        None => vec![None; run.steps.len()],
        // With all choices fixed there is one run.
        Some(_) if arranged.is_some() => own.iter().map(|own| Some(vec![own.clone()])).collect(),
        Some(allowing) => {
            let listed = all_answers(model, run, allowing, limits)?;
            let mut listed: Vec<_> = listed.into_iter().map(Some).collect();
            listed.resize(run.steps.len(), None);
            listed
        }
    };
    let mut steps = Vec::new();
    for (number, ((inputs, own), all)) in run.steps.iter().zip(own).zip(all).enumerate() {
        let said = test.steps.get(number);
        let cut = said.filter(|step| step.allowed_complete == Some(false));
        let allowed = match (cut, all) {
            (Some(said), Some(all)) => Some(a_part(said, &own, all, number)?),
            (_, all) => all,
        };
        steps.push(TestStep {
            delay: None,
            at: None,
            inputs: Valuation(inputs_of(model, inputs, arranged)),
            free: Vec::new(),
            outputs: own,
            allowed_complete: (cut.is_some() && allowed.is_some()).then_some(false),
            allowed,
            windows: None,
            mutant_outputs: None,
        });
    }
    let initial = arranged.map_or_else(Vec::new, |relevance| free_values(model, run, relevance));
    Ok(Test {
        kind: test.kind.clone(),
        initial: Valuation(initial),
        steps,
        tree: None,
        machine: None,
    })
}

/// Returns the possible outputs of the model at each step of a run, each once and in the order of documents. `allowing` says which part of
/// the run they have in common with it.
///
/// # Errors
/// If the model has too many states to list them.
fn all_answers(
    model: &ConditionalMutant,
    run: &Stimulus,
    allowing: Allowing,
    limits: &Limits,
) -> Result<Vec<Vec<Valuation>>, Trouble> {
    let found = answers(model, run, allowing, LISTING, &limits.one())?;
    let found = found.ok_or_else(|| {
        Trouble::Open("too many states to list the outputs that the model allows".to_owned())
    })?;
    let of_step = |found: BTreeSet<Vec<bool>>| {
        let mut found: Vec<Vec<bool>> = found.into_iter().collect();
        found.sort_by_cached_key(|outputs| codes(&model.outputs, outputs));
        let mut values: Vec<Valuation> = Vec::new();
        for outputs in found {
            let value = Valuation(decode(&model.outputs, &outputs));
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    };
    Ok(found.into_iter().map(of_step).collect())
}

/// Checks step `number` with an incomplete list of allowed outputs: the list is a subset of `all` and contains the prescribed outputs
/// `own`. Returns the list in the order of `all`.
fn a_part(
    said: &TestStep,
    own: &Valuation,
    mut all: Vec<Valuation>,
    number: usize,
) -> Result<Vec<Valuation>, Trouble> {
    let listed = said.allowed.clone().unwrap_or_default();
    if !listed.contains(own) || !listed.iter().all(|value| all.contains(value)) {
        return Err(Trouble::Wrong(format!(
            "the allowed outputs of step {number} are not those of the model"
        )));
    }
    all.retain(|value| listed.contains(value));
    Ok(all)
}
