//! `hyperkill verify` without a formula: can a bad state be reached? Witnesses and certificates are those of the hardware model checking
//! competition.

use std::path::{Path, PathBuf};

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
use hyperkill_frontend::counted;
use rayon::prelude::*;

use super::explanation::explain_safety;
use crate::args::{Acceptance, Format, VerifyArgs};
use crate::decision::{budget, pool};
use crate::documents::{
    self, CheckReport, FormulaStep, FormulaTrace, SafetyReport, SafetyResult, TruthWord, Valuation,
    build,
};
use crate::exit_code::ExitCode;
use crate::external;
use crate::failure::Failure;
use crate::files::Disk;
use crate::model::Loaded;
use crate::session::{Level, Session};
use hyperkill_report::text::{Align, Style, Table};

/// A property of a file.
struct Asked {
    property: Property,
    name: Option<String>,
    /// What should not be reached; of a justice property nothing.
    bad: Lit,
    /// What a justice property and all fairness constraints say should not happen again and again.
    again: Vec<Lit>,
}

impl Asked {
    /// `b0` or `o0`.
    fn label(&self) -> String {
        match self.property {
            Property::Bad(index) => format!("b{index}"),
            Property::Output(index) => format!("o{index}"),
            Property::Justice(index) => format!("j{index}"),
        }
    }
}

