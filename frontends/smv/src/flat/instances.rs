//! The tree of instances with their declarations and the meaning of their names.

use hyperkill_frontend::{Diagnostic, Span, counted};
use rustc_hash::FxHashMap;

use super::flattener::{
    Flattener, Instance, Local, MAX_DEPTH, MAX_ERRORS, MAX_THINGS, MAX_VALUES, Reference,
};
use crate::ast::{
    Declaration, EnumValue, ExprId, ExprKind, Module, Name, Section, TypeKind, VarKind,
};

/// An instance to be created.
pub(super) struct Instantiation<'a> {
    pub(super) module: &'a Module,
    pub(super) prefix: String,
    pub(super) parent: usize,
    pub(super) arguments: &'a [ExprId],
    pub(super) process: bool,
    pub(super) depth: usize,
}

impl<'a> Flattener<'a> {
    /// Creates an instance with all instances in it. Returns its index.
    pub(super) fn instantiate(&mut self, wanted: Instantiation<'a>) -> usize {
        let index = self.instances.len();
        if wanted.process {
            if self.processes.is_empty() {
                self.processes.push(String::new());
            }
            self.processes.push(wanted.prefix.clone());
        }
        let process = match (wanted.process, index) {
            (true, _) => self.processes.len() - 1,
            (false, 0) => 0,
            (false, _) => self.instances[wanted.parent].process,
        };
        let mut sections = Vec::new();
        self.expand(wanted.module, 0, &mut sections);
        self.instances.push(Instance {
            module: wanted.module,
            sections,
            prefix: wanted.prefix,
            parent: wanted.parent,
            arguments: wanted.arguments,
            names: FxHashMap::default(),
            process,
        });
        for (i, parameter) in wanted.module.parameters.iter().enumerate() {
            self.declare(index, parameter, Local::Parameter(i));
        }
        self.declare_defines(index);
        self.declare_variables(index, wanted.depth);
        index
    }

    /// Collects the sections of a module, with those of `ISA` modules in their places.
    fn expand(&mut self, module: &'a Module, depth: usize, out: &mut Vec<&'a Section>) {
        for section in &module.sections {
            let Section::Isa(name) = section else {
                out.push(section);
                continue;
            };
            match self.program.module(&name.text) {
                Some(_) if depth >= MAX_DEPTH => {
                    let message = "these modules are made of each other";
                    self.errors.push(Diagnostic::error(name.span, message));
                }
                Some(module) => self.expand(module, depth + 1, out),
                None => self.errors.push(no_module(name)),
            }
        }
    }

    /// Declares a name with dots for the complete model.
    fn declare_dotted(&mut self, full: String, span: Span, reference: Reference) {
        let leaf = matches!(reference, Reference::Leaf(_));
        match self.dotted.get(&full) {
            None => {
                self.dotted.insert(full, (reference, span));
            }
            // [`crate::resolve`] reports this, as for names without dots.
            Some((Reference::Leaf(_), _)) if leaf => {}
            Some((_, before)) => {
                let error = Diagnostic::error(span, format!("`{full}` is declared twice"));
                let error = error.with_label(*before, "first declared here");
                self.errors.push(error);
            }
        }
    }

    /// Declares a part of an instance by its name, which may contain dots and indices.
    fn declare_own(&mut self, scope: usize, full: String, name: &'a Name, reference: Reference) {
        match name.text.contains(['.', '[']) {
            true => self.declare_dotted(full, name.span, reference),
            false => self.declare(scope, name, Local::Own(reference)),
        }
    }

    /// Declares the meaning of a name in an instance. [`crate::resolve`] reports a variable or DEFINE of `main` with the name of another
    /// one.
    fn declare(&mut self, scope: usize, name: &'a Name, local: Local) {
        let names = &mut self.instances[scope].names;
        match names.get(name.text.as_str()) {
            None => {
                names.insert(&name.text, (local, name.span));
            }
            Some((Local::Own(Reference::Leaf(_)), _))
                if matches!(local, Local::Own(Reference::Leaf(_))) => {}
            Some((_, before)) => {
                let message = format!("`{}` is declared twice", name.text);
                let error = Diagnostic::error(name.span, message);
                let error = error.with_label(*before, "first declared here");
                self.errors.push(error);
            }
        }
    }

    fn declare_defines(&mut self, scope: usize) {
        for section in self.instances[scope].sections.clone() {
            if let Section::Defines(all) = section {
                for define in all.iter().filter(|define| define.owner.is_none()) {
                    let name = format!("{}{}", self.instances[scope].prefix, define.name.text);
                    let reference = self.defined(&name, define.body);
                    self.declare_own(scope, name, &define.name, reference);
                }
            }
        }
    }

