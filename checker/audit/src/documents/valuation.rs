//! Names and values as a JSON object in the order of the model. Maps of JSON libraries, sorted or hashed, would lose this order.

use std::borrow::Cow;
use std::fmt;

use hyperkill_core::sort::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The values of some variables or ports, in declaration order. After reading, the order is that of the document.
///
/// Truth values are the symbols `TRUE` and `FALSE`; words of more than 63 bits are symbols in hexadecimal, `0x…`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Valuation(pub Vec<(String, Value)>);

impl Valuation {
    /// Whether the valuation has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Valuation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Valuation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Valuation, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Valuation;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Valuation, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Valuation(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl JsonSchema for Valuation {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Valuation")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Value of each variable, in declaration order: a number, or a symbol in the model's spelling.",
            "additionalProperties": { "type": ["integer", "string"] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_values_survive_json() {
        let text = r#"{"z":1,"a":"coff","m":-3}"#;
        let valuation: Valuation = serde_json::from_str(text).unwrap();
        assert_eq!(
            valuation.0[1],
            ("a".to_owned(), Value::Symbol("coff".to_owned()))
        );
        assert_eq!(serde_json::to_string(&valuation).unwrap(), text);
    }
}
