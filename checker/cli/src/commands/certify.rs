//! `hyperkill certify`: checks all evidence of a run against the model.

use std::fs;
use std::path::Path;

use anyhow::Context;
use hyperkill_checker::witness::{Witnessed, witness_circuit};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::write_binary;
use hyperkill_evidence::verdict::Certificate;

use super::answers::{certify_folder, has_answers};
use super::certified::{Certified, report};
use super::plan::folder::PlanFolder;
use crate::args::CertifyArgs;
use crate::asked;
use crate::audited::{OnDisk, TEXTS};
use crate::certification::{
    self, Findings, Folder, NOT_COVERED, Proofs, Unfit, certify, certify_own,
};
use crate::decision::pool;
use crate::documents::{Circuits, Fault};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded};
use crate::model::Listing;
use crate::run_folder::{self, write_atomically};
use crate::session::Session;
use hyperkill_run::asked::Said;
use hyperkill_run::language::OwnModel;

/// Checks all evidence of a run, or of a shard of a plan, prints the findings, and returns the exit status.
pub(super) fn execute(session: &mut Session<'_>, args: &CertifyArgs) -> Result<ExitCode, Failure> {
    let dir = match args.shard {
        Some(shard) => PlanFolder::read(&args.dir)?.decided(shard)?,
        None if PlanFolder::is_one(&args.dir) => {
            let dir = args.dir.display();
            return Err(Failure::usage(format!("{dir} is the folder of a plan")).with_help(format!(
                "`hyperkill certify {dir} --shard K` checks a shard, `hyperkill merge {dir}` makes a run"
            )));
        }
        None => args.dir.clone(),
    };
    let args = &CertifyArgs {
        dir,
        ..args.clone()
    };
    let certified = findings(session, args)?;
    report(session, args, certified)
}

/// Checks all evidence of a folder.
///
/// # Errors
/// If the folder has no documents to check.
pub(crate) fn findings(
    session: &mut Session<'_>,
    args: &CertifyArgs,
) -> Result<Certified, Failure> {
    if has_answers(&args.dir) {
        return certify_folder(session, args);
    }
    let place = Box::new(OnDisk::at(&args.dir));
    let folder = match Folder::read(place, TEXTS) {
        Ok(Ok(folder)) => folder,
        Ok(Err(findings)) => {
            return Ok(Certified {
                model: None,
                findings,
                circuits: None,
                not_covered: &NOT_COVERED,
            });
        }
        Err(error) => {
            // All commands report a missing run with the same message.
            run_folder::run_in(&args.dir).mutants()?;
            return Err(unfit(&error, &args.dir));
        }
    };
    // That document says how the model was read.
    let mut faults = folder.files.faults.iter();
    let sources = format!("{}/", run_folder::SOURCES);
    if faults.any(|f| f.place == run_folder::MUTANTS || f.place.starts_with(&sources)) {
        let model = folder.table.model.clone();
        return Ok(Certified {
            model: Some(model),
            findings: folder.files,
            circuits: None,
            not_covered: &NOT_COVERED,
        });
    }
    let table = &folder.table;
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), &args.dir, &args.model)?;
    recorded.is_unchanged()?;
    if let Some(own) = load::own(
        session,
        &recorded.spec,
        recorded.origin(),
        &recorded.operators,
    )? {
        return certify_own_run(session, args, &own, folder);
    }
    let draft = load::draft(
        session,
        &recorded.spec,
        recorded.origin(),
        &recorded.operators,
    )?;
    let about = folder.is_about(draft.description());
    about.map_err(|error| unfit(&error, &args.dir))?;
    let budget = session.budget();
    if let Some(place) = &args.hwmcc {
        fs::create_dir_all(place).with_context(|| format!("{} cannot be made", place.display()))?;
    }
    let model = folder.table.model.clone();
    let (shown, models) = match certification::models(&draft, &folder, args.timeout.0, &budget) {
        Ok(shown) => shown,
        Err(findings) => {
            let findings = folder.files.join(findings);
            return Ok(Certified {
                model: Some(model),
                findings,
                circuits: None,
                not_covered: &NOT_COVERED,
            });
        }
    };
    let loaded = load::settle(session, draft, shown.as_ref())?;
    let (findings, proofs) =
        pool(session.jobs)?.install(|| certify(&loaded, &folder, args.timeout.0, &budget));
    let circuits = match &args.hwmcc {
        Some(place) => Some(write_circuits(&loaded.model, &proofs, place)?),
        None => None,
    };
    let asked = asked_so(&args.dir, &loaded.listing, &folder)?;
    let findings = folder.files.join(models).join(asked).join(findings);
    Ok(Certified {
        model: Some(model),
        findings,
        circuits,
        not_covered: &NOT_COVERED,
    })
}

