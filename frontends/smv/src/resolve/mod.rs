//! Resolves names: variables with their domains and assignments, DEFINEs, symbols.
//!
//! [`crate::types`] has the types of expressions, and [`crate::order`] finds circular definitions.

pub mod constant;
mod model;

pub use model::{Entity, Model, Variable};

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::ast::{
    Declaration, Define, EnumValue, ExprId, ExprKind, Function, Name, Target, TypeKind, VarKind,
};

use crate::domain::Domain;
use crate::flat::{Flat, FlatAssignment, PROCESS_SELECTOR};
use crate::parser::word::MAX_WIDTH;

/// Resolves all names of a model.
///
/// # Errors
/// If declarations or assignments are repeated, names undefined, or types malformed.
pub fn resolve(flat: &Flat) -> Result<Model<'_>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let names = declare(flat, &mut errors);
    let defines: Vec<&Define> = flat.defines.iter().collect();
    let mut entities = vec![None; flat.exprs.len()];
    for (id, expr) in flat.exprs.iter() {
        if let ExprKind::Name(name) = &expr.kind {
            entities[id.index()] = names.get(name.as_str()).copied();
            if entities[id.index()].is_none() {
                errors.push(undefined(name, expr.span, &names));
            }
        }
    }
    let mut model = Model {
        flat,
        variables: Vec::new(),
        shapes: vec![None; defines.len()],
        constants: Vec::new(),
        defines,
        entities,
        names,
        symbols: FxHashMap::default(),
    };
    for (d, define) in model.defines.iter().enumerate() {
        model.shapes[d] = flat.shapes.get(&define.name.text).cloned();
    }
    model.constants = constant::of_defines(&model);
    // Elements of an array, and instances of a module, share their enumerations.
    let mut enumerations: FxHashMap<Span, Domain> = FxHashMap::default();
    for (v, (kind, declaration)) in flat.declarations.iter().enumerate() {
        let known = match &declaration.kind {
            TypeKind::Enumeration(_) => enumerations.get(&declaration.kind_span),
            _ => None,
        };
        let domain = known.cloned().unwrap_or_else(|| {
            let domain = domain(&mut model, declaration).unwrap_or_else(|error| {
                errors.push(error);
                Domain::boolean()
            });
            for symbol in domain.as_symbols().unwrap_or_default() {
                model.symbols.entry(symbol.clone()).or_insert(v);
            }
            domain
        });
        if let TypeKind::Enumeration(_) = declaration.kind
            && declaration.kind_span != Span::default()
        {
            let known = enumerations.entry(declaration.kind_span);
            known.or_insert_with(|| domain.clone());
        }
        model.variables.push(Variable {
            name: &declaration.name,
            kind: *kind,
            domain,
            init: None,
            next: None,
            current: None,
        });
    }
    for (_, expr) in flat.exprs.iter() {
        for id in shaping(&expr.kind) {
            // Typing checks that it is constant.
            mark_shapes(&mut model, "an expression", id);
        }
    }
    for assignment in &flat.assignments {
        if let Err(error) = assign(&mut model, assignment) {
            errors.push(error);
        }
    }
    match errors.is_empty() {
        true => Ok(model),
        false => {
            errors.sort_by_key(|e| e.span);
            Err(errors)
        }
    }
}

/// Returns the table of all names. DEFINEs and variables come first, so that a symbol with the same name is the repeated one.
fn declare<'a>(flat: &'a Flat, errors: &mut Vec<Diagnostic>) -> FxHashMap<&'a str, Entity> {
    let mut names: FxHashMap<&str, (Entity, Span)> = FxHashMap::default();
    let variables = flat.declarations.iter().map(|(_, d)| &d.name);
    let defines = flat.defines.iter().map(|d| &d.name);
    let named = (variables.enumerate().map(|(i, n)| (Entity::Variable(i), n)))
        .chain(defines.enumerate().map(|(i, n)| (Entity::Define(i), n)));
    for (entity, name) in named {
        if let Some((_, before)) = names.get(name.text.as_str()) {
            let message = format!("`{}` is declared twice", name.text);
            errors.push(
                Diagnostic::error(name.span, message).with_label(*before, "first declared here"),
            );
        } else {
            names.insert(&name.text, (entity, name.span));
        }
    }
    let constants = flat
        .constants
        .iter()
        .map(|name| (name.text.as_str(), name.span));
    let values = flat.declarations.iter().flat_map(|(_, d)| match &d.kind {
        TypeKind::Enumeration(values) => values.as_slice(),
        _ => &[],
    });
    let symbols = values.filter_map(|(value, span)| match value {
        EnumValue::Symbol(symbol) => Some((symbol.as_str(), *span)),
        EnumValue::Number(_) => None,
    });
    for (symbol, span) in symbols.chain(constants) {
        match names.get(symbol) {
            None => {
                names.insert(symbol, (Entity::Symbol, span));
            }
            Some((Entity::Symbol, _)) => {}
            Some((_, before)) => errors.push(
                Diagnostic::error(
                    span,
                    format!("the value `{symbol}` has the name of something else"),
                )
                .with_label(*before, "declared here"),
            ),
        }
    }
    names.into_iter().map(|(n, (e, _))| (n, e)).collect()
}

fn undefined(name: &str, span: Span, names: &FxHashMap<&str, Entity>) -> Diagnostic {
    let error = Diagnostic::error(span, format!("`{name}` is not declared"));
    if name.contains('-') {
        return error.with_help(format!(
            "NuSMV reads `{name}` as one name; put spaces around an operator"
        ));
    }
    let other_case = |n: &&&str| n.eq_ignore_ascii_case(name);
    // The least of several, so that the message is independent of the table's order.
    match names.keys().filter(other_case).min() {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None => error,
    }
}