    /// Declares DEFINEs for other instances. All instances must exist.
    pub(super) fn declare_foreign_defines(&mut self) {
        for scope in 0..self.instances.len() {
            for section in self.instances[scope].sections.clone() {
                let Section::Defines(all) = section else {
                    continue;
                };
                for define in all {
                    let Some(owner) = define.owner else {
                        continue;
                    };
                    let name = &define.name;
                    let found = self.home(scope, owner);
                    let Some((instance, prefix)) = self.keep(found) else {
                        continue;
                    };
                    let full = format!("{prefix}{}", name.text);
                    let reference = self.defined(&full, define.body);
                    match instance {
                        Some(instance) => self.declare_own(instance, full, name, reference),
                        None => self.declare_dotted(full, name.span, reference),
                    }
                }
            }
        }
    }

    /// Returns the instance that the DEFINE of `path.name` belongs to, and the prefix of the name. The instance is `None` if the path is
    /// only the beginning of a name with dots.
    ///
    /// # Errors
    /// If the path is neither.
    pub(super) fn home(
        &mut self,
        scope: usize,
        path: ExprId,
    ) -> Result<(Option<usize>, String), Diagnostic> {
        if let Ok(Reference::Instance(instance)) = self.reference(scope, path) {
            return Ok((Some(instance), self.instances[instance].prefix.clone()));
        }
        match self.full_name(scope, path) {
            Some(full) => Ok((None, format!("{full}."))),
            None => {
                let span = self.program.exprs[path].span;
                Err(Diagnostic::error(span, "this is no instance of a module"))
            }
        }
    }

    /// Returns the reference of a DEFINE: its name, or an array of references if its body is an array.
    fn defined(&self, name: &str, body: ExprId) -> Reference {
        match self.program.exprs.kind(body) {
            ExprKind::Array(elements) => {
                let parts = elements.iter().enumerate();
                let parts = parts.map(|(i, part)| self.defined(&format!("{name}[{i}]"), *part));
                Reference::Array(0, parts.collect())
            }
            _ => Reference::Leaf(name.to_owned()),
        }
    }

