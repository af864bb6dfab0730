//! From files to a conditional mutant with its catalogue: read, translate, validate.
//!
//! Whatever goes wrong here goes wrong before any folder is touched.

mod aiger;
mod combined;
mod include;
mod judgement;
mod listed;
mod origin;
mod own;
mod plugin;
mod record;
mod source;
mod taken;
mod yosys;

pub use crate::model::Loaded;
pub use aiger::from_bytes as aiger_from_bytes;
pub(crate) use combined::parts as combinations;
pub(crate) use listed::{Shown, listed};
pub(crate) use origin::{Origin, must_say_something};
pub(crate) use own::decider;
pub(crate) use record::{Recorded, arguments, rebased, seen_from};

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hyperkill_core::system::TransitionSystem;
use hyperkill_evidence::validity::Validity;
use hyperkill_frontend::{Frontend, FrontendOptions, Hardware, SourceFile};
use hyperkill_netlist::YosysFrontend;
use hyperkill_run::circuit::Circuits;
use hyperkill_run::language::OwnModel;
use hyperkill_run::patterns::Globs;
use hyperkill_run::procedure::Procedure;
use sha2::{Digest, Sha256};

use crate::args::{ModelArgs, RoleArgs, Taken, Via};
use crate::documents::build::published_name;
use crate::documents::{MadeWord, ModelDescription, Reading};
use crate::external::FrontendProgram;
use crate::failure::Failure;
use crate::io::Io;
use crate::languages::{self, OwnProcedures};
use crate::model::{Draft, Listing};
use crate::session::Session;
use origin::{Kit, must_have_text, read_sources};

/// Reads a model in any known language, for whoever settles its mutants.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid.
pub(crate) fn model_from(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Box<dyn Procedure>, Failure> {
    model_seen(session, args, origin, operators, |_, _| Ok(()))
}

/// As [`model_from`]; `see` looks at the model if it is a circuit.
///
/// # Errors
/// As [`model_from`]; as `see`.
pub(crate) fn model_seen<'io>(
    session: &mut Session<'io>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
    see: impl FnOnce(&mut Session<'io>, &Loaded) -> Result<(), Failure>,
) -> Result<Box<dyn Procedure>, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    if let Some((frontend, procedures)) = language.own() {
        let model = own_model(session, args, origin, operators, frontend, procedures)?;
        return Ok(Box::new(model));
    }
    let draft = draft_in(session, language, args, origin, operators)?;
    let loaded = judged(session, draft)?;
    see(session, &loaded)?;
    Ok(Box::new(Circuits::new(loaded, languages::built_in)))
}

/// Reads a model that is a circuit, in any known language.
///
/// # Errors
/// As [`model_from`]; that the model is no circuit.
pub fn load(
    session: &mut Session<'_>,
    args: &ModelArgs,
    operators: &[String],
) -> Result<Loaded, Failure> {
    circuit_from(session, args, Origin::Places(&args.files), operators)
}

/// As [`load`], from the contents of other files than those that `args` names, or of copies.
///
/// # Errors
/// As [`load`].
pub(crate) fn circuit_from(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Loaded, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    if let Some((frontend, _)) = language.own() {
        return Err(languages::no_circuit(frontend.name()));
    }
    let draft = draft_in(session, language, args, origin, operators)?;
    judged(session, draft)
}

/// As [`model_from`], if the language decides its mutants itself.
///
/// # Errors
/// As [`model_from`].
pub(crate) fn own(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Option<OwnModel>, Failure> {
    if let Some(name) = args.language.as_deref()
        && languages::own(name).is_none()
    {
        return Ok(None);
    }
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    let Some((frontend, procedures)) = language.own() else {
        return Ok(None);
    };
    own_model(session, args, origin, operators, frontend, procedures).map(Some)
}

fn own_model(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
    frontend: &dyn Frontend,
    procedures: OwnProcedures,
) -> Result<OwnModel, Failure> {
    let roles = RoleOptions::compile(&args.roles)?;
    let sources = sources(session, args, origin)?;
    must_have_text(args, &sources)?;
    let mut kit = kit_of(session.io, args, origin, &sources)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators,
    };
    let mut model = own::translate(session, frontend, procedures, sources, &asked)?;
    kit.add_asked_for(&model.listing.sources);
    // All mutants that are selected are read: choosing among them saves nothing here.
    if let Some(Taken::Listed(list)) = &args.taken {
        taken::keep_listed(&mut model.listing, list)?;
        kit.add_made(MadeWord::Taken, list.clone().into_bytes());
    }
    keep(&mut model.listing, args, operators, kit);
    Ok(model)
}

