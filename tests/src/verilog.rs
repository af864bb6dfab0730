//! Verilog as two readers see it: the circuit of our front end and the circuit of yosys, from power up and without mutants.
//!
//! Both start all registers at 0 that nothing initialises, take resets for inputs like others, and leave out assertions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_core::Aig;
use hyperkill_core::aiger::read;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, Loader, NamePredicate, SourceFile, SourceLoader,
};
use hyperkill_verilog::VerilogFrontend;

use crate::peers::{PeerError, Yosys};

/// What makes yosys write the design that it has read as a circuit with named inputs and outputs. First values are set before
/// anything is optimised, since a register that may start anywhere may become a constant; so is what is unknown.
const TO_CIRCUIT: &str = "proc; flatten; EXPOSE opt_clean; memory_collect; memory_map; setundef -undriven -zero; setundef \
    -init -zero; async2sync; dffunmap; opt; techmap; opt; \
    setundef -init -zero; simplemap; dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_N_ 01; opt_clean; zinit -all; aigmap; \
    setundef -zero; opt_clean";

/// Files that a source includes, from the folders of all sources.
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

/// Files that are there by their names and texts.
struct Texts(BTreeMap<String, String>);

impl SourceLoader for Texts {
    fn load(&self, name: &str, _asked_by: &str) -> Option<(String, String)> {
        Some((name.to_owned(), self.0.get(name)?.clone()))
    }
}

/// A design in files.
#[derive(Clone, Debug)]
pub struct Design {
    /// Its sources.
    pub files: Vec<PathBuf>,
    /// Its top module; `None`: the only one that no other uses.
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

    /// What our front end makes of it, without mutants.
    ///
    /// # Errors
    /// What it refuses.
    ///
    /// # Panics
    /// If a file is not there.
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

    /// The circuit that yosys makes of it, with these variables of the top module observed besides its outputs. What is unknown
    /// is 0.
    ///
    /// # Errors
    /// If yosys does not.
    ///
    /// # Panics
    /// If what it writes is no circuit.
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
        zero_init: true,
        infer_no_resets: true,
        operators: Some(NamePredicate::new(|_| false)),
        top: top.map(str::to_owned),
        loader: Some(Loader(loader)),
        ..FrontendOptions::default()
    };
    let sources = VerilogFrontend.prepare(sources, &options)?;
    VerilogFrontend.translate(&sources, &options)
}

/// The circuit that our front end makes of one text.
///
/// # Panics
/// If it refuses the text.
#[must_use]
pub fn ours(text: &str) -> Aig {
    ours_with(text, &[])
}

/// The circuit that our front end makes of one text beside which other files lie, by name and text.
///
/// # Panics
/// If it refuses the text.
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

/// The circuits that yosys makes of texts, each a design of its own.
///
/// # Panics
/// If it refuses one.
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

/// The words of the first refusal of a text, and the line where it points, from 1.
///
/// # Panics
/// If the text is not refused, or not at a place.
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
