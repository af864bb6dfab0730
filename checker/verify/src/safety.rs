//! Safety and justice properties of a circuit: is a bad state reachable, or is there a fair run? Witnesses and certificates have the
//! formats of the hardware model checking competition.

use hyperkill_audit::documents::{
    self, FormulaStep, FormulaTrace, SafetyResult, TruthWord, Valuation,
};
use hyperkill_checker::external::External;
use hyperkill_checker::hyperltl::fair::{Fair, decide_justice};
use hyperkill_checker::safety::{Invariant, Problem, SafetyVerdict, certificate, decide_safety};
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_core::aig::Signal;
use hyperkill_core::aiger::stimulus::{Property, Witness, write_witness};
use hyperkill_core::aiger::write_binary;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_evidence::verdict::Reason;
use hyperkill_run::folder::Unwritable;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::VerifyError;
use crate::means::Means;

/// A bad state or justice property of a circuit, or an output that counts as a bad state.
pub struct AskedProperty {
    property: Property,
    name: Option<String>,
    /// The bad state literal; false for a justice property.
    bad: Lit,
    /// For a justice property: its literals and all fairness constraints. A counterexample makes each of them true infinitely often.
    again: Vec<Lit>,
}

impl AskedProperty {
    /// Returns the label of the property: `b` (bad state), `o` (output) or `j` (justice), and its number from 0.
    fn label(&self) -> String {
        match self.property {
            Property::Bad(index) => format!("b{index}"),
            Property::Output(index) => format!("o{index}"),
            Property::Justice(index) => format!("j{index}"),
        }
    }

    /// Returns the label such as `b0`, followed by the name if the property has one.
    #[must_use]
    pub fn named(&self) -> String {
        match &self.name {
            Some(name) => format!("{} ({name})", self.label()),
            None => self.label(),
        }
    }
}

/// Returns the properties of a circuit: its bad states, or its outputs in files of the old AIGER format. Outputs beside choices or
/// mutants, or with types, are observables and no properties.
#[must_use]
pub fn properties(model: &ConditionalMutant) -> Vec<AskedProperty> {
    let aig = &model.aig;
    let all = |signals: &[Signal], property: fn(u32) -> Property| -> Vec<AskedProperty> {
        let signals = (0..).zip(signals);
        signals
            .map(|(index, signal)| AskedProperty {
                property: property(index),
                name: signal.name.clone(),
                bad: signal.lit,
                again: Vec::new(),
            })
            .collect()
    };
    let fairness = aig.fairness.iter().map(|signal| signal.lit);
    let justice = (0..).zip(&aig.justice).map(|(index, justice)| {
        let lits = justice.lits.iter().copied();
        AskedProperty {
            property: Property::Justice(index),
            name: justice.name.clone(),
            bad: Lit::FALSE,
            again: lits.chain(fairness.clone()).collect(),
        }
    });
    let old = aig.bad.is_empty()
        && aig.constraints.is_empty()
        && aig.justice.is_empty()
        && aig.fairness.is_empty()
        && model.selectors.is_empty()
        && model.choices.is_empty()
        && model.outputs.iter().all(|port| port.sort == Sort::Bit);
    if old {
        all(&aig.outputs, Property::Output)
    } else {
        let mut asked = all(&aig.bad, Property::Bad);
        asked.extend(justice);
        asked
    }
}

/// Returns a warning that a file has neither bad states nor justice properties, since the user may expect some. `None` if it has some.
#[must_use]
pub fn warning(asked: &[AskedProperty]) -> Option<String> {
    let instead = match asked.first() {
        None => "so there is nothing to verify",
        Some(asked) if matches!(asked.property, Property::Output(_)) => {
            "so its outputs are taken for bad states"
        }
        Some(_) => return None,
    };
    Some(format!("the file has no bad states, {instead}"))
}

/// A function that writes evidence (the bytes) into a file with this name and returns the file's path.
pub type Keep<'a> = dyn Fn(&str, &[u8]) -> Result<String, Unwritable> + Sync + 'a;

/// Parameters for deciding properties of a circuit.
pub struct Deciding<'a> {
    /// The circuit.
    pub model: &'a ConditionalMutant,
    /// Limits and engines.
    pub means: &'a Means,
    /// Options of the reachability search.
    pub options: Options,
    /// External programs, if any.
    pub programs: Option<External>,
    /// Function that keeps evidence in files, if evidence is wanted.
    pub keep: Option<&'a Keep<'a>>,
    /// Whether answers contain the counterexamples.
    pub with_traces: bool,
}

/// Returns the options of the reachability search for properties, with these limits and engines.
#[must_use]
pub fn options(means: &Means) -> Options {
    Options {
        // On files of the competition, merging settled no property that was open without it.
        merging: &[],
        ..means.options(Options::SAFETY)
    }
}

