//! The state of elaboration and execution: the design so far, and the place of execution in it.

mod block;
mod boxes;
mod constants;
mod environment;
mod plan;
mod unknowns;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;
use rustc_hash::{FxHashMap, FxHashSet};

pub use block::{Block, Late, Waits};
pub use boxes::OpenBox;
pub use constants::Constants;
pub use environment::{Env, Frame, Given, Mode, Parked, Place, Sampling};
pub use plan::{Alternative, Around, Choice, Plan};
pub use unknowns::{Moment, Unknowns};
pub use world::{Made, World};

use crate::ast::{ExprId, Item, Name, Source, StmtId};
use crate::design::{Design, Entity, Process, Run, Sampled, Scope, ScopeId, VarId, WordId};
use crate::number::Literal;

/// Most statements executed for a design, loops unrolled.
const FUEL: u64 = 3_000_000;
/// Most statements executed for mutants that are executed apart.
const FUEL_APART: u64 = 10_000_000;
/// More of these statements for each mutant that makes several changes.
const FUEL_COMBINED: u64 = 5_000;

/// A design while it is unfolded and executed.
pub struct Elaborator<'a> {
    pub(crate) source: &'a Source,
    pub(crate) plan: &'a Plan,
    /// The design so far.
    pub design: Design,
    /// Expressions that processes have executed.
    pub visited: FxHashSet<ExprId>,
    /// Statements that processes have executed.
    pub visited_stmts: FxHashSet<StmtId>,
    /// The statements among them that blocks at edges have executed.
    pub visited_at_edges: FxHashSet<StmtId>,
    /// Mutations without meaning, with the reason.
    pub rejected: BTreeMap<usize, String>,
    pub(crate) processes: Vec<(Process, Span)>,
    pub(crate) defparams: FxHashMap<String, Literal>,
    /// Parameters that have parts or elements.
    pub constants: Constants,
    pub(crate) instances: usize,
    /// Instances of black boxes whose ports are not known yet.
    pub(crate) open_boxes: Vec<OpenBox>,
    /// Black boxes that have instances.
    pub(crate) boxed: BTreeSet<Name>,
    /// Tables of unknown functions, by their keys.
    pub(crate) functions: BTreeMap<String, TermId>,
    /// The defaults of input ports without a connection.
    pub(crate) port_defaults: FxHashMap<VarId, (ScopeId, ExprId)>,
    /// Parameters that options set of the interfaces that ports of the top module are.
    pub(crate) of_ports: FxHashMap<Name, Vec<(Option<Name>, Given)>>,
    /// Instances of interfaces that the top module's ports stand for.
    pub(crate) of_the_top: FxHashSet<ScopeId>,
    /// The instances that interface ports are connected to, by module instance and name of the port.
    pub(crate) bindings: FxHashMap<(ScopeId, Name), Entity>,
    /// The interface of each instance of an interface.
    pub(crate) interface_of: FxHashMap<ScopeId, Name>,
    /// Instances of interfaces in arrays whose left bound is the higher one.
    pub(crate) descending: FxHashSet<ScopeId>,
    pub(crate) scope: ScopeId,
    pub(crate) mode: Mode,
    /// Whether registers are read without asynchronous overrides: under asynchronous resets.
    pub(crate) held: bool,
    /// Whether mutants are left out. The mutants of `around` stay.
    pub(crate) mute: bool,
    /// The changes around the mutated part that is evaluated; `None` outside of such parts.
    pub(crate) around: Option<Rc<Around>>,
    /// Whether a selection belongs to a mutant, and so must be within bounds.
    pub(crate) strict: bool,
    pub(crate) env: Env,
    /// The condition under which the current statement runs.
    pub(crate) path: Option<TermId>,
    /// Variables that the current process assigns, blocking and not.
    pub(crate) assigned: [FxHashSet<VarId>; 2],
    pub(crate) old: FxHashMap<WordId, TermId>,
    pub(crate) finals: BTreeMap<WordId, (usize, TermId)>,
    /// The mutants that are present.
    pub(crate) world: World,
    /// Whether a mutant turned out to need an execution apart when one of its changes had already been executed with all mutants.
    pub(crate) is_late: bool,
    /// Mutants of the current process that are executed apart.
    pub(crate) apart: BTreeSet<usize>,
    /// The results of the current process so far.
    pub(crate) made: Made,
    /// Statements that the executions of mutants apart may still run, in all.
    pub(crate) fuel_apart: u64,
    /// The mutants whose exchange of `<=` and `=` is being executed; empty in other statements.
    pub(crate) exchange: Rc<[usize]>,
    /// The expression that the only mutant replaces, with the number of calls around it, while the replacement is evaluated.
    pub(crate) replaced: Option<(ExprId, usize)>,
    /// The unknown values of the current process.
    pub(crate) unknowns: Unknowns,
    /// The expression that is being evaluated.
    pub(crate) reading: Option<ExprId>,
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
    pub(crate) routines: FxHashMap<(ScopeId, Name), Frame>,
    pub(crate) blocks: FxHashMap<(ScopeId, StmtId), ScopeId>,
    /// Scopes of functions and tasks.
    pub(crate) frames: FxHashSet<ScopeId>,
    /// The scope of items outside modules.
    pub(crate) outside: ScopeId,
    pub(crate) packages: FxHashMap<Name, ScopeId>,
    /// Items of packages and of that scope that have not been elaborated yet.
    pub(crate) of_packages: Vec<(ScopeId, &'a Item)>,
    /// Targets of jumps, the innermost last.
    pub(crate) jumps: Vec<Place>,
    /// The edge at which the current context samples values, if there is one.
    pub(crate) sampling: Option<Sampling>,
    /// The registers of sampled values.
    pub(crate) samples: FxHashMap<(ScopeId, Sampled, usize), VarId>,
    /// The result variables of the functions being executed; `None` for tasks.
    pub(crate) results: Vec<Option<VarId>>,
}

