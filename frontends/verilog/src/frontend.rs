//! The front end as [`Frontend`]: source files, top module, and the order of the passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyperkill_core::mutant::{MutantId, Operator};
use hyperkill_core::system::{TransitionSystem, Translation, Warning};
use hyperkill_frontend::clocked::infer_synchronous;
use hyperkill_frontend::{
    Combined, Diagnostic, Frontend, FrontendOptions, Hardware, Loader, ModelOption, SourceFile,
    Span, did_you_mean,
};

use crate::ast::{ExprId, Extent, ItemKind, Source};
use crate::cells::{Cell, add_cells, is_known};
use crate::clocks::{Pins, pins};
use crate::design::{Driving, Stop};
use crate::elaborate::Request;
use crate::execute::READ_MEMORY;
use crate::inferred::latches;
use crate::lexer::{Kind, Token, lex};
use crate::lower::{Lowered, lower};
use crate::parser::{parse, parse_expression, parse_value};
use crate::pins::hardware as seen_from_outside;
use crate::preprocess::{Missing, Text, preprocess};
use crate::state::{Elaborator, Plan};
use crate::{ast, inferred, mutate};

/// The stack for deeply nested designs, in bytes (1 GiB); the system provides only the pages in use.
const STACK: usize = 1 << 30;
/// Most files that one model includes.
const MAX_INCLUDED: usize = 1000;

/// The language Verilog.
#[derive(Clone, Copy, Default, Debug)]
pub struct VerilogFrontend;

impl Frontend for VerilogFrontend {
    fn name(&self) -> &'static str {
        "verilog"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["v", "sv", "vh"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        &[
            ModelOption::Define,
            ModelOption::Top,
            ModelOption::Include,
            ModelOption::Reset,
            ModelOption::ZeroInit,
            ModelOption::Parameter,
            ModelOption::OneClock,
            ModelOption::Clock,
            ModelOption::Assume,
            ModelOption::Via,
            ModelOption::BlackBox,
            ModelOption::Function,
            ModelOption::Stub,
            ModelOption::Complete,
            ModelOption::Inputs,
            ModelOption::Outputs,
            ModelOption::Choices,
        ]
    }

    /// Adds the files that sources include. Macros stay options, since they may be defined for conditions only.
    fn prepare(
        &self,
        mut sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let Some(loader) = &options.loader else {
            return Ok(sources);
        };
        for _ in 0..MAX_INCLUDED {
            let Ok(Text { missing, .. }) = preprocess(&sources, &options.constants) else {
                // The translation reports the error.
                return Ok(sources);
            };
            let found = missing.iter().find_map(|missing| given(loader, missing));
            match found {
                Some(file) => sources.push(file),
                None => {
                    not_refused(loader, &missing)?;
                    break;
                }
            }
        }
        // Contents of memories are read from files, too.
        if let Ok(text) = preprocess(&sources, &options.constants) {
            for missing in contents(&text.tokens, &sources) {
                match given(loader, &missing) {
                    Some(file) => sources.push(file),
                    None => not_refused(loader, &[missing])?,
                }
            }
            for missing in perhaps_contents(&text.tokens, &sources, options) {
                sources.extend(given(loader, &missing));
            }
        }
        Ok(sources)
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        on_a_large_stack(|| translate(sources, options))
    }

    fn combined(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        mutants: &[Vec<MutantId>],
    ) -> Option<Result<Combined, Vec<Diagnostic>>> {
        Some(on_a_large_stack(|| combined(sources, options, mutants)))
    }

    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        on_a_large_stack(|| hardware(sources, options)).map(Some)
    }
}

/// Returns the file that a source needs; `None` if the loader does not have it.
fn given(loader: &Loader, missing: &Missing) -> Option<SourceFile> {
    let (file, text) = loader.0.load(&missing.name, &missing.asked_by)?;
    Some(SourceFile {
        included: Some(missing.name.clone()),
        ..SourceFile::new(file, text)
    })
}

/// Returns an error for a file that exists and must not be read; a missing file is another error.
fn not_refused(loader: &Loader, missing: &[Missing]) -> Result<(), Vec<Diagnostic>> {
    let refused = missing.iter().find_map(|missing| {
        let why = loader.0.refusal(&missing.name, &missing.asked_by)?;
        let message = format!(
            "{} asks for a file that is not read: {why}",
            missing.asked_by
        );
        Some(Diagnostic::error(missing.place, message).with_help(
            "name its folder with -I, or let the model read any file with --allow-outside",
        ))
    });
    refused.map_or(Ok(()), |refused| Err(vec![refused]))
}

