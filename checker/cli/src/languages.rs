//! The languages of models: all built-in front ends, and external ones.

use std::path::Path;

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_core::budget::Budget;
use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile};
use hyperkill_guarded::model::check;
use hyperkill_guarded::tree::System;
use hyperkill_run::load::own::OwnProcedures;
use hyperkill_timed_fsm::TimedFsmFrontend;
use hyperkill_uppaal::UppaalFrontend;
use hyperkill_uppaal::ecdar::EcdarFrontend;

use crate::external::{FrontendProgram, Refusal, frontend_names};
use crate::failure::Failure;

/// The language of circuits, which needs no front end.
pub use hyperkill_run::load::aiger::AIGER;

/// Returns all built-in front ends.
#[must_use]
pub fn all() -> Vec<Box<dyn Frontend>> {
    vec![
        Box::new(hyperkill_smv::SmvFrontend),
        Box::new(hyperkill_netlist::NetlistFrontend::Blif),
        Box::new(hyperkill_netlist::NetlistFrontend::Bench),
        Box::new(hyperkill_netlist::NetlistFrontend::Yosys),
        Box::new(hyperkill_verilog::VerilogFrontend),
        Box::new(ActionSystemFrontend),
        Box::new(MachineFrontend::Efsm),
        Box::new(MachineFrontend::GraphWalker),
        Box::new(MachineFrontend::EfsmTools),
        Box::new(TimedFsmFrontend),
        Box::new(UppaalFrontend),
        Box::new(EcdarFrontend),
    ]
}

/// Returns the procedures for deciding mutants and checking their evidence, if the language has its own; `None` if its mutants are decided
/// as circuits.
pub(crate) fn own(name: &str) -> Option<OwnProcedures> {
    match name {
        TimedFsmFrontend::NAME => Some(OwnProcedures {
            decision: Box::new(hyperkill_timed_fsm_decide::TimedDecision::default()),
            recheck: Box::new(hyperkill_timed_fsm_recheck::TimedRecheck),
        }),
        UppaalFrontend::NAME | EcdarFrontend::NAME => Some(OwnProcedures {
            decision: Box::new(hyperkill_uppaal_decide::UppaalDecision),
            recheck: Box::new(hyperkill_uppaal_recheck::UppaalRecheck),
        }),
        _ => None,
    }
}

