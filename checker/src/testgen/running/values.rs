//! Translates values that a system shows to bits of the circuit.

use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Value;

/// The reason why values do not fit the inputs or outputs of a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// The model has no variable of this name.
    #[error("there is no `{0}`")]
    Unknown(String),
    /// The variable of this name has no value.
    #[error("`{0}` is missing")]
    Missing(String),
    /// The variable of this name has two values.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// A value does not belong to its variable's type.
    #[error("`{name}` cannot be {value}: its type is {domain}")]
    Value {
        /// The name of the variable.
        name: String,
        /// The value given, as text.
        value: String,
        /// The values of the variable's type, as text.
        domain: String,
    },
}

/// Returns the bits of the circuit's inputs or outputs (`width` in all) that denote these values of its ports; `None` for bits on which the
/// two codes of a value differ, and for bits of no port. Every port must have exactly one value.
///
/// # Errors
/// If a variable is unknown, missing or given twice, or a value is not of its type.
pub fn pattern(
    ports: &[Port],
    width: usize,
    values: &[(String, Value)],
) -> Result<Vec<Option<bool>>, Misfit> {
    let known = |name: &String| ports.iter().any(|port| port.name == *name);
    if let Some((name, _)) = values.iter().find(|(name, _)| !known(name)) {
        return Err(Misfit::Unknown(name.clone()));
    }
    let mut bits = vec![None; width];
    for port in ports {
        let mut own = values.iter().filter(|(name, _)| *name == port.name);
        let (_, value) = own
            .next()
            .ok_or_else(|| Misfit::Missing(port.name.clone()))?;
        if own.next().is_some() {
            return Err(Misfit::Twice(port.name.clone()));
        }
        let code = port.sort.encode(value).ok_or_else(|| Misfit::Value {
            name: port.name.clone(),
            value: value.to_string(),
            domain: port.sort.to_string(),
        })?;
        for (&bit, &set) in port.bits.iter().zip(&code) {
            bits[bit] = Some(set);
        }
        // The value may have a second code, with the highest bit set.
        if let (Some((&bit, false)), true) = (
            port.bits.last().zip(code.last().copied()),
            port.sort.has_aliases(),
        ) {
            let mut other = code;
            if let Some(top) = other.last_mut() {
                *top = true;
            }
            if port.sort.decode(&other) == *value {
                bits[bit] = None;
            }
        }
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use hyperkill_core::sort::Sort;

    use super::*;

    fn port(sort: Sort) -> Port {
        Port {
            name: "x".to_owned(),
            bits: (0..sort.width()).collect(),
            sort,
        }
    }

    #[test]
    fn a_pattern_fits_exactly_the_codes_that_mean_the_value() {
        let sorts = [
            Sort::Bit,
            Sort::Bool,
            Sort::enumeration(["only"]),
            Sort::enumeration(["a", "b", "c"]),
            Sort::Range { low: -3, high: 2 },
            Sort::Word {
                width: 3,
                signed: true,
            },
        ];
        for sort in sorts {
            for code in 0..sort.cardinality() {
                let value = sort.value_of_code(code);
                let port = port(sort.clone());
                let width = sort.width();
                let values = [("x".to_owned(), value.clone())];
                let pattern = pattern(std::slice::from_ref(&port), width, &values).unwrap();
                for word in 0..1_usize << width {
                    let bits: Vec<bool> = (0..width).map(|i| word >> i & 1 == 1).collect();
                    let mut pairs = pattern.iter().zip(&bits);
                    let fits = pairs.all(|(want, bit)| want.is_none_or(|want| want == *bit));
                    assert_eq!(fits, sort.decode(&bits) == value, "{sort} {value} {word}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let ports = [port(Sort::Range { low: 0, high: 4 })];
        let of = |values: &[(&str, i64)]| {
            let values = values.iter();
            let values: Vec<(String, Value)> = values
                .map(|(name, value)| ((*name).to_owned(), Value::Int(*value)))
                .collect();
            pattern(&ports, 3, &values).map_err(|misfit| misfit.to_string())
        };
        assert!(of(&[("x", 4)]).is_ok());
        assert_eq!(of(&[]).unwrap_err(), "`x` is missing");
        assert_eq!(of(&[("x", 1), ("x", 1)]).unwrap_err(), "`x` is there twice");
        assert_eq!(of(&[("x", 1), ("y", 1)]).unwrap_err(), "there is no `y`");
        assert_eq!(
            of(&[("x", 5)]).unwrap_err(),
            "`x` cannot be 5: its type is 0..4"
        );
    }
}