/// Runs a function on a large stack: expressions and statements nest deeply, and so do the calls that walk them.
fn on_a_large_stack<T: Send>(
    run: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> Result<T, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK);
        let failed = |what: &str| vec![Diagnostic::unlocated(what)];
        match worker.spawn_scoped(scope, run) {
            Ok(handle) => handle
                .join()
                .unwrap_or_else(|_| Err(failed("the translation failed"))),
            Err(_) => Err(failed("there is no memory for the translation")),
        }
    })
}

/// A parsed model, with the options for its top module.
struct Read {
    text: Text,
    source: Source,
    /// Cells from the library.
    cells: Vec<Cell>,
    top: String,
    parameters: Vec<(ast::Name, ast::ExprId)>,
    /// The types among their values.
    types: Vec<ast::Item>,
    assumptions: Vec<ast::ExprId>,
}

impl Read {
    fn new(sources: &[SourceFile], options: &FrontendOptions) -> Result<Read, Vec<Diagnostic>> {
        let mut text = preprocess(sources, &options.constants)?;
        if let Some(Missing { name, asked_by, .. }) = text.missing.first() {
            let message = format!("the file `{name}` that {asked_by} includes is not found");
            return Err(vec![
                Diagnostic::unlocated(message).with_help("-I names folders to look in"),
            ]);
        }
        let mut tokens = std::mem::take(&mut text.tokens);
        let stubs = stubs(sources, options);
        leave_out_replaced(&mut tokens, &mut text.strict_nets, &stubs);
        // Replacement files have no mutants.
        text.off.extend(stubs.iter().map(|file| Span {
            file: *file,
            ..Span::new(0, sources[*file].text.len())
        }));
        let cells = add_cells(&mut tokens, &options.hardware.boxes);
        let mut source = parse(tokens).map_err(|error| vec![error])?;
        let named = sources
            .iter()
            .filter_map(|file| Some((file.included.clone()?, &file.text)));
        source.boxes = options.hardware.boxes.clone();
        source.strict_nets = std::mem::take(&mut text.strict_nets);
        source.files = named
            .map(|(name, text)| (name, Arc::from(text.as_str())))
            .collect();
        let top = top(&source, options).map_err(|error| vec![error])?;
        let (mut parameters, mut types) = (Vec::new(), Vec::new());
        for (name, value) in &options.hardware.parameters {
            let (value, of_value) = option_text(&mut source, "-P", value, parse_value)?;
            types.extend(of_value);
            parameters.push((Arc::from(name.as_str()), value));
        }
        let mut assumptions = Vec::new();
        for condition in &options.hardware.assumptions {
            let condition = option_text(&mut source, "--assume", condition, parse_expression)?;
            assumptions.push(condition);
        }
        Ok(Read {
            text,
            source,
            cells,
            top,
            parameters,
            types,
            assumptions,
        })
    }

    /// Elaborates the model.
    fn run<'a>(&'a self, plan: &'a Plan) -> Result<Elaborator<'a>, Vec<Diagnostic>> {
        let request = Request {
            top: &self.top,
            parameters: self.parameters.clone(),
            types: &self.types,
            assumptions: self.assumptions.clone(),
        };
        Elaborator::run(&self.source, plan, &request).map_err(|error| {
            let help = match (error.help.is_some(), error.about_option) {
                (true, _) => None,
                (false, true) => self.near(&error.message),
                (false, false) => self.known_cell(&error),
            };
            vec![match help {
                Some(help) => error.with_help(help),
                None => error,
            }]
        })
    }

    /// Returns help for an error about a latch in a known cell: the cell's file can be left out. `None` for other errors.
    fn known_cell(&self, error: &Diagnostic) -> Option<String> {
        let place = error.span.filter(|_| error.message.contains("latch"))?;
        // The last module that begins before the error.
        let begin = |module: &ast::Module| module.extent.span(&self.source.tokens);
        let before = self.source.modules.iter().filter(|module| {
            let begin = begin(module);
            begin.file == place.file && begin.start <= place.start && begin.end > 0
        });
        let module = before.max_by_key(|module| begin(module).start)?;
        let name = &module.name;
        is_known(name).then(|| format!("leave this file out: hyperkill knows the cell `{name}`"))
    }

