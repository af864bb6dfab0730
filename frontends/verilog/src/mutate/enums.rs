//! Finds the variables of an `enum`: only names of the `enum` may be assigned to them.
//!
//! Variables are identified by name: names of one module, of packages and of items outside modules.

use rustc_hash::FxHashSet;

use crate::ast::{DataType, Declaration, Item, ItemKind, Name, Source, StmtId, StmtKind};

/// Types and variables of an `enum`.
#[derive(Clone)]
struct Names {
    types: FxHashSet<Name>,
    variables: FxHashSet<Name>,
}

/// The names that all modules know.
pub(super) struct Enums<'a> {
    source: &'a Source,
    known: Names,
}

impl<'a> Enums<'a> {
    pub(super) fn new(source: &'a Source) -> Enums<'a> {
        let mut known = Names {
            types: FxHashSet::default(),
            variables: FxHashSet::default(),
        };
        known.items(source, &source.outside);
        for (package, items) in &source.packages {
            known.items(source, items);
            let scoped: Vec<Name> = known
                .types
                .iter()
                .map(|name| format!("{package}::{name}").into())
                .collect();
            known.types.extend(scoped);
        }
        Enums { source, known }
    }

    /// Returns the names of variables of an `enum` that these items can use, and of functions with such results.
    pub(super) fn variables(&self, items: &[Item]) -> FxHashSet<Name> {
        let mut names = self.known.clone();
        names.items(self.source, items);
        names.variables
    }
}

impl Names {
    fn items(&mut self, source: &Source, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Typedef(declarator, declaration) if self.is_enum(declaration) => {
                    self.types.insert(declarator.name.clone());
                }
                ItemKind::Declaration(declaration) => self.declaration(declaration),
                ItemKind::Always(_, body) | ItemKind::Initial(body) => self.stmt(source, *body),
                ItemKind::Routine(routine) => {
                    if routine.result.as_ref().is_some_and(|of| self.is_enum(of)) {
                        self.variables.insert(routine.name.clone());
                    }
                    self.items(source, &routine.declarations);
                    self.stmt(source, routine.body);
                }
                ItemKind::Block(_, items) | ItemKind::GenerateFor { items, .. } => {
                    self.items(source, items);
                }
                ItemKind::GenerateIf(_, then, other) => {
                    self.items(source, std::slice::from_ref(then));
                    if let Some(other) = other {
                        self.items(source, std::slice::from_ref(other));
                    }
                }
                ItemKind::GenerateCase(_, branches) => {
                    for (_, block) in branches {
                        self.items(source, std::slice::from_ref(block));
                    }
                }
                _ => {}
            }
        }
    }

    /// Collects the declarations of blocks.
    fn stmt(&mut self, source: &Source, id: StmtId) {
        match &source.stmt(id).kind {
            StmtKind::Block(_, declared, statements) => {
                self.items(source, declared);
                for statement in statements {
                    self.stmt(source, *statement);
                }
            }
            StmtKind::If(_, then, other) => {
                self.stmt(source, *then);
                if let Some(other) = other {
                    self.stmt(source, *other);
                }
            }
            StmtKind::Case { items, .. } => {
                for item in items {
                    self.stmt(source, item.body);
                }
            }
            StmtKind::For { body, .. } | StmtKind::While(_, body) => self.stmt(source, *body),
            _ => {}
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        if self.is_enum(declaration) {
            let names = declaration.names.iter().map(|one| one.name.clone());
            self.variables.extend(names);
        }
    }

    fn is_enum(&self, declaration: &Declaration) -> bool {
        match declaration.of.as_deref() {
            Some(DataType::Enum(..)) => true,
            Some(DataType::Named(name)) => self.types.contains(name),
            _ => false,
        }
    }
}
