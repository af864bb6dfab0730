//! The NuSMV front end: SMV text to a featured transition system with its mutants.
//!
//! It reads the finite-state language of NuSMV 2.5: modules, instances, processes, arrays, words, assignments and constraints. Unsupported
//! parts (integers and reals without bounds, arrays over words, integers made of words of more than 60 bits) are refused by name and place.
//! `INVARSPEC`s are lowered with the model. `LTLSPEC`s and fairness constraints become DEFINEs of a model for formulas
//! ([`Frontend::linear_specifications`]). Mutants and tests ignore them: tests are finite runs, and the prefixes of fair runs are those of
//! all runs unless fairness excludes states. Other specifications are read and kept.
//!
//! The front end accepts no model that NuSMV refuses for ill-typed behaviour or for values outside their domains. It also reads a few forms
//! that NuSMV lacks (arrays of modules, `abs`, `min`, `max`). Temporal specifications are not typed.
//!
//! The passes: [`lexer`] → [`parser`] → [`flat`] → [`resolve`] → [`types`], [`order`] → [`roles`], [`mutate`] → [`lower`].

pub mod ast;
pub mod context;
pub mod domain;
pub mod flat;
pub mod lexer;
mod linear;
pub mod lower;
pub mod mutate;
mod observed;
pub mod order;
pub mod parser;
pub mod printer;
pub mod replay;
pub mod resolve;
pub mod roles;
pub mod types;

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::mutant::Operator;
use hyperkill_core::suite::Step;
use hyperkill_core::system::{Place, Translation};
use hyperkill_frontend::temporal::Stated;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, Span, Specification,
    did_you_mean,
};

use ast::{Program, Section, TypeKind};
use lower::Systems;

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

    fn options(&self) -> &'static [ModelOption] {
        &[
            ModelOption::Define,
            ModelOption::Complete,
            ModelOption::Inputs,
            ModelOption::Outputs,
            ModelOption::Choices,
        ]
    }

    /// Writes constants into the DEFINEs with their names.
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
        let flat = flat::flatten(&parsed.program)?;
        let model = resolve::resolve(&flat)?;
        let types = types::check(&model)?;
        let all = 0..model.defines.len();
        let units = order::values(&model, all).map_err(|error| vec![error])?;
        let read = lexer::Commented {
            source,
            comments: &parsed.comments,
        };
        let roles = roles::assign(&model, &types, &units, read, options)?;
        let context = context::Context::new(&model);
        let places = places(&model);
        // Errors of the original are reported best without mutants.
        lower::lower(&model, &types, &context, &roles, &mut [])?;
        let mut mutations = mutate::mutations(&model, &types, &context, read, options)
            .map_err(|error| vec![error])?;
        let mut program = parsed.program.clone();
        let replacements = mutate::replacements(&mut program, &model, &mut mutations);
        let Systems {
            mut system,
            checks,
            invariant_checks,
        } = if replacements.is_empty() {
            lower::lower(&model, &types, &context, &roles, &mut mutations)?
        } else {
            // The model is flattened again with replacements. All existing expressions keep their ids, so roles and mutations stay valid.
            let flat = flat::flatten_with(&program, &replacements)?;
            let model = resolve::resolve(&flat)?;
            let types = types::check(&model)?;
            for (mutation, reason) in flat.rejected.iter().chain(&types.rejected) {
                mutations[*mutation].meaning.rejected = Some(reason.clone());
            }
            let context = context::Context::new(&model);
            lower::lower(&model, &types, &context, &roles, &mut mutations)?
        };
        system.name = model_name(&source.name);
        let mut role_notes = roles.notes;
        role_notes.extend(long_enumerations(&parsed.program, options));
        role_notes.extend(unused_sections(&parsed.program));
        let catalogue = mutations
            .into_iter()
            .map(|m| (m.mutant, m.meaning.rejected));
        Ok(Translation {
            system,
            checks,
            invariant_checks,
            catalogue: catalogue.collect(),
            role_notes,
            warnings: Vec::new(),
            places,
        })
    }

    fn undecided_specifications(
        &self,
        sources: &[SourceFile],
    ) -> Result<Vec<Specification>, Vec<Diagnostic>> {
        let [source] = sources else {
            return Err(not_one_file(sources.len()));
        };
        let parsed = parser::parse(&source.text)?;
        let stated = linear::stated(source, &parsed.program).specifications;
        let mut undecided = temporal_specifications(&parsed.program);
        undecided.retain(|spec| stated.iter().all(|known| known.specification != *spec));
        Ok(undecided)
    }

    fn linear_specifications(
        &self,
        sources: &[SourceFile],
    ) -> Result<Option<Stated>, Vec<Diagnostic>> {
        let [source] = sources else {
            return Err(not_one_file(sources.len()));
        };
        let parsed = parser::parse(&source.text)?;
        Ok(Some(linear::stated(source, &parsed.program)))
    }

    fn replay(
        &self,
        sources: &[SourceFile],
        test: &[Step],
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        match sources {
            [source] => replay::replay(source, test).map(Some),
            _ => Err(not_one_file(sources.len())),
        }
    }
}

