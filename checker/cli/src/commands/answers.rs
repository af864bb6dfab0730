//! The folder of `hyperkill verify -o`: answers to a formula with what shows them, written and checked again.

use std::path::{Path, PathBuf};

use hyperkill_audit::certificates::{About, Circuit, search_circuit, written_answer};
use hyperkill_certify::excluding;
use hyperkill_checker::hyperltl::Shown;
use hyperkill_checker::safety::certificate;
use hyperkill_core::SelectorId;
use hyperkill_core::aiger::write_binary;
use hyperkill_formulas::Formula;

use super::certified::Certified;
use super::formula_subject::Subject;
use super::run_files;
use super::whole_model::model_by_itself;
use crate::args::{CertifyArgs, VerifyArgs};
use crate::audited::OnDisk;
use crate::catalogue::Standing;
use crate::certification::{
    ANSWERS_NOT_COVERED, Asking, Excluding, Files, Findings, answer_file, certify_answers,
    read_answers, strategy_of,
};
use crate::decision::pool;
use crate::documents::{
    AnswerCertificate, AnsweredSystem, Answers, Circuits, Fault, FormulaResult, Reading, TruthWord,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Recorded, seen_from};
use crate::model::{Listing, Loaded};
use crate::run_folder::{self, RunFolder, write_atomically};
use crate::session::Session;

/// What is written of what shows an answer.
pub(super) struct Kept {
    certificate: AnswerCertificate,
    /// The strategy that it is, if it is one.
    strategy: Option<String>,
}

/// An answer, and what is written of it if it is not unknown and somebody wants it.
pub(super) type Answer = (FormulaResult, Option<Kept>);

/// What shows an answer about a circuit, as it is written.
///
/// # Errors
/// If it does not fit the circuit: a bug.
pub(super) fn written(
    circuit: &Circuit<'_>,
    (subject, mutant): (&Subject, SelectorId),
    args: &VerifyArgs,
    result: &FormulaResult,
    shown: &Shown,
) -> Result<Kept, Failure> {
    let formula = &subject.said;
    let internal = |error: anyhow::Error| Failure::message(ExitCode::Internal, error);
    let asked = formula.as_asked();
    let traces = args.traces.into();
    let excluded = excluding((circuit.model, mutant), &asked, traces, shown);
    let excluded = excluded.map_err(|error| internal(error.into()))?;
    let about = About {
        circuit,
        mutant,
        asked: &asked,
    };
    let search = excluded.as_ref().map(|(search, _)| search);
    let evidence = written_answer(about, shown, search);
    let evidence = evidence
        .ok_or_else(|| internal(anyhow::anyhow!("the evidence of {formula} has no document")))?;
    let certificate = AnswerCertificate {
        schema: AnswerCertificate::SCHEMA.to_owned(),
        circuit: circuit.digest.clone(),
        formula: subject.written.to_string(),
        traces: args.traces.into(),
        mutant: result.mutant.clone(),
        verdict: result.verdict,
        asked: asked.to_string(),
        evidence,
    };
    // Of many answers each would have its own.
    let alone = result.mutant.is_none();
    let strategy = strategy_of((circuit.model, mutant), formula, shown);
    Ok(Kept {
        certificate,
        strategy: strategy.filter(|_| alone),
    })
}

/// Writes the answers into a folder.
///
/// # Errors
/// If the file system refuses.
pub(super) fn keep(
    folder: &RunFolder,
    args: &VerifyArgs,
    subject: &Subject,
    answers: &[Answer],
) -> Result<(), Failure> {
    folder.make_folder(run_folder::SOURCES)?;
    for Loaded { listing, .. } in &subject.loaded {
        for ((name, _), bytes) in listing.reading.copies().zip(&listing.copies) {
            folder.write(name, bytes)?;
        }
    }
    folder.make_folder(run_folder::CERTIFICATES)?;
    for (result, kept) in answers {
        let Some(kept) = kept else {
            continue;
        };
        let name = answer_file(result.mutant.as_deref());
        folder.write_document(&name, &kept.certificate)?;
        if let Some(strategy) = &kept.strategy {
            folder.write(run_folder::STRATEGY, strategy.as_bytes())?;
        }
    }
    let results = answers.iter().map(|(result, kept)| FormulaResult {
        seconds: None,
        // Traces against which a strategy loses show nothing.
        traces: match kept {
            Some(_) => result.traces.clone(),
            None => Vec::new(),
        },
        ..result.clone()
    });
    let systems = subject.loaded.iter().enumerate();
    let systems = systems.map(|(number, Loaded { listing, .. })| AnsweredSystem {
        traces: subject.traces(number),
        model: listing.description.clone(),
        reading: seen_from(&listing.reading, folder.path()),
    });
    let document = Answers {
        schema: Answers::SCHEMA.to_owned(),
        systems: systems.collect(),
        formula: subject.written.to_string(),
        traces: args.traces.into(),
        results: results.collect(),
    };
    folder.write_document(run_folder::ANSWERS, &document)?;
    Ok(folder.seal()?)
}

