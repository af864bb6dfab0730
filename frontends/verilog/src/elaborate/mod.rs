//! Syntax tree to [`Design`]: the hierarchy is unfolded first, then every process is executed symbolically.
//!
//! Mutants ride along: where the [`Plan`] has alternatives for an expression or a statement, the result is
//! `ite(selector, mutated, original)`. Constants that shape the design (bounds, parameters, `generate`, heads of
//! loops) are never mutated.

mod declare;
mod instance;
mod nets;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyperkill_core::term::TermId;
use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{ExprId, ItemKind, Module, Name, Source, StmtId};
use crate::design::{Design, Process, Run, Sampled, Scope, ScopeId, Stop, VarId, WordId};
use crate::execute::{Block, Env, Made, Mode, Sampling, World};
use crate::layout::Layout;
use crate::number::Literal;

/// What a mutant does to a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alternative {
    /// It is not there.
    Delete,
    /// This one is in its place.
    Replace(StmtId),
}

/// Mutants at their places; numbers are indices of mutations.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// What stands in the place of expressions.
    pub exprs: FxHashMap<ExprId, Vec<(usize, ExprId)>>,
    /// What stands in the place of statements.
    pub stmts: FxHashMap<StmtId, Vec<(usize, Alternative)>>,
    /// The first expression that is not in the text: it and all later ones are mutants'.
    pub first_own: Option<u32>,
}

/// What a parameter is set to from outside.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A value.
    Value(Literal),
    /// A type.
    Type(Arc<Layout>),
}

/// What the user asks for.
#[derive(Clone, Default, Debug)]
pub struct Request<'a> {
    /// The top module.
    pub top: &'a str,
    /// Parameters of the top module.
    pub parameters: Vec<(Name, ExprId)>,
    /// Conditions over its names that are assumed.
    pub assumptions: Vec<ExprId>,
}

/// Most statements executed, loops unrolled.
const FUEL: u64 = 3_000_000;
/// Most statements executed for mutants that are executed apart.
const FUEL_APART: u64 = 10_000_000;

/// Unfolds and executes.
pub struct Elaborator<'a> {
    pub(crate) source: &'a Source,
    pub(crate) plan: &'a Plan,
    /// The design so far.
    pub design: Design,
    /// Expressions that processes have executed.
    pub visited: FxHashSet<ExprId>,
    /// Statements that processes have executed.
    pub visited_stmts: FxHashSet<StmtId>,
    /// Those among them that blocks at edges have executed.
    pub visited_at_edges: FxHashSet<StmtId>,
    /// Mutations without meaning, with the reason.
    pub rejected: BTreeMap<usize, String>,
    processes: Vec<(Process, Span)>,
    defparams: FxHashMap<String, Literal>,
    instances: usize,
    pub(crate) scope: ScopeId,
    pub(crate) mode: Mode,
    /// Whether registers are read as they are held, not as others see them: under asynchronous resets.
    pub(crate) held: bool,
    /// Whether mutants are left out.
    pub(crate) mute: bool,
    /// Whether a selection is a mutant's own, and so must be within bounds.
    pub(crate) strict: bool,
    pub(crate) env: Env,
    /// Under which condition the current statement runs.
    pub(crate) path: Option<TermId>,
    /// Variables that the current process assigns, blocking and not.
    pub(crate) assigned: [FxHashSet<VarId>; 2],
    pub(crate) old: FxHashMap<WordId, TermId>,
    pub(crate) finals: BTreeMap<WordId, (usize, TermId)>,
    /// Which mutants there are.
    pub(crate) world: World,
    /// Mutants of the current process that are executed apart.
    pub(crate) apart: BTreeSet<usize>,
    /// What the current process has made so far.
    pub(crate) made: Made,
    /// What mutants that are executed apart may execute in all.
    pub(crate) fuel_apart: u64,
    /// The mutant whose exchange of `<=` and `=` is being executed.
    pub(crate) exchange: Option<usize>,
    /// The expression that the only mutant replaces, while that is evaluated.
    pub(crate) replaced: Option<ExprId>,
    /// What is unknown in the current process.
    pub(crate) unknowns: Vec<TermId>,
    /// How much of that has been asked for in another world.
    pub(crate) told: usize,
    /// The block without memory that is being executed.
    pub(crate) block: Block,
    /// The statement that is being executed.
    pub(crate) at: Span,
    /// Bits that the current process assigns.
    pub(crate) written: BTreeMap<WordId, Vec<(u32, u32)>>,
    pub(crate) process: usize,
    pub(crate) fuel: u64,
    pub(crate) calls: usize,
    pub(crate) choices: FxHashMap<String, usize>,
    pub(crate) routines: FxHashMap<(ScopeId, Name), crate::execute::Frame>,
    pub(crate) blocks: FxHashMap<(ScopeId, StmtId), ScopeId>,
    /// Scopes of functions and tasks.
    pub(crate) frames: FxHashSet<ScopeId>,
    /// What stands outside modules.
    pub(crate) outside: ScopeId,
    pub(crate) packages: FxHashMap<Name, ScopeId>,
    /// What can be jumped to, the innermost last.
    pub(crate) jumps: Vec<crate::execute::Place>,
    /// Where the values of the edge before come from, if there is one here.
    pub(crate) sampling: Option<Sampling>,
    /// The registers that hold them.
    pub(crate) samples: FxHashMap<(ScopeId, Sampled, usize), VarId>,
    /// What the functions return that are being executed; `None` for tasks.
    pub(crate) results: Vec<Option<VarId>>,
}

