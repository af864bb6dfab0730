//! Reads the files of walks: a list of steps (AltWalker), or one object per line (GraphWalker).

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::json::{Raw, Text};

use super::document::optional;

/// The suggestion for a text that is no walk.
const HELP: &str = "`altwalker offline` and `gw offline` write walks";

/// A mention of a vertex or edge in the file of a walk, by its id, its name or both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mention {
    /// The id of the vertex or edge, with its place.
    pub(super) id: Option<(String, Span)>,
    /// The name of the vertex or edge, with its place.
    pub(super) name: Option<(String, Span)>,
    /// The name of the model, with its place.
    pub(super) model: Option<(String, Span)>,
    /// The place of the mention in the file.
    pub(super) span: Span,
}

/// A step in the format of AltWalker or of GraphWalker.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepText<'a> {
    #[serde(borrow, default)]
    id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    name: Option<Raw<'a>>,
    #[serde(borrow, default)]
    model_name: Option<Raw<'a>>,
    #[serde(borrow, default, rename = "currentElementID")]
    current_id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    current_element_name: Option<Raw<'a>>,
}

/// Returns the mentions of all elements of a walk, in order. `file` is the index of the walk in places.
///
/// # Errors
/// If the text is no walk.
pub(super) fn mentions(walk: &str, file: usize) -> Result<Vec<Mention>, Diagnostic> {
    let text = Text {
        file,
        text: walk,
        what: "walk",
        help: HELP,
    };
    let raws: Vec<Raw<'_>> = match text.unmarked().trim_start().starts_with('[') {
        true => text.document()?,
        false => text.documents()?,
    };
    let mut found = Vec::with_capacity(raws.len());
    for raw in raws {
        let step: StepText<'_> = text.shaped(raw)?;
        let mention = Mention {
            id: optional(text, step.id.or(step.current_id))?,
            name: optional(text, step.name.or(step.current_element_name))?,
            model: optional(text, step.model_name)?,
            span: text.span(raw),
        };
        if mention.id.is_none() && mention.name.is_none() {
            let message = "a step without `id` and `name`";
            return Err(Diagnostic::error(mention.span, message).with_help(HELP));
        }
        found.push(mention);
    }
    if found.is_empty() {
        let span = Span {
            file,
            ..Span::default()
        };
        return Err(Diagnostic::error(span, "a walk without a step").with_help(HELP));
    }
    Ok(found)
}
