//! The NuSMV front end: SMV text to a featured transition system with its mutants.
//!
//! A first slice of the language of NuSMV 2.5: one `MODULE main`, `VAR`, `IVAR`, `FROZENVAR`, `DEFINE`,
//! `ASSIGN`; booleans, enumerations, integer ranges. What is missing is refused by name and place; specification
//! and fairness sections are read over. Accepts no model that NuSMV would refuse for its types.
//!
//! One departure: whether a value stays in its domain is asked of all values of state and inputs, as in NuSMV, but wires
//! (`x := …`) and coming values (`next(x)`) are what their assignments make them, where NuSMV lets them be anything
//! of their types. So NuSMV refuses some models, and some mutated texts, that cannot go wrong and are accepted here.
//!
//! The way of a text: [`lexer`] → [`parser`] → [`resolve`] → [`types`], [`order`] → [`roles`], [`mutate`] →
//! [`lower`].

pub mod ast;
pub mod constant;
pub mod context;
pub mod domain;
pub mod lexer;
pub mod lower;
pub mod mutate;
pub mod order;
pub mod parser;
pub mod printer;
pub mod resolve;
pub mod roles;
pub mod types;

use std::collections::BTreeSet;

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile, Span};

use rustc_hash::FxHashSet;

use ast::{Section, Target};
use mutate::{Mutation, Site};
use order::Time;
use resolve::{Entity, Model};

/// The language of NuSMV.
#[derive(Clone, Copy, Default, Debug)]
pub struct SmvFrontend;

impl Frontend for SmvFrontend {
    fn name(&self) -> &'static str {
        "smv"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["smv"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    /// Writes constants into the DEFINEs of their names.
    fn prepare(
        &self,
        mut sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let file = single_mut(&mut sources)?;
        for (name, value) in &options.constants {
            file.text = with_constant(&file.text, name, value)?;
        }
        Ok(sources)
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let [source] = sources else {
            return Err(not_one_file(sources.len()));
        };
        let parsed = parser::parse(&source.text)?;
        let model = resolve::resolve(&parsed.module)?;
        let types = types::check(&model)?;
        let all = 0..model.defines.len();
        let units = order::values(&model, all).map_err(|error| vec![error])?;
        let roles = roles::assign(&model, &types, &source.text, &parsed.comments, options)?;
        let context = context::Context::new(&model);
        // What is wrong with the original shows best without mutants.
        lower::lower(&model, &types, &context, &roles, &mut [])?;
        let mut mutations = mutate::mutations(&model, &types, &context, source, options);
        reject_wires_read_ahead(&model, &units, &mut mutations);
        let mut system = lower::lower(&model, &types, &context, &roles, &mut mutations)?;
        system.name = model_name(&source.name);
        let mut role_notes = roles.notes;
        let unused: BTreeSet<&str> = (parsed.module.sections.iter())
            .filter_map(|section| match section {
                Section::Property { keyword, .. } => Some(*keyword),
                _ => None,
            })
            .collect();
        role_notes.extend(
            unused
                .iter()
                .map(|k| format!("`{k}` sections are not used")),
        );
        let catalogue = mutations.into_iter().map(|m| (m.mutant, m.rejected));
        Ok(Translation {
            system,
            catalogue: catalogue.collect(),
            role_notes,
        })
    }
}

fn not_one_file(count: usize) -> Vec<Diagnostic> {
    let message = format!("an SMV model is one file, but {count} were given");
    vec![Diagnostic::unlocated(message)]
}

fn single_mut(sources: &mut [SourceFile]) -> Result<&mut SourceFile, Vec<Diagnostic>> {
    match sources {
        [source] => Ok(source),
        _ => Err(not_one_file(sources.len())),
    }
}

/// The text with the body of a DEFINE replaced.
fn with_constant(text: &str, name: &str, value: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parser::parse(text)?;
    let mut defines = parsed.module.defines();
    let Some(define) = defines.find(|define| define.name.text == name) else {
        let message = format!("no DEFINE is called `{name}`, so it cannot be set");
        return Err(vec![Diagnostic::unlocated(message)]);
    };
    let body: Span = parsed.module.exprs[define.body].outer;
    if let Err(error) = parser::check_expression(value) {
        let message = format!("`{name}` cannot be set to `{value}`: {}", error.message);
        return Err(vec![Diagnostic::error(body, message)]);
    }
    let (before, after) = (text.get(..body.start), text.get(body.end..));
    match (before, after) {
        (Some(before), Some(after)) => Ok([before, value, after].concat()),
        _ => Err(vec![Diagnostic::error(body, "this DEFINE cannot be set")]),
    }
}

/// A wire that is free at each step has no coming value that the current step could read.
fn reject_wires_read_ahead(model: &Model<'_>, units: &[order::Unit], mutations: &mut [Mutation]) {
    let ahead: FxHashSet<Entity> = (units.iter())
        .filter_map(|(entity, time)| (*time == Time::Next).then_some(*entity))
        .collect();
    for mutation in mutations {
        let Site::Assignment(v, Target::Current) = mutation.site else {
            continue;
        };
        if ahead.contains(&Entity::Variable(v)) {
            let name = &model.variables[v].name.text;
            let reason = format!("not supported yet: next({name}) is read, and would be free");
            mutation.rejected = Some(reason);
        }
    }
}

/// The file's name without folders and extension; of `FOLDER/model.smv` the folder's.
fn model_name(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match (stem, parts.next()) {
        ("model", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}