    /// Returns a suggestion for the first word in a message, between backquotes, that is no name of the sources. `None` if there is none.
    fn near(&self, message: &str) -> Option<String> {
        let words = self.source.tokens.iter();
        let words = words.filter(|token| token.kind == Kind::Word && token.usage != u32::MAX);
        let names: BTreeSet<&str> = words.map(|token| &*token.text).collect();
        let mut quoted = message.split('`').skip(1).step_by(2);
        let wrong = quoted.find(|word| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
            word.chars().all(plain) && !names.contains(word)
        })?;
        did_you_mean(wrong, names)
    }

    fn lower(
        &self,
        sources: &[SourceFile],
        elaborated: &Elaborator<'_>,
        pins: &Pins,
        ids: &[MutantId],
        options: &FrontendOptions,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let rejected = elaborated.rejected.clone();
        let mut lowered = lower(
            &elaborated.design,
            pins,
            ids,
            rejected,
            sources,
            &self.text.choices,
            options,
        )
        .map_err(|stop| {
            let error = stop.located(Span::default());
            let help = self.known_cell(&error).filter(|_| error.help.is_none());
            vec![match help {
                Some(help) => error.with_help(help),
                None => error,
            }]
        })?;
        lowered.system.name.clone_from(&self.top);
        Ok(lowered)
    }
}

/// Returns the numbers of the files that replace missing modules.
fn stubs(sources: &[SourceFile], options: &FrontendOptions) -> BTreeSet<usize> {
    let named = sources.iter().enumerate();
    let named = named.filter(|(_, source)| source.included.is_none());
    let named: Vec<usize> = named.map(|(number, _)| number).collect();
    let others = named.len().saturating_sub(options.hardware.boxes.stubs);
    named[others..].iter().copied().collect()
}

/// Removes the modules that the files in `stubs` define again, from other files. Adjusts the token indices in `strict_nets`.
fn leave_out_replaced(
    tokens: &mut Vec<Token>,
    strict_nets: &mut [(u32, bool)],
    stubs: &BTreeSet<usize>,
) {
    let is_head = |pair: &[Token]| {
        pair[0].kind == Kind::Word && matches!(&*pair[0].text, "module" | "macromodule")
    };
    let heads = tokens.windows(2).filter(|pair| is_head(pair));
    let ours = heads.filter(|pair| stubs.contains(&pair[0].span.file));
    let ours: BTreeSet<Arc<str>> = ours.map(|pair| Arc::clone(&pair[1].text)).collect();
    if ours.is_empty() {
        return;
    }
    let mut kept = Vec::with_capacity(tokens.len());
    let mut numbers = Vec::with_capacity(tokens.len());
    let mut is_left = false;
    let all = std::mem::take(tokens);
    for (at, token) in all.iter().enumerate() {
        numbers.push(kept.len() as u32);
        let next = all.get(at + 1);
        let begins = next.is_some_and(|next| {
            is_head(&[token.clone(), next.clone()])
                && !stubs.contains(&token.span.file)
                && ours.contains(&next.text)
        });
        is_left |= begins;
        if !is_left {
            kept.push(token.clone());
        }
        is_left &= !(token.kind == Kind::Word && &*token.text == "endmodule");
    }
    *tokens = kept;
    // Places of directives are indices of tokens.
    for (from, _) in strict_nets {
        *from = numbers
            .get(*from as usize)
            .copied()
            .unwrap_or(tokens.len() as u32);
    }
}

fn unplaced(stop: Stop) -> Vec<Diagnostic> {
    vec![stop.located(Span::default())]
}

