//! All processes of a system with their names bound, in one store; and what those beside the process under test read or write.

use std::collections::BTreeSet;
use std::rc::Rc;

use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashMap;

use super::fault::{Fault, planted};
use crate::machine::{Binding, Eval, Machine};
use crate::priorities;
use crate::process::{chosen, instantiate, names, names_in, processes, template_of};
use crate::syntax::{Base, Declaration, Function, Model, Template, TypeText};

/// The factor of the limit on evaluation steps, relative to the limit of one process.
const PATIENCE: usize = 4;

/// A process.
pub(crate) struct Party<'a> {
    pub(crate) name: String,
    pub(crate) template: &'a Template,
    /// The priority of the process.
    pub(crate) rank: usize,
    /// The bindings of the process's own names.
    level: FxHashMap<String, Binding>,
}

/// All processes of a system, in its order, with their names bound.
pub(crate) struct Parties<'a> {
    /// The evaluator: it has the global names, and those of a process inside [`Parties::within`].
    pub(crate) machine: Machine,
    pub(crate) all: Vec<Party<'a>>,
    /// The index of the process under test.
    pub(crate) tested: usize,
    /// Whether some channels or processes have priority over others.
    pub(crate) have_priorities: bool,
    /// The names of broadcast channels.
    broadcast: BTreeSet<String>,
    /// Places in the store that other processes read or write.
    pub(crate) slots: BTreeSet<usize>,
    /// Clocks that other processes compare or set.
    pub(crate) clocks: BTreeSet<usize>,
}

impl<'a> Parties<'a> {
    /// Returns the process under test as `mutated` has it, and the other processes as `original` has them. `wanted` is the name of the
    /// process, if the user chose one.
    ///
    /// # Errors
    /// If the process is not found, a feature is not supported, or the evaluation of data fails.
    pub(crate) fn new(
        mutated: &'a Model,
        original: &'a Model,
        wanted: Option<&str>,
    ) -> Result<Parties<'a>, Diagnostic> {
        let mut machine = Machine::default();
        machine.patience = PATIENCE;
        machine.enter();
        let mut broadcast = BTreeSet::new();
        for declaration in (mutated.declarations.iter()).chain(&mutated.system.declarations) {
            machine.declare(declaration)?;
            broadcast.extend(broadcast_name(declaration).map(str::to_owned));
        }
        let processes = processes(mutated, &mut machine)?;
        let name = &chosen(&processes, wanted, mutated)?.name;
        let mut all = Vec::new();
        for process in &processes {
            let is_mutated = process.name == *name || planted(Fault::OthersMutate);
            let model = if is_mutated { mutated } else { original };
            let template = template_of(model, &process.of)?;
            machine.enter();
            instantiate(model, &mut machine, &process.of, &process.values, 0)?;
            let (clocks, variables) = (machine.clocks.len(), machine.variables.len());
            for declaration in &template.declarations {
                machine.declare(declaration)?;
                let own = |name: &str| format!("{}.{name}", process.name);
                if let Declaration::Variable(variable) = declaration
                    && let Some(Binding::Channel(channel, of)) = machine.find(&variable.name.text)
                {
                    // No other process can name it.
                    let binding = Binding::Channel(own(channel), of.clone());
                    machine.bind(&variable.name.text, binding);
                }
                broadcast.extend(broadcast_name(declaration).map(own));
            }
            let own = machine.clocks.iter_mut().skip(clocks);
            let own = own.chain(machine.variables.iter_mut().skip(variables));
            own.for_each(|local| *local = format!("{}.{local}", process.name));
            all.push(Party {
                name: process.name.clone(),
                template,
                rank: priorities::of_process(model, &process.of),
                level: machine.levels.pop().unwrap_or_default(),
            });
        }
        let tested = all.iter().position(|party| party.name == *name);
        let mut parties = Parties {
            machine,
            tested: tested.unwrap_or_default(),
            all,
            broadcast,
            have_priorities: priorities::has_some(mutated),
            slots: BTreeSet::new(),
            clocks: BTreeSet::new(),
        };
        parties.look();
        Ok(parties)
    }

    /// Whether a channel, or the array that it belongs to, is a broadcast channel.
    pub(crate) fn is_broadcast(&self, channel: &str) -> bool {
        let root = channel.split('[').next().unwrap_or(channel);
        self.broadcast.contains(root)
    }

    /// Calls `does` with an evaluator that has the names of the process `party`, and returns its result.
    pub(crate) fn within<T>(
        &mut self,
        party: usize,
        does: impl FnOnce(&mut Machine) -> Eval<T>,
    ) -> Eval<T> {
        let level = std::mem::take(&mut self.all[party].level);
        self.machine.levels.push(level);
        let done = does(&mut self.machine);
        self.machine.levels.truncate(2);
        self.all[party].level = self.machine.levels.pop().unwrap_or_default();
        done
    }

    /// Records the variables and clocks that the other processes read, write, compare or set.
    fn look(&mut self) {
        let others = self.all.iter().enumerate();
        let others = others.filter(|(number, _)| *number != self.tested);
        let mut seen = Seen::default();
        for (_, party) in others {
            let levels = [&self.machine.levels[0], &party.level];
            for name in named(party.template) {
                seen.name(&name, &levels);
            }
        }
        (self.slots, self.clocks) = (seen.slots, seen.clocks);
    }
}