    fn declare_variables(&mut self, scope: usize, depth: usize) {
        for section in self.instances[scope].sections.clone() {
            match section {
                Section::Variables(kind, all) => {
                    for declaration in all {
                        if self.errors.len() > MAX_ERRORS {
                            return;
                        }
                        let local = &declaration.name;
                        let name = format!("{}{}", self.instances[scope].prefix, local.text);
                        let made = self.variable(
                            scope,
                            depth,
                            *kind,
                            declaration,
                            (&name, &declaration.kind),
                        );
                        let Some(reference) = self.keep(made) else {
                            continue;
                        };
                        self.declare_own(scope, name, local, reference);
                    }
                }
                Section::Constants(all) => {
                    for name in all {
                        self.symbols.insert(&name.text);
                        self.flat.constants.push(name.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Declares the variables of a declaration, or of an array element. `name` and `of` are the full name and the type of that part.
    /// Returns what the name means.
    ///
    /// # Errors
    /// If the model becomes too large, or the type is malformed.
    fn variable(
        &mut self,
        scope: usize,
        depth: usize,
        kind: VarKind,
        declaration: &'a Declaration,
        (name, of): (&str, &'a TypeKind),
    ) -> Result<Reference, Diagnostic> {
        if self.flat.declarations.len().max(self.instances.len()) > MAX_THINGS {
            let message = "the model has too many variables once its modules are written out";
            return Err(Diagnostic::error(declaration.kind_span, message));
        }
        match of {
            TypeKind::Array { low, high, element } => {
                let (low, high) = self.bounds(scope, (*low, *high), name, declaration)?;
                let mut elements = Vec::new();
                for i in low..=high {
                    let part = format!("{name}[{i}]");
                    let part = (part.as_str(), element.as_ref());
                    elements.push(self.variable(scope, depth, kind, declaration, part)?);
                }
                Ok(Reference::Array(low, elements))
            }
            TypeKind::Instance {
                process,
                module,
                arguments,
            } => {
                let found = self.instantiable(depth, kind, declaration, module, arguments.len())?;
                Ok(Reference::Instance(self.instantiate(Instantiation {
                    module: found,
                    prefix: format!("{name}."),
                    parent: scope,
                    arguments,
                    process: *process,
                    depth: depth + 1,
                })))
            }
            _ => self.leaf(scope, kind, declaration, (name, of)),
        }
    }

    /// Declares a variable `name` of the type `of` that is neither an array nor an instance. The symbols of an enumeration become known.
    ///
    /// # Errors
    /// If the enumerations of the model have too many values.
    fn leaf(
        &mut self,
        scope: usize,
        kind: VarKind,
        declaration: &'a Declaration,
        (name, of): (&str, &'a TypeKind),
    ) -> Result<Reference, Diagnostic> {
        if let TypeKind::Enumeration(values) = of {
            self.values += values.len();
            if self.values > MAX_VALUES {
                let message = format!(
                    "the model's enumerations have more than {MAX_VALUES} values once its arrays and modules are written out"
                );
                return Err(Diagnostic::error(declaration.kind_span, message));
            }
            for (value, _) in values {
                if let EnumValue::Symbol(symbol) = value {
                    self.symbols.insert(symbol);
                }
            }
        }
        let name = Name {
            text: name.to_owned(),
            span: declaration.name.span,
        };
        let text = name.text.clone();
        self.pending.push((scope, self.flat.declarations.len()));
        let declaration = Declaration {
            name,
            kind: of.clone(),
            kind_span: declaration.kind_span,
        };
        self.flat.declarations.push((kind, declaration));
        Ok(Reference::Leaf(text))
    }

    /// Returns the module of an instance variable. `given` is the number of actual parameters.
    ///
    /// # Errors
    /// If the variable is no state variable, or there is no such module. If instances are nested too deeply, or the number of parameters
    /// differs.
    fn instantiable(
        &self,
        depth: usize,
        kind: VarKind,
        declaration: &Declaration,
        module: &Name,
        given: usize,
    ) -> Result<&'a Module, Diagnostic> {
        if kind != VarKind::State {
            let keyword = kind.keyword();
            let message = format!("an instance of a module cannot be a {keyword}");
            return Err(Diagnostic::error(declaration.kind_span, message));
        }
        let Some(found) = self.program.module(&module.text) else {
            return Err(no_module(module));
        };
        if depth >= MAX_DEPTH {
            let message = "these modules contain each other";
            return Err(Diagnostic::error(declaration.kind_span, message));
        }
        let wanted = found.parameters.len();
        if wanted != given {
            let text = &module.text;
            let (wanted, given) = (counted(wanted, "parameter"), counted(given, "value"));
            let message = format!("`{text}` has {wanted} and is given {given}");
            let error = Diagnostic::error(declaration.kind_span, message);
            return Err(error.with_label(found.name.span, "the module"));
        }
        Ok(found)
    }

    /// Returns the bounds of an array.
    ///
    /// # Errors
    /// If a bound is no constant number, or the array is empty or too large.
    fn bounds(
        &mut self,
        scope: usize,
        (low, high): (ExprId, ExprId),
        name: &str,
        declaration: &Declaration,
    ) -> Result<(i64, i64), Diagnostic> {
        let low = self.bound(scope, low, name)?;
        let high = self.bound(scope, high, name)?;
        if low > high || high.abs_diff(low) >= 100_000 {
            let message = match low > high {
                true => format!("the array {low}..{high} has no elements"),
                false => format!("the array {low}..{high} is too large"),
            };
            return Err(Diagnostic::error(declaration.kind_span, message));
        }
        Ok((low, high))
    }

    /// Returns the value of an array bound.
    fn bound(&mut self, scope: usize, id: ExprId, array: &str) -> Result<i64, Diagnostic> {
        let span = self.program.exprs[id].span;
        self.constant(scope, id, array, 0)
            .ok_or_else(|| Diagnostic::error(span, "a bound must be a constant number"))
    }

    /// Returns the name of a process, as in [`super::PROCESS_SELECTOR`].
    pub(super) fn process_label(&self, process: usize) -> String {
        match self.processes.get(process).map(String::as_str) {
            None | Some("") => "main".to_owned(),
            Some(prefix) => prefix.trim_end_matches('.').to_owned(),
        }
    }

    /// Returns the full name of `running` of the process that an instance belongs to; `None` if the model has no processes.
    pub(super) fn running(&self, scope: usize) -> Option<String> {
        let process = self.processes.get(self.instances[scope].process)?;
        Some(format!("{process}running"))
    }
}

fn no_module(name: &Name) -> Diagnostic {
    let span: Span = name.span;
    Diagnostic::error(span, format!("there is no module `{}`", name.text))
}
