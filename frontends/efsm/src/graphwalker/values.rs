//! Values of expressions before any walk: of constants, and of variables with known values.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use hyperkill_core::sort::Value;
use hyperkill_guarded::tree::{BinaryOp, ExprId, ExprKind, Exprs, UnaryOp};

use super::script::Assignment;

/// Gives each variable of `names` without a value the first one that some assignment of `all` gives it, so that it has a type. Returns
/// these assignments. They are evaluated in rounds, until a round gives no variable a value. An assignment that reads a variable without a
/// value waits for it.
pub(super) fn given_later<'a>(
    exprs: &Exprs,
    all: &[&'a Assignment],
    names: &BTreeSet<String>,
    values: &mut BTreeMap<String, Value>,
) -> Vec<&'a Assignment> {
    let mut given = Vec::new();
    let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    // The assignments that can be evaluated, by rounds.
    let mut due: BinaryHeap<Reverse<(usize, usize)>> =
        (0..all.len()).map(|index| Reverse((0, index))).collect();
    while let Some(Reverse((turn, index))) = due.pop() {
        let Assignment { target, value, .. } = all[index];
        if values.contains_key(&target.text) {
            continue;
        }
        let open = exprs
            .parts(*value)
            .find_map(|part| match &exprs[part].kind {
                ExprKind::Name(name) if names.contains(name) && !values.contains_key(name) => {
                    Some(name.clone())
                }
                _ => None,
            });
        if let Some(name) = open {
            waiting.entry(name).or_default().push(index);
            continue;
        }
        let Some(value) = constant(exprs, *value, values) else {
            continue;
        };
        values.insert(target.text.clone(), value);
        given.push(all[index]);
        let others = waiting.remove(&target.text).unwrap_or_default();
        due.extend(others.into_iter().map(|other| {
            let is_behind = other > index;
            Reverse((if is_behind { turn } else { turn + 1 }, other))
        }));
    }
    given
}

/// Returns the value of an expression of constants and of variables with these values. `None` if a number is too large, an operand is no
/// number, or a string has no text.
pub(super) fn constant(
    exprs: &Exprs,
    id: ExprId,
    values: &BTreeMap<String, Value>,
) -> Option<Value> {
    let first = exprs.first(id).index();
    let mut found: Vec<Value> = Vec::new();
    for part in exprs.parts(id) {
        let of = |operand: ExprId| &found[operand.index() - first];
        let number = |operand: ExprId| match of(operand) {
            Value::Int(value) => Some(*value),
            Value::Symbol(_) => None,
        };
        let value = match &exprs[part].kind {
            ExprKind::Truth(value) => Value::bool(*value),
            ExprKind::Number(value) => Value::Int(*value),
            // A name that is no variable is a string.
            ExprKind::Name(name) => match values.get(name) {
                Some(value) => value.clone(),
                None if exprs[part].span.start < exprs[part].span.end => {
                    Value::Symbol(name.clone())
                }
                None => return None,
            },
            ExprKind::Unary(UnaryOp::Not, a) => Value::bool(*of(*a) != Value::bool(true)),
            ExprKind::Unary(UnaryOp::Minus, a) => Value::Int(number(*a)?.checked_neg()?),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Add => Value::Int(number(*a)?.checked_add(number(*b)?)?),
                BinaryOp::Sub => Value::Int(number(*a)?.checked_sub(number(*b)?)?),
                BinaryOp::Mul => Value::Int(number(*a)?.checked_mul(number(*b)?)?),
                BinaryOp::Eq => Value::bool(of(*a) == of(*b)),
                BinaryOp::Ne => Value::bool(of(*a) != of(*b)),
                BinaryOp::Lt => Value::bool(number(*a)? < number(*b)?),
                BinaryOp::Le => Value::bool(number(*a)? <= number(*b)?),
                BinaryOp::Gt => Value::bool(number(*a)? > number(*b)?),
                BinaryOp::Ge => Value::bool(number(*a)? >= number(*b)?),
                BinaryOp::And => {
                    Value::bool([*a, *b].iter().all(|side| *of(*side) == Value::bool(true)))
                }
                BinaryOp::Or => {
                    Value::bool([*a, *b].iter().any(|side| *of(*side) == Value::bool(true)))
                }
            },
        };
        found.push(value);
    }
    found.pop()
}
