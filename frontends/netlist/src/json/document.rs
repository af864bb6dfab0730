//! The shape of the documents: objects in their order, and every part as the stretch of text that it is.

use std::fmt;
use std::marker::PhantomData;

use hyperkill_frontend::{Diagnostic, Span};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in their order.
#[derive(Debug)]
pub(super) struct Members<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Members<T> {
    fn default() -> Members<T> {
        Members(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<T>, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Members<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

/// A part of the text that is JSON.
pub(super) type Raw<'a> = &'a RawValue;

/// The whole document.
#[derive(serde::Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) modules: Members<Raw<'a>>,
}

/// A module.
#[derive(serde::Deserialize)]
pub(super) struct ModuleText<'a> {
    #[serde(borrow, default)]
    pub(super) attributes: Members<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) ports: Members<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) cells: Members<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) netnames: Members<Raw<'a>>,
}

/// A port.
#[derive(serde::Deserialize)]
pub(super) struct PortText<'a> {
    pub(super) direction: String,
    #[serde(borrow)]
    pub(super) bits: Vec<Raw<'a>>,
}

/// A cell.
#[derive(serde::Deserialize)]
pub(super) struct CellText<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow, default)]
    pub(super) parameters: Members<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) attributes: Members<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) connections: Members<Vec<Raw<'a>>>,
}

/// A named word of nets.
#[derive(serde::Deserialize)]
pub(super) struct NetText<'a> {
    #[serde(default)]
    pub(super) hide_name: serde_json::Value,
    #[serde(borrow)]
    pub(super) bits: Vec<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) attributes: Members<Raw<'a>>,
    /// The least index in the source.
    #[serde(default)]
    offset: i64,
    /// Whether indices in the source go up to the right.
    #[serde(default)]
    upto: i64,
}

impl NetText<'_> {
    /// The index in the source of bit `bit`.
    pub(super) fn place(&self, bit: usize) -> i64 {
        let (bit, width) = (bit as i64, self.bits.len() as i64);
        let above = if self.upto == 0 { bit } else { width - 1 - bit };
        self.offset.saturating_add(above)
    }
}

/// A text whose parts know their places.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) file: usize,
    pub(super) text: &'a str,
}

impl<'a> Text<'a> {
    /// Where a part is.
    pub(super) fn span(self, part: Raw<'a>) -> Span {
        let start = (part.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        Span {
            file: self.file,
            start,
            end: start + part.get().len(),
        }
    }

    /// The whole text as a document.
    ///
    /// # Errors
    /// If it is no JSON, or none of that shape.
    pub(super) fn document(self) -> Result<Document<'a>, Diagnostic> {
        serde_json::from_str(self.text).map_err(|error| {
            let line = error.line().saturating_sub(1);
            let before = self.text.split_inclusive('\n').take(line);
            let start: usize = before.map(str::len).sum();
            let at = (start + error.column().saturating_sub(1)).min(self.text.len());
            self.wrong(at, &error)
        })
    }

    /// A part in a shape.
    ///
    /// # Errors
    /// If it has not that shape.
    pub(super) fn shaped<T: Deserialize<'a>>(self, part: Raw<'a>) -> Result<T, Diagnostic> {
        serde_json::from_str(part.get()).map_err(|error| {
            let at = self.span(part).start;
            self.wrong(at, &error)
        })
    }

    fn wrong(self, at: usize, error: &serde_json::Error) -> Diagnostic {
        let mut message = error.to_string();
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        let span = Span {
            file: self.file,
            start: at,
            end: at,
        };
        Diagnostic::error(span, format!("this is no netlist of yosys: {message}"))
            .with_help("`yosys -p 'read_verilog FILES; prep -flatten -auto-top; memory_map; write_json OUT.json'` writes one")
    }

    /// What a string says; `None` if it is none.
    pub(super) fn string(self, part: Raw<'a>) -> Option<String> {
        serde_json::from_str(part.get()).ok()
    }
}
