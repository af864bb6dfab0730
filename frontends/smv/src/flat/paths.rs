//! Resolves paths: `x`, `self.x`, `p.q[3].x`, `a[i]`.

use hyperkill_frontend::Diagnostic;

use super::flattener::{Flattener, Local, MAX_DEPTH, Reference};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

impl Flattener<'_> {
    /// Returns the meaning of a path in an instance.
    pub(super) fn reference(&mut self, scope: usize, id: ExprId) -> Result<Reference, Diagnostic> {
        let program = self.program;
        let expr = &program.exprs[id];
        match &expr.kind {
            ExprKind::SelfInstance => Ok(Reference::Instance(scope)),
            ExprKind::Name(name) => match self.lookup(scope, name, id)? {
                Some(reference) => Ok(reference),
                None if scope == 0 || self.symbols.contains(name.as_str()) => {
                    Ok(Reference::Leaf(name.clone()))
                }
                None => {
                    let module = &self.instances[scope].module.name.text;
                    let message = format!("`{name}` is not declared in `{module}`");
                    let error = Diagnostic::error(expr.span, message);
                    Err(match name.contains('-') {
                        true => error.with_help(format!(
                            "NuSMV reads `{name}` as one name; put spaces around an operator"
                        )),
                        false => error,
                    })
                }
            },
            ExprKind::Member(base, name) => match self.dotted_name(scope, id) {
                Some(whole) => Ok(whole),
                None => {
                    let base = self.reference(scope, *base)?;
                    self.member(base, name, id)
                }
            },
            ExprKind::Index(base, index) => match self.dotted_name(scope, id) {
                Some(whole) => Ok(whole),
                None => {
                    let base = self.reference(scope, *base)?;
                    self.indexed(scope, base, *index, id)
                }
            },
            _ => Err(Diagnostic::error(
                expr.span,
                "this is not the name of a variable, DEFINE or instance",
            )),
        }
    }

    /// Returns the meaning of a path that is declared as one name, with its dots and indices. `None` if there is no such declaration.
    fn dotted_name(&mut self, scope: usize, path: ExprId) -> Option<Reference> {
        if self.dotted.is_empty() {
            return None;
        }
        let full = self.full_name(scope, path)?;
        self.dotted.get(&full).map(|(whole, _)| whole.clone())
    }

    /// Returns the full name of a path of names and literal indices. `None` for other paths. The name need not be declared.
    pub(super) fn full_name(&mut self, scope: usize, path: ExprId) -> Option<String> {
        let program = self.program;
        let (mut at, mut parts) = (path, Vec::new());
        loop {
            match program.exprs.kind(at) {
                ExprKind::Member(base, name) => {
                    parts.push(format!(".{name}"));
                    at = *base;
                }
                ExprKind::Index(base, index) => {
                    parts.push(format!("[{}]", self.literal(*index)?));
                    at = *base;
                }
                ExprKind::Name(first) => {
                    parts.push(self.start_of_name(scope, first, at));
                    break;
                }
                _ => return None,
            }
        }
        parts.reverse();
        Some(parts.concat())
    }

    /// Returns the full name of the first name of a path. A parameter that is an instance has the name of the instance.
    fn start_of_name(&mut self, scope: usize, first: &str, at: ExprId) -> String {
        let instance = &self.instances[scope];
        if let Some((Local::Parameter(_), _)) = instance.names.get(first)
            && let Ok(Some(Reference::Instance(actual))) = self.lookup(scope, first, at)
        {
            return self.instances[actual]
                .prefix
                .trim_end_matches('.')
                .to_owned();
        }
        format!("{}{first}", self.instances[scope].prefix)
    }

    /// Returns the meaning of a name in an instance. `None` if it may be a symbol.
    fn lookup(
        &mut self,
        scope: usize,
        name: &str,
        at: ExprId,
    ) -> Result<Option<Reference>, Diagnostic> {
        let instance = &self.instances[scope];
        match instance.names.get(name) {
            Some((Local::Own(reference), _)) => Ok(Some(reference.clone())),
            Some((Local::Parameter(k), _)) => {
                let actual = instance.arguments[*k];
                if !self.program.exprs.kind(actual).is_path() {
                    return Ok(Some(Reference::Leaf(format!("{}{name}", instance.prefix))));
                }
                if self.depth > 4 * MAX_DEPTH {
                    let message = format!("the parameter `{name}` refers to itself");
                    return Err(Diagnostic::error(self.program.exprs[at].span, message));
                }
                let parent = instance.parent;
                self.depth += 1;
                let reference = self.reference(parent, actual);
                self.depth -= 1;
                reference.map(Some)
            }
            None if name == "running" => Ok(self.running(scope).map(Reference::Leaf)),
            None => Ok(None),
        }
    }

    fn member(&mut self, base: Reference, name: &str, at: ExprId) -> Result<Reference, Diagnostic> {
        let span = self.program.exprs[at].span;
        match base {
            Reference::Instance(instance) => match self.lookup(instance, name, at)? {
                Some(reference) => Ok(reference),
                None => {
                    let module = &self.instances[instance].module.name.text;
                    let message = format!("the module `{module}` has no `{name}`");
                    Err(Diagnostic::error(span, message))
                }
            },
            Reference::Pick {
                scope,
                index,
                low,
                items,
            } => {
                let items = items.into_iter().map(|item| self.member(item, name, at));
                let items = items.collect::<Result<_, _>>()?;
                Ok(Reference::Pick {
                    scope,
                    index,
                    low,
                    items,
                })
            }
            Reference::Leaf(_) | Reference::Array(..) => {
                let message = format!("only instances of modules have parts, as `{name}`");
                Err(Diagnostic::error(span, message))
            }
        }
    }

    fn indexed(
        &mut self,
        scope: usize,
        base: Reference,
        index: ExprId,
        at: ExprId,
    ) -> Result<Reference, Diagnostic> {
        let span = self.program.exprs[at].span;
        match base {
            Reference::Array(low, items) => {
                let has_values = items.iter().all(|item| matches!(item, Reference::Leaf(_)));
                let known = match self.literal(index) {
                    None if !has_values && !self.holds_values(&items) => {
                        self.constant(scope, index, "an array of modules", 0)
                    }
                    known => known,
                };
                let Some(known) = known else {
                    return Ok(Reference::Pick {
                        scope,
                        index,
                        low,
                        items,
                    });
                };
                let place = known.checked_sub(low).and_then(|i| usize::try_from(i).ok());
                let count = items.len() as i64;
                place.and_then(|i| items.into_iter().nth(i)).ok_or_else(|| {
                    let high = low + count - 1;
                    let message = format!("the index {known} is outside {low}..{high}");
                    Diagnostic::error(span, message)
                })
            }
            Reference::Pick {
                scope: outer,
                index: by,
                low,
                items,
            } => {
                let items = items
                    .into_iter()
                    .map(|item| self.indexed(scope, item, index, at));
                let items = items.collect::<Result<_, _>>()?;
                Ok(Reference::Pick {
                    scope: outer,
                    index: by,
                    low,
                    items,
                })
            }
            Reference::Leaf(_) | Reference::Instance(_) => {
                let error = Diagnostic::error(span, "only arrays have elements");
                Err(error.with_help("bits of a word are `w[3:3]`"))
            }
        }
    }

    /// Whether the innermost elements of an array are values, not instances.
    fn holds_values(&self, items: &[Reference]) -> bool {
        items.iter().all(|item| match item {
            Reference::Leaf(_) => true,
            Reference::Instance(_) => false,
            Reference::Array(_, items) | Reference::Pick { items, .. } => self.holds_values(items),
        })
    }

    /// Returns the value of a number or a negated number; `None` for other expressions.
    fn literal(&self, id: ExprId) -> Option<i64> {
        match self.program.exprs.kind(id) {
            ExprKind::Number(n) => Some(*n),
            ExprKind::Unary(UnaryOp::Neg, a) => match self.program.exprs.kind(*a) {
                ExprKind::Number(n) => Some(-n),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the value of an expression of numbers and of DEFINEs and parameters with such values, in the instance `scope`. `None` for
    /// others, for overflows, and beyond the largest `depth`. Records that the DEFINEs determine the shape of `shape`.
    pub(super) fn constant(
        &mut self,
        scope: usize,
        id: ExprId,
        shape: &str,
        depth: usize,
    ) -> Option<i64> {
        if depth > MAX_DEPTH {
            return None;
        }
        let program = self.program;
        let part = |this: &mut Self, id| this.constant(scope, id, shape, depth + 1);
        match program.exprs.kind(id) {
            ExprKind::Number(n) => Some(*n),
            ExprKind::Unary(UnaryOp::Neg, a) => part(self, *a)?.checked_neg(),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (part(self, *a)?, part(self, *b)?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Mod => a.checked_rem(b),
                    _ => None,
                }
            }
            ExprKind::Name(name) => {
                let instance = &self.instances[scope];
                if let Some((Local::Parameter(k), _)) = instance.names.get(name.as_str()) {
                    let (parent, actual) = (instance.parent, instance.arguments[*k]);
                    return self.constant(parent, actual, shape, depth + 1);
                }
                let mut defines = instance.module.defines();
                let define =
                    defines.find(|define| define.owner.is_none() && define.name.text == *name)?;
                let full = format!("{}{name}", instance.prefix);
                self.flat.shapes.insert(full, shape.to_owned());
                self.constant(scope, define.body, shape, depth + 1)
            }
            _ => None,
        }
    }
}
