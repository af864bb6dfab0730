//! Data flow: the variables that transitions define, use and output, and their targets.

use rustc_hash::FxHashMap;

use hyperkill_core::sort::Value;

use super::set::Set;
use crate::interpret::State;
use crate::model::{Model, Reference};
use crate::mutate::{Mutation, Site};
use crate::tree::{Block, ExprId, StmtId, StmtKind};

/// The data flow of a command: a variable that it defines, or an output that it makes.
#[derive(Clone, Debug)]
enum Fact {
    /// A definition of a variable, with the variables that it uses. Unless it is certain, some executions skip it.
    Definition {
        variable: usize,
        uses: Vec<usize>,
        is_certain: bool,
    },
    /// An output, with the variables that it uses.
    Output { uses: Vec<usize> },
}

/// The data flow of a transition.
#[derive(Clone, Debug)]
pub(super) struct Arrow {
    /// The commands, in their order.
    facts: Vec<Fact>,
}

impl Arrow {
    /// Updates the affected variables (those that may differ in a mutant) over the transition. Returns whether an output reads one. With
    /// `is_inside`, in an affected location, all definitions and outputs are affected.
    pub(super) fn carries(&self, affected: &mut Set, is_inside: bool) -> bool {
        let mut shows = false;
        for fact in &self.facts {
            match fact {
                Fact::Definition {
                    variable,
                    uses,
                    is_certain,
                } => {
                    if is_inside || uses.iter().any(|used| affected.contains(*used)) {
                        affected.insert(*variable);
                    } else if *is_certain {
                        // [4]'s lines 17 and 18 remove the new definition; the older ones must be removed.
                        affected.remove(*variable);
                    }
                }
                Fact::Output { uses } => {
                    shows |= is_inside || uses.iter().any(|used| affected.contains(*used));
                }
            }
        }
        shows
    }

    /// Returns the variables whose values before the transition reach an output. `behind` are the variables whose values after it do.
    pub(super) fn observes(&self, behind: &[usize]) -> Vec<usize> {
        let mut shown = behind.to_vec();
        for fact in self.facts.iter().rev() {
            match fact {
                Fact::Definition {
                    variable,
                    uses,
                    is_certain,
                } => {
                    if shown.contains(variable) {
                        if *is_certain {
                            shown.retain(|other| other != variable);
                        }
                        add(&mut shown, uses);
                    }
                }
                Fact::Output { uses } => add(&mut shown, uses),
            }
        }
        shown
    }

    /// Returns the variables that the transition may define.
    pub(super) fn defined(&self) -> impl Iterator<Item = usize> + '_ {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Definition { variable, .. } => Some(*variable),
            Fact::Output { .. } => None,
        })
    }
}

fn add(all: &mut Vec<usize>, more: &[usize]) {
    for one in more {
        if !all.contains(one) {
            all.push(*one);
        }
    }
}

/// An event in a location: its commands there, and the mutants that change them.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) event: usize,
    pub(super) part: StmtId,
    /// The indices of the mutants that change commands of the cell.
    pub(super) mutants: Vec<usize>,
}

/// The data flow of a model, computed before the exploration.
#[derive(Debug)]
pub(super) struct Flow {
    /// The transitions, by their names.
    pub(super) arrows: FxHashMap<String, Arrow>,
    /// The commands of each location.
    pub(super) cells: Vec<Vec<Cell>>,
    /// The successors of each location, without duplicates.
    pub(super) next: Vec<Vec<usize>>,
    /// The transitions from each location.
    pub(super) from: Vec<Vec<String>>,
    /// The number of variables.
    pub(super) variables: usize,
    codes: FxHashMap<String, usize>,
}

impl Flow {
    /// Returns the data flow of a model. `None` if it is no machine with transitions, or does not always offer all events.
    pub(super) fn new(model: &Model<'_>, mutations: &[Mutation]) -> Option<Flow> {
        model.transition()?;
        if has_priorities(&model.system.block) {
            return None;
        }
        let system = model.system;
        let mut codes = FxHashMap::default();
        if let Some(location) = system.location {
            let sort = system.variables[location].domain.sort();
            for code in 0..sort.cardinality() {
                codes.insert(sort.value_of_code(code).to_string(), code as usize);
            }
        }
        let count = codes.len().max(1);
        let mut flow = Flow {
            arrows: FxHashMap::default(),
            cells: vec![Vec::new(); count],
            next: vec![Vec::new(); count],
            from: vec![Vec::new(); count],
            variables: system.variables.len(),
            codes,
        };
        let mut of_site: FxHashMap<Site, Vec<usize>> = FxHashMap::default();
        for (index, mutation) in mutations.iter().enumerate() {
            if mutation.meaning.rejected.is_none() {
                of_site
                    .entry(mutation.meaning.site)
                    .or_default()
                    .push(index);
            }
        }
        for event in 0..model.events.len() {
            let action = model.action(event);
            if action.guard.is_some() {
                return None;
            }
            let parts: Vec<(Option<usize>, StmtId)> = match &system.stmts[action.body].kind {
                StmtKind::Located(branches) => branches
                    .iter()
                    .map(|(name, part)| (flow.codes.get(&name.text).copied(), *part))
                    .collect(),
                _ => (0..count).map(|code| (Some(code), action.body)).collect(),
            };
            for (code, part) in parts {
                let code = code?;
                flow.cell(model, &of_site, code, event, part);
            }
        }
        for next in &mut flow.next {
            next.sort_unstable();
            next.dedup();
        }
        Some(flow)
    }

