//! Timed finite state machines with timeouts \[1\]: texts, machines and their mutants.
//!
//! What they mean is in semantics.md §7. Their mutants are not decided as circuits but by packages of this language's own, which share this
//! one and nothing else: `decide` finds tests and proofs, `recheck` checks them.
//!
//! The way of a text: [`lexer`] → [`parser`] → [`resolve`] → [`domain`] → [`mutate`].

pub mod domain;
pub mod lexer;
pub mod machine;
pub mod mutate;
pub mod parser;
pub mod resolve;
pub mod syntax;

use std::collections::BTreeSet;

use hyperkill_core::mutant::Operator;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::Translation;
use hyperkill_frontend::decision::{Contents, Variable};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile, Span};

use lexer::TokenKind;
use machine::Machine;
use mutate::Mutation;

/// Name of the only input in steps of tests.
pub const INPUT: &str = "input";

/// Name of the only output in steps of tests.
pub const OUTPUT: &str = "output";

/// Timed machines in `.tfsm` files.
#[derive(Clone, Copy, Default, Debug)]
pub struct TimedFsmFrontend;

impl TimedFsmFrontend {
    /// As in `--language`.
    pub const NAME: &str = "timed-fsm";
}

/// A specification with its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// The specification.
    pub machine: Machine,
    /// The mutants in catalogue order, each with its change.
    pub mutations: Vec<Mutation>,
    /// What its author may not have meant.
    pub warnings: Vec<Diagnostic>,
}

impl Model {
    /// What is known of it without deciding anything.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let variable = |name: &str, values: &[String]| Variable {
            name: name.to_owned(),
            sort: Sort::enumeration(values.iter().cloned()),
        };
        let mutants = self.mutations.iter();
        Contents {
            question: "conformance".to_owned(),
            inputs: vec![variable(INPUT, &self.machine.inputs)],
            outputs: vec![variable(OUTPUT, &self.machine.outputs)],
            deterministic: Some(true),
            catalogue: mutants.map(|m| (m.mutant.clone(), None)).collect(),
            needless: BTreeSet::new(),
            role_notes: Vec::new(),
            warnings: self.warnings.clone(),
        }
    }
}

/// Reads a specification and its mutants.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read(sources: &[SourceFile], options: &FrontendOptions) -> Result<Model, Vec<Diagnostic>> {
    let text = only(sources)?;
    let document = parser::parse(text).map_err(|error| vec![error])?;
    let resolved = resolve::resolve(&document.machine)?;
    let machine = (&document.machine, &resolved.machine);
    let mutations = match &document.faults {
        Some(faults) => {
            let changes = domain::written(&resolved, faults)?;
            mutate::mutations(sources, machine, (changes, true), options)
        }
        None => {
            let changes = domain::usual(&resolved.machine, mutate::asks_for_more(options));
            mutate::mutations(sources, machine, (changes, false), options)
        }
    };
    Ok(Model {
        mutations: mutations.map_err(|error| vec![error])?,
        machine: resolved.machine,
        warnings: resolved.warnings,
    })
}

/// Reads a machine only, whatever faults are written behind it.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_machine(text: &str) -> Result<Machine, Vec<Diagnostic>> {
    let document = parser::parse(text).map_err(|error| vec![error])?;
    Ok(resolve::resolve(&document.machine)?.machine)
}

/// The text up to the faults, if there are any: all that a mutant is about.
#[must_use]
pub fn without_faults(text: &str) -> &str {
    let Ok(tokens) = lexer::tokens(text) else {
        return text;
    };
    let mut depth = 0_usize;
    for token in tokens {
        match (token.kind, token.text) {
            (TokenKind::Sign("{"), _) => depth += 1,
            (TokenKind::Sign("}"), _) => depth = depth.saturating_sub(1),
            (TokenKind::Word, "faults") if depth == 0 => return &text[..token.span.start],
            _ => {}
        }
    }
    text
}

/// The text of the only file.
fn only(sources: &[SourceFile]) -> Result<&str, Vec<Diagnostic>> {
    let message = "a timed machine is one file";
    match sources {
        [source] => Ok(&source.text),
        [] => Err(vec![Diagnostic::unlocated(message)]),
        [_, ..] => {
            let second = Span {
                file: 1,
                ..Span::default()
            };
            Err(vec![Diagnostic::error(second, message)])
        }
    }
}

impl Frontend for TimedFsmFrontend {
    fn name(&self) -> &'static str {
        TimedFsmFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["tfsm"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    /// Refuses options that only languages with variables and expressions can have.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let constant = options.constants.first();
        let parameter = options.parameters.first();
        let condition = options.assumptions.first();
        let refused = [
            constant.map(|(name, _)| format!("-D {name}: a timed machine has no named constants")),
            parameter.map(|(name, _)| format!("-P {name}: a timed machine has no parameters")),
            condition.map(|c| format!("--assume {c}: a timed machine has no expressions")),
            (options.top.as_ref())
                .map(|top| format!("--top {top}: a timed machine is the whole model")),
        ];
        let refused = refused.into_iter().flatten();
        let mut refused: Vec<Diagnostic> = refused.map(|m| Diagnostic::option(m, None)).collect();
        let roles = [&options.inputs, &options.choices, &options.outputs];
        if roles.iter().any(|names| names.is_some()) {
            let message = "the machine says which symbols are inputs and which are outputs: no --inputs, --nd or --outputs";
            refused.push(Diagnostic::option(message, None));
        }
        match refused.is_empty() {
            true => Ok(sources),
            false => Err(refused),
        }
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        read(sources, options)?;
        let document = parser::parse(only(sources)?).map_err(|error| vec![error])?;
        let message = "a timed machine has no form as a circuit in this release";
        Err(vec![Diagnostic::error(document.machine.name.span, message)])
    }
}
