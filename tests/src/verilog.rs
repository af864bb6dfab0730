//! Two translations of Verilog: the circuit of our front end and the circuit of yosys, from power-up and without mutants.
//!
//! Both start uninitialised registers at 0, treat resets as ordinary inputs, and leave out assertions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_core::Aig;
use hyperkill_core::aiger::read;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, Loader, NamePredicate, SourceFile,
    SourceLoader,
};
use hyperkill_verilog::VerilogFrontend;

use crate::peers::{PeerError, Yosys};

/// Yosys passes that turn the design into a circuit with named inputs and outputs. Initial values are set before any optimisation, because
/// a register with a free initial value may become a constant. Unknown values are set there for the same reason.
const TO_CIRCUIT: &str = "proc; flatten; EXPOSE opt_clean; memory_collect; memory_map; setundef -undriven -zero; setundef \
    -init -zero; async2sync; dffunmap; opt; techmap; opt; \
    setundef -init -zero; simplemap; dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_N_ 01; opt_clean; zinit -all; aigmap; \
    setundef -zero; opt_clean";

/// A loader of included files, from the folders of all sources.
struct Folders(Vec<PathBuf>);

impl SourceLoader for Folders {
    fn load(&self, name: &str, _asked_by: &str) -> Option<(String, String)> {
        let mut files = self.0.iter().map(|folder| folder.join(name));
        files.find_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text))
        })
    }
}

/// A loader of included files that are given by name and text.
struct Texts(BTreeMap<String, String>);

impl SourceLoader for Texts {
    fn load(&self, name: &str, _asked_by: &str) -> Option<(String, String)> {
        Some((name.to_owned(), self.0.get(name)?.clone()))
    }
}

/// A design stored in files.
#[derive(Clone, Debug)]
pub struct Design {
    /// The files of the design.
    pub files: Vec<PathBuf>,
    /// Its top module; `None` for the only module without an instance.
    pub top: Option<String>,
}

impl Design {
    fn folders(&self) -> Vec<PathBuf> {
        let parents = self.files.iter().filter_map(|file| file.parent());
        let mut folders: Vec<PathBuf> = parents.map(Path::to_path_buf).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Translates the design by our front end, without mutants.
    ///
    /// # Errors
    /// If the front end refuses the design: its diagnostics.
    ///
    /// # Panics
    /// If a file is missing.
    pub fn ours(&self) -> Result<Translation, Vec<Diagnostic>> {
        let sources = self.files.iter().map(|file| {
            let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            SourceFile::new(file.to_string_lossy(), String::from_utf8_lossy(&bytes))
        });
        translate(
            sources.collect(),
            self.top.as_deref(),
            Arc::new(Folders(self.folders())),
        )
    }

    /// Returns the circuit that yosys builds from the design. It has these variables of the top module as additional outputs. Unknown
    /// values are 0.
    ///
    /// # Errors
    /// If yosys fails.
    ///
    /// # Panics
    /// If yosys writes a malformed circuit.
    pub fn theirs(&self, yosys: &Yosys, observed: &[String]) -> Result<Aig, PeerError> {
        let folders = self.folders();
        let folders: Vec<String> = folders
            .iter()
            .map(|f| format!("-I{}", f.display()))
            .collect();
        let files = self.files.iter().map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        let top = match &self.top {
            Some(top) => format!("-top {top}"),
            None => "-auto-top".to_owned(),
        };
        let to_circuit = to_circuit(observed);
        let script = format!(
            "read_verilog -sv -noassert -noassume {} {}; hierarchy {top}; {to_circuit}; write_aiger -symbols design.aig",
            folders.join(" "),
            files.join(" "),
        );
        let made = yosys.make(&[], &script, &["design.aig".to_owned()])?;
        Ok(read(&made[0]).expect("a circuit"))
    }
}

fn to_circuit(observed: &[String]) -> String {
    let expose: Vec<String> = observed.iter().map(|name| format!("w:{name}")).collect();
    let expose = match expose.is_empty() {
        true => String::new(),
        false => format!("expose {};", expose.join(" ")),
    };
    TO_CIRCUIT.replace("EXPOSE", &expose)
}

fn translate(
    sources: Vec<SourceFile>,
    top: Option<&str>,
    loader: Arc<dyn SourceLoader>,
) -> Result<Translation, Vec<Diagnostic>> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        loader: Some(Loader(loader)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            top: top.map(str::to_owned),
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = VerilogFrontend.prepare(sources, &options)?;
    VerilogFrontend.translate(&sources, &options)
}

/// Returns the circuit that our front end builds from one text.
///
/// # Panics
/// If the front end refuses the text.
#[must_use]
pub fn ours(text: &str) -> Aig {
    ours_with(text, &[])
}

/// Returns the circuit that our front end builds from one text with included files, given by name and text.
///
/// # Panics
/// If the front end refuses the text.
#[must_use]
pub fn ours_with(text: &str, files: &[(&str, &str)]) -> Aig {
    let files = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let loader = Arc::new(Texts(files.collect()));
    let found = translate(vec![SourceFile::new("m.v", text)], None, loader);
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    bit_blast(&found.system).expect("a circuit").model.aig
}

/// Returns the circuits that yosys builds from texts, each a separate design.
///
/// # Panics
/// If yosys refuses a text.
#[must_use]
pub fn theirs(yosys: &Yosys, texts: &[String]) -> Vec<Aig> {
    let to_circuit = to_circuit(&[]);
    let mut script = String::new();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        files.push((format!("{i}.v"), text.clone().into_bytes()));
        script += &format!(
            "read_verilog -sv -noassert -noassume {i}.v; hierarchy -auto-top; {to_circuit}; \
             write_aiger -symbols {i}.aig; design -reset; "
        );
    }
    let results: Vec<String> = (0..texts.len()).map(|i| format!("{i}.aig")).collect();
    let made = yosys.make(&files, &script, &results);
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    made.iter()
        .map(|bytes| read(bytes).expect("a circuit"))
        .collect()
}

/// Returns the message of the first refusal of a text, and its line, from 1.
///
/// # Panics
/// If the text is not refused, or the refusal has no place.
#[must_use]
pub fn refused(text: &str) -> (String, usize) {
    let loader = Arc::new(Texts(BTreeMap::new()));
    let found = translate(vec![SourceFile::new("m.v", text)], Some("m"), loader);
    let errors = match found {
        Err(errors) => errors,
        Ok(_) => panic!("this is not refused\n{text}"),
    };
    let span = errors[0]
        .span
        .unwrap_or_else(|| panic!("no place: {errors:?}\n{text}"));
    (
        errors[0].message.clone(),
        text[..span.start].matches('\n').count() + 1,
    )
}