    /// Returns a flow with locations and their successors only.
    #[cfg(test)]
    pub(super) fn of_graph(next: &[&[usize]]) -> Flow {
        Flow {
            arrows: FxHashMap::default(),
            cells: vec![Vec::new(); next.len()],
            next: next.iter().map(|next| next.to_vec()).collect(),
            from: vec![Vec::new(); next.len()],
            variables: 0,
            codes: FxHashMap::default(),
        }
    }

    /// Returns the index of the location of a state; 0 if the machine has no locations.
    pub(super) fn location(&self, model: &Model<'_>, state: &State) -> usize {
        match model.system.location.map(|location| &state[location]) {
            Some(Value::Symbol(name)) => self.codes.get(name).copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn cell(
        &mut self,
        model: &Model<'_>,
        of_site: &FxHashMap<Site, Vec<usize>>,
        code: usize,
        event: usize,
        part: StmtId,
    ) {
        let mut reader = Reader {
            model,
            of_site,
            mutants: Vec::new(),
            targets: Vec::new(),
            facts: Vec::new(),
            found: Vec::new(),
        };
        reader.command(part, true);
        let Reader {
            mut mutants,
            found,
            mut targets,
            ..
        } = reader;
        mutants.sort_unstable();
        mutants.dedup();
        for (name, facts, stays) in found {
            if stays {
                self.next[code].push(code);
            }
            self.from[code].push(name.clone());
            self.arrows.entry(name).or_insert(Arrow { facts });
        }
        let targets = targets
            .drain(..)
            .filter_map(|name| self.codes.get(&name).copied());
        self.next[code].extend(targets);
        self.cells[code].push(Cell {
            event,
            part,
            mutants,
        });
    }
}

fn has_priorities(block: &Block) -> bool {
    match block {
        Block::Offer(_) => false,
        Block::Choice(parts) => parts.iter().any(has_priorities),
        Block::Prioritised(_) => true,
    }
}

/// Reads the commands of a cell.
struct Reader<'r> {
    model: &'r Model<'r>,
    of_site: &'r FxHashMap<Site, Vec<usize>>,
    mutants: Vec<usize>,
    /// The target locations.
    targets: Vec<String>,
    /// The facts of the current transition.
    facts: Vec<Fact>,
    /// Transitions: their names, their facts, and whether they may stay in their location.
    found: Vec<(String, Vec<Fact>, bool)>,
}

impl Reader<'_> {
    fn site(&mut self, site: Site) {
        let mutants = self.of_site.get(&site).into_iter().flatten();
        self.mutants.extend(mutants);
    }

    /// Returns the variables that an expression reads, and records the mutants in it.
    fn uses(&mut self, id: ExprId) -> Vec<usize> {
        let mut uses = Vec::new();
        for part in self.model.system.exprs.parts(id) {
            self.site(Site::Expr(part));
            if let Some(Reference::Variable(variable)) = self.model.reference(part) {
                add(&mut uses, &[variable]);
            }
        }
        uses
    }

    fn command(&mut self, id: StmtId, is_certain: bool) {
        self.site(Site::Stmt(id));
        let system = self.model.system;
        match &system.stmts[id].kind {
            StmtKind::Skip => {}
            StmtKind::Assign { value, .. } => {
                let uses = self.uses(*value);
                if let Some(variable) = self.model.target(id) {
                    self.facts.push(Fact::Definition {
                        variable,
                        uses,
                        is_certain,
                    });
                }
            }
            StmtKind::Emit { values, .. } => {
                let mut uses = Vec::new();
                for value in values {
                    add(&mut uses, &self.uses(*value));
                }
                self.facts.push(Fact::Output { uses });
            }
            StmtKind::Guard { condition, body } => {
                self.uses(*condition);
                self.command(*body, is_certain);
            }
            StmtKind::Sequence(parts) => {
                for part in parts {
                    self.command(*part, is_certain);
                }
            }
            StmtKind::Choice(parts) | StmtKind::Prioritised(parts) => {
                for part in parts {
                    self.command(*part, is_certain && parts.len() == 1);
                }
            }
            StmtKind::Located(branches) => {
                for (_, part) in branches {
                    self.command(*part, false);
                }
            }
            StmtKind::Move { target } => self.targets.push(target.text.clone()),
            StmtKind::Transition(transition) => {
                let before = (std::mem::take(&mut self.facts), self.targets.len());
                self.command(transition.body, true);
                let facts = std::mem::replace(&mut self.facts, before.0);
                let stays = self.targets.len() == before.1;
                self.found.push((transition.name.clone(), facts, stays));
            }
        }
    }
}
