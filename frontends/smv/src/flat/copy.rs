//! Copies of expressions in the scope of an instance.

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::flattener::{Flattener, MAX_EXPRESSIONS, Reference};
use super::parts::Replacement;
use crate::ast::{ExprId, ExprKind};

impl Flattener<'_> {
    /// Adds an expression with its original in the source, if it has one.
    pub(super) fn add(&mut self, kind: ExprKind, span: Span, origin: Option<ExprId>) -> ExprId {
        let id = self.flat.exprs.add(kind, span);
        self.flat.origin.push(origin);
        if let Some(origin) = origin {
            self.flat.copies.entry(origin).or_default().push(id);
            let outer = self.program.exprs[origin].outer;
            self.flat.exprs.parenthesise(id, outer);
        }
        id
    }

    /// Copies an expression of the source, with its names resolved in the instance `scope`.
    pub(super) fn copy(&mut self, scope: usize, root: ExprId) -> Result<ExprId, Diagnostic> {
        let program = self.program;
        let mut wanted = Vec::new();
        // The copy is made top-down; a path is copied as a unit.
        let mut inside: Option<ExprId> = None;
        for id in program.exprs.subtree(root).rev() {
            if inside.is_some_and(|first| id >= first) {
                continue;
            }
            let expr = &program.exprs[id];
            inside = expr.kind.is_path().then_some(expr.first);
            wanted.push(id);
        }
        let mut copied: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut last = root;
        for id in wanted.into_iter().rev() {
            self.has_room(root)?;
            let expr = &program.exprs[id];
            let copy = match expr.kind.is_path() {
                true => {
                    let reference = self.reference(scope, id)?;
                    self.value(reference, id)?
                }
                false => {
                    // Operands come first, so all are known.
                    let kind = expr
                        .kind
                        .with_operands(|old| copied.get(&old).copied().unwrap_or(old));
                    self.add(kind, expr.span, Some(id))
                }
            };
            if self.sites.contains_key(&id) {
                self.replaced.push((scope, copy));
            }
            copied.insert(id, copy);
            last = copy;
        }
        Ok(last)
    }

    /// Copies replacements of sites after everything else, so that no other id changes. A mutant whose replacement cannot be copied is
    /// rejected.
    pub(super) fn copy_replacements(&mut self) {
        for (scope, site) in std::mem::take(&mut self.replaced) {
            let origin = self.flat.origin[site.index()];
            let wanted = origin.and_then(|origin| self.sites.get(&origin)).cloned();
            for Replacement { mutation, with, .. } in wanted.unwrap_or_default() {
                match self.copy(scope, with) {
                    Ok(with) => self.flat.replacements.push(Replacement {
                        mutation,
                        site,
                        with,
                    }),
                    Err(error) => self.flat.rejected.push((mutation, error.message)),
                }
            }
        }
    }

    /// Returns the expression that reads the target `reference` of a path.
    fn value(&mut self, reference: Reference, path: ExprId) -> Result<ExprId, Diagnostic> {
        let span = self.program.exprs[path].span;
        let what = match reference {
            Reference::Leaf(name) => return Ok(self.add(ExprKind::Name(name), span, Some(path))),
            Reference::Pick { .. } => {
                let id = self.element(reference, path, Some(path))?;
                return Ok(id);
            }
            Reference::Instance(instance) => match self.symbol_named_like(instance, path) {
                Some(symbol) => {
                    return Ok(self.add(ExprKind::Name(symbol), span, Some(path)));
                }
                None => "an instance of a module",
            },
            Reference::Array(..) => "an array",
        };
        Err(Diagnostic::error(
            span,
            format!("this is {what}, and a value is expected"),
        ))
    }

    /// Returns the local name of an instance if `path` is a single name and a symbol has the same name; otherwise `None`.
    fn symbol_named_like(&self, instance: usize, path: ExprId) -> Option<String> {
        let ExprKind::Name(_) = self.program.exprs.kind(path) else {
            return None;
        };
        let made = &self.instances[instance];
        let local = made
            .prefix
            .strip_prefix(&*self.instances[made.parent].prefix);
        let local = local?.strip_suffix('.')?;
        self.symbols.contains(local).then(|| local.to_owned())
    }

    /// Checks that the limit on expressions is not reached.
    fn has_room(&self, at: ExprId) -> Result<(), Diagnostic> {
        if self.flat.exprs.len() <= MAX_EXPRESSIONS {
            return Ok(());
        }
        let message = "the model has too many expressions once its modules are written out";
        Err(Diagnostic::error(self.program.exprs[at].span, message))
    }

    fn element(
        &mut self,
        reference: Reference,
        path: ExprId,
        origin: Option<ExprId>,
    ) -> Result<ExprId, Diagnostic> {
        self.has_room(path)?;
        let span = self.program.exprs[path].span;
        match reference {
            Reference::Leaf(name) => Ok(self.add(ExprKind::Name(name), span, None)),
            Reference::Pick {
                scope,
                index,
                low,
                items,
            } => {
                let index = self.copy(scope, index)?;
                let mut elements = Vec::new();
                for item in items {
                    elements.push(self.element(item, path, None)?);
                }
                let kind = ExprKind::Element {
                    index,
                    low,
                    elements,
                };
                Ok(self.add(kind, span, origin))
            }
            other => self.value(other, path),
        }
    }
}
