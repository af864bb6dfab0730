//! The structure of the documents.

use hyperkill_text::json::{Members, Raw, Text};

/// The name of such a document in messages.
pub(super) const WHAT: &str = "netlist of yosys";

/// The suggestion of a program that writes such documents.
pub(super) const HELP: &str = "`yosys -p 'read_verilog FILES; prep -flatten -auto-top; memory_map; write_json OUT.json'` writes one";

/// Returns the text of a file.
pub(super) fn text(file: usize, text: &str) -> Text<'_> {
    Text {
        file,
        text,
        what: WHAT,
        help: HELP,
    }
}

/// The complete document.
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
    /// Whether indices in the source ascend to the right.
    #[serde(default)]
    upto: i64,
}

impl NetText<'_> {
    /// Returns the index in the source of the bit `bit` of a net.
    pub(super) fn place(&self, bit: usize) -> i64 {
        let (bit, width) = (bit as i64, self.bits.len() as i64);
        let above = if self.upto == 0 { bit } else { width - 1 - bit };
        self.offset.saturating_add(above)
    }
}