/// Returns a model in the language `name` as the text of a machine with variables; `None` unless the language has guarded commands.
pub(crate) fn commands(
    name: &str,
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Option<Result<String, Vec<Diagnostic>>> {
    let machine = MachineFrontend::named(name);
    if machine.is_none() && name != ActionSystemFrontend::NAME {
        return None;
    }
    let [source] = sources else {
        let message = format!("one file is a system, but {} were given", sources.len());
        return Some(Err(vec![Diagnostic::unlocated(message)]));
    };
    let written = |system: System| check(&system).map(|model| hyperkill_efsm::text(&model));
    let read = match machine {
        Some(machine) => machine.read(source, options),
        None => hyperkill_action_systems::read(source).map(|read| read.system),
    };
    Some(read.and_then(written))
}

/// Returns the front end for a JSON file by its contents: models of GraphWalker have vertices, all others are netlists.
#[must_use]
pub fn of_json(text: &[u8]) -> Box<dyn Frontend> {
    let vertices = b"\"vertices\"";
    let has_vertices = text
        .windows(vertices.len())
        .any(|window| window == vertices);
    match has_vertices {
        true => Box::new(MachineFrontend::GraphWalker),
        false => Box::new(hyperkill_netlist::NetlistFrontend::Yosys),
    }
}

/// Returns the built-in front end for a file, by its extension. `.json` files are told apart by their contents. `None` for other
/// extensions.
#[must_use]
pub fn of_file(file: &Path) -> Option<Box<dyn Frontend>> {
    match file.extension()?.to_str()? {
        "json" => Some(of_json(&std::fs::read(file).unwrap_or_default())),
        extension => by_extension(extension),
    }
}

/// Returns the failure of a command that needs a circuit, for a language that decides its mutants itself.
pub(crate) fn no_circuit(name: &str) -> Failure {
    Failure::usage(format!(
        "this command needs a circuit, but models in {name} have none: they are decided by a procedure of their own"
    ))
    .with_help("`hyperkill list`, `run`, `show`, `status` and `certify` accept such models")
}

/// Returns the names of all languages: with a built-in front end, AIGER, then those of external front ends.
#[must_use]
pub fn names() -> Vec<String> {
    let frontends = all();
    let mut names: Vec<String> = frontends.iter().map(|f| f.name().to_owned()).collect();
    names.push(AIGER.to_owned());
    let others = frontend_names().into_iter();
    let others: Vec<String> = others.filter(|name| !names.contains(name)).collect();
    names.extend(others);
    names
}

/// Whether the language needs no external program.
#[must_use]
pub fn is_built_in(name: &str) -> bool {
    name == AIGER || all().iter().any(|frontend| frontend.name() == name)
}

/// Returns the built-in front end of this name.
///
/// # Errors
/// If no built-in front end has this name.
pub fn by_name(name: &str) -> Result<Box<dyn Frontend>, Failure> {
    let mut frontends = all().into_iter();
    let found = frontends.find(|frontend| frontend.name() == name);
    found.ok_or_else(
        || match !is_built_in(name) && frontend_names().contains(name) {
            true => only_a_circuit(name),
            false => unknown(name),
        },
    )
}

/// Returns the built-in front end of this name; `None` if there is none.
pub(crate) fn built_in(name: &str) -> Option<Box<dyn Frontend>> {
    by_name(name).ok()
}

fn unknown(name: &str) -> Failure {
    let known = names().join(", ");
    Failure::usage(format!("there is no language `{name}`")).with_help(format!(
        "the languages are {known}; a program `hyperkill-frontend-{name}` on the path would add this one"
    ))
}

/// Returns the failure of a command that needs a source, for a model of an external front end.
pub(crate) fn only_a_circuit(name: &str) -> Failure {
    Failure::usage(format!(
        "models in {name} are read by another program, as circuits: this needs a language that is built in"
    ))
}

/// Returns the external front end of this name.
///
/// # Errors
/// If no such program is on the path, or its description is invalid.
pub(crate) fn program(name: &str, budget: &Budget) -> Result<FrontendProgram, Failure> {
    match FrontendProgram::find(name, budget) {
        None => Err(unknown(name)),
        Some(Ok(program)) => Ok(program),
        Some(Err(refusal)) => Err(Failure::unusable(
            name,
            &match refusal {
                Refusal::Model(all) | Refusal::Options(all) => {
                    let first = all.into_iter().next();
                    first.map_or(String::new(), |diagnostic| diagnostic.message)
                }
                Refusal::Trouble(trouble) => trouble.to_string(),
                Refusal::Malformed(what) => what,
            },
        )),
    }
}

/// Returns the built-in front end for files with this extension, given without the dot; `None` if there is none.
#[must_use]
pub fn by_extension(extension: &str) -> Option<Box<dyn Frontend>> {
    let mut frontends = all().into_iter();
    frontends.find(|frontend| frontend.extensions().contains(&extension))
}

/// Asks every external front end for its extensions, and returns the one for this extension; `None` if there is none.
///
/// # Errors
/// If several programs have it. Failing programs are skipped; if no other program has it, the failure names them.
pub(crate) fn program_for(
    extension: &str,
    budget: &Budget,
) -> Result<Option<FrontendProgram>, Failure> {
    let (mut found, mut of_no_use): (Vec<FrontendProgram>, Option<Failure>) = (Vec::new(), None);
    for name in frontend_names().iter().filter(|name| !is_built_in(name)) {
        match program(name, budget) {
            Ok(program) => {
                let mut extensions = program.description.extensions.iter();
                if extensions.any(|own| own == extension) {
                    found.push(program);
                }
            }
            Err(failure) => of_no_use = Some(of_no_use.unwrap_or(failure)),
        }
    }
    match (found.len(), of_no_use) {
        (0, Some(failure)) => Err(failure),
        (0 | 1, _) => Ok(found.pop()),
        _ => {
            let names = found
                .iter()
                .map(|program| program.description.name.as_str());
            let names: Vec<&str> = names.collect();
            Err(Failure::usage(format!(
                "files with the extension `{extension}` are models in {}",
                names.join(" and in ")
            ))
            .with_help("name the language with --language"))
        }
    }
}
