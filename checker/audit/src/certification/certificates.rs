//! Checks certificates: each one is read against the circuit once, and its claim is certified.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_certify::{
    CheckLimits, LISTING, certify_acceptance_knowing, certify_answering, certify_answering_steps,
    certify_closed_set_knowing, certify_endless, certify_estimates, certify_kills, certify_proof,
    certify_refusal, certify_simulation, certify_tree,
};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::determinism::{Answering, Determinism};
use hyperkill_evidence::question::{Goal, Question};
use hyperkill_evidence::strategy_tree::StrategyTree;
use hyperkill_evidence::verdict::{self, Kill, Strength};
use rayon::prelude::*;

use super::findings::{Findings, Kind, Limits, Trouble, fault};
use super::folder::Folder;
use super::folder::strictly;
use super::pieces::Pieces;
use crate::certificates::{
    Circuit, Unreadable, read_accepted, read_closed, read_estimates, read_kill, read_latches,
    read_proof, read_question, read_relations, read_run, read_simulation, read_tree,
};
use crate::documents::build;
use crate::documents::{
    AcceptedRelationsEvidence, AcceptedSetsEvidence, AimWord, Certificate, ClaimWord, MutantResult,
    PairWord, ProofEvidence, QuestionEvidence, RelationWord, RunEvidence, Shown, SideWord,
};
use crate::names::OUTCOMES;

/// The contents of a certificate as values of the checker.
#[derive(Debug)]
pub(super) enum Held {
    /// A kill, with the run of the model that its test prescribes.
    Kill(Box<Killing>),
    /// A proof about mutants.
    Proof(Box<verdict::Certificate>),
    /// A run of the side that accepts inputs which the other side refuses.
    Accepted(Stimulus),
    /// A proof that one side accepts the inputs of the other.
    Inclusion,
    /// The determinism of the model.
    Answers(Determinism),
}

/// A kill, the outputs of its runs, and the run of the model that its test prescribes.
#[derive(Debug)]
pub(super) struct Killing {
    pub(super) kill: Kill,
    pub(super) shown: hyperkill_certify::Shown,
    pub(super) test: Stimulus,
}

impl Killing {
    /// Returns the outputs of the model on the run that the test prescribes, one row per step. `None` if that is not the run of the kill.
    pub(super) fn expected(&self) -> Option<&[Vec<bool>]> {
        (self.test == self.kill.model_run).then_some(&self.shown.expected)
    }
}

/// The claim of a certificate, without its evidence.
#[derive(Debug)]
struct Claimed {
    word: ClaimWord,
    /// The ids of the mutants that it is about.
    mutants: Vec<String>,
}

/// The circuits of a certificate.
struct Circuits<'a> {
    /// The circuit of all mutants, in which proofs are checked.
    whole: &'a Circuit<'a>,
    /// A circuit with the mutants of some results, in which runs are checked.
    piece: &'a Circuit<'a>,
    /// The index of that piece.
    place: Option<usize>,
    pieces: &'a Pieces<'a>,
}

impl<'a> Circuits<'a> {
    /// Returns the circuit in which a certificate is checked. A certificate of runs must be about a mutant of the piece: its runs are read
    /// with the latches of the piece.
    fn of(&self, certificate: &Certificate) -> Result<&'a Circuit<'a>, Trouble> {
        if !matches!(certificate.evidence, Shown::Kill(_) | Shown::Accepted(_)) {
            return Ok(self.whole);
        }
        let mut mutants = certificate.mutants.iter();
        match mutants.all(|id| self.pieces.place(id) == self.place) {
            true => Ok(self.piece),
            false => Err(Trouble::wrong("the result of another mutant names it")),
        }
    }
}

/// The result of reading a certificate, before kills are checked.
enum Read {
    /// A certificate whose evidence shows its claim.
    Shown(Claimed, Held),
    /// A kill of this mutant, which is checked later with others, and the run of the model that its test prescribes.
    Kill(Claimed, SelectorId, Box<Kill>, Stimulus),
}

/// Number of certificates whose kills are checked in one pass.
const TOGETHER: usize = 32;

/// The certificates that the results of a run name, by file.
#[derive(Debug)]
pub(super) struct Certificates {
    checked: BTreeMap<String, Result<(Claimed, Held), Trouble>>,
}