/// Checks a run of a language with its own procedures: the checking procedure of the language checks every verdict.
fn certify_own_run(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    model: &OwnModel,
    folder: Folder,
) -> Result<Certified, Failure> {
    let about = folder.is_about(&model.listing.description);
    about.map_err(|error| unfit(&error, &args.dir))?;
    if args.hwmcc.is_some() {
        return Err(Failure::usage(
            "--hwmcc writes proofs about circuits, but the model is none",
        ));
    }
    let rechecker = model.rechecker.as_ref();
    let (limit, budget) = (args.timeout.0, session.budget());
    let findings = pool(session.jobs)?
        .install(|| certify_own(&model.listing, rechecker, &folder, limit, &budget));
    let description = folder.table.model.clone();
    let asked = asked_so(&args.dir, &model.listing, &folder)?;
    let findings = folder.files.join(asked).join(findings);
    Ok(Certified {
        model: Some(description),
        findings,
        circuits: None,
        not_covered: &NOT_COVERED,
    })
}

/// Returns as findings whether the question in the folder fits its mutants and verdicts; empty if it does.
fn asked_so(dir: &Path, listing: &Listing, folder: &Folder) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    let fault = |what: &str| Fault {
        place: run_folder::ASKED.to_owned(),
        what: what.to_owned(),
    };
    match asked::is_so(dir, listing, &folder.table, &folder.run)? {
        Said::So => {}
        Said::Otherwise => findings
            .faults
            .push(fault("the file differs from the options of the run")),
        Said::Unknown => findings.open.push(fault(
            "the file was written by another version of hyperkill",
        )),
    }
    Ok(findings)
}

fn unfit(error: &Unfit, folder: &Path) -> Failure {
    let folder = folder.display();
    match error {
        Unfit::NoRun => Failure::usage(format!("{folder} has no finished run"))
            .with_help("`hyperkill run MODEL` makes one"),
        Unfit::Unfinished => Failure::usage(format!(
            "the run in {folder} is unfinished: it goes on, or was killed or failed before all was written"
        ))
        .with_help("wait for it, or run again"),
        Unfit::Changed(_) => Failure::usage(error)
            .with_help("name the files as they were with --model, or run again"),
    }
}

/// Writes proofs by induction into `folder` as safety problems with witness circuits. Returns the numbers of written and of other proofs.
fn write_circuits(
    model: &ConditionalMutant,
    proofs: &Proofs,
    folder: &Path,
) -> Result<Circuits, Failure> {
    let mut circuits = Circuits::default();
    for (file, proof) in proofs {
        let witnessed = match proof {
            Certificate::Induction { question, proof } => witness_circuit(model, question, proof),
            Certificate::ClosedSet(_) | Certificate::Simulation(_) | Certificate::Estimates(_) => {
                None
            }
        };
        let Some(Witnessed {
            problem,
            mut witness,
        }) = witnessed
        else {
            circuits.other += 1;
            continue;
        };
        let name = file.rsplit('/').next().unwrap_or(file);
        let name = name.strip_suffix(".json").unwrap_or(name);
        let problem_name = format!("{name}.model.aig");
        witness.comments.push(format!("WITNESS b0 {problem_name}"));
        write_atomically(&folder.join(problem_name), &write_binary(&problem))?;
        let witness_name = format!("{name}.witness.aig");
        write_atomically(&folder.join(witness_name), &write_binary(&witness))?;
        circuits.written += 1;
    }
    Ok(circuits)
}
