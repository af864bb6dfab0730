//! Guesses the outputs of a model without marks or options.
//!
//! The candidates are variables that are driven (by an assignment or a constraint) and change. A variable is an output if no other
//! assignment reads it. In a strongly connected component that nothing outside reads, all variables are outputs. So each variable that
//! changes is an output or affects one. A DEFINE that nothing reads is an output too, unless it is constant. A DEFINE with boolean values
//! is only a statement about variables and hides none. A boolean variable that would be the only output hides none either. A DEFINE with
//! other values hides the variables that it reads: they are no outputs themselves.

use crate::ast::{ExprId, ExprKind, VarKind};
use crate::domain::Kind;
use crate::resolve::{Entity, Model};
use crate::types::Types;

/// The graph of reads between variables and DEFINEs. Its nodes are the variables, then the DEFINEs.
pub(crate) struct Reads {
    variables: usize,
    reads: Vec<Vec<usize>>,
    /// The reversed edges of `reads`.
    readers: Vec<Vec<usize>>,
}

impl Reads {
    /// Collects the reads of all assignments and DEFINEs.
    pub(crate) fn new(model: &Model<'_>) -> Reads {
        let variables = model.variables.len();
        let count = variables + model.defines.len();
        let mut found = Reads {
            variables,
            reads: vec![Vec::new(); count],
            readers: vec![Vec::new(); count],
        };
        for (v, variable) in model.variables.iter().enumerate() {
            let all = [variable.init, variable.next, variable.current];
            for assignment in all.into_iter().flatten() {
                found.add(model, v, assignment.value);
            }
        }
        for (d, define) in model.defines.iter().enumerate() {
            found.add(model, variables + d, define.body);
        }
        for node in 0..count {
            found.reads[node].sort_unstable();
            found.reads[node].dedup();
            for index in 0..found.reads[node].len() {
                let read = found.reads[node][index];
                found.readers[read].push(node);
            }
        }
        found
    }

    fn add(&mut self, model: &Model<'_>, node: usize, body: ExprId) {
        for part in model.exprs().subtree(body) {
            match model.entity(part) {
                Some(Entity::Variable(v)) => self.reads[node].push(v),
                Some(Entity::Define(d)) => self.reads[node].push(self.variables + d),
                _ => {}
            }
        }
    }

    /// Returns for each node whether it is reachable from a node of `start`, or is one.
    fn closure(start: impl IntoIterator<Item = usize>, edges: &[Vec<usize>]) -> Vec<bool> {
        let mut seen = vec![false; edges.len()];
        let mut open: Vec<usize> = start.into_iter().collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(&edges[node]);
            }
        }
        seen
    }
}

/// An output that is guessed, and the reason.
pub(crate) struct Seen {
    pub(crate) entity: Entity,
    pub(crate) why: &'static str,
}

/// Returns the outputs of a model without marked outputs: variables at the ends of dependencies, and DEFINEs that nothing reads.
/// `is_driven` selects the variables to consider, and `is_left_out` excludes an output.
pub(crate) fn guess(
    model: &Model<'_>,
    types: &Types,
    is_driven: &dyn Fn(usize) -> bool,
    is_left_out: &dyn Fn(Entity) -> bool,
) -> Vec<Seen> {
    let reads = Reads::new(model);
    let count = reads.variables;
    let driven: Vec<bool> = (0..count).map(is_driven).collect();
    let varying = Reads::closure(0..count, &reads.readers);
    let shown: Vec<usize> = (count..reads.reads.len())
        .filter(|node| {
            let entity = Entity::Define(node - count);
            reads.readers[*node].is_empty()
                && has_a_value(model, types, node - count)
                && varying[*node]
                && !is_left_out(entity)
        })
        .collect();
    let telling = shown.iter().filter(|node| {
        let body = model.defines[**node - count].body;
        types.of(body).kind != Kind::Bool
    });
    let told = Reads::closure(telling.copied(), &reads.reads);
    let at_ends = |driven: &[bool]| -> Vec<Seen> {
        let groups = ends(&reads, driven).into_iter();
        let groups = groups.filter(|group| !group.iter().any(|v| told[*v]));
        let members = groups.flat_map(|group| {
            let alone = group.len() == 1;
            group.into_iter().map(move |v| (v, alone))
        });
        let members = members
            .filter(|(v, _)| !is_left_out(Entity::Variable(*v)) && changes(model, &reads, *v));
        let seen = members.map(|(v, alone)| Seen {
            entity: Entity::Variable(v),
            why: why(&reads, v, alone),
        });
        seen.collect()
    };
    let mut seen = at_ends(&driven);
    if let [
        Seen {
            entity: Entity::Variable(v),
            ..
        },
    ] = seen[..]
        && model.variables[v].domain.kind() == Kind::Bool
    {
        // A boolean variable does not represent the rest of the state, so the variables that it reads are outputs too.
        let mut others = driven.clone();
        others[v] = false;
        seen.extend(at_ends(&others));
    }
    seen.extend(shown.into_iter().map(|node| Seen {
        entity: Entity::Define(node - count),
        why: "no other assignment or DEFINE reads it",
    }));
    seen.sort_by_key(|seen| seen.entity);
    seen
}

