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
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, Inputs, Listed, ModelOption, SourceFile, Stimuli,
    Wanted, lacking,
};
use hyperkill_guarded::front::{OPTIONS, Written, single};
use hyperkill_guarded::model::check;
use hyperkill_guarded::mutate::{self, Change, Mutation, Site};

pub use graphwalker::read_models;
pub use gv::read_graph;
pub use print::text;
pub use reader::{Read, read};
pub use spelling::LANGUAGE;

/// The language of machines in text.
#[derive(Clone, Copy, Default, Debug)]
pub struct EfsmFrontend;

impl EfsmFrontend {
    /// The name of the language.
    pub const NAME: &'static str = "efsm";
}

impl Frontend for EfsmFrontend {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["efsm"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(&LANGUAGE)
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => "machines have no named constants",
            ModelOption::Range => "variables have ranges of their own",
            option => lacking(option),
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
}

impl EfsmFrontend {
    fn with<T>(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        does: impl FnOnce(&Written<'_>) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let read = read(source)?;
        does(&Written {
            system: &read.system,
            source,
            comments: &read.comments,
            language: &LANGUAGE,
            reading: reading::reading(&read.system, options)?,
            options,
            rejects: &|_| (),
        })
    }
}

/// The language of GraphWalker's models in JSON.
#[derive(Clone, Copy, Default, Debug)]
pub struct GraphWalkerFrontend;

impl GraphWalkerFrontend {
    /// The name of the language.
    pub const NAME: &'static str = "graphwalker";
}

impl Frontend for GraphWalkerFrontend {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(&graphwalker::LANGUAGE)
    }

    fn options(&self) -> &'static [ModelOption] {
        &[
            ModelOption::Complete,
            ModelOption::Observe,
            ModelOption::Range,
            ModelOption::Inputs,
            ModelOption::Outputs,
            ModelOption::Choices,
        ]
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => "models of GraphWalker have no named constants",
            option => lacking(option),
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

    fn walked(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        walk: &str,
    ) -> Result<Option<Vec<Inputs>>, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let system = read_models(source, &options.events.ranges)?;
        let model = check(&system)?;
        let walks = graphwalker::Walks::new(source, &model)?;
        let inputs = walks.read(walk, sources.len());
        inputs.map(Some).map_err(|error| vec![error])
    }

    fn walk(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        test: &[Step],
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let system = read_models(source, &options.events.ranges)?;
        let model = check(&system)?;
        let walks = graphwalker::Walks::new(source, &model)?;
        let text = walks.written(test);
        text.map(Some).map_err(|error| vec![error])
    }
}

impl GraphWalkerFrontend {
    fn with<T>(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        does: impl FnOnce(&Written<'_>) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let (system, needed) = graphwalker::read_with_needed(source, &options.events.ranges)?;
        let rejects = |mutation: &mut Mutation| {
            if let (Site::Stmt(id), Change::Skip) = (mutation.meaning.site, mutation.meaning.change)
                && needed.binary_search(&system.stmts[id].span).is_ok()
            {
                let reason = "a variable is read that has no value";
                mutation.meaning.rejected = Some(reason.to_owned());
            }
        };
        does(&Written {
            system: &system,
            source,
            comments: &[],
            language: &graphwalker::LANGUAGE,
            reading: reading::reading(&system, options)?,
            options,
            rejects: &rejects,
        })
    }
}

/// The language of EFSM-tools: graphs in DOT.
#[derive(Clone, Copy, Default, Debug)]
pub struct EfsmToolsFrontend;

impl EfsmToolsFrontend {
    /// The name of the language.
    pub const NAME: &'static str = "efsm-tools";
}

impl Frontend for EfsmToolsFrontend {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["gv"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(&gv::LANGUAGE)
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => "graphs have no named constants",
            option => lacking(option),
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
}

impl EfsmToolsFrontend {
    fn with<T>(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        does: impl FnOnce(&Written<'_>) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let source = single(sources, "a machine")?;
        let system = read_graph(source)?;
        does(&Written {
            system: &system,
            source,
            comments: &[],
            language: &gv::LANGUAGE,
            reading: reading::reading(&system, options)?,
            options,
            rejects: &|_| (),
        })
    }
}
