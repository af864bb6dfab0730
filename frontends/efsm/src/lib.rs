//! Extended finite state machines \[4\]: reads texts with the extension `efsm`, and GraphWalker's models in JSON, to the tree of
//! `frontends/guarded`, which does the rest.
//!
//! The semantics is in semantics.md §10, and the syntax in the book's pages on machines and on GraphWalker.

mod graphwalker;
mod gv;
mod print;
mod reader;
mod reading;
mod spelling;

use hyperkill_core::mutant::Operator;
use hyperkill_core::suite::Step;
use hyperkill_core::system::Translation;
use hyperkill_frontend::mutation::Comment;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, Inputs, Listed, ModelOption, SourceFile, Span, Stimuli,
    Wanted, lacking,
};
use hyperkill_guarded::front::{OPTIONS, Written, single};
use hyperkill_guarded::model::check;
use hyperkill_guarded::mutate::{self, Change, Language, Mutation, Site};
use hyperkill_guarded::tree::System;

pub use graphwalker::read_models;
pub use gv::read_graph;
pub use print::text;
pub use reader::{Read, read};
pub use spelling::LANGUAGE;

/// A language of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineFrontend {
    /// Machines in the text format of this package.
    Efsm,
    /// GraphWalker's models in JSON.
    GraphWalker,
    /// Graphs of EFSM-tools in DOT.
    EfsmTools,
}

impl MachineFrontend {
    /// Returns the language with this name; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<MachineFrontend> {
        let all = [
            MachineFrontend::Efsm,
            MachineFrontend::GraphWalker,
            MachineFrontend::EfsmTools,
        ];
        all.into_iter().find(|machine| machine.name() == name)
    }

    /// Reads a model.
    ///
    /// # Errors
    /// If the text is no model in this language.
    pub fn read(
        self,
        source: &SourceFile,
        options: &FrontendOptions,
    ) -> Result<System, Vec<Diagnostic>> {
        match self {
            MachineFrontend::Efsm => read(source).map(|read| read.system),
            MachineFrontend::GraphWalker => read_models(source, &options.events.ranges),
            MachineFrontend::EfsmTools => read_graph(source),
        }
    }

    /// Returns the spelling and the mutation rules of the language.
    fn language(self) -> &'static Language {
        match self {
            MachineFrontend::Efsm => &LANGUAGE,
            MachineFrontend::GraphWalker => &graphwalker::LANGUAGE,
            MachineFrontend::EfsmTools => &gv::LANGUAGE,
        }
    }

    /// Reads a model, passes it to `does`, and returns the result.
    fn with<T>(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        does: impl FnOnce(&Written<'_>) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let pass = |system: &System, comments: &[Comment], rejects: &dyn Fn(&mut Mutation)| {
            does(&Written {
                system,
                source,
                comments,
                language: self.language(),
                reading: reading::reading(system, options)?,
                options,
                rejects,
            })
        };
        match self {
            MachineFrontend::Efsm => {
                let read = read(source)?;
                pass(&read.system, &read.comments, &|_| ())
            }
            MachineFrontend::EfsmTools => pass(&read_graph(source)?, &[], &|_| ()),
            MachineFrontend::GraphWalker => {
                let (system, needed) =
                    graphwalker::read_with_needed(source, &options.events.ranges)?;
                let rejects = |mutation: &mut Mutation| reject(mutation, &system, &needed);
                pass(&system, &[], &rejects)
            }
        }
    }

    /// Reads a model of GraphWalker, passes its walks to `does`, and returns the result; `None` for other languages.
    fn with_walks<T>(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        does: impl FnOnce(&graphwalker::Walks<'_>) -> Result<T, Diagnostic>,
    ) -> Result<Option<T>, Vec<Diagnostic>> {
        if self != MachineFrontend::GraphWalker {
            return Ok(None);
        }
        let source = single(sources, "a machine")?;
        let system = read_models(source, &options.events.ranges)?;
        let model = check(&system)?;
        let walks = graphwalker::Walks::new(source, &model)?;
        does(&walks).map(Some).map_err(|error| vec![error])
    }
}

/// Marks a mutant as invalid if it skips an assignment that gives a variable its first value. `needed` are the places of these assignments,
/// in ascending order.
fn reject(mutation: &mut Mutation, system: &System, needed: &[Span]) {
    if let (Site::Stmt(id), Change::Skip) = (mutation.meaning.site, mutation.meaning.change)
        && needed.binary_search(&system.stmts[id].span).is_ok()
    {
        mutation.meaning.rejected = Some("a variable is read that has no value".to_owned());
    }
}

impl Frontend for MachineFrontend {
    fn name(&self) -> &'static str {
        match self {
            MachineFrontend::Efsm => "efsm",
            MachineFrontend::GraphWalker => "graphwalker",
            MachineFrontend::EfsmTools => "efsm-tools",
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self {
            MachineFrontend::Efsm => &["efsm"],
            MachineFrontend::GraphWalker => &["json"],
            MachineFrontend::EfsmTools => &["gv"],
        }
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(self.language())
    }

    fn options(&self) -> &'static [ModelOption] {
        match self {
            MachineFrontend::Efsm | MachineFrontend::EfsmTools => OPTIONS,
            MachineFrontend::GraphWalker => &[
                ModelOption::Complete,
                ModelOption::Observe,
                ModelOption::Range,
                ModelOption::Inputs,
                ModelOption::Outputs,
                ModelOption::Choices,
            ],
        }
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match (self, option) {
            (MachineFrontend::Efsm, ModelOption::Define) => "machines have no named constants",
            (MachineFrontend::Efsm, ModelOption::Range) => "variables have ranges of their own",
            (MachineFrontend::GraphWalker, ModelOption::Define) => {
                "models of GraphWalker have no named constants"
            }
            (MachineFrontend::EfsmTools, ModelOption::Define) => "graphs have no named constants",
            (_, option) => lacking(option),
        }
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        self.with(sources, options, |written| written.translated())
    }

    fn listed(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        shows_ports: bool,
    ) -> Result<Listed, Vec<Diagnostic>> {
        self.with(sources, options, |written| written.listed(shows_ports))
    }

    fn stimuli(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Stimuli>, Vec<Diagnostic>> {
        self.with(sources, options, |written| written.stimuli(wanted))
    }

    fn read_walk(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        walk: &str,
    ) -> Result<Option<Vec<Inputs>>, Vec<Diagnostic>> {
        self.with_walks(sources, options, |walks| walks.read(walk, sources.len()))
    }

    fn write_walk(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        test: &[Step],
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        self.with_walks(sources, options, |walks| walks.written(test))
    }
}
