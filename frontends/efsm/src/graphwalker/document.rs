//! The structure of the documents, and the text of scripts.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::json::{Members, Raw, Text};

/// The suggestion for a text that is no such document.
const HELP: &str = "GraphWalker's Studio writes such files, and `gw convert -i MODEL.graphml -f json` does of GraphML";

/// Returns the text of the first source file, as a reader of JSON.
pub(super) fn text(text: &str) -> Text<'_> {
    Text {
        file: 0,
        text,
        what: "model of GraphWalker",
        help: HELP,
    }
}

/// A complete document, or a single model.
#[derive(serde::Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow, default)]
    pub(super) models: Option<Vec<Raw<'a>>>,
    #[serde(borrow, default)]
    pub(super) vertices: Option<Raw<'a>>,
}

/// A model.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelText<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) start_element_id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) actions: Option<Vec<Raw<'a>>>,
    #[serde(borrow, default)]
    pub(super) vertices: Option<Vec<Raw<'a>>>,
    #[serde(borrow, default)]
    pub(super) edges: Option<Vec<Raw<'a>>>,
}

/// A vertex.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VertexText<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) shared_state: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) actions: Option<Vec<Raw<'a>>>,
    #[serde(borrow, default)]
    pub(super) properties: Option<Raw<'a>>,
}

/// An edge.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EdgeText<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) guard: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) actions: Option<Vec<Raw<'a>>>,
    #[serde(borrow, default)]
    pub(super) source_vertex_id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) target_vertex_id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) properties: Option<Raw<'a>>,
}

/// Whether properties mark an element as blocked. Properties that are no object are ignored.
pub(super) fn is_blocked(text: Text<'_>, properties: Option<Raw<'_>>) -> bool {
    let members = properties.and_then(|part| text.shaped::<Members<Raw<'_>>>(part).ok());
    let mut all = members.iter().flat_map(|members| &members.0);
    all.any(|(name, value)| {
        name.eq_ignore_ascii_case("blocked") && matches!(value.get(), "true" | "\"true\"")
    })
}

/// Returns a required string with its place.
///
/// # Errors
/// If the part is no string.
pub(super) fn string(text: Text<'_>, part: Raw<'_>) -> Result<(String, Span), Diagnostic> {
    let span = text.span(part);
    match text.string(part) {
        Some(string) => Ok((string, span)),
        None => Err(Diagnostic::error(span, "a string is expected").with_help(HELP)),
    }
}

/// Returns the id of an element with its place.
///
/// # Errors
/// If it has none.
pub(super) fn id(
    text: Text<'_>,
    part: Option<Raw<'_>>,
    element: Span,
) -> Result<(String, Span), Diagnostic> {
    match part {
        Some(part) => string(text, part),
        None => {
            let place = Span {
                end: element.start + 1,
                ..element
            };
            let error = Diagnostic::error(place, "an element without an id");
            Err(error.with_help("`id` is a string that no other element of the model has"))
        }
    }
}

/// Returns the text of an optional string; `null` and the empty string count as missing.
pub(super) fn optional(
    text: Text<'_>,
    part: Option<Raw<'_>>,
) -> Result<Option<(String, Span)>, Diagnostic> {
    match part.filter(|part| part.get() != "null") {
        None => Ok(None),
        Some(part) => Ok(Some(string(text, part)?).filter(|(string, _)| !string.is_empty())),
    }
}