/// How a model is to be read.
pub(crate) struct Asked<'a> {
    args: &'a ModelArgs,
    origin: Origin<'a>,
    roles: &'a RoleOptions,
    operators: &'a [String],
}

/// As [`settle`], after asking which mutants are models.
///
/// # Errors
/// As [`settle`]; if the original is no model.
pub(crate) fn judged(session: &mut Session<'_>, draft: Draft) -> Result<Loaded, Failure> {
    let shown = judgement::judge(session, &draft)?;
    settle(session, draft, shown.as_ref())
}

/// The model with the mutants that are models, and the others set aside; what the user should know is said.
///
/// # Errors
/// If the translation has lost a mutant.
pub(crate) fn settle(
    session: &mut Session<'_>,
    draft: Draft,
    shown: Option<&Validity>,
) -> Result<Loaded, Failure> {
    let (loaded, warnings) = draft.settle(shown)?;
    listed::tell(session, &loaded.listing, &warnings);
    Ok(loaded)
}

/// As [`load`] from the contents of other files or of copies, without asking which mutants are models.
///
/// # Errors
/// As [`load`].
pub(crate) fn draft(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    draft_in(session, language, args, origin, operators)
}

fn draft_in(
    session: &mut Session<'_>,
    language: Language,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    let roles = RoleOptions::compile(&args.roles)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators,
    };
    let mut kit = Kit::default();
    let is_given = matches!(language, Language::Aiger(_));
    let draft = match language {
        Language::Aiger(bytes) => {
            must_say_something(&args.files[0], &[&bytes])?;
            fits_a_circuit(args)?;
            let draft = aiger::translate(&args.files[0], &bytes, &roles)?;
            kit.add(&args.files[0], bytes, None);
            draft
        }
        Language::Source(frontend) => {
            let sources = sources(session, args, origin)?;
            must_have_text(args, &sources)?;
            kit = kit_of(session.io, args, origin, &sources)?;
            source::translate(session, frontend.as_ref(), sources, &asked)?
        }
        Language::Program(frontend) => {
            plugin::refuse_options(&frontend.description.name, args, &roles)?;
            let sources = read_sources(session.io, args, origin)?;
            must_say_something(&args.files[0], &[sources[0].text.as_bytes()])?;
            kit = kit_of(session.io, args, origin, &sources)?;
            plugin::translate(session, &frontend, sources, &asked, &mut kit)?
        }
    };
    kit.add_asked_for(&draft.loaded.listing.sources);
    let (draft, list) = combined::combined(session, draft, &args.process)?;
    if let Some(list) = list {
        kit.add_made(MadeWord::Combinations, list.into_bytes());
    }
    // A circuit that was given is what evidence is about.
    let taken = args.taken.as_ref().filter(|_| !is_given);
    let (mut draft, list) = taken::taken(draft, taken)?;
    if let Some(list) = list {
        kit.add_made(MadeWord::Taken, list.into_bytes());
    }
    keep(&mut draft.loaded.listing, args, operators, kit);
    Ok(draft)
}

/// Lets a listing say how the model was read, and have what was.
fn keep(listing: &mut Listing, args: &ModelArgs, operators: &[String], kit: Kit) {
    listing.reading = reading(args, operators, &kit);
    listing.copies = kit.into_copies();
}