/// The parameters of a module that can be set.
fn settable(module: &Module) -> Vec<&str> {
    let items = module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Parameters(parameters) => Some(parameters),
        _ => None,
    });
    let parameters = items.flatten().filter(|parameter| !parameter.local);
    parameters.map(|parameter| &*parameter.name).collect()
}

/// What is wrong with what an option says: its text stands in no file.
fn of_option(option: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Apart(_) => stop,
        stop => {
            let message = format!("{option}: {}", stop.located(Span::default()).message);
            Stop::Model(Box::new(Diagnostic::option(message, None)))
        }
    }
}

impl<'a> Elaborator<'a> {
    /// Elaborates the design below a top module.
    ///
    /// # Errors
    /// What has no meaning, or is not supported, with its place.
    pub fn run(
        source: &'a Source,
        plan: &'a Plan,
        request: &Request<'_>,
    ) -> Result<Elaborator<'a>, Diagnostic> {
        let mut elaborator = Elaborator {
            source,
            plan,
            design: Design::default(),
            visited: FxHashSet::default(),
            visited_stmts: FxHashSet::default(),
            visited_at_edges: FxHashSet::default(),
            rejected: BTreeMap::new(),
            processes: Vec::new(),
            defparams: FxHashMap::default(),
            instances: 0,
            scope: ScopeId(0),
            mode: Mode::Constant,
            held: false,
            mute: false,
            strict: false,
            env: Env::default(),
            path: None,
            assigned: [FxHashSet::default(), FxHashSet::default()],
            old: FxHashMap::default(),
            finals: BTreeMap::new(),
            world: World::All,
            apart: BTreeSet::new(),
            made: Made::default(),
            fuel_apart: FUEL_APART,
            exchange: None,
            replaced: None,
            unknowns: Vec::new(),
            told: 0,
            block: Block::default(),
            at: Span::default(),
            written: BTreeMap::new(),
            process: 0,
            fuel: FUEL,
            calls: 0,
            choices: FxHashMap::default(),
            routines: FxHashMap::default(),
            blocks: FxHashMap::default(),
            frames: FxHashSet::default(),
            outside: ScopeId(0),
            packages: FxHashMap::default(),
            jumps: Vec::new(),
            sampling: None,
            samples: FxHashMap::default(),
            results: Vec::new(),
        };
        elaborator
            .whole(request)
            .map_err(|stop| stop.located(Span::default()))?;
        Ok(elaborator)
    }

    fn whole(&mut self, request: &Request<'_>) -> Run<()> {
        let Some(module) = self.source.module(request.top) else {
            let message = format!("there is no module `{}`", request.top);
            return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))));
        };
        let top = self.new_scope(None, String::new());
        self.scope = top;
        self.outside_modules()?;
        let mut overrides = Vec::new();
        for (name, value) in &request.parameters {
            let value = self.given(*value);
            let value = value.map_err(|stop| of_option(&format!("-P {name}"), stop))?;
            overrides.push((Some(name.clone()), value));
        }
        let known = settable(module);
        for (name, _) in &request.parameters {
            if !known.contains(&name.as_ref()) {
                let message = format!("-P {name}: `{}` has no such parameter", module.name);
                let near = did_you_mean(name, known);
                return Err(Stop::Model(Box::new(Diagnostic::option(message, near))));
            }
        }
        self.module(module, top, &overrides)?;
        self.top_ports(module, top)?;
        let mut number = 0;
        // Blocks declare variables when they are executed, which may have initial values.
        while !self.processes.is_empty() {
            for (process, place) in std::mem::take(&mut self.processes) {
                self.process = number;
                self.execute(&process, place)
                    .map_err(|stop| Stop::Model(Box::new(stop.located(place))))?;
                number += 1;
            }
        }
        self.scope = top;
        self.join_drivers()?;
        for condition in &request.assumptions {
            let process = Process::Property(top, *condition, None, true);
            let place = self.source.span(*condition);
            let executed = self.execute(&process, place);
            executed.map_err(|stop| of_option("--assume", stop))?;
        }
        Ok(())
    }

    pub(crate) fn new_scope(&mut self, parent: Option<ScopeId>, path: String) -> ScopeId {
        self.design.scopes.push(Scope {
            parent,
            path,
            names: FxHashMap::default(),
        });
        ScopeId(self.design.scopes.len() - 1)
    }

    /// One more process, to be executed when the others have been.
    pub(crate) fn add_process(&mut self, process: Process, place: Span) {
        self.processes.push((process, place));
    }

    pub(crate) fn path_of(&self, scope: ScopeId, name: &str) -> String {
        format!("{}{name}", self.design.scopes[scope.0].path)
    }

    /// Executes something in another scope.
    pub(crate) fn within<T>(
        &mut self,
        scope: ScopeId,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let outside = std::mem::replace(&mut self.scope, scope);
        let result = run(self);
        self.scope = outside;
        result
    }

    pub(crate) fn span(&self, expr: ExprId) -> Span {
        self.source.span(expr)
    }
}