impl Claimed {
    fn by(certificate: Certificate) -> Claimed {
        Claimed {
            word: certificate.claim,
            mutants: certificate.mutants,
        }
    }
}

impl From<Unreadable> for Trouble {
    fn from(error: Unreadable) -> Trouble {
        Trouble::wrong(error)
    }
}

impl Certificates {
    /// Checks all certificates that the results of a run name, and keeps what they show. Each fault is reported once, in `findings`.
    pub(super) fn check(
        pieces: &Pieces<'_>,
        folder: &Folder,
        limits: &Limits,
        findings: &mut Findings,
    ) -> Certificates {
        let groups = grouped(pieces, folder);
        let checked = groups.par_iter().flat_map_iter(|(place, names)| {
            let circuits = Circuits {
                whole: pieces.whole(),
                piece: pieces.circuit(*place),
                place: *place,
                pieces,
            };
            let checked = check_together(&circuits, folder, names, limits);
            names.iter().map(|name| (*name).clone()).zip(checked)
        });
        let checked: BTreeMap<String, Result<(Claimed, Held), Trouble>> = checked.collect();
        for (name, result) in &checked {
            match result {
                Ok(_) | Err(Trouble::Elsewhere) => {}
                Err(Trouble::Wrong(what)) => findings.wrong(name, what),
                Err(Trouble::Open(what)) => findings.open.push(fault(name, what)),
            }
        }
        Certificates { checked }
    }

    /// Returns the proofs about mutants that the checks accept, each with its file.
    pub(super) fn proofs(&self) -> Vec<(String, verdict::Certificate)> {
        let checked = self.checked.iter();
        let proofs = checked.filter_map(|(file, checked)| match checked {
            Ok((_, Held::Proof(proof))) => Some((file.clone(), proof.as_ref().clone())),
            _ => None,
        });
        proofs.collect()
    }

    /// Checks that the certificate of the original proves the determinism in the documents.
    pub(super) fn original(&self, folder: &Folder, findings: &mut Findings) {
        let said = folder.run.original.as_str();
        let file = folder.run.original_certificate.as_deref();
        let unsettled = build::determinism(Determinism::Unsettled);
        let checked = match file {
            None if said == unsettled => return,
            None => Err(Trouble::Open(format!(
                "the run keeps no evidence that the model is {said}"
            ))),
            Some(file) => match self.of_original(file) {
                Ok(found) if build::determinism(found) == said => Ok(()),
                Ok(found) => Err(Trouble::Wrong(format!(
                    "the model is {}, not {said}",
                    build::determinism(found)
                ))),
                Err(trouble) => Err(trouble),
            },
        };
        findings.take(Kind::Original, OUTCOMES, checked);
    }

    /// Returns the determinism that the certificate in `file` shows.
    fn of_original(&self, file: &str) -> Result<Determinism, Trouble> {
        match self.checked.get(file) {
            Some(Ok((_, Held::Answers(found)))) => Ok(*found),
            Some(Ok(_)) => Err(Trouble::Wrong(format!("{file} claims something else"))),
            // The certificate itself gets the finding.
            Some(Err(_)) | None => Err(Trouble::Elsewhere),
        }
    }

    /// Whether all certificates that a result names show their claims; true if it names none.
    pub(super) fn show_all_of(&self, result: &MutantResult) -> bool {
        names(result).all(|name| matches!(self.checked.get(name), Some(Ok(_))))
    }

    /// Returns what the certificate in `file` shows, which must claim `claim` of this mutant.
    ///
    /// # Errors
    /// If there is no certificate, or it does not check. Also if it has another claim, or is about other mutants than `mutant`.
    pub(super) fn of(
        &self,
        file: Option<&String>,
        claim: ClaimWord,
        mutant: &str,
    ) -> Result<&Held, Trouble> {
        let file = file.ok_or_else(|| Trouble::wrong("the certificate is missing"))?;
        let (claimed, held) = match self.checked.get(file) {
            Some(Ok(checked)) => checked,
            // The certificate itself gets the finding.
            Some(Err(_)) | None => return Err(Trouble::Elsewhere),
        };
        if claimed.word != claim {
            return Err(Trouble::Wrong(format!("{file} claims something else")));
        }
        if !claimed.mutants.iter().any(|id| id == mutant) {
            return Err(Trouble::Wrong(format!("{file} is about other mutants")));
        }
        Ok(held)
    }
}

