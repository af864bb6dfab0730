//! The contents of instances with full names: types, definitions, assignments, constraints.

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::flattener::{Coming, Flattener, Reference};
use super::parts::{
    FlatAssignment, FlatConstraint, FlatInvariant, Item, ItemKind, PROCESS_SELECTOR,
};
use crate::ast::{
    Assignment, BinaryOp, Branch, Declaration, Define, EnumValue, ExprId, ExprKind, Name, Section,
    SpecificationBody, Target, TypeKind, VarKind,
};
use crate::printer;

impl<'a> Flattener<'a> {
    /// Copies the contents of all instances to the flat model.
    pub(super) fn bodies(&mut self) {
        for (scope, declaration) in std::mem::take(&mut self.pending) {
            let kind = self.flat.declarations[declaration].1.kind.clone();
            let kind = self.kind(scope, kind);
            if let Some(kind) = self.keep(kind) {
                self.flat.declarations[declaration].1.kind = kind;
            }
        }
        if !self.processes.is_empty() {
            self.process_selector();
        }
        for scope in 0..self.instances.len() {
            self.arguments(scope);
            for section in self.instances[scope].sections.clone() {
                let first = self.walked.insert(std::ptr::from_ref(section));
                self.section(scope, section, first);
            }
        }
        self.next_of_processes();
    }

    /// Returns a type with its expressions copied.
    fn kind(&mut self, scope: usize, kind: TypeKind) -> Result<TypeKind, Diagnostic> {
        Ok(match kind {
            TypeKind::Range(low, high) => {
                TypeKind::Range(self.copy(scope, low)?, self.copy(scope, high)?)
            }
            TypeKind::Word { signed, width } => TypeKind::Word {
                signed,
                width: self.copy(scope, width)?,
            },
            other => other,
        })
    }

    /// Adds and returns an expression that is a name without an original in the source.
    fn made(&mut self, name: &str, span: Span) -> ExprId {
        self.add(ExprKind::Name(name.to_owned()), span, None)
    }

    /// Declares the variable that selects the running process, and `running` of each process.
    fn process_selector(&mut self) {
        let labels: Vec<String> = (0..self.processes.len())
            .map(|process| self.process_label(process))
            .collect();
        let span = Span::default();
        let values = labels.iter().map(|l| (EnumValue::Symbol(l.clone()), span));
        let name = |text: &str| Name {
            text: text.to_owned(),
            span,
        };
        self.flat.declarations.push((
            VarKind::Input,
            Declaration {
                name: name(PROCESS_SELECTOR),
                kind: TypeKind::Enumeration(values.collect()),
                kind_span: span,
            },
        ));
        for (process, label) in labels.iter().enumerate() {
            let running = format!("{}running", self.processes[process]);
            let selector = self.made(PROCESS_SELECTOR, span);
            let label = self.made(label, span);
            let body = ExprKind::Binary(BinaryOp::Eq, selector, label);
            let body = self.add(body, span, None);
            self.flat.made.insert(running.clone());
            let name = name(&running);
            self.flat.defines.push(Define {
                owner: None,
                name,
                body,
            });
        }
    }

    /// Declares DEFINEs for actual parameters that are no paths.
    fn arguments(&mut self, scope: usize) {
        let (module, parent) = (self.instances[scope].module, self.instances[scope].parent);
        let arguments = self.instances[scope].arguments;
        for (parameter, actual) in module.parameters.iter().zip(arguments) {
            if self.program.exprs.kind(*actual).is_path() {
                // An undefined path is an error even if nothing reads it.
                let reference = self.reference(parent, *actual);
                self.keep(reference);
                continue;
            }
            let prefix = &self.instances[scope].prefix;
            let name = format!("{prefix}{}", parameter.text);
            let step = format!("argument({name})");
            let first = !self.flat.copies.contains_key(actual);
            let copied = self.copy(parent, *actual);
            if let Some(body) = self.keep(copied) {
                self.define(&name, parameter.span, body);
                self.flat.made.insert(name.clone());
                let kind = ItemKind::Define { name, body };
                self.item(parent, first, step, kind);
            }
        }
    }

