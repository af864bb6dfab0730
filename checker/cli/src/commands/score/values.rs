//! Inputs as files have them.

use hyperkill_core::sort::{Sort, Value};

/// A value of a type, as the model spells it; truth values also as 0 and 1.
pub(super) fn value(cell: &str, sort: &Sort) -> Option<Value> {
    let of_bool = match (sort, cell) {
        (Sort::Bool, "0" | "false") => Some(Value::bool(false)),
        (Sort::Bool, "1" | "true") => Some(Value::bool(true)),
        _ => None,
    };
    let number = cell.parse().ok().map(Value::Int);
    let candidates = [of_bool, number, Some(Value::Symbol(cell.to_owned()))];
    let mut candidates = candidates.into_iter().flatten();
    candidates.find(|value| sort.encode(value).is_some())
}