/// Decides in a folder, if there is one, which is left with the log and a word on how it ended.
///
/// # Errors
/// What `work` fails with; if the file system refuses.
pub(super) fn in_folder<'io, T>(
    session: &mut Session<'io>,
    out: Option<&Path>,
    work: impl FnOnce(&mut Session<'io>, Option<&mut RunFolder>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut folder = match out {
        Some(path) => Some(run_files::take(session, path)?),
        None => None,
    };
    run_files::in_folder(session, folder.as_mut(), work)
}

/// Whether a folder has answers to a formula.
pub(super) fn has_answers(dir: &Path) -> bool {
    dir.join(run_folder::ANSWERS).is_file()
}

/// Checks all answers of a folder.
///
/// # Errors
/// If the model cannot be read, or is not the one of the answers.
pub(super) fn certify_folder(
    session: &mut Session<'_>,
    args: &CertifyArgs,
) -> Result<Certified, Failure> {
    let place = OnDisk::at(&args.dir);
    if !place.has(run_folder::DIGESTS) {
        let dir = args.dir.display();
        return Err(
            Failure::usage(format!("what writes {dir} has not finished"))
                .with_help("wait for it, or verify again"),
        );
    }
    let (answers, files) = read_answers(&place);
    let not_covered: &'static [&'static str] = &ANSWERS_NOT_COVERED;
    let Some(answers) = answers else {
        return Ok(Certified {
            model: None,
            findings: files,
            circuits: None,
            not_covered,
        });
    };
    let model = answers.systems.first().map(|system| system.model.clone());
    let formula = match hyperkill_formulas::parse(&answers.formula) {
        Ok(formula) if files.faults.is_empty() => formula,
        Ok(_) => {
            return Ok(Certified {
                model,
                findings: files,
                circuits: None,
                not_covered,
            });
        }
        Err(error) => {
            let findings = files.join(fault(&error.to_string()));
            return Ok(Certified {
                model,
                findings,
                circuits: None,
                not_covered,
            });
        }
    };
    let Some(of) = systems_of(&answers, &formula) else {
        let findings = files.join(fault("not every trace is of one of the models"));
        return Ok(Certified {
            model,
            findings,
            circuits: None,
            not_covered,
        });
    };
    let subject = match read_subject(session, args, &answers, of, &formula) {
        Ok(subject) => subject,
        Err(failure) if shows_in_the_folder(args, &answers, &failure) => {
            let what = run_files::reason(&failure);
            let what = what.lines().next().unwrap_or_default();
            let findings = files.join(fault(what));
            return Ok(Certified {
                model,
                findings,
                circuits: None,
                not_covered,
            });
        }
        Err(failure) => return Err(failure),
    };
    let described = answers.systems.iter().zip(&subject.loaded);
    let files = described.fold(files, |files, (system, loaded)| {
        files.join(is_described(system, &loaded.listing))
    });
    let budget = session.budget();
    let mutants = mutants(&subject.loaded[0]);
    let timeout = args.timeout.0;
    let asking = Asking {
        model: subject.model(),
        said: &subject.said,
        systems: subject.systems.as_ref(),
        mutants: &mutants,
    };
    let (findings, proofs) = pool(session.jobs)?
        .install(|| certify_answers(&place, &answers, &asking, timeout, &budget));
    let circuits = match &args.hwmcc {
        Some(place) => Some(write_circuits(&answers, &proofs, place)?),
        None => None,
    };
    let findings = files.join(findings);
    Ok(Certified {
        model,
        findings,
        circuits,
        not_covered,
    })
}

fn fault(what: &str) -> Findings {
    let mut findings = Findings::default();
    findings.faults.push(Fault {
        place: run_folder::ANSWERS.to_owned(),
        what: what.to_owned(),
    });
    findings
}

