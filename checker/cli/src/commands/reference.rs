//! Commands that explain hyperkill itself: `operators`, `engines`, `schema`, `completions`, `man`.

use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use hyperkill_core::mutant::Operator;

use crate::args::{Cli, CompletionsArgs, Format, ManArgs, OperatorsArgs, SchemaArgs};
use crate::documents::{
    self, EngineDescription, EnginesReport, LanguageOperators, OperatorDescription, OperatorsReport,
};
use crate::exit_code::ExitCode;
use crate::external::{Abc, MEMORY, Yosys, frontend_names, iverilog};
use crate::failure::Failure;
use crate::languages;
use crate::session::{Level, Session};
use hyperkill_report::text::{Align, Table};

/// Prints the mutation operators of all languages, or of one.
pub(super) fn operators(
    session: &mut Session<'_>,
    args: &OperatorsArgs,
) -> Result<ExitCode, Failure> {
    let budget = session.budget();
    let mut languages: Vec<LanguageOperators> = languages::all()
        .into_iter()
        .filter(|frontend| (args.language.as_ref()).is_none_or(|name| name == frontend.name()))
        .map(|frontend| LanguageOperators {
            language: frontend.name().to_owned(),
            operators: described(frontend.operators()),
        })
        .collect();
    for name in others(args.language.as_deref()) {
        match languages::program(&name, &budget) {
            Ok(program) => languages.push(LanguageOperators {
                language: name,
                operators: described(program.description.operators),
            }),
            Err(failure) if args.language.is_some() => return Err(failure),
            // The user did not ask for this front end, so its failure is only a message.
            Err(_) => session.say(
                Level::Warning,
                format!(
                    "hyperkill-frontend-{name} on the path cannot be used; --language {name} shows the reason"
                ),
            ),
        }
    }
    let catalogue = OperatorsReport {
        schema: OperatorsReport::SCHEMA.to_owned(),
        languages,
    };
    let text = match session.format {
        Format::Json => documents::to_text(&catalogue)?,
        Format::Human => {
            let style = session.style;
            let mut text = String::new();
            for language in &catalogue.languages {
                text.push_str(&format!("{}\n", style.bold(&language.language)));
                let mut table = Table::new([Align::Left; 3]).indented(2);
                for operator in &language.operators {
                    let example = style.dim(&operator.example);
                    table.row([
                        style.cyan(&operator.name),
                        operator.summary.clone(),
                        example,
                    ]);
                }
                text.push_str(&table.to_string());
            }
            text
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

fn described(operators: Vec<Operator>) -> Vec<OperatorDescription> {
    let operators = operators.into_iter().map(|operator| OperatorDescription {
        name: operator.name,
        summary: operator.summary,
        example: operator.example,
    });
    operators.collect()
}

/// Returns the names of external front ends: all, or only `asked`, unless a built-in front end has that name.
fn others(asked: Option<&str>) -> Vec<String> {
    match asked {
        Some(name) if languages::is_built_in(name) && name != languages::AIGER => Vec::new(),
        Some(name) => vec![name.to_owned()],
        None => {
            let names = frontend_names().into_iter();
            names.filter(|name| !languages::is_built_in(name)).collect()
        }
    }
}

/// An engine or another program. `place` is the path of the program, or another text, such as "built in".
struct Engine {
    description: EngineDescription,
    place: String,
}

/// The built-in engines: names and summaries.
const BUILT_IN: [(&str, &str); 9] = [
    (
        "pairs",
        "walks through the pairs of states that a deterministic model and its mutant reach together: shortest tests, or none at all",
    ),
    (
        "simulation",
        "runs many stimuli at once, and every test found on all open mutants",
    ),
    (
        "bmc",
        "bounded model checking with CaDiCaL: shortest tests first",
    ),
    (
        "induction",
        "k-induction strengthened by equal nodes: proves equivalence",
    ),
    (
        "pdr",
        "property-directed reachability (IC3) on top of equal nodes: finds invariants where induction does not get through, and runs",
    ),
    (
        "family",
        "one question for many mutants that behave alike, by the engines above",
    ),
    (
        "exists-forall",
        "counterexample-guided expansion: tests against non-deterministic models, shortest first",
    ),
    (
        "explicit",
        "sets of explicit states (`subsets`) and games on them (`game`): settles small non-deterministic models, finds strategies",
    ),
    (
        "diagrams",
        "decision diagrams (`bdd`): tests and proofs for many mutants of a non-deterministic model at once",
    ),
];

impl Engine {
    fn at(name: &str, summary: &str, place: &str) -> Engine {
        Engine {
            description: EngineDescription {
                name: name.to_owned(),
                summary: summary.to_owned(),
                available: true,
                program: None,
            },
            place: place.to_owned(),
        }
    }

    /// Returns the entry of a program, with its path if it is installed.
    fn program(name: &str, summary: &str, program: Option<PathBuf>) -> Engine {
        let place = match &program {
            Some(program) => program.display().to_string(),
            None => "not found".to_owned(),
        };
        let mut engine = Engine::at(name, summary, &place);
        engine.description.available = program.is_some();
        engine.description.program = program;
        engine
    }
}

/// Returns the engines that decide mutants.
fn deciding() -> Vec<Engine> {
    let built_in = BUILT_IN.map(|(name, summary)| Engine::at(name, summary, "built in"));
    let mut engines = Vec::from(built_in);
    engines.push(Engine::program(
        "abc",
        "ABC (`pdr`, `bmc3`) on mutants that the other engines leave open; its answers count only with checked evidence",
        Abc::find(MEMORY).map(|abc| abc.path().to_owned()),
    ));
    engines.push(Engine::at(
        "external",
        "any model checker that reads AIGER and answers as in the hardware model checking competition, likewise",
        "by --external",
    ));
    engines
}

/// Returns other programs that hyperkill can use.
fn tools() -> Vec<Engine> {
    vec![
        Engine::program(
            "yosys",
            "reads Verilog for `--via yosys`",
            Yosys::find().map(|yosys| yosys.path().to_owned()),
        ),
        Engine::program(
            "iverilog",
            "runs what `export --to verilog-testbench` writes",
            iverilog(),
        ),
    ]
}

/// Prints the engines.
pub(super) fn engines(session: &mut Session<'_>) -> Result<ExitCode, Failure> {
    let (engines, tools) = (deciding(), tools());
    let text = match session.format {
        Format::Json => {
            let described = |engines: Vec<Engine>| {
                let engines = engines.into_iter().map(|engine| engine.description);
                engines.collect()
            };
            documents::to_text(&EnginesReport {
                schema: EnginesReport::SCHEMA.to_owned(),
                engines: described(engines),
                tools: described(tools),
            })?
        }
        Format::Human => {
            let mut table = Table::new([Align::Left, Align::Left, Align::Left]);
            for Engine { description, place } in engines.into_iter().chain(tools) {
                let name = session.style.cyan(&description.name);
                table.row([name, place, description.summary]);
            }
            table.to_string()
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// Prints a published schema.
pub(super) fn schema(session: &mut Session<'_>, args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let text = documents::to_text(&args.name.schema())?;
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// Prints completions for a shell.
pub(super) fn completions(
    session: &mut Session<'_>,
    args: &CompletionsArgs,
) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hyperkill", &mut script);
    session.print(String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Success)
}

/// Returns a manual page in the format of `man`.
fn page(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .context("a manual page cannot be written")?;
    Ok(page)
}

/// Writes manual pages: `hyperkill.1`, and `hyperkill-COMMAND.1` for each command.
pub(super) fn man(session: &mut Session<'_>, args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // This adds the global options to each command, and the name of the program to its name.
    program.build();
    let Some(folder) = &args.out else {
        session.print(String::from_utf8_lossy(&page(&program)?))?;
        return Ok(ExitCode::Success);
    };
    session.io.disk.make_folder(folder)?;
    let name = program.get_name();
    let mut pages = vec![(format!("{name}.1"), page(&program)?)];
    for command in program.get_subcommands() {
        let title = format!("{name}-{}", command.get_name());
        let contents = page(&command.clone().display_name(&title))?;
        pages.push((format!("{title}.1"), contents));
    }
    for (name, contents) in &pages {
        session.io.disk.write(&folder.join(name), contents)?;
    }
    let count = pages.len();
    session.say(
        Level::Note,
        format!("{count} manual pages written to {}", folder.display()),
    );
    Ok(ExitCode::Success)
}