impl<'a> Elaborator<'a> {
    /// Returns the state before elaboration.
    pub(crate) fn new(source: &'a Source, plan: &'a Plan) -> Elaborator<'a> {
        Elaborator {
            source,
            plan,
            design: Design::default(),
            visited: FxHashSet::default(),
            visited_stmts: FxHashSet::default(),
            visited_at_edges: FxHashSet::default(),
            rejected: plan.rejected.clone(),
            processes: Vec::new(),
            defparams: FxHashMap::default(),
            constants: Constants::default(),
            instances: 0,
            open_boxes: Vec::new(),
            boxed: BTreeSet::new(),
            functions: BTreeMap::new(),
            port_defaults: FxHashMap::default(),
            of_ports: FxHashMap::default(),
            of_the_top: FxHashSet::default(),
            bindings: FxHashMap::default(),
            interface_of: FxHashMap::default(),
            descending: FxHashSet::default(),
            scope: ScopeId(0),
            mode: Mode::Constant,
            held: false,
            mute: false,
            around: None,
            strict: false,
            env: Env::default(),
            path: None,
            assigned: [FxHashSet::default(), FxHashSet::default()],
            old: FxHashMap::default(),
            finals: BTreeMap::new(),
            world: World::All,
            is_late: false,
            apart: BTreeSet::new(),
            made: Made::default(),
            fuel_apart: FUEL_APART + FUEL_COMBINED * plan.combined as u64,
            exchange: Rc::default(),
            replaced: None,
            unknowns: Unknowns::default(),
            reading: None,
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
            of_packages: Vec::new(),
            jumps: Vec::new(),
            sampling: None,
            samples: FxHashMap::default(),
            results: Vec::new(),
        }
    }

    pub(crate) fn new_scope(&mut self, parent: Option<ScopeId>, path: String) -> ScopeId {
        self.design.scopes.push(Scope {
            parent,
            path,
            names: FxHashMap::default(),
        });
        ScopeId(self.design.scopes.len() - 1)
    }

    /// Adds a process, to be executed after the others.
    pub(crate) fn add_process(&mut self, process: Process, place: Span) {
        self.processes.push((process, place));
    }

    pub(crate) fn path_of(&self, scope: ScopeId, name: &str) -> String {
        format!("{}{name}", self.design.scopes[scope.0].path)
    }

    /// Returns the result of `run`, executed in another scope.
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