/// Nothing is asked for that only sources have.
///
/// # Errors
/// What is.
fn fits_a_circuit(args: &ModelArgs) -> Result<(), Failure> {
    if let [_, second, ..] = args.files.as_slice() {
        return Err(Failure::usage(format!(
            "an AIGER file is a whole model, but there is also {}",
            second.display()
        )));
    }
    if args.hardware.is_given() {
        return Err(Failure::usage(
            "options about hardware say how a source is read, but an AIGER file is none",
        ));
    }
    if args.domain.is_some() {
        return Err(Failure::usage(
            "--domain: an AIGER file has no domain of faults",
        ));
    }
    if args.process.is_given() {
        return Err(Failure::usage(
            "--sut, --environment, --semantics and --totalise are for timed processes, but an AIGER file has none",
        ));
    }
    if let Some(definition) = args.define.first() {
        return Err(Failure::usage(format!(
            "-D {}: an AIGER file has no named constants",
            definition.name
        )));
    }
    if args.observe.is_some() {
        return Err(Failure::usage(
            "--observe is for models with events, but an AIGER file has the outputs that it has",
        ));
    }
    if !args.range.is_empty() {
        return Err(Failure::usage("--range is for GraphWalker's models"));
    }
    if args.complete {
        return Err(Failure::usage(
            "--complete is for models in other languages: translate them with it",
        ));
    }
    Ok(())
}

/// How a model was read, for whoever wants to read it again.
fn reading(args: &ModelArgs, operators: &[String], kit: &Kit) -> Reading {
    Reading {
        files: args.files.iter().map(|file| published(file)).collect(),
        places: absolute(&args.files),
        define: args.define.iter().map(ToString::to_string).collect(),
        top: args.hardware.top.clone(),
        include: (args.hardware.include.iter())
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect(),
        reset: (args.hardware.reset.iter())
            .map(ToString::to_string)
            .collect(),
        zero_init: args.hardware.zero_init,
        parameters: (args.hardware.parameter.iter())
            .map(ToString::to_string)
            .collect(),
        one_clock: args.hardware.one_clock,
        assume: args.hardware.assume.clone(),
        via: args.hardware.via.map(|via| match via {
            Via::Yosys => "yosys".to_owned(),
        }),
        domain: args.domain.clone(),
        sut: args.process.sut.clone(),
        environment: args.process.environment.clone(),
        semantics: args.process.semantics.clone(),
        totalise: args.process.totalise.clone(),
        order: args.process.order.map(|order| order.changes),
        order_sample: args.process.order.and_then(|order| order.sample),
        complete: args.complete,
        observe: args.observe.clone(),
        ranges: args.range.iter().map(ToString::to_string).collect(),
        operators: operators.to_vec(),
        sources: kit.sources.clone(),
        made: kit.made.clone(),
        ..reading_roles(&args.roles)
    }
}

/// What the files of a model hold. Of those that another program reads the texts are what that made of them.
fn kit_of(
    io: &mut Io,
    args: &ModelArgs,
    origin: Origin<'_>,
    sources: &[SourceFile],
) -> Result<Kit, Failure> {
    let mut kit = Kit::default();
    if args.hardware.via.is_none() {
        for (file, source) in args.files.iter().zip(sources) {
            kit.add(file, source.text.clone().into_bytes(), None);
        }
        return Ok(kit);
    }
    for (number, file) in args.files.iter().enumerate() {
        kit.add(file, origin.bytes(io, number)?, None);
    }
    let netlist = sources.first().map(|source| source.text.clone());
    kit.add_made(MadeWord::Netlist, netlist.unwrap_or_default().into_bytes());
    Ok(kit)
}

/// The transition system of a model in another language, without mutants, and its sources.
///
/// # Errors
/// As [`load`]; that the model is a circuit.
pub fn system(
    session: &mut Session<'_>,
    args: &ModelArgs,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    system_from(session, args, Origin::Places(&args.files))
}

/// As [`system`], from the contents of other files than those that `args` names, or of copies.
///
/// # Errors
/// As [`system`].
pub(crate) fn system_from(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let sources = read_sources(session.io, args, origin)?;
    translated_system(session, args, origin, sources)
}

/// As [`system`], with other texts than those of the files.
///
/// # Errors
/// As [`system`].
pub fn system_of(
    session: &mut Session<'_>,
    args: &ModelArgs,
    sources: Vec<SourceFile>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    translated_system(session, args, Origin::Places(&args.files), sources)
}