/// Returns the file names of all certificates that a result names.
fn names(result: &MutantResult) -> impl Iterator<Item = &String> {
    let potential = result
        .potential
        .as_ref()
        .and_then(|p| p.certificate.as_ref());
    let refusal = result.refusal.as_ref().and_then(|r| r.certificate.as_ref());
    [
        result.certificate.as_ref(),
        result.definite_certificate.as_ref(),
        result.acceptance_certificate.as_ref(),
        potential,
        refusal,
    ]
    .into_iter()
    .flatten()
}

/// Returns the names of all certificates of a run, in groups of at most [`TOGETHER`] whose mutants are in the same piece.
fn grouped<'f>(pieces: &Pieces<'_>, folder: &'f Folder) -> Vec<(Option<usize>, Vec<&'f String>)> {
    let mut places: BTreeMap<&String, Option<usize>> = BTreeMap::new();
    for result in &folder.run.results {
        for name in names(result) {
            let place = || pieces.place(&result.mutant);
            places.entry(name).or_insert_with(place);
        }
    }
    if let Some(name) = &folder.run.original_certificate {
        places.entry(name).or_insert(None);
    }
    let mut named: Vec<(Option<usize>, &String)> =
        places.iter().map(|(name, place)| (*place, *name)).collect();
    named.sort();
    let pieces = named.chunk_by(|(one, _), (other, _)| one == other);
    let groups = pieces.flat_map(|piece| piece.chunks(TOGETHER));
    let groups = groups.map(|group| (group[0].0, group.iter().map(|(_, name)| *name).collect()));
    groups.collect()
}

/// Checks the certificates with these file names, and returns for each what it shows. Their kills are checked in one pass.
fn check_together(
    circuits: &Circuits<'_>,
    folder: &Folder,
    names: &[&String],
    limits: &Limits,
) -> Vec<Result<(Claimed, Held), Trouble>> {
    let circuit = circuits.piece;
    let read = names
        .iter()
        .map(|name| read(circuits, folder, name, limits));
    let read: Vec<Result<Read, Trouble>> = read.collect();
    let kills = read.iter().filter_map(|read| match read {
        Ok(Read::Kill(_, mutant, kill, _)) => Some((*mutant, kill.as_ref())),
        _ => None,
    });
    let kills: Vec<(SelectorId, &Kill)> = kills.collect();
    let shown = certify_kills(circuit.model, &kills, LISTING, || limits.one());
    let mut shown = shown.into_iter();
    let held = read.into_iter().map(|read| match read? {
        Read::Shown(claimed, held) => Ok((claimed, held)),
        Read::Kill(claimed, mutant, kill, test) => {
            let shown = shown.next().ok_or(Trouble::Elsewhere)??;
            has_its_strategy(circuit, mutant, &kill, &limits.one())?;
            let kill = *kill;
            Ok((claimed, Held::Kill(Box::new(Killing { kill, shown, test }))))
        }
    });
    held.collect()
}

/// Checks the strategy of an adaptive test that kills a mutant, if the kill has one. An adaptive kill must have one.
fn has_its_strategy(
    circuit: &Circuit<'_>,
    mutant: SelectorId,
    kill: &Kill,
    budget: &Budget,
) -> Result<(), Trouble> {
    match &kill.tree {
        Some(tree) => Ok(certify_tree(
            circuit.model,
            mutant,
            tree,
            kill.strength,
            budget,
        )?),
        None if kill.strength == Strength::Adaptive => Err(Trouble::wrong(
            "the evidence of an adaptive kill lacks the strategy",
        )),
        None => Ok(()),
    }
}

