//! Models in files: those under `tests/models`, translated as the command line does it, up to deciding; and where the
//! models that other people wrote are, if they are here at all.
//!
//! Reads files, since only tests use it. Decides nothing; which mutants break an obligation is for its callers to ask,
//! of the checker or of the oracle.

use std::path::{Path, PathBuf};

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::SelectorLatch;
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_efsm::EfsmFrontend;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, ResetOption, SourceFile};
use hyperkill_smv::SmvFrontend;
use hyperkill_verilog::VerilogFrontend;

use crate::peers::skipped;

/// A condition that every variant must satisfy under all values of inputs and state.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The condition in the circuit of [`Model::checks`]; latches are to be read as free variables.
    pub lit: Lit,
    /// What it means if it does not hold.
    pub message: String,
}

/// A model of `tests/models`, with all its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its folder.
    pub folder: PathBuf,
    /// Name of the folder.
    pub name: String,
    /// The circuit with every mutant that type-checks.
    pub system: ConditionalMutant,
    /// What obligations are about: another circuit with the same selectors.
    pub checks: ConditionalMutant,
    /// What mutants must satisfy to be models at all.
    pub obligations: Vec<Obligation>,
    /// All mutants in catalogue order, with the reason for those that the front end rejected.
    pub catalogue: Vec<(Mutant, Option<String>)>,
}

/// The folder with all models.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// All SMV models, by name.
///
/// # Panics
///
/// If one does not translate: its tests cannot go on.
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

/// The SMV model in this folder.
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

/// The action system in this file of a folder under `tests/models/action-system`, with these options.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn action_system(name: &str, file: &str, options: &FrontendOptions) -> Model {
    let folder = folder().join("action-system").join(name);
    model(&folder, file, &ActionSystemFrontend, options)
}

/// The machine in this file of `tests/models/efsm`, with these options.
///
/// # Panics
///
/// If it does not translate.
#[must_use]
pub fn efsm(file: &str, options: &FrontendOptions) -> Model {
    model(&folder().join("efsm"), file, &EfsmFrontend, options)
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

/// The model of a source that is in no folder.
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

/// The input that a design under `tests/models/verilog` is to be reset by, as in `--reset`, if it has one that does not show.
#[must_use]
pub fn verilog_reset(name: &str) -> Option<&'static str> {
    match name {
        // Loading is how it is reset.
        "sha1-round" => Some("load"),
        _ => None,
    }
}

/// Whether the manifest of a design is about runs that start anywhere, although it has an input that would be found to be a reset.
fn starts_anywhere(name: &str) -> bool {
    ["arbiter", "crc", "pwm", "stack", "traffic-light", "vending"].contains(&name)
}

/// All Verilog designs, by name.
///
/// # Panics
///
/// If one does not translate.
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

/// The Verilog design in this folder.
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
        resets: reset.into_iter().collect(),
        infer_no_resets: starts_anywhere(&name),
        ..FrontendOptions::default()
    };
    model(folder, "model.v", &VerilogFrontend, &options)
}

/// The conditional mutant in `tests/models/conditional/NAME.smv`: one mutant, written into the model behind the variable
/// `mut` as \[3\] does it.
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

/// The same of a text.
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
    // Hidden state is not to look like a selector, so a variable of that name is told apart from one.
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

/// The folder of models that other people wrote: `HYPERKILL_MODELS`, or `../shared/models` beside the repository where
/// that exists, or a loud word that `what` is skipped.
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