fn hardware(
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Result<Hardware, Vec<Diagnostic>> {
    let read = Read::new(sources, options)?;
    let none = Plan::default();
    let original = read.run(&none)?;
    let mut pins = pins(&original.design, options).map_err(unplaced)?;
    let mut lowered = read.lower(sources, &original, &pins, &[], options)?;
    if infer_synchronous(&lowered.system, &pins.facts, options, &mut pins.timing) {
        lowered = read.lower(sources, &original, &pins, &[], options)?;
    }
    seen_from_outside(&read.source, &original.design, &pins, &lowered, options).map_err(unplaced)
}

/// Returns the number of terms and pieces of words that the resolver looks for in a design without mutants. Tests check with it that this
/// work grows with the design and no faster.
///
/// # Errors
/// If the sources are no model.
pub fn work(sources: &[SourceFile], options: &FrontendOptions) -> Result<usize, Vec<Diagnostic>> {
    on_a_large_stack(|| {
        let read = Read::new(sources, options)?;
        let none = Plan::default();
        let original = read.run(&none)?;
        let pins = pins(&original.design, options).map_err(unplaced)?;
        Ok(read.lower(sources, &original, &pins, &[], options)?.work)
    })
}

/// Returns the files that `$readmemh` and `$readmemb` name, each once, with the file that names it.
fn contents(tokens: &[Token], sources: &[SourceFile]) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    for three in tokens.windows(3) {
        let [task, open, name] = three else { continue };
        let reads = task.kind == Kind::System && READ_MEMORY.contains(&&*task.text);
        if !reads || !open.is("(") || name.kind != Kind::Text {
            continue;
        }
        let asked_by = sources.get(name.span.file).map(|file| file.name.clone());
        let known = sources
            .iter()
            .any(|file| file.included.as_deref() == Some(&*name.text));
        if !known && found.iter().all(|other| *other.name != *name.text) {
            found.push(Missing {
                name: name.text.to_string(),
                asked_by: asked_by.unwrap_or_default(),
                place: name.span,
            });
        }
    }
    found
}