/// Returns the name that a declaration gives a broadcast channel; `None` for other declarations.
fn broadcast_name(declaration: &Declaration) -> Option<&str> {
    match declaration {
        Declaration::Variable(variable) if variable.base.is_broadcast => Some(&variable.name.text),
        _ => None,
    }
}

/// Returns all names in the locations and edges of a template.
fn named(template: &Template) -> BTreeSet<String> {
    let mut found = Vec::new();
    for location in &template.locations {
        let parts = location.invariant.iter();
        parts.for_each(|part| names(part, &mut found));
    }
    for edge in &template.edges {
        let parts = edge.guard.iter().chain(&edge.update);
        parts.for_each(|part| names(part, &mut found));
        if let Some(sync) = &edge.sync {
            names(&sync.channel, &mut found);
        }
        let types = edge.select.iter().map(|(_, of)| of);
        types.for_each(|of| in_type(of, &mut found));
    }
    found.into_iter().map(|(name, _)| name).collect()
}

fn in_type(of: &TypeText, found: &mut Vec<(String, hyperkill_frontend::Span)>) {
    if let Base::Int(Some(range)) = &of.base {
        names(&range.0, found);
        names(&range.1, found);
    }
}

/// The variables and clocks that some processes use, also in functions that they call.
#[derive(Default)]
struct Seen {
    slots: BTreeSet<usize>,
    clocks: BTreeSet<usize>,
    functions: BTreeSet<*const Function>,
}

impl Seen {
    fn name(&mut self, name: &str, levels: &[&FxHashMap<String, Binding>]) {
        let found = levels.iter().rev().find_map(|level| level.get(name));
        match found {
            Some(Binding::Place(place, _)) => {
                self.slots.insert(place.slot);
            }
            Some(Binding::Clock(first, of)) => {
                self.clocks.extend(*first..first + of.size());
            }
            Some(Binding::Function(function, seen)) => {
                if !self.functions.insert(Rc::as_ptr(function)) {
                    return;
                }
                let mut inside = Vec::new();
                let body = function.body.iter();
                body.for_each(|statement| names_in(statement, &mut inside));
                let own: Vec<&String> = (function.parameters.iter())
                    .map(|parameter| &parameter.name.text)
                    .collect();
                for (name, _) in inside {
                    if !own.contains(&&name) {
                        self.name(&name, &levels[..(*seen).min(levels.len())]);
                    }
                }
            }
            _ => {}
        }
    }
}
