//! Certifies the folder of `hyperkill verify -o`.

use std::path::{Path, PathBuf};

use hyperkill_audit::certificates::search_circuit;
use hyperkill_checker::safety::certificate;
use hyperkill_core::aiger::write_binary;
use hyperkill_formulas::Formula;
use hyperkill_verify::subject::Subject;

use super::certified::Certified;
use super::run_files;
use super::whole_model::model_by_itself;
use crate::args::CertifyArgs;
use crate::audited::OnDisk;
use crate::certification::{
    ANSWERS_NOT_COVERED, Asking, Excluding, Files, answers_are_wrong, certify_answers,
    is_described, mutants, read_answers, systems_of,
};
use crate::decision::pool;
use crate::documents::{AnsweredSystem, Answers, Circuits, TruthWord};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Recorded};
use crate::model::Loaded;
use crate::run_folder::{self, write_atomically};
use crate::session::Session;

/// Whether a folder has answers of `verify`.
pub(super) fn has_answers(dir: &Path) -> bool {
    dir.join(run_folder::ANSWERS).is_file()
}

/// Checks all answers in a folder.
///
/// # Errors
/// If the model cannot be read, or is not the model of the answers.
pub(super) fn certify_folder(
    session: &mut Session<'_>,
    args: &CertifyArgs,
) -> Result<Certified, Failure> {
    let place = OnDisk::at(&args.dir);
    if !place.has(run_folder::DIGESTS) {
        let dir = args.dir.display();
        return Err(
            Failure::usage(format!("the answers in {dir} are unfinished: `hyperkill verify` still writes them, or was stopped"))
                .with_help("wait for it, or verify again"),
        );
    }
    let (answers, findings) = read_answers(&place);
    let mut certified = Certified {
        model: None,
        findings,
        circuits: None,
        not_covered: &ANSWERS_NOT_COVERED,
    };
    let Some(answers) = answers else {
        return Ok(certified);
    };
    certified.model = answers.systems.first().map(|system| system.model.clone());
    let formula = match hyperkill_formulas::parse(&answers.formula) {
        Ok(formula) if certified.findings.faults.is_empty() => formula,
        Ok(_) => return Ok(certified),
        Err(error) => return Ok(certified.with(answers_are_wrong(&error.to_string()))),
    };
    let Some(of) = systems_of(&answers, &formula) else {
        let what = "a trace belongs to none of the models";
        return Ok(certified.with(answers_are_wrong(what)));
    };
    let subject = match read_subject(session, args, &answers, of, &formula) {
        Ok(subject) => subject,
        Err(failure) if shows_in_the_folder(args, &answers, &failure) => {
            let what = run_files::reason(&failure);
            let what = what.lines().next().unwrap_or_default();
            return Ok(certified.with(answers_are_wrong(what)));
        }
        Err(failure) => return Err(failure),
    };
    for (system, loaded) in answers.systems.iter().zip(&subject.loaded) {
        certified = certified.with(is_described(system, &loaded.listing));
    }
    let asking = Asking {
        model: subject.model(),
        said: &subject.said,
        systems: subject.systems.as_ref(),
        mutants: &mutants(&subject.loaded[0].listing),
    };
    let (timeout, budget) = (args.timeout.0, session.budget());
    let (findings, proofs) = pool(session.jobs)?
        .install(|| certify_answers(&place, &answers, &asking, timeout, &budget));
    if let Some(place) = &args.hwmcc {
        certified.circuits = Some(write_circuits(&answers, &proofs, place)?);
    }
    Ok(certified.with(findings))
}

/// Reads all models of a folder as `verify` has read them.
///
/// # Errors
/// If a model cannot be read like that, or the formula does not apply to the models.
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
    Ok(Subject::new(loaded, of, formula)?)
}

/// Whether a failure to read the models is the folder's fault: they are refused, the folder has copies of all, and the user names none.
fn shows_in_the_folder(args: &CertifyArgs, answers: &Answers, failure: &Failure) -> bool {
    let mut systems = answers.systems.iter();
    let is_kept = systems.all(|system| system.reading.copies().next().is_some());
    let is_refused = matches!(failure.code(), ExitCode::Usage | ExitCode::InvalidModel);
    args.model.is_empty() && is_kept && is_refused
}

/// Reads one model of a folder as `verify` has read it.
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

/// Reads a recorded model: an AIGER file as its circuit, any other language as the formula needs it.
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

/// Writes each proof into `folder` as a safety problem with a witness circuit, both in AIGER. Returns the numbers of written proofs and of
/// other decided answers.
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