fn read(
    circuits: &Circuits<'_>,
    folder: &Folder,
    name: &str,
    limits: &Limits,
) -> Result<Read, Trouble> {
    let bytes = folder.bytes(name)?;
    let certificate: Certificate = strictly(&bytes)?;
    if certificate.schema != Certificate::SCHEMA {
        return Err(Trouble::Wrong(format!(
            "the document is not of schema {}",
            Certificate::SCHEMA
        )));
    }
    if certificate.circuit != circuits.whole.digest {
        return Err(Trouble::wrong("it is about another circuit"));
    }
    let circuit = circuits.of(&certificate)?;
    let selector = |id: &String| {
        let selector = circuit.selector(id);
        selector.ok_or_else(|| Trouble::Wrong(format!("the circuit has no mutant {id}")))
    };
    let mutants = certificate.mutants.iter().map(selector);
    let mutants: Vec<SelectorId> = mutants.collect::<Result<_, _>>()?;
    if !is_about(&certificate, circuits.whole.model.is_unconstrained()) {
        return Err(nonsense());
    }
    if let Shown::Kill(evidence) = &certificate.evidence {
        let [mutant] = mutants[..] else {
            return Err(nonsense());
        };
        let kill = read_kill(circuit, evidence)?;
        let test = circuit.read_run(&evidence.test.initial, &evidence.test.steps)?;
        return Ok(Read::Kill(
            Claimed::by(certificate),
            mutant,
            Box::new(kill),
            test,
        ));
    }
    let held = shown(circuit, &certificate, &mutants, limits)?;
    Ok(Read::Shown(Claimed::by(certificate), held))
}

/// Checks a certificate about these mutants by its evidence, and returns what it shows.
///
/// # Errors
/// If its evidence does not show the claim.
fn shown(
    circuit: &Circuit<'_>,
    certificate: &Certificate,
    mutants: &[SelectorId],
    limits: &Limits,
) -> Result<Held, Trouble> {
    let model = circuit.model;
    let budget = &limits.one();
    let of_model = matches!(
        certificate.claim,
        ClaimWord::Deterministic | ClaimWord::NonDeterministic
    );
    if of_model != mutants.is_empty() {
        return Err(nonsense());
    }
    if of_model {
        return answers(circuit, certificate, budget);
    }
    let claim = Claim {
        circuit,
        word: certificate.claim,
        mutants,
        budget,
    };
    match &certificate.evidence {
        Shown::Proof(proof) => {
            let proved = claim.proved(proof)?;
            Ok(match certificate.claim {
                ClaimWord::AcceptsAll => Held::Inclusion,
                _ => Held::Proof(proved),
            })
        }
        Shown::BothProofs(proofs) => {
            for proof in proofs {
                claim.proved(proof)?;
            }
            Ok(Held::Inclusion)
        }
        Shown::ClosedSet(closed) => {
            let closed = read_closed(circuit, closed, claim.mutants)?;
            certify_closed_set_knowing(model, &closed, circuit.classes(budget), budget)?;
            Ok(Held::Proof(Box::new(verdict::Certificate::ClosedSet(
                Arc::new(closed),
            ))))
        }
        Shown::Simulation(simulation) => {
            let simulation = read_simulation(simulation, claim.mutants)?;
            certify_simulation(model, &simulation, budget)?;
            Ok(Held::Proof(Box::new(verdict::Certificate::Simulation(
                simulation,
            ))))
        }
        Shown::Estimates(estimates) => {
            let estimates = read_estimates(estimates, claim.mutants)?;
            certify_estimates(model, &estimates, budget)?;
            Ok(Held::Proof(Box::new(verdict::Certificate::Estimates(
                estimates,
            ))))
        }
        Shown::AcceptedSets(sets) => {
            claim.sets(sets)?;
            Ok(Held::Inclusion)
        }
        Shown::AcceptedRelations(relations) => {
            claim.relations(relations)?;
            Ok(Held::Inclusion)
        }
        Shown::Endless([mutant, original]) => {
            claim.endless(mutant, original)?;
            Ok(Held::Inclusion)
        }
        Shown::Accepted(evidence) => claim.refusal(evidence),
        Shown::Kill(_)
        | Shown::Differing(_)
        | Shown::Unchosen(_)
        | Shown::Validity(_)
        | Shown::OwnKill(_)
        | Shown::Own(_) => Err(nonsense()),
    }
}

fn nonsense() -> Trouble {
    Trouble::wrong("the evidence is of another kind than the claim")
}

/// Whether a question is about accepted inputs, and not about outputs.
fn proof_of_acceptance(question: &Question) -> bool {
    matches!(question, Question::Pair(pair) if matches!(pair.goal, Goal::Breaks(_)))
}

/// A claim of a certificate about mutants, to be checked.
struct Claim<'a> {
    circuit: &'a Circuit<'a>,
    word: ClaimWord,
    mutants: &'a [SelectorId],
    budget: &'a Budget,
}