fn domain(model: &mut Model<'_>, declaration: &Declaration) -> Result<Domain, Diagnostic> {
    let name = &declaration.name.text;
    match &declaration.kind {
        TypeKind::Boolean => Ok(Domain::boolean()),
        TypeKind::Range(low, high) => {
            let (low, high) = (bound(model, name, *low)?, bound(model, name, *high)?);
            if low > high {
                let message = format!("the range {low}..{high} is empty");
                return Err(Diagnostic::error(declaration.kind_span, message));
            }
            Ok(Domain::range(low, high))
        }
        TypeKind::Enumeration(values) => enumeration(values),
        TypeKind::Word { signed, width } => {
            let bits = bound(model, name, *width)?;
            match u32::try_from(bits) {
                Ok(bits @ 1..=MAX_WIDTH) => Ok(Domain::word(bits, *signed)),
                _ => Err(Diagnostic::error(
                    declaration.kind_span,
                    format!("words have 1 to {MAX_WIDTH} bits, not {bits}"),
                )),
            }
        }
        TypeKind::Array { .. } | TypeKind::Instance { .. } => Err(Diagnostic::error(
            declaration.kind_span,
            "this type has no values",
        )),
    }
}

fn enumeration(values: &[(EnumValue, Span)]) -> Result<Domain, Diagnostic> {
    let mut seen: FxHashMap<String, Span> = FxHashMap::default();
    let (mut symbols, mut numbers, mut spellings) = (0, Vec::new(), Vec::new());
    for (value, span) in values {
        let text = match value {
            EnumValue::Symbol(symbol) => {
                symbols += 1;
                symbol.clone()
            }
            EnumValue::Number(n) => {
                numbers.push(*n);
                n.to_string()
            }
        };
        if let Some(before) = seen.insert(text.clone(), *span) {
            return Err(
                Diagnostic::error(*span, format!("the value `{text}` is there twice"))
                    .with_label(before, "first here"),
            );
        }
        spellings.push(text);
    }
    Ok(match (symbols, numbers.is_empty()) {
        (_, true) => Domain::symbols(spellings),
        (0, false) => Domain::numbers(numbers),
        _ => Domain::mixed(spellings),
    })
}

/// Returns the value of a range bound, and records the DEFINEs that it reads.
fn bound(model: &mut Model<'_>, variable: &str, id: ExprId) -> Result<i64, Diagnostic> {
    let value = constant::value(model, id)?;
    mark_shapes(model, variable, id);
    Ok(value)
}

/// Returns the operands whose constant values determine the type of the expression: bounds of bits, and widths.
fn shaping(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Bits(_, high, low) => vec![*high, *low],
        ExprKind::Call(Function::Swconst | Function::Uwconst, arguments) => arguments.clone(),
        ExprKind::Call(Function::Extend | Function::Resize, arguments) => {
            arguments.get(1).copied().into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Records all DEFINEs that an expression reads as part of a type.
fn mark_shapes(model: &mut Model<'_>, variable: &str, id: ExprId) {
    // DEFINEs that DEFINEs read: each is visited at most once per variable.
    let mut roots = vec![id];
    while let Some(root) = roots.pop() {
        for part in model.exprs().subtree(root) {
            if let Some(Entity::Define(define)) = model.entity(part)
                && model.shapes[define].is_none()
            {
                model.shapes[define] = Some(variable.to_owned());
                roots.push(model.defines[define].body);
            }
        }
    }
}

fn assign<'a>(model: &mut Model<'a>, assignment: &'a FlatAssignment) -> Result<(), Diagnostic> {
    let Name { text, span } = &assignment.name;
    let left = assignment.left();
    let Some(Entity::Variable(index)) = model.lookup(text) else {
        return Err(match model.lookup(text) {
            None => undefined(text, *span, &model.names),
            Some(_) => Diagnostic::error(*span, format!("`{text}` is not a variable")).with_help(
                "only variables are assigned; a DEFINE has its value from its definition",
            ),
        });
    };
    let variable = &mut model.variables[index];
    let declared = variable.name.span;
    if text == PROCESS_SELECTOR {
        return Err(Diagnostic::error(
            *span,
            "which process runs is not assigned",
        ));
    }
    if variable.kind == VarKind::Input
        || variable.kind == VarKind::Frozen && assignment.target != Target::Init
    {
        let message = match variable.kind {
            VarKind::Input => format!("the IVAR `{text}` cannot be assigned"),
            _ => format!("only init({text}) of a FROZENVAR can be assigned"),
        };
        return Err(Diagnostic::error(*span, message).with_label(declared, "declared here"));
    }
    let twice = match assignment.target {
        Target::Current => [variable.current, variable.init, variable.next],
        Target::Init => [variable.init, variable.current, None],
        Target::Next => [variable.next, variable.current, None],
    };
    if let Some(before) = twice.into_iter().flatten().next() {
        let message = format!("`{left}` is assigned, but `{}` already is", before.left());
        return Err(Diagnostic::error(assignment.span, message)
            .with_label(before.span, "first assigned here"));
    }
    match assignment.target {
        Target::Current => variable.current = Some(assignment),
        Target::Init => variable.init = Some(assignment),
        Target::Next => variable.next = Some(assignment),
    }
    Ok(())
}