/// Returns possible files of memory contents if a parameter gives their names: strings in the sources and in options with the extension of
/// such files. Empty if every `$readmemh` and `$readmemb` has its file as a string.
fn perhaps_contents(
    tokens: &[Token],
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Vec<Missing> {
    const EXTENSIONS: [&str; 9] = [
        ".hex", ".mem", ".vmem", ".dat", ".bin", ".init", ".txt", ".rom", ".data",
    ];
    let reads = |three: &[Token]| {
        let reads = three[0].kind == Kind::System && READ_MEMORY.contains(&&*three[0].text);
        reads && three[1].is("(") && three[2].kind != Kind::Text
    };
    let Some(asking) = tokens.windows(3).find(|three| reads(three)) else {
        return Vec::new();
    };
    let place = asking[0].span;
    let asked_by = sources.get(place.file).map(|file| file.name.clone());
    let texts = tokens.iter().filter(|token| token.kind == Kind::Text);
    let given = options.hardware.parameters.iter();
    let given = given.map(|(_, value)| value.trim_matches('"'));
    let named = texts.map(|token| &*token.text).chain(given);
    let files: BTreeSet<&str> = named
        .filter(|name| EXTENSIONS.iter().any(|end| name.ends_with(end)))
        .filter(|name| {
            !sources
                .iter()
                .any(|file| file.included.as_deref() == Some(*name))
        })
        .collect();
    let missing = files.into_iter().map(|name| Missing {
        name: name.to_owned(),
        asked_by: asked_by.clone().unwrap_or_default(),
        place,
    });
    missing.collect()
}

/// A design with the mutants that its options select.
struct Mutated {
    read: Read,
    pins: Pins,
    mutations: Vec<mutate::Mutation>,
    /// Warnings about the sources and the original.
    warnings: Vec<Warning>,
    /// Warnings about nets without a driver.
    undriven: Vec<Warning>,
}

fn translate(
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Result<Translation, Vec<Diagnostic>> {
    let mut design = mutated(sources, options)?;
    let plan = mutate::plan(&mut design.read.source, &design.mutations);
    let ids = design.mutations.iter();
    let ids: Vec<MutantId> = ids.map(|m| m.mutant.id.clone()).collect();
    let featured = design.read.run(&plan)?;
    let lowered = (design.read).lower(sources, &featured, &design.pins, &ids, options)?;
    drop(featured);
    let mut warnings = design.warnings;
    warnings.extend(lowered.warnings);
    warnings.extend(design.undriven);
    let catalogue = design.mutations.into_iter().enumerate();
    let catalogue = catalogue.map(|(index, mutation)| {
        let reason = lowered.rejected.get(&index).cloned();
        (mutation.mutant, reason)
    });
    Ok(Translation {
        catalogue: catalogue.collect(),
        system: lowered.system,
        checks: TransitionSystem::default(),
        invariant_checks: TransitionSystem::default(),
        role_notes: lowered.notes,
        places: lowered.places,
        warnings,
    })
}

/// Returns the system of a design with mutants that make several changes each.
fn combined(
    sources: &[SourceFile],
    options: &FrontendOptions,
    mutants: &[Vec<MutantId>],
) -> Result<Combined, Vec<Diagnostic>> {
    let mut design = mutated(sources, options)?;
    let numbers = design.mutations.iter().enumerate();
    let numbers: BTreeMap<&MutantId, usize> = numbers.map(|(i, m)| (&m.mutant.id, i)).collect();
    let parts = |mutant: &Vec<MutantId>| {
        let parts = mutant.iter().map(|id| numbers.get(id).copied());
        let parts: Option<Vec<usize>> = parts.collect();
        parts.ok_or_else(|| {
            let ids: Vec<&str> = mutant.iter().map(|id| id.0.as_str()).collect();
            let message = format!("the design has no mutants {}", ids.join(" and "));
            vec![Diagnostic::unlocated(message)]
        })
    };
    let parts: Vec<Vec<usize>> = mutants.iter().map(parts).collect::<Result<_, _>>()?;
    let plan = mutate::plan_of_combinations(&mut design.read.source, &design.mutations, &parts);
    let ids: Vec<MutantId> = mutants
        .iter()
        .map(|ids| MutantId::of_changes(ids))
        .collect();
    let featured = design.read.run(&plan)?;
    let lowered = (design.read).lower(sources, &featured, &design.pins, &ids, options)?;
    let problems = (0..mutants.len()).map(|mutant| lowered.rejected.get(&mutant).cloned());
    Ok(Combined {
        problems: problems.collect(),
        system: lowered.system,
    })
}

/// Reads a design, and finds its mutants.
fn mutated(sources: &[SourceFile], options: &FrontendOptions) -> Result<Mutated, Vec<Diagnostic>> {
    let mut read = Read::new(sources, options)?;
    // Errors of the original show best without mutants. This run also finds the executed expressions and statements.
    let none = Plan::default();
    let original = read.run(&none)?;
    let mut pins = pins(&original.design, options).map_err(unplaced)?;
    let lowered = read.lower(sources, &original, &pins, &[], options)?;
    infer_synchronous(&lowered.system, &pins.facts, options, &mut pins.timing);
    let undriven = lowered.undriven;
    let latches = latches(&original.design, &lowered.kept);
    // The path of the clock is no logic: a mutant there would be another clock.
    let mut executed = original.visited.clone();
    let ways = original.design.driving.iter();
    let (joining, ways): (Vec<&Driving>, Vec<&Driving>) = ways
        .filter(|driving| pins.has_way(driving))
        .partition(|driving| driving.joins);
    let joining: BTreeSet<ExprId> = joining.iter().map(|driving| driving.value).collect();
    let values = original.constants.immutable();
    let values: Vec<Extent> = (values.iter().copied())
        .chain(ways.iter().map(|driving| driving.value))
        .map(|id| read.source.expr(id).extent)
        .collect();
    // Nor is the latch of a clock gate.
    let gating = original.design.gating.iter();
    let gating: Vec<Extent> = gating
        .map(|block| read.source.stmt(*block).extent)
        .collect();
    let values: Vec<Extent> = values.into_iter().chain(gating.iter().copied()).collect();
    let (fixed, fixed_statements) = original.constants.in_functions();
    let mut statements = original.visited_stmts.clone();
    statements.retain(|statement| {
        let own = read.source.stmt(*statement).extent;
        !fixed_statements.contains(statement) && !gating.iter().any(|block| block.holds(own))
    });
    executed.retain(|expr| {
        if fixed.contains(expr) || joining.contains(expr) {
            return false;
        }
        let own = read.source.expr(*expr).extent;
        !values.iter().any(|value| value.holds(own))
    });
    let mut off = read.text.off.clone();
    off.extend(read.source.excluded());
    let scope = mutate::Scope {
        exprs: &executed,
        stmts: &statements,
        at_edges: &original.visited_at_edges,
        off: &off,
    };
    let mutations =
        mutate::mutations(&read.source, sources, &scope, options).map_err(|error| vec![error])?;
    let mut warnings = unknown_macros(sources, options);
    warnings.extend(read.cells.iter().map(Cell::warning));
    warnings.extend(original.design.warnings.iter().cloned());
    warnings.extend(inferred::warnings(
        &read.source,
        &original.design,
        &lowered.kept,
    ));
    drop(original);
    read.source.latches = Some(latches);
    Ok(Mutated {
        read,
        pins,
        mutations,
        warnings,
        undriven,
    })
}

/// Returns one warning for each macro of an option that no source uses, since build scripts define more than needed.
fn unknown_macros(sources: &[SourceFile], options: &FrontendOptions) -> Vec<Warning> {
    let texts = sources.iter().map(|source| source.text.as_str());
    let names: BTreeSet<&str> = texts.flat_map(macro_names).collect();
    let unknown = options.constants.iter().map(|(name, _)| name);
    let unknown = unknown.filter(|name| !names.contains(name.as_str()));
    let warning = |name: &String| {
        let near = did_you_mean(name, names.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; {near}"));
        Warning {
            message: format!("-D {name}: the sources ask for no macro of this name{near}"),
            file: 0,
            bytes: (0, 0),
        }
    };
    unknown.map(warning).collect()
}

/// Returns the macros that a text uses, defines or tests, also in its comments.
#[must_use]
pub fn macro_names(text: &str) -> Vec<&str> {
    const ASKING: [&str; 5] = ["ifdef", "ifndef", "elsif", "define", "undef"];
    fn word(text: &str) -> &str {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        &text[..text.find(|c| !plain(c)).unwrap_or(text.len())]
    }
    let mut found = Vec::new();
    for after in text.split('`').skip(1) {
        let directive = word(after);
        if !ASKING.contains(&directive) {
            found.push(directive);
            continue;
        }
        let line = after[directive.len()..].lines().next().unwrap_or_default();
        match line.trim_start().starts_with('(') {
            // A condition on several macros.
            true => found.extend(line.split(|c: char| "()&|! \t".contains(c)).map(word)),
            false => found.push(word(line.trim_start())),
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Parses the text of the option `option` by `read`. The result has no place in a file and no mutants.
///
/// # Errors
/// If `read` does not read the text.
fn option_text<T>(
    source: &mut Source,
    option: &str,
    text: &str,
    read: impl FnOnce(&mut Source, Vec<Token>) -> Result<T, Diagnostic>,
) -> Result<T, Vec<Diagnostic>> {
    let mut tokens: Vec<Token> = lex(0, text);
    tokens.retain(|token| !matches!(token.kind, Kind::Newline | Kind::Remark));
    let end = Span::default();
    for token in &mut tokens {
        // The token stands in no file, so it has no mutants.
        token.span = end;
        token.usage = u32::MAX;
    }
    tokens.push(Token {
        kind: Kind::End,
        text: Arc::from(""),
        span: end,
        usage: u32::MAX,
    });
    read(source, tokens).map_err(|error| {
        let message = format!("{option} `{text}`: {}", error.message);
        vec![Diagnostic::option(message, None)]
    })
}

/// Returns the top module: the one named by an option, or the only one without instances.
fn top(source: &Source, options: &FrontendOptions) -> Result<String, Diagnostic> {
    if let Some(top) = &options.hardware.top {
        return match source.module(top) {
            Some(_) => Ok(top.clone()),
            None => {
                let names = source.modules.iter().map(|module| &*module.name);
                let message = format!("--top: there is no module `{top}`");
                Err(Diagnostic::option(message, did_you_mean(top, names)))
            }
        };
    }
    let mut used = BTreeSet::new();
    let interfaces = source.interfaces.iter().map(|interface| &interface.body);
    for module in source.modules.iter().chain(interfaces) {
        find_used(&module.items, &mut used);
    }
    let unused = source
        .modules
        .iter()
        .filter(|module| !used.contains(&*module.name) && !module.primitive);
    let tops: Vec<&str> = unused.map(|module| &*module.name).collect();
    match tops.as_slice() {
        [top] => Ok((*top).to_owned()),
        [] => Err(
            Diagnostic::unlocated("there is no module that no other uses")
                .with_help("name it by --top"),
        ),
        _ => {
            let names = tops.join("`, `");
            let message = format!("there are several modules that no other uses: `{names}`");
            Err(Diagnostic::unlocated(message).with_help("name the top module by --top"))
        }
    }
}

fn find_used<'a>(items: &'a [ast::Item], used: &mut BTreeSet<&'a str>) {
    for item in items {
        match &item.kind {
            ItemKind::Instances { module, .. } => {
                used.insert(module);
            }
            ItemKind::Block(_, items) | ItemKind::GenerateFor { items, .. } => {
                find_used(items, used)
            }
            ItemKind::GenerateIf(_, then, other) => {
                find_used(std::slice::from_ref(then), used);
                if let Some(other) = other {
                    find_used(std::slice::from_ref(other), used);
                }
            }
            ItemKind::GenerateCase(_, branches) => {
                for (_, block) in branches {
                    find_used(std::slice::from_ref(block), used);
                }
            }
            _ => {}
        }
    }
}