    fn define(&mut self, name: &str, span: Span, body: ExprId) {
        let name = Name {
            text: name.to_owned(),
            span,
        };
        self.flat.defines.push(Define {
            owner: None,
            name,
            body,
        });
    }

    fn item(&mut self, scope: usize, first: bool, step: String, kind: ItemKind) {
        if first {
            let instance = &self.instances[scope];
            self.flat.items.push(Item {
                module: instance.module.name.text.clone(),
                prefix: instance.prefix.clone(),
                step,
                kind,
            });
        }
    }

    /// Copies a section; `first` if it was not copied before, for another instance.
    fn section(&mut self, scope: usize, section: &'a Section, first: bool) {
        match section {
            Section::Defines(all) => {
                for define in all {
                    let local = &define.name.text;
                    let (prefix, step) = match define.owner {
                        None => {
                            let prefix = self.instances[scope].prefix.clone();
                            (prefix, format!("define({local})"))
                        }
                        Some(owner) => {
                            let path = printer::expression(&self.program.exprs, owner);
                            let home = self.home(scope, owner);
                            let Some((_, prefix)) = self.keep(home) else {
                                continue;
                            };
                            (prefix, format!("define({path}.{local})"))
                        }
                    };
                    let name = format!("{prefix}{local}");
                    let span = define.name.span;
                    self.define_parts(scope, first, &step, (&name, span), define.body);
                }
            }
            Section::Assigns(all) => {
                for assignment in all {
                    let done = self.assignment(scope, first, assignment);
                    self.keep(done);
                }
            }
            Section::Constraint(constraint) => {
                let copied = self.copy(scope, constraint.body);
                if let Some(body) = self.keep(copied) {
                    let same = self.flat.items.iter().filter(|item| {
                        item.module == self.instances[scope].module.name.text
                            && item.step.starts_with(constraint.kind.keyword())
                    });
                    let step = format!("{}[{}]", constraint.kind.keyword(), same.count());
                    self.item(scope, first, step, ItemKind::Constraint(body));
                    self.flat.constraints.push(FlatConstraint {
                        kind: constraint.kind,
                        body,
                        span: constraint.span,
                    });
                }
            }
            Section::Fairness(fairness) => {
                for condition in &fairness.conditions {
                    let copied = self.copy(scope, *condition);
                    if let Some(condition) = self.keep(copied) {
                        self.flat.fairness.push(condition);
                    }
                }
            }
            Section::Specification(spec) => {
                if let (SpecificationBody::Formula(body), "INVARSPEC") = (&spec.body, spec.keyword)
                {
                    let copied = self.copy(scope, *body);
                    if let Some(body) = self.keep(copied) {
                        self.flat.invariants.push(FlatInvariant {
                            name: spec.name.clone(),
                            body,
                            span: spec.span,
                        });
                    }
                }
            }
            Section::Variables(..) | Section::Constants(_) | Section::Isa(_) => {}
        }
    }

    /// Declares a DEFINE of the value `body`, or one for each element of an array. With `first`, records it as an item of the source with
    /// the path `step`.
    fn define_parts(
        &mut self,
        scope: usize,
        first: bool,
        step: &str,
        (name, span): (&str, Span),
        body: ExprId,
    ) {
        if let ExprKind::Array(elements) = self.program.exprs.kind(body) {
            for (i, element) in elements.iter().enumerate() {
                let (name, step) = (format!("{name}[{i}]"), format!("{step}/array[{i}]"));
                self.define_parts(scope, first, &step, (&name, span), *element);
            }
            return;
        }
        let copied = self.copy(scope, body);
        if let Some(body) = self.keep(copied) {
            self.define(name, span, body);
            let name = name.to_owned();
            let kind = ItemKind::Define { name, body };
            self.item(scope, first, step.to_owned(), kind);
        }
    }