/// The model of each trace; nothing if the folder does not say it as it is written.
fn systems_of(answers: &Answers, formula: &Formula) -> Option<Vec<usize>> {
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

/// Reads all models as the folder says that they were read.
///
/// # Errors
/// If one cannot be read so, or the formula is not about them.
fn read_subject(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    answers: &Answers,
    of: Vec<usize>,
    formula: &Formula,
) -> Result<Subject, Failure> {
    let mut loaded = Vec::new();
    let mut moved = &args.model[..];
    for system in &answers.systems {
        let count = match answers.systems.len() {
            1 => moved.len(),
            _ => system.reading.files.len().min(moved.len()),
        };
        let (own, others) = moved.split_at(count);
        moved = others;
        loaded.push(read_system(session, args, system, own, formula)?);
    }
    Subject::new(loaded, of, formula)
}

/// Whether the folder alone is the reason of a failure: its own copies cannot be read as its own document says. With files that the user
/// names, these may be the reason.
fn shows_in_the_folder(args: &CertifyArgs, answers: &Answers, failure: &Failure) -> bool {
    let mut systems = answers.systems.iter();
    let is_kept = systems.all(|system| system.reading.copies().next().is_some());
    let is_refused = matches!(failure.code(), ExitCode::Usage | ExitCode::InvalidModel);
    args.model.is_empty() && is_kept && is_refused
}

/// A model as the folder says that it was read.
fn read_system(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    system: &AnsweredSystem,
    moved: &[PathBuf],
    formula: &Formula,
) -> Result<Loaded, Failure> {
    let recorded = Recorded::of(&system.model, Some(&system.reading), &args.dir, moved)?;
    recorded.is_unchanged()?;
    let loaded = read_again(session, &recorded, formula)?;
    match loaded.listing.description.hash == system.model.hash {
        true => Ok(loaded),
        false => Err(Failure::usage(format!(
            "the model is not the one of the answers: {} has changed",
            system.model.name
        ))),
    }
}

/// The model as `verify` has read it.
fn read_again(
    session: &mut Session<'_>,
    recorded: &Recorded,
    formula: &Formula,
) -> Result<Loaded, Failure> {
    let (model, origin) = (recorded.spec.clone(), recorded.origin());
    if model.language.as_deref() != Some(languages::AIGER) {
        return model_by_itself(session, model, origin, formula);
    }
    load::circuit_from(session, &model, origin, &recorded.operators)
}

/// The mutants that a formula can be about.
pub(super) fn mutants(loaded: &Loaded) -> Vec<(String, SelectorId)> {
    let entries = loaded.listing.catalogue.iter();
    let live = entries.filter_map(|entry| match &entry.standing {
        Standing::Live(selector) => Some((entry.id.to_string(), *selector)),
        Standing::Invalid(_) => None,
    });
    live.collect()
}

/// Whether all that is said of the model and of how it was read is so; where its files were is known to nobody else.
fn is_described(system: &AnsweredSystem, listing: &Listing) -> Findings {
    let bare = |reading: &Reading| {
        let mut reading = reading.clone();
        reading.places.clear();
        for source in &mut reading.sources {
            source.place = None;
        }
        reading
    };
    if system.model != listing.description {
        return fault("what it says of the model is not so");
    }
    match bare(&system.reading) == bare(&listing.reading) {
        true => Findings::default(),
        false => fault("the model is not read as it says"),
    }
}

/// Writes invariants about infinite traces as safety problems with witness circuits.
fn write_circuits(
    answers: &Answers,
    proofs: &[Excluding],
    folder: &Path,
) -> Result<Circuits, Failure> {
    std::fs::create_dir_all(folder).map_err(anyhow::Error::from)?;
    let answered = (answers.results.iter()).filter(|result| result.verdict != TruthWord::Unknown);
    for (file, search, exclusion) in proofs {
        let name = file.rsplit('/').next().unwrap_or(file);
        let name = name.strip_suffix(".json").unwrap_or(name);
        let problem = search_circuit(search);
        let mut witness = certificate(&problem, search.bad, &exclusion.invariant);
        let problem_name = format!("{name}.model.aig");
        witness.comments.push(format!("WITNESS b0 {problem_name}"));
        write_atomically(&folder.join(problem_name), &write_binary(&problem))?;
        let witness_name = format!("{name}.witness.aig");
        write_atomically(&folder.join(witness_name), &write_binary(&witness))?;
    }
    Ok(Circuits {
        written: proofs.len(),
        other: answered.count().saturating_sub(proofs.len()),
    })
}