impl Deciding<'_> {
    /// Decides all properties, in their order.
    ///
    /// # Errors
    /// If evidence does not check, or cannot be written.
    pub fn decide_all(
        &self,
        asked: &[AskedProperty],
        threads: &ThreadPool,
    ) -> Result<Vec<SafetyResult>, VerifyError> {
        let decide = |asked: &AskedProperty| {
            let decided = self.means.timed(|budget| match asked.property {
                Property::Justice(_) => self.decide_justice(asked, budget),
                Property::Bad(_) | Property::Output(_) => self.decide(asked, budget),
            });
            let (result, seconds) = decided?;
            Ok(SafetyResult { seconds, ..result })
        };
        threads.install(|| asked.par_iter().map(decide).collect())
    }

    fn decide(&self, asked: &AskedProperty, budget: &Budget) -> Result<SafetyResult, VerifyError> {
        let problem = Problem {
            model: &self.model.aig,
            bad: asked.bad,
        };
        let external = self.programs.as_ref().map(External::afresh);
        let verdict = decide_safety(&problem, &self.options, external.as_ref(), budget)?;
        let mut result = unknown(asked.label(), asked.name.clone());
        match &verdict {
            SafetyVerdict::Holds(invariant) => {
                result.verdict = TruthWord::Holds;
                result.clauses = Some(invariant.len());
            }
            SafetyVerdict::Fails(run) => {
                result.verdict = TruthWord::Fails;
                result.steps = Some(run.steps.len());
                let trace = trace(self.model, run)?;
                if let Some(keep) = self.keep {
                    let text = documents::to_text(&trace).map_err(Unwritable::from)?;
                    keep(&format!("{}.run.json", asked.label()), text.as_bytes())?;
                }
                if self.with_traces {
                    result.traces = vec![trace];
                }
            }
            SafetyVerdict::Unknown { known_to, reason } => {
                result.known_to = Some(*known_to);
                result.reason = Some(Reason::from(*reason).to_string());
            }
        }
        result.notes = external.map_or_else(Vec::new, |external| external.remarks());
        if let Some(keep) = self.keep {
            let label = asked.label();
            let aig = &self.model.aig;
            result.evidence = match &verdict {
                SafetyVerdict::Unknown { .. } => None,
                SafetyVerdict::Fails(run) => Some(keep(
                    &format!("{label}.witness"),
                    witness(asked, aig, run).as_bytes(),
                )?),
                SafetyVerdict::Holds(invariant) => Some(keep(
                    &format!("{label}.certificate.aig"),
                    &proof(aig, asked, invariant),
                )?),
            };
        }
        Ok(result)
    }

    /// Decides a justice property. It holds if no infinite run meets its literals and all fairness constraints infinitely often.
    fn decide_justice(
        &self,
        asked: &AskedProperty,
        budget: &Budget,
    ) -> Result<SafetyResult, VerifyError> {
        let found = decide_justice(&self.model.aig, &asked.again, &self.options, budget);
        let mut result = unknown(asked.label(), asked.name.clone());
        match found? {
            Fair::None(exclusion) => {
                result.verdict = TruthWord::Holds;
                result.clauses = Some(exclusion.invariant.len());
            }
            Fair::Lasso { run, .. } => {
                result.verdict = TruthWord::Fails;
                result.steps = Some(run.steps.len());
                if let Some(keep) = self.keep {
                    let name = format!("{}.witness", asked.label());
                    let witness = witness(asked, &self.model.aig, &run);
                    result.evidence = Some(keep(&name, witness.as_bytes())?);
                }
            }
            Fair::Open { known_to, reason } => {
                result.known_to = Some(known_to);
                result.reason = Some(Reason::from(reason).to_string());
            }
        }
        Ok(result)
    }
}

/// Returns a run of the original as a document: the first values of latches without a reset, and the names and values of inputs, choices
/// and outputs at each step.
fn trace(model: &ConditionalMutant, run: &Stimulus) -> Result<FormulaTrace, VerifyError> {
    let replayed = replay(model, Variant::Original, run)?;
    let steps = run.steps.iter().zip(&replayed.outputs);
    let steps = steps.map(|(given, outputs)| FormulaStep {
        inputs: Valuation(decode(&model.inputs, given)),
        choices: Valuation(decode(&model.choices, given)),
        outputs: Valuation(decode(&model.outputs, outputs)),
    });
    Ok(FormulaTrace {
        trace: "run".to_owned(),
        of: "original".to_owned(),
        initial: documents::initial(model, run),
        steps: steps.collect(),
        loop_from: None,
    })
}

/// Returns the result of a property that is not decided yet. `property` is its label, such as `b0`.
#[must_use]
pub fn unknown(property: String, name: Option<String>) -> SafetyResult {
    SafetyResult {
        property,
        name,
        verdict: TruthWord::Unknown,
        steps: None,
        clauses: None,
        known_to: None,
        reason: None,
        evidence: None,
        traces: Vec::new(),
        run: Vec::new(),
        refused: None,
        notes: Vec::new(),
        seconds: None,
    }
}

/// Returns a run that violates a property as a witness in the AIGER format of the hardware model checking competition.
fn witness(asked: &AskedProperty, aig: &Aig, run: &Stimulus) -> String {
    write_witness(&Witness::of_run(vec![asked.property], aig, run))
}

/// Returns the certificate that an invariant excludes the bad states, as a binary AIGER file: a circuit whose bad state is unreachable.
fn proof(aig: &Aig, asked: &AskedProperty, invariant: &Invariant) -> Vec<u8> {
    write_binary(&certificate(aig, asked.bad, invariant))
}