/// Returns the places of variables and choices by name. Choices have the places of the assignments after which they are named.
fn places(model: &resolve::Model<'_>) -> BTreeMap<String, Place> {
    let place = |span: Span| Place {
        file: span.file,
        bytes: (span.start, span.end),
    };
    let mut places = BTreeMap::new();
    for variable in &model.variables {
        let name = &variable.name.text;
        places.insert(name.clone(), place(variable.name.span));
        let assignments = [("init.", variable.init), ("next.", variable.next)];
        for (prefix, assignment) in assignments {
            if let Some(assignment) = assignment {
                places.insert(format!("{prefix}{name}"), place(assignment.span));
            }
        }
        if let Some(assignment) = variable.current {
            places.insert(name.clone(), place(assignment.span));
        }
    }
    for define in &model.defines {
        places.insert(define.name.text.clone(), place(define.name.span));
    }
    places
}

/// Returns the specifications that are no invariants, from the modules that `main` uses.
fn temporal_specifications(program: &Program) -> Vec<Specification> {
    let mut open = vec!["main"];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(module) = open.pop() {
        if !seen.insert(module) {
            continue;
        }
        let sections = program.module(module).into_iter();
        for section in sections.flat_map(|module| &module.sections) {
            match section {
                Section::Specification(spec) if spec.keyword != "INVARSPEC" => {
                    found.push(Specification {
                        kind: spec.keyword.to_owned(),
                        name: spec.name.clone(),
                        span: spec.span,
                    });
                }
                Section::Variables(_, declarations) => {
                    let kinds = declarations.iter().map(|declaration| &declaration.kind);
                    open.extend(kinds.filter_map(TypeKind::module));
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|spec| spec.span);
    found
}

/// Returns one line for each kind of section that neither tests nor invariants use.
fn unused_sections(program: &Program) -> Vec<String> {
    let sections = program.modules.iter().flat_map(|module| &module.sections);
    let unused: BTreeSet<&str> = sections
        .filter_map(|section| match section {
            Section::Fairness(fairness) => Some(fairness.keyword),
            Section::Specification(spec) if spec.keyword != "INVARSPEC" => Some(spec.keyword),
            _ => None,
        })
        .collect();
    let note = |keyword| format!("`{keyword}` sections are not used");
    unused.into_iter().map(note).collect()
}

/// Returns a warning if some enumeration is too long to replace symbols by all others.
fn long_enumerations(program: &Program, options: &FrontendOptions) -> Option<String> {
    let sections = program.modules.iter().flat_map(|module| &module.sections);
    let declarations = sections.filter_map(|section| match section {
        Section::Variables(_, all) => Some(all),
        _ => None,
    });
    let longest = declarations.flatten().map(|d| match d.kind.innermost() {
        TypeKind::Enumeration(values) => values.len(),
        _ => 0,
    });
    let (most, few) = (mutate::MAX_OTHERS + 1, mutate::FEW_OTHERS);
    let is_asked = (options.operators.as_ref()).is_none_or(|chosen| chosen.holds("ECR"));
    (is_asked && longest.max()? > most).then(|| {
        format!(
            "ECR replaces a symbol of more than {most} only by the {few} that are declared after it"
        )
    })
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

/// Returns the text with the body of the DEFINE `name` of `main` replaced by `value`.
///
/// # Errors
/// If the text is no model, there is no such DEFINE, or `value` is no expression.
fn with_constant(text: &str, name: &str, value: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parser::parse(text)?;
    let main = parsed.program.module("main");
    let defines = || main.into_iter().flat_map(|main| main.defines());
    let Some(define) = defines().find(|define| define.name.text == name) else {
        let message = format!("no DEFINE is called `{name}`, so it cannot be set");
        let near = did_you_mean(name, defines().map(|define| define.name.text.as_str()));
        return Err(vec![Diagnostic::option(message, near)]);
    };
    let body: Span = parsed.program.exprs[define.body].outer;
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

/// Returns the file's name without folders and extension; for `FOLDER/model.smv` the name of the folder.
fn model_name(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match (stem, parts.next()) {
        ("model", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}