fn translated_system(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    sources: Vec<SourceFile>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let _reading = session.stage("the model was read");
    let roles = RoleOptions::compile(&args.roles)?;
    let frontend = Language::of(session, args, origin)?.built_in()?;
    if languages::own(frontend.name()).is_some() {
        return Err(languages::no_circuit(frontend.name()));
    }
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators: &[],
    };
    source::system(session, frontend.as_ref(), sources, &asked)
}

/// Refuses a model some of whose invariants cannot be asked: they have no value for some values of variables, as those that divide
/// by zero.
///
/// # Errors
/// Where the value is missing; as [`system`].
pub fn invariants_have_values(session: &mut Session<'_>, args: &ModelArgs) -> Result<(), Failure> {
    let _reading = session.stage("the model was read");
    let roles = RoleOptions::compile(&args.roles)?;
    let origin = Origin::Places(&args.files);
    let frontend = Language::of(session, args, origin)?.built_in()?;
    let sources = sources(session, args, origin)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators: &[],
    };
    source::invariants_have_values(session, frontend.as_ref(), sources, &asked)
}

/// Lets the listing of a circuit say how it was read, and have what was.
pub(crate) fn keep_circuit(listing: &mut Listing, file: &Path, bytes: Vec<u8>, roles: &RoleArgs) {
    let mut kit = Kit::default();
    kit.add(file, bytes, None);
    listing.reading = Reading {
        files: vec![published(file)],
        places: absolute(&[file.to_owned()]),
        sources: kit.sources.clone(),
        ..reading_roles(roles)
    };
    listing.copies = kit.into_copies();
}

/// Source texts with the constants given written in, not translated.
pub(crate) struct Prepared {
    /// What was read.
    pub description: ModelDescription,
    /// What reads it.
    pub frontend: Box<dyn Frontend>,
    /// The texts.
    pub sources: Vec<SourceFile>,
    /// The options that it is read with.
    pub options: FrontendOptions,
}

impl Prepared {
    /// The pins of the design, if it is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn hardware(&self) -> Result<Option<Hardware>, Failure> {
        let hardware = self.frontend.hardware(&self.sources, &self.options);
        hardware.map_err(|diagnostics| Failure::diagnosed(&self.sources, diagnostics))
    }
}

/// Reads the sources of a model that is no circuit.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is a circuit.
pub(crate) fn prepared(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<Prepared, Failure> {
    let _reading = session.stage("the model was read");
    let frontend = Language::of(session, args, origin)?.built_in()?;
    let sources = sources(session, args, origin)?;
    let roles = RoleOptions::compile(&args.roles)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators: &[],
    };
    // Channels of new transitions are declared for each change, so that they are part of the model.
    let order = args.process.order;
    let order = order.filter(|_| frontend.is_about_processes());
    let options = FrontendOptions {
        order: order.map(|order| order.changes),
        ..source::options(&roles)
    };
    let (sources, options) = source::prepare(session, frontend.as_ref(), sources, &asked, options)?;
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    Ok(Prepared {
        description: describe(&sources[0].name, frontend.name(), contents),
        frontend,
        sources,
        options,
    })
}

fn reading_roles(roles: &RoleArgs) -> Reading {
    Reading {
        inputs: roles.inputs.clone(),
        outputs: roles.outputs.clone(),
        nd: roles.nd.clone(),
        selectors: roles.selectors.clone(),
        ..Reading::default()
    }
}

/// The names of files, if one of them is absolute; what is written of them is [`seen_from`] the run folder.
fn absolute(files: &[PathBuf]) -> Vec<String> {
    match files.iter().any(|file| file.is_absolute()) {
        true => files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect(),
        false => Vec::new(),
    }
}

fn published(file: &Path) -> String {
    published_name(&file.to_string_lossy())
}

/// Role options, compiled.
#[derive(Clone, Debug)]
pub struct RoleOptions {
    inputs: Option<Globs>,
    outputs: Option<Globs>,
    nd: Option<Globs>,
    selectors: Option<Globs>,
}