impl Claim<'_> {
    /// Returns the mutant of the claim; an error unless there is exactly one.
    fn mutant(&self) -> Result<SelectorId, Trouble> {
        match self.mutants {
            [mutant] => Ok(*mutant),
            _ => Err(nonsense()),
        }
    }

    /// Returns the model in which acceptance of inputs is a constraint: its output for acceptance, if it names one, becomes one. An error
    /// if that output is not observed.
    fn accepting(&self) -> Result<Cow<'_, ConditionalMutant>, Trouble> {
        let missing = || Trouble::wrong("the output for acceptance is not observed");
        self.circuit.model.accepting().ok_or_else(missing)
    }

    /// Checks by these sets of states that the mutant accepts all inputs of the model, and the reverse if it is claimed.
    fn sets(&self, sets: &AcceptedSetsEvidence) -> Result<(), Trouble> {
        let (model, mutant) = (self.accepting()?, self.mutant()?);
        let sets = read_accepted(self.circuit, sets)?;
        let equally = self.word == ClaimWord::AcceptsTheSame;
        let classes = self.circuit.classes(self.budget);
        certify_acceptance_knowing(&model, mutant, &sets, equally, classes, self.budget)?;
        Ok(())
    }

    /// Checks by these relations that the mutant accepts all inputs of the model, and the reverse if there are two.
    fn relations(&self, relations: &AcceptedRelationsEvidence) -> Result<(), Trouble> {
        let (model, mutant) = (self.accepting()?, self.mutant()?);
        let (by_mutant, by_model) = read_relations(relations, mutant)?;
        let answers = |follower, relation| {
            let limits = CheckLimits::default();
            certify_answering_steps(&model, mutant, follower, relation, limits, self.budget)
        };
        answers(Variant::Mutant(mutant), &by_mutant)?;
        if let Some(by_model) = &by_model {
            answers(Variant::Original, by_model)?;
        }
        Ok(())
    }

    fn proved(&self, proof: &ProofEvidence) -> Result<Box<verdict::Certificate>, Trouble> {
        let question = read_question(self.circuit, &proof.question, self.mutants)?;
        let proof = read_proof(self.circuit, proof)?;
        let asked = match proof_of_acceptance(&question) {
            true => self.accepting()?,
            false => Cow::Borrowed(self.circuit.model),
        };
        certify_proof(&asked, &question, &proof, self.budget)?;
        Ok(Box::new(verdict::Certificate::Induction {
            question,
            proof,
        }))
    }

    /// Checks that a run of the mutant and a run of the model are lassos, so that both sides have runs of every length.
    fn endless(&self, mutant: &RunEvidence, original: &RunEvidence) -> Result<(), Trouble> {
        let model = self.accepting()?;
        let mutated = Variant::Mutant(self.mutant()?);
        for (variant, run) in [(mutated, mutant), (Variant::Original, original)] {
            if !run.tree.is_empty() {
                return Err(Trouble::wrong(
                    "the evidence has a strategy, but its run has no inputs",
                ));
            }
            certify_endless(
                &model,
                variant,
                &read_run(&model, &run.initial, &run.steps)?,
            )?;
        }
        Ok(())
    }

    /// Checks the run of one side whose inputs the other side refuses, and returns it.
    fn refusal(&self, evidence: &RunEvidence) -> Result<Held, Trouble> {
        let model = self.accepting()?;
        let run = read_run(&model, &evidence.initial, &evidence.steps)?;
        if !evidence.tree.is_empty() {
            return Err(Trouble::wrong("the evidence of a refusal has a strategy"));
        }
        let sides = [Variant::Original, Variant::Mutant(self.mutant()?)];
        let sides = match self.word {
            ClaimWord::Refuses => sides,
            _ => [sides[1], sides[0]],
        };
        certify_refusal(&model, sides, &run, LISTING, self.budget)?;
        Ok(Held::Accepted(run))
    }
}

