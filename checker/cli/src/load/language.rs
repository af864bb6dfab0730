//! The language of a model: the named one, or the language of the first file.

use std::path::Path;

use hyperkill_frontend::Frontend;
use hyperkill_netlist::NetlistFrontend;
use hyperkill_run::load::own::OwnProcedures;
use hyperkill_run::reading::ModelSpec;

use super::files::is_stdin;
use super::origin::Origin;
use super::plugin;
use crate::documents::reading::Program;
use crate::external::FrontendProgram;
use crate::failure::Failure;
use crate::languages;
use crate::session::Session;

/// The language of a model.
pub(super) enum Language {
    /// AIGER, with the bytes of the file.
    Aiger(Vec<u8>),
    /// The language of a built-in front end.
    Source(Box<dyn Frontend>),
    /// The language of an external front end.
    Program(FrontendProgram),
}

impl Language {
    /// Returns the front end and the procedures of a language that decides its mutants itself; `None` for other languages.
    pub(super) fn own(&self) -> Option<(&dyn Frontend, OwnProcedures)> {
        match self {
            Language::Source(frontend) => {
                Some((frontend.as_ref(), languages::own(frontend.name())?))
            }
            Language::Aiger(_) | Language::Program(_) => None,
        }
    }

    /// Returns the built-in front end.
    ///
    /// # Errors
    /// If the language has none.
    pub(super) fn built_in(self) -> Result<Box<dyn Frontend>, Failure> {
        match self {
            Language::Source(frontend) => Ok(frontend),
            Language::Aiger(_) => Err(Failure::usage("an AIGER file has no source")),
            Language::Program(program) => Err(languages::only_a_circuit(&program.description.name)),
        }
    }

    pub(super) fn of(
        session: &mut Session<'_>,
        spec: &ModelSpec,
        origin: Origin<'_>,
    ) -> Result<Language, Failure> {
        let budget = session.budget();
        let io = &mut *session.io;
        let first = &spec.files[0];
        if spec.options.hardware.via == Some(Program::Yosys) {
            let named = spec.language.as_deref();
            if named.is_some_and(|name| name != NetlistFrontend::Yosys.name()) {
                return Err(Failure::usage(format!(
                    "--via yosys reads Verilog and makes a model in {}: leave --language out",
                    NetlistFrontend::Yosys.name()
                )));
            }
            return Ok(Language::Source(Box::new(NetlistFrontend::Yosys)));
        }
        if let Some(name) = &spec.language {
            return match name.as_str() {
                languages::AIGER => Ok(Language::Aiger(origin.bytes(io, 0)?)),
                name if languages::is_built_in(name) => {
                    languages::by_name(name).map(Language::Source)
                }
                name => match plugin::kept(name, origin) {
                    Some(kept) => kept.map(Language::Program),
                    None => languages::program(name, &budget).map(Language::Program),
                },
            };
        }
        let extension = first.extension().map(|e| e.to_string_lossy().into_owned());
        match extension.as_deref() {
            Some("aag" | "aig") => Ok(Language::Aiger(origin.bytes(io, 0)?)),
            Some("json") => {
                let text = origin.bytes(io, 0)?;
                Ok(Language::Source(languages::of_json(&text)))
            }
            Some(extension) => match languages::by_extension(extension) {
                Some(frontend) => Ok(Language::Source(frontend)),
                None => languages::program_for(extension, &budget)?
                    .map(Language::Program)
                    .ok_or_else(|| unknown_language(first)),
            },
            None => Err(unknown_language(first)),
        }
    }
}

fn unknown_language(file: &Path) -> Failure {
    let what = if is_stdin(file) {
        "the language of standard input is unknown".to_owned()
    } else {
        format!("no language is known for the file name {}", file.display())
    };
    let names = languages::names().join(", ");
    Failure::usage(what).with_help(format!("name it with --language: {names}"))
}