impl RoleOptions {
    /// Compiles the globs.
    ///
    /// # Errors
    /// If one is malformed.
    pub fn compile(args: &RoleArgs) -> Result<RoleOptions, Failure> {
        Ok(RoleOptions {
            inputs: Globs::compile("--inputs", &args.inputs)?,
            outputs: Globs::compile("--outputs", &args.outputs)?,
            nd: Globs::compile("--nd", &args.nd)?,
            selectors: Globs::compile("--mut", &args.selectors)?,
        })
    }

    /// Fails if a glob has matched nothing.
    fn must_have_matched(&self) -> Result<(), Failure> {
        let options = [
            (&self.inputs, "input"),
            (&self.outputs, "output"),
            (&self.nd, "input"),
            (&self.selectors, "latch"),
        ];
        for (globs, what) in options {
            if let Some(globs) = globs {
                globs.must_have_matched(what)?;
            }
        }
        Ok(())
    }
}

/// What a model is written in.
enum Language {
    /// A circuit, with its contents.
    Aiger(Vec<u8>),
    /// The language of a front end.
    Source(Box<dyn Frontend>),
    /// The language of a front end that is another program.
    Program(FrontendProgram),
}

impl Language {
    /// The front end and the procedures of a language that decides its mutants itself.
    fn own(&self) -> Option<(&dyn Frontend, OwnProcedures)> {
        match self {
            Language::Source(frontend) => {
                Some((frontend.as_ref(), languages::own(frontend.name())?))
            }
            Language::Aiger(_) | Language::Program(_) => None,
        }
    }

    /// The front end that is built in.
    ///
    /// # Errors
    /// That there is none.
    fn built_in(self) -> Result<Box<dyn Frontend>, Failure> {
        match self {
            Language::Source(frontend) => Ok(frontend),
            Language::Aiger(_) => Err(Failure::usage("an AIGER file has no source")),
            Language::Program(program) => Err(languages::only_a_circuit(&program.description.name)),
        }
    }

    fn of(
        session: &mut Session<'_>,
        args: &ModelArgs,
        origin: Origin<'_>,
    ) -> Result<Language, Failure> {
        let budget = session.budget();
        let io = &mut *session.io;
        let first = &args.files[0];
        if args.hardware.via == Some(Via::Yosys) {
            let named = args.language.as_deref();
            if named.is_some_and(|name| name != YosysFrontend::NAME) {
                return Err(Failure::usage(format!(
                    "--via yosys makes a model in {} of what yosys can read",
                    YosysFrontend::NAME
                )));
            }
            return Ok(Language::Source(Box::new(YosysFrontend)));
        }
        if let Some(name) = &args.language {
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
        "standard input has no file name to tell its language by".to_owned()
    } else {
        format!("the file name {} tells no known language", file.display())
    };
    let names = languages::names().join(", ");
    Failure::usage(what).with_help(format!("say it with --language, one of {names}"))
}

/// Whether this is the name of standard input.
#[must_use]
pub fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// If it cannot be read.
pub fn read_bytes(io: &mut Io, file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if is_stdin(file) {
        io.stdin
            .read_to_end(&mut bytes)
            .context("standard input cannot be read")?;
    } else {
        bytes =
            std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    }
    Ok(bytes)
}

/// The texts of a model, those that another program makes of its files if that is asked for.
fn sources(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<Vec<SourceFile>, Failure> {
    match (args.hardware.via, origin) {
        (None, _) => read_sources(session.io, args, origin),
        (Some(Via::Yosys), Origin::Places(places)) => {
            Ok(vec![yosys::netlist(session, args, places)?])
        }
        (Some(Via::Yosys), Origin::Copies(_)) => Ok(vec![yosys::kept(args, origin)?]),
    }
}

/// Names, language and hash of what was read.
fn describe<'a>(
    name: &str,
    language: &str,
    contents: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> ModelDescription {
    let mut hash = Sha256::new();
    for (name, bytes) in contents {
        let name = published_name(name);
        // Lengths keep names and contents apart.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let mut digits = String::from("sha256:");
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    ModelDescription {
        name: published_name(name),
        language: language.to_owned(),
        hash: digits,
    }
}