/// Checks a certificate about the determinism of the original, and returns the determinism that it shows.
///
/// # Errors
/// If its evidence does not show the claim.
fn answers(
    circuit: &Circuit<'_>,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Held, Trouble> {
    let model = circuit.model;
    let run = |evidence: &RunEvidence| match evidence.tree.is_empty() {
        true => Ok(read_run(model, &evidence.initial, &evidence.steps)?),
        false => Err(Trouble::wrong(
            "the evidence has a strategy, but is about runs of the model",
        )),
    };
    let shown = match &certificate.evidence {
        Shown::Differing([one, other]) => Answering::Differing([run(one)?, run(other)?]),
        Shown::Unchosen(places) => Answering::Unchosen(read_latches(circuit, places)?),
        Shown::Proof(proof) => Answering::Proved(read_proof(circuit, proof)?),
        _ => return Err(nonsense()),
    };
    certify_answering(model, Variant::Original, &shown, budget)?;
    Ok(Held::Answers(shown.shows()))
}

/// Whether the evidence of a certificate is of a kind that can show its claim (semantics.md §3, §5). `unconstrained`: no constraint can
/// fail.
fn is_about(certificate: &Certificate, unconstrained: bool) -> bool {
    // With common choices both copies are assumed to have a step. This hides runs of the mutant whose choices the model refuses.
    let pair = |word: &PairWord| *word != PairWord::Phi1Controllable || unconstrained;
    let asks =
        |proof: &ProofEvidence, who: SideWord| proof.question == QuestionEvidence::Refusal(who);
    match (certificate.claim, &certificate.evidence) {
        (ClaimWord::Killed, Shown::Kill(_)) => true,
        (ClaimWord::Equivalent, Shown::Proof(proof)) => match &proof.question {
            QuestionEvidence::Pair(word) | QuestionEvidence::Family(word) => pair(word),
            QuestionEvidence::Steered(steered) => steered.aim == AimWord::Track,
            QuestionEvidence::Refusal(_) | QuestionEvidence::Determinism => false,
        },
        (ClaimWord::NotDefinitelyKillable, Shown::Proof(proof)) => match &proof.question {
            QuestionEvidence::Steered(steered) => steered.aim == AimWord::Agree,
            _ => false,
        },
        (ClaimWord::Equivalent, Shown::ClosedSet(closed)) => {
            closed.relation == RelationWord::Matched
        }
        (ClaimWord::NotDefinitelyKillable, Shown::ClosedSet(closed)) => {
            closed.relation == RelationWord::Agreeing
        }
        (ClaimWord::Equivalent, Shown::Simulation(simulation)) => {
            simulation.relation == RelationWord::Matched
        }
        (ClaimWord::NotDefinitelyKillable, Shown::Simulation(simulation)) => {
            simulation.relation == RelationWord::Agreeing
        }
        (ClaimWord::Equivalent, Shown::Estimates(_)) => true,
        (ClaimWord::AcceptsAll, Shown::Proof(proof)) => asks(proof, SideWord::Mutant),
        (ClaimWord::AcceptsTheSame, Shown::BothProofs([mutant, model])) => {
            asks(mutant, SideWord::Mutant) && asks(model, SideWord::Model)
        }
        (ClaimWord::AcceptsAll | ClaimWord::AcceptsTheSame, Shown::AcceptedSets(_)) => true,
        (ClaimWord::AcceptsAll, Shown::AcceptedRelations(_)) => true,
        (ClaimWord::AcceptsTheSame, Shown::AcceptedRelations(both)) => both.model.is_some(),
        (ClaimWord::AcceptsTheSame, Shown::Endless(_)) => true,
        (ClaimWord::Refuses | ClaimWord::AcceptsMore, Shown::Accepted(_)) => true,
        (ClaimWord::Deterministic, Shown::Unchosen(_)) => true,
        (ClaimWord::Deterministic, Shown::Proof(proof)) => {
            proof.question == QuestionEvidence::Determinism
        }
        (ClaimWord::NonDeterministic, Shown::Differing(_)) => true,
        _ => false,
    }
}

/// Returns the run of a suite's test as bits, and its strategy if it has one.
pub(super) fn test_run(
    circuit: &hyperkill_core::ConditionalMutant,
    bytes: &[u8],
) -> Result<(Stimulus, Option<StrategyTree>), Trouble> {
    let evidence: RunEvidence = strictly(bytes)?;
    let run = read_run(circuit, &evidence.initial, &evidence.steps)?;
    Ok((run, read_tree(circuit, &evidence.tree)?))
}