    fn assignment(
        &mut self,
        scope: usize,
        first: bool,
        assignment: &Assignment,
    ) -> Result<(), Diagnostic> {
        let program = self.program;
        let place = &program.exprs[assignment.place];
        let text = match self.reference(scope, assignment.place)? {
            Reference::Leaf(text) => text,
            picked @ Reference::Pick { .. } => match self.fixed(picked) {
                Some(text) => text,
                None => {
                    let message = "an element that is assigned needs a constant index";
                    return Err(Diagnostic::error(place.span, message));
                }
            },
            Reference::Instance(_) | Reference::Array(..) => {
                return Err(Diagnostic::error(
                    place.span,
                    "only single variables are assigned",
                ));
            }
        };
        let name = Name {
            text,
            span: place.span,
        };
        let local = printer::expression(&program.exprs, assignment.place);
        let step = assignment.target.of(&local);
        let span = assignment.span;
        if assignment.target == Target::Next && !self.processes.is_empty() {
            let kind = ItemKind::Assignment {
                name: name.text.clone(),
                target: assignment.target,
                value: assignment.value,
                span,
            };
            // The value is copied when all processes that assign the variable are known.
            let item = first.then_some(self.flat.items.len());
            self.item(scope, first, step, kind);
            let value = assignment.value;
            self.coming.push(Coming {
                name,
                scope,
                value,
                span,
                item,
            });
            return Ok(());
        }
        let value = self.copy(scope, assignment.value)?;
        let kind = ItemKind::Assignment {
            name: name.text.clone(),
            target: assignment.target,
            value,
            span,
        };
        self.item(scope, first, step, kind);
        self.flat.assignments.push(FlatAssignment {
            target: assignment.target,
            name,
            value,
            span,
            writers: Vec::new(),
        });
        Ok(())
    }

    /// Returns the name of the variable that a reference with constant indices selects. `None` for instances, complete arrays, and indices
    /// that are not constant or outside.
    fn fixed(&mut self, reference: Reference) -> Option<String> {
        match reference {
            Reference::Leaf(name) => Some(name),
            Reference::Pick {
                scope,
                index,
                low,
                items,
            } => {
                let index = self.constant(scope, index, "an array", 0)?;
                let place = usize::try_from(index.checked_sub(low)?).ok()?;
                let item = items.into_iter().nth(place)?;
                self.fixed(item)
            }
            Reference::Instance(_) | Reference::Array(..) => None,
        }
    }

    /// Combines `next` assignments of processes: each is made while its process runs; otherwise the variable keeps its value.
    fn next_of_processes(&mut self) {
        let mut order: Vec<String> = Vec::new();
        let mut by_name: FxHashMap<String, Vec<Coming>> = FxHashMap::default();
        for coming in std::mem::take(&mut self.coming) {
            let name = coming.name.text.clone();
            let all = by_name.entry(name.clone()).or_default();
            if all.is_empty() {
                order.push(name);
            }
            all.push(coming);
        }
        for name in order {
            let all = by_name.remove(&name).unwrap_or_default();
            let merged = self.merge(&name, all);
            self.keep(merged);
        }
    }

    fn merge(&mut self, name: &str, all: Vec<Coming>) -> Result<(), Diagnostic> {
        let Some(first) = all.first() else {
            return Ok(());
        };
        let (target, span) = (first.name.clone(), first.span);
        let mut branches = Vec::new();
        let mut writers = Vec::new();
        let mut seen: FxHashMap<usize, Span> = FxHashMap::default();
        for coming in all {
            let process = self.instances[coming.scope].process;
            if let Some(before) = seen.insert(process, coming.span) {
                let message = format!("`next({name})` is assigned twice in one process");
                let error = Diagnostic::error(coming.span, message);
                return Err(error.with_label(before, "first assigned here"));
            }
            let running = self.running(coming.scope).unwrap_or_default();
            let condition = self.made(&running, coming.span);
            let value = self.copy(coming.scope, coming.value)?;
            if let Some(item) = coming.item
                && let ItemKind::Assignment { value: copied, .. } = &mut self.flat.items[item].kind
            {
                *copied = value;
            }
            branches.push(Branch {
                condition,
                value,
                span: coming.span,
            });
            writers.push(coming.span);
        }
        let condition = self.add(ExprKind::Truth(true), span, None);
        let value = self.made(name, target.span);
        branches.push(Branch {
            condition,
            value,
            span,
        });
        let value = self.add(ExprKind::Case(branches), span, None);
        self.flat.assignments.push(FlatAssignment {
            target: Target::Next,
            name: target,
            value,
            span,
            writers,
        });
        Ok(())
    }
}