/// The safety properties of a circuit: its bad states or, in files that know nothing newer than outputs, those. Outputs beside choices
/// or mutants, or with types, are something to observe.
fn properties(model: &ConditionalMutant) -> Vec<Asked> {
    let aig = &model.aig;
    let all = |signals: &[Signal], property: fn(u32) -> Property| -> Vec<Asked> {
        let signals = (0..).zip(signals);
        signals
            .map(|(index, signal)| Asked {
                property: property(index),
                name: signal.name.clone(),
                bad: signal.lit,
                again: Vec::new(),
            })
            .collect()
    };
    let fairness = aig.fairness.iter().map(|signal| signal.lit);
    let justice = (0..).zip(&aig.justice).map(|(index, justice)| Asked {
        property: Property::Justice(index),
        name: justice.name.clone(),
        bad: Lit::FALSE,
        again: justice
            .lits
            .iter()
            .copied()
            .chain(fairness.clone())
            .collect(),
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

/// Whether there is anything to look for.
pub(super) fn has_properties(model: &ConditionalMutant) -> bool {
    !properties(model).is_empty()
}

/// Carries it out. `unchecked` are properties that are reported with the others and have no answer.
pub(super) fn check_safety(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    loaded: &Loaded,
    unchecked: Vec<SafetyResult>,
) -> Result<ExitCode, Failure> {
    let asked = properties(&loaded.model);
    say_what_is_asked(session, &asked);
    if let Some(folder) = args.witness.as_ref().filter(|_| !args.explain) {
        session.io.disk.make_folder(folder)?;
    }
    let limits = &args.limits;
    let deciding = Deciding {
        args,
        model: &loaded.model,
        programs: external::programs(session, limits, &args.external)?,
        options: Options {
            bound: limits.bound,
            engines: limits.engine.own,
            // On files from competitions it has settled nothing that was open without it.
            merging: &[],
            ..Options::SAFETY
        },
        disk: session.io.disk.clone(),
    };
    if args.explain {
        let named = asked.iter().map(|asked| match &asked.name {
            Some(name) => format!("{} ({name})", asked.label()),
            None => asked.label(),
        });
        let others = deciding.programs.is_some();
        return explain_safety(session, named.collect(), &deciding.options, others);
    }
    let budget = budget(session, limits);
    let results: Result<Vec<SafetyResult>, Failure> = pool(session.jobs)?.install(|| {
        let results = asked
            .par_iter()
            .map(|asked| deciding.decide(asked, &budget));
        results.collect()
    });
    let mut results = results?;
    results.extend(unchecked);
    for result in &results {
        for note in &result.notes {
            session.say(Level::Note, format!("{}: {note}", result.property));
        }
    }
    print(session, &loaded.listing.description.name, &results)?;
    Ok(exit_code(session, &results, limits.accept))
}

/// A file that has no bad states may mean others than its user thinks.
fn say_what_is_asked(session: &mut Session<'_>, asked: &[Asked]) {
    let instead = match asked.first() {
        None => "so there is nothing to verify",
        Some(asked) if matches!(asked.property, Property::Output(_)) => {
            "so its outputs are taken for bad states"
        }
        Some(_) => return,
    };
    session.say(
        Level::Warning,
        format!("the file has no bad states, {instead}"),
    );
}

/// How the properties of a file are decided.
struct Deciding<'a> {
    args: &'a VerifyArgs,
    model: &'a ConditionalMutant,
    programs: Option<External>,
    options: Options,
    disk: Disk,
}

impl Deciding<'_> {
    fn decide(&self, asked: &Asked, budget: &Budget) -> Result<SafetyResult, Failure> {
        let limits = &self.args.limits;
        let budget = budget.job().within(limits.timeout.0);
        let began = budget.now();
        let aig = &self.model.aig;
        if let Property::Justice(_) = asked.property {
            let mut result = self.decide_justice(asked, &budget)?;
            let took = budget.now().saturating_sub(began);
            result.seconds = limits.timings.then(|| build::seconds(took));
            return Ok(result);
        }
        let problem = Problem {
            model: aig,
            bad: asked.bad,
        };
        let external = self.programs.as_ref().map(External::afresh);
        let verdict = decide_safety(&problem, &self.options, external.as_ref(), &budget);
        let verdict = verdict.map_err(|error| {
            Failure::message(ExitCode::Evidence, error.into())
                .with_help("this is a bug in hyperkill; please report it with the model")
        })?;
        let mut result = result(asked, &verdict);
        if let SafetyVerdict::Fails(run) = &verdict {
            let trace = trace(self.model, run)?;
            if let Some(folder) = &self.args.witness {
                let path = folder.join(format!("{}.run.json", asked.label()));
                let text = documents::to_text(&trace)?;
                self.disk.write(&path, text.as_bytes())?;
            }
            if self.args.specs {
                result.traces = vec![trace];
            }
        }
        result.notes = external.map_or_else(Vec::new, |external| external.remarks());
        if let Some(folder) = &self.args.witness {
            result.evidence = write_evidence(&self.disk, folder, aig, asked, &verdict)?;
        }
        let took = budget.now().saturating_sub(began);
        result.seconds = limits.timings.then(|| build::seconds(took));
        Ok(result)
    }
}

impl Deciding<'_> {
    /// A justice property holds if no infinite run, fair by the file's constraints, meets it.
    fn decide_justice(&self, asked: &Asked, budget: &Budget) -> Result<SafetyResult, Failure> {
        let aig = &self.model.aig;
        let options = Options {
            merging: &[],
            ..self.options
        };
        let found = decide_justice(aig, &asked.again, &options, budget).map_err(|error| {
            Failure::message(ExitCode::Evidence, error.into())
                .with_help("this is a bug in hyperkill; please report it with the model")
        })?;
        let mut result = unknown(asked.label(), asked.name.clone());
        match found {
            Fair::None(exclusion) => {
                result.verdict = TruthWord::Holds;
                result.clauses = Some(exclusion.invariant.len());
            }
            Fair::Lasso { run, .. } => {
                result.verdict = TruthWord::Fails;
                result.steps = Some(run.steps.len());
                if let Some(folder) = &self.args.witness {
                    let path = folder.join(format!("{}.witness", asked.label()));
                    self.disk.write(&path, witness(asked, &run).as_bytes())?;
                    result.evidence = Some(path.to_string_lossy().into_owned());
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

/// What the answers on properties mean for whoever started the program.
pub(super) fn exit_code(
    session: &Session<'_>,
    results: &[SafetyResult],
    accepted: Option<Acceptance>,
) -> ExitCode {
    let any = |word: TruthWord| results.iter().any(|result| result.verdict == word);
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if any(TruthWord::Fails) {
        ExitCode::Failed
    } else if any(TruthWord::Unknown) && accepted != Some(Acceptance::Unknown) {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

/// The run with names and values.
fn trace(model: &ConditionalMutant, run: &Stimulus) -> Result<FormulaTrace, Failure> {
    let replayed = replay(model, Variant::Original, run)
        .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
    let steps = run.steps.iter().zip(&replayed.outputs);
    let steps = steps.map(|(given, outputs)| FormulaStep {
        inputs: Valuation(decode(&model.inputs, given)),
        choices: Valuation(decode(&model.choices, given)),
        outputs: Valuation(decode(&model.outputs, outputs)),
    });
    Ok(FormulaTrace {
        trace: "run".to_owned(),
        of: "original".to_owned(),
        initial: Valuation::default(),
        steps: steps.collect(),
        loop_from: None,
    })
}

/// A property of which nothing is known yet.
pub(super) fn unknown(property: String, name: Option<String>) -> SafetyResult {
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

fn result(asked: &Asked, verdict: &SafetyVerdict) -> SafetyResult {
    let mut result = unknown(asked.label(), asked.name.clone());
    match verdict {
        SafetyVerdict::Holds(invariant) => {
            result.verdict = TruthWord::Holds;
            result.clauses = Some(invariant.len());
        }
        SafetyVerdict::Fails(run) => {
            result.verdict = TruthWord::Fails;
            result.steps = Some(run.steps.len());
        }
        SafetyVerdict::Unknown { known_to, reason } => {
            result.known_to = Some(*known_to);
            result.reason = Some(Reason::from(*reason).to_string());
        }
    }
    result
}

/// Writes a witness in the AIGER format, or a certificate as a circuit; the name of the file.
fn write_evidence(
    disk: &Disk,
    folder: &Path,
    aig: &Aig,
    asked: &Asked,
    verdict: &SafetyVerdict,
) -> Result<Option<String>, Failure> {
    let (name, bytes) = match verdict {
        SafetyVerdict::Unknown { .. } => return Ok(None),
        SafetyVerdict::Fails(run) => (
            format!("{}.witness", asked.label()),
            witness(asked, run).into_bytes(),
        ),
        SafetyVerdict::Holds(invariant) => (
            format!("{}.certificate.aig", asked.label()),
            proof(aig, asked, invariant),
        ),
    };
    let path: PathBuf = folder.join(name);
    disk.write(&path, &bytes)?;
    Ok(Some(path.to_string_lossy().into_owned()))
}

fn witness(asked: &Asked, run: &Stimulus) -> String {
    write_witness(&Witness::of_run(vec![asked.property], run))
}

fn proof(aig: &Aig, asked: &Asked, invariant: &Invariant) -> Vec<u8> {
    write_binary(&certificate(aig, asked.bad, invariant))
}

pub(super) fn print(
    session: &mut Session<'_>,
    model: &str,
    results: &[SafetyResult],
) -> Result<(), Failure> {
    match session.format {
        Format::Json => {
            let report = SafetyReport {
                schema: CheckReport::SCHEMA.to_owned(),
                model: model.to_owned(),
                seed: session.seed,
                results: results.to_vec(),
            };
            let text = documents::to_text(&report)?;
            session.print(text)?;
        }
        Format::Human => {
            let table = table(results, session.style);
            session.print(table)?;
            for result in results {
                for trace in &result.traces {
                    let title = session.style.bold(&result.property);
                    let table = super::formula::steps(trace, session.style);
                    session.print(format!("\n{title}, the run that breaks it\n{table}"))?;
                }
            }
        }
    }
    Ok(())
}

fn table(results: &[SafetyResult], style: Style) -> Table {
    let mut table = Table::new([Align::Left; 5]);
    for result in results {
        let word = result.verdict.word();
        let (word, basis) = match result.verdict {
            TruthWord::Holds => (
                style.green(word),
                result.clauses.map_or_else(String::new, |clauses| {
                    format!("invariant of {}", counted(clauses, "clause"))
                }),
            ),
            TruthWord::Fails => (
                style.red(word),
                format!("run of {}", counted(result.steps.unwrap_or(0), "step")),
            ),
            TruthWord::Unknown => {
                let mut why = result.reason.clone().unwrap_or_default();
                if let Some(known) = result.known_to {
                    why.push_str(&format!(", no run of up to {}", counted(known, "step")));
                }
                (style.yellow(word), why)
            }
        };
        let seconds = result.seconds.map(|seconds| format!("{seconds:.3} s"));
        table.row([
            style.cyan(&result.property),
            word,
            basis,
            result.name.clone().unwrap_or_default(),
            seconds.or(result.evidence.clone()).unwrap_or_default(),
        ]);
    }
    table
}