/// Returns the reason why a variable is an output, as a clause. `alone` says that no other driven variable is in its strongly connected
/// component; otherwise all driven variables of the component are outputs.
fn why(reads: &Reads, v: usize, alone: bool) -> &'static str {
    if !alone {
        "it depends on its readers, and no other variable reads them"
    } else if reads.readers[v].iter().all(|reader| *reader == v) {
        "no other assignment or DEFINE reads it"
    } else {
        "only boolean variables and DEFINEs read it"
    }
}

/// Whether a DEFINE has a single value at a step.
fn has_a_value(model: &Model<'_>, types: &Types, define: usize) -> bool {
    let body = model.defines[define].body;
    let made = model.flat.made.contains(&model.defines[define].name.text);
    !types.of(body).set && !types.reads_next(body) && !made
}

/// Whether a variable may change its value in a step.
fn changes(model: &Model<'_>, reads: &Reads, v: usize) -> bool {
    let variable = &model.variables[v];
    if variable.kind == VarKind::Frozen {
        return false;
    }
    if let Some(next) = variable.next {
        let kept = matches!(model.exprs().kind(next.value), ExprKind::Name(_))
            && model.entity(next.value) == Some(Entity::Variable(v));
        return !kept;
    }
    match variable.current {
        Some(current) => {
            let is_number = matches!(
                model.exprs().kind(current.value),
                ExprKind::Number(_) | ExprKind::Truth(_) | ExprKind::Word(_)
            );
            let is_symbol = model.entity(current.value) == Some(Entity::Symbol);
            let reads_some = !reads.reads[v].is_empty();
            reads_some || !(is_number || is_symbol)
        }
        None => true,
    }
}

/// Returns the strongly connected components of driven variables that no driven variable outside reads.
fn ends(reads: &Reads, driven: &[bool]) -> Vec<Vec<usize>> {
    // All nodes in the post-order of a depth-first search (Kosaraju).
    let count = reads.reads.len();
    let (mut seen, mut left) = (vec![false; count], Vec::with_capacity(count));
    for root in 0..count {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            match reads.reads[*node].get(*next) {
                Some(&read) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[read], true) {
                        path.push((read, 0));
                    }
                }
                None => {
                    left.push(*node);
                    path.pop();
                }
            }
        }
    }
    // On the reversed graph, in reverse post-order, each search finds one strongly connected component; components that read others come
    // first.
    let mut group_of = vec![usize::MAX; count];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for root in left.iter().rev() {
        if group_of[*root] != usize::MAX {
            continue;
        }
        let mut group = Vec::new();
        let mut open = vec![*root];
        while let Some(node) = open.pop() {
            if group_of[node] == usize::MAX {
                group_of[node] = groups.len();
                group.push(node);
                open.extend(&reads.readers[node]);
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    // Whether a driven variable outside reads a group, directly or through DEFINEs.
    let is_driven = |node: &usize| *node < reads.variables && driven[*node];
    let (mut read, mut ends) = (vec![false; groups.len()], Vec::new());
    for (number, group) in groups.iter().enumerate() {
        let readers = group.iter().flat_map(|node| &reads.readers[*node]);
        let outside = readers.filter(|reader| group_of[**reader] != number);
        read[number] = outside.into_iter().any(|reader| {
            let other = group_of[*reader];
            read[other] || groups[other].iter().any(is_driven)
        });
        let variables: Vec<usize> = group.iter().copied().filter(is_driven).collect();
        if !read[number] && !variables.is_empty() {
            ends.push(variables);
        }
    }
    ends
}
