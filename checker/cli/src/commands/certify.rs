//! `hyperkill certify`: all evidence of a run, checked again from the model file.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;

use crate::args::{CertifyArgs, Format, HardwareArgs, ModelArgs, RoleArgs, Via};
use crate::certifying::{Findings, Folder, certify};
use crate::deciding::pool;
use crate::documents::{
    self, CertifyReport, Circuits, Fault, ModelDescription, MutantTable, Reading,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::load_from;
use crate::render::{Align, Style, Table, results::plural};
use crate::run_folder;
use crate::session::Session;

/// Carries it out.
pub(super) fn execute(session: &mut Session<'_>, args: &CertifyArgs) -> Result<ExitCode, Failure> {
    let folder = match Folder::read(&args.dir)? {
        Ok(folder) => folder,
        Err(findings) => return report(session, args, None, findings),
    };
    // How the model was read is in that document.
    let mut faults = folder.files.faults.iter();
    if faults.any(|fault| fault.place == run_folder::MUTANTS) {
        let model = folder.table.model.clone();
        return report(session, args, Some(model), folder.files);
    }
    let (files, operators) = model_files(&folder.table, args)?;
    let places: Vec<PathBuf> = match args.model.as_slice() {
        [] => recorded(&folder.table, args).unwrap_or_else(|| files.files.clone()),
        places if places.len() == files.files.len() => places.to_vec(),
        places => {
            return Err(Failure::usage(format!(
                "--model names {}, but the run read {}",
                plural(places.len(), "file"),
                plural(files.files.len(), "file")
            )));
        }
    };
    if let Some(missing) = places.iter().find(|place| !place.is_file()) {
        return Err(
            Failure::usage(format!("the model file {} is not there", missing.display()))
                .with_help("say with --model where the files of the run are now"),
        );
    }
    let loaded = load_from(session, &files, &places, &operators)?;
    let budget = session.budget();
    if let Some(place) = &args.hwmcc {
        fs::create_dir_all(place).with_context(|| format!("{} cannot be made", place.display()))?;
    }
    let circuits = args.hwmcc.as_deref();
    let findings = pool(session.jobs)?
        .install(|| certify(&loaded, &folder, args.timeout.0, circuits, &budget))?;
    let model = folder.table.model.clone();
    let findings = folder.files.join(findings);
    report(session, args, Some(model), findings)
}

/// Where the run says that the model's files are, if it does.
fn recorded(table: &MutantTable, args: &CertifyArgs) -> Option<Vec<PathBuf>> {
    let reading = table.reading.as_ref()?;
    let places = reading.places.iter().map(|place| args.dir.join(place));
    (!reading.places.is_empty()).then(|| places.collect())
}

/// The model's files and options as the run had them.
fn model_files(
    table: &MutantTable,
    args: &CertifyArgs,
) -> Result<(ModelArgs, Vec<String>), Failure> {
    let unknown = || {
        Failure::usage(format!(
            "{} does not say how the model was read",
            args.dir.display()
        ))
    };
    let Reading {
        files,
        places: _,
        define,
        top,
        include,
        reset,
        zero_init,
        parameters,
        one_clock,
        assume,
        via,
        complete,
        inputs,
        outputs,
        nd,
        selectors,
        operators,
    } = table.reading.clone().ok_or_else(unknown)?;
    if files.is_empty() {
        return Err(unknown());
    }
    let define = define.iter().map(|definition| definition.parse());
    let define = define.collect::<Result<_, String>>();
    let reset = reset.iter().map(|reset| reset.parse());
    let reset = reset.collect::<Result<_, String>>();
    let parameters = parameters.iter().map(|parameter| parameter.parse());
    let parameters = parameters.collect::<Result<_, String>>();
    let via = via.map(|via| Via::from_str(&via, true)).transpose();
    let model = ModelArgs {
        files: files.iter().map(PathBuf::from).collect(),
        language: Some(table.model.language.clone()),
        define: define.map_err(Failure::usage)?,
        hardware: HardwareArgs {
            top,
            include: include.iter().map(PathBuf::from).collect(),
            reset: reset.map_err(Failure::usage)?,
            zero_init,
            parameter: parameters.map_err(Failure::usage)?,
            one_clock,
            assume,
            via: via.map_err(Failure::usage)?,
        },
        complete,
        roles: RoleArgs {
            inputs,
            outputs,
            nd,
            selectors,
        },
    };
    Ok((model, operators))
}

fn report(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    model: Option<ModelDescription>,
    findings: Findings,
) -> Result<ExitCode, Failure> {
    let code = if !findings.faults.is_empty() {
        ExitCode::Evidence
    } else if session.is_interrupted() {
        ExitCode::Interrupted
    } else if !findings.open.is_empty() {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    };
    let report = CertifyReport {
        schema: CertifyReport::SCHEMA.to_owned(),
        model,
        checked: findings.checked(),
        faults: findings.faults,
        open: findings.open,
        circuits: findings.circuits,
    };
    let text = match session.format {
        Format::Json => documents::to_text(&report)?,
        Format::Human => page(&report, &args.dir.display().to_string(), session.style),
    };
    session.print(text)?;
    Ok(code)
}

/// The report for people.
fn page(report: &CertifyReport, dir: &str, style: Style) -> String {
    let model = report
        .model
        .as_ref()
        .map_or("unknown model", |model| &model.name);
    let mut text = format!("{}\n\n", style.bold(&format!("{dir}: {model}")));
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    for checked in &report.checked {
        table.row([
            checked.what.clone(),
            checked.count.to_string(),
            style.dim(&checked.how),
        ]);
    }
    text.push_str(&table.to_string());
    let list = |text: &mut String, title: String, faults: &[Fault]| {
        if !faults.is_empty() {
            text.push_str(&format!("\n{title}\n"));
            for fault in faults {
                text.push_str(&format!("  {}: {}\n", fault.place, fault.what));
            }
        }
    };
    list(&mut text, style.red("does not check"), &report.faults);
    list(&mut text, style.yellow("not checked"), &report.open);
    if let Some(Circuits { written, other }) = report.circuits {
        let written = plural(written, "proof");
        text.push_str(&format!(
            "\n  {written} written as circuits; {other} of another form\n"
        ));
    }
    if report.faults.is_empty() && report.open.is_empty() {
        text.push_str(&format!("\n  {}\n", style.green("all evidence checks")));
    }
    text
}
