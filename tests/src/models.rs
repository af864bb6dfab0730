//! Models in files: the models under `tests/models`, translated as by the command line up to the decision; and the location of third-party
//! models, if they are present.
//!
//! Reads files, since only tests use it. Decides nothing: callers ask the checker or the oracle which mutants break an obligation.

use std::path::{Path, PathBuf};

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::SelectorLatch;
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{
    Frontend, FrontendOptions, HardwareOptions, NamePredicate, ResetOption, SourceFile,
};
use hyperkill_smv::SmvFrontend;
use hyperkill_verilog::VerilogFrontend;

use crate::peers::skipped;

/// A condition that every variant must satisfy under all values of inputs and state.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The condition in the circuit of [`Model::checks`]; latches are to be read as free variables.
    pub lit: Lit,
    /// The meaning of a violation.
    pub message: String,
}

/// A model of `tests/models`, with all its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// The folder of the model.
    pub folder: PathBuf,
    /// The name of the folder.
    pub name: String,
    /// The circuit with every mutant that type-checks.
    pub system: ConditionalMutant,
    /// The circuit of the obligations, separate but with the same selectors.
    pub checks: ConditionalMutant,
    /// Conditions that a mutant must satisfy to be a model.
    pub obligations: Vec<Obligation>,
    /// All mutants in catalogue order, each with the reason if the front end rejected it.
    pub catalogue: Vec<(Mutant, Option<String>)>,
}

/// Returns the folder with all models.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// Returns all SMV models, by name.
///
/// # Panics
///
/// If a model does not translate: its tests cannot go on.
#[must_use]
pub fn smv_models() -> Vec<Model> {
    let folders = std::fs::read_dir(folder().join("smv")).expect("a folder of models");
    let mut folders: Vec<PathBuf> = folders
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.iter().map(|folder| smv_model(folder)).collect()
}

/// Returns the SMV model in this folder.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn smv_model(folder: &Path) -> Model {
    model(
        folder,
        "model.smv",
        &SmvFrontend,
        &FrontendOptions::default(),
    )
}

/// Returns the action system in this file of a folder under `tests/models/action-system`, with these options.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn action_system(name: &str, file: &str, options: &FrontendOptions) -> Model {
    let folder = folder().join("action-system").join(name);
    model(&folder, file, &ActionSystemFrontend, options)
}

/// Returns the machine in this file of `tests/models/efsm`, with these options.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn efsm(file: &str, options: &FrontendOptions) -> Model {
    model(
        &folder().join("efsm"),
        file,
        &MachineFrontend::Efsm,
        options,
    )
}

fn model(folder: &Path, file: &str, frontend: &dyn Frontend, options: &FrontendOptions) -> Model {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let in_folder = format!("{name}/{file}");
    let file = folder.join(file);
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let source = SourceFile::new(in_folder, text);
    Model {
        folder: folder.to_owned(),
        name: name.into_owned(),
        ..of_source(source, frontend, options)
    }
}

/// Returns the model of a source that is in no folder.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn of_source(source: SourceFile, frontend: &dyn Frontend, options: &FrontendOptions) -> Model {
    let name = source.name.clone();
    let translation = frontend
        .prepare(vec![source], options)
        .and_then(|sources| frontend.translate(&sources, options))
        .unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
    let blasted = |system| bit_blast(system).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut system = blasted(&translation.system).model;
    let checks = blasted(&translation.checks);
    system.mutants = translation
        .catalogue
        .iter()
        .filter(|(_, rejected)| rejected.is_none())
        .map(|(mutant, _)| mutant.clone())
        .collect();
    let obligations = translation.checks.obligations.into_iter();
    Model {
        folder: PathBuf::new(),
        name,
        system,
        checks: checks.model,
        obligations: obligations
            .zip(checks.obligations)
            .map(|(obligation, lit)| Obligation {
                lit,
                message: obligation.message,
            })
            .collect(),
        catalogue: translation.catalogue,
    }
}

/// Returns the reset input of a design under `tests/models/verilog`, as for `--reset`, if the front end does not detect it by itself.
#[must_use]
pub fn verilog_reset(name: &str) -> Option<&'static str> {
    match name {
        // The design is reset by loading.
        "sha1-round" => Some("load"),
        _ => None,
    }
}

/// Whether the manifest of a design covers runs from any state, although the design has an input that would be detected as a reset.
fn starts_anywhere(name: &str) -> bool {
    ["arbiter", "crc", "pwm", "stack", "traffic-light", "vending"].contains(&name)
}

/// Returns all Verilog designs, by name.
///
/// # Panics
///
/// If a design does not translate.
#[must_use]
pub fn verilog_models() -> Vec<Model> {
    let folders = std::fs::read_dir(folder().join("verilog")).expect("a folder of models");
    let mut folders: Vec<PathBuf> = folders
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.iter().map(|folder| verilog_model(folder)).collect()
}

/// Returns the Verilog design in this folder.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn verilog_model(folder: &Path) -> Model {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let reset = verilog_reset(&name).map(|name| ResetOption {
        name: name.to_owned(),
        active: None,
        steps: None,
    });
    let options = FrontendOptions {
        hardware: HardwareOptions {
            resets: reset.into_iter().collect(),
            infer_no_resets: starts_anywhere(&name),
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    model(folder, "model.v", &VerilogFrontend, &options)
}

/// Returns the conditional mutant in `tests/models/conditional/NAME.smv`: one mutant, written into the model behind the variable `mut` as
/// in \[3\].
///
/// # Panics
///
/// If it does not translate, or has no such variable.
#[must_use]
pub fn conditional(name: &str) -> ConditionalMutant {
    let file = folder().join("conditional").join(format!("{name}.smv"));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    conditional_of(name, text)
}

/// Returns a conditional mutant as [`conditional`] does, for a text in place of a file.
///
/// # Panics
///
/// See [`conditional`].
#[must_use]
pub fn conditional_of(name: &str, text: String) -> ConditionalMutant {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let translation = SmvFrontend
        .translate(&[SourceFile::new(name.to_owned(), text)], &options)
        .unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
    let blasted = bit_blast(&translation.system).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut system = blasted.model;
    let latches = system.aig.latches();
    // The front end names this latch `state:mut`, so that hidden state does not look like a selector. It must keep its value.
    let latch = latches
        .iter()
        .position(|latch| {
            latch.name.as_deref() == Some("state:mut") && latch.next == latch.var.lit()
        })
        .unwrap_or_else(|| panic!("{name}: no variable `mut` that keeps its value"));
    system.selectors = vec![SelectorLatch {
        id: MutantId("mut".to_owned()),
        latch,
    }];
    system
}

/// Returns the folder of third-party models: `HYPERKILL_MODELS`, or `../shared/models` beside the repository if that exists. Otherwise
/// reports on standard error that `what` is skipped.
///
/// # Panics
///
/// If `HYPERKILL_MODELS` is set and names no folder.
#[must_use]
pub fn shared_models(what: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("HYPERKILL_MODELS") {
        let folder = PathBuf::from(folder);
        assert!(
            folder.is_dir(),
            "HYPERKILL_MODELS = {} is no folder",
            folder.display()
        );
        return Some(folder);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models");
    if beside.is_dir() {
        return Some(beside);
    }
    skipped(
        what,
        "HYPERKILL_MODELS is not set and ../shared/models does not exist",
    );
    None
}
