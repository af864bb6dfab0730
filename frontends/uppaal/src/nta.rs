//! A model as its file says it: templates, locations and transitions with their texts, not yet read.

use hyperkill_frontend::Span;

use crate::text::Text;

/// A model as its file says it.
#[derive(Clone, Debug, Default)]
pub struct Nta {
    /// Global declarations, and where more could be added.
    pub declaration: Text,
    /// Where a global declaration can be added: a byte of the file, and whether an element has to be made for it.
    pub room: (usize, bool),
    /// The templates in their order.
    pub templates: Vec<TemplateText>,
    /// Instances, in files before 3.5.
    pub instantiation: Text,
    /// Instances and the line that says which processes there are.
    pub system: Text,
    /// Where that stands.
    pub system_span: Span,
    /// What the file asks of its processes.
    pub queries: Vec<String>,
}

/// A template.
#[derive(Clone, Debug)]
pub struct TemplateText {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its parameters.
    pub parameter: Text,
    /// Its declarations.
    pub declaration: Text,
    /// The locations in their order.
    pub locations: Vec<LocationText>,
    /// Number of the location that it starts in.
    pub initial: usize,
    /// The transitions in their order.
    pub transitions: Vec<TransitionText>,
    /// Where a transition can be added.
    pub room: usize,
}

/// A location.
#[derive(Clone, Debug)]
pub struct LocationText {
    /// As transitions refer to it.
    pub id: String,
    /// Its name; the id if it has none.
    pub name: String,
    /// The whole element.
    pub span: Span,
    /// Its invariant.
    pub invariant: Option<Text>,
    /// Whether time stops there.
    pub is_urgent: bool,
    /// Whether nothing else happens before it is left.
    pub is_committed: bool,
    /// Whether it has a rate of exponential distributions.
    pub has_rate: bool,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct TransitionText {
    /// The whole element.
    pub span: Span,
    /// Number of the location that it leaves.
    pub source: usize,
    /// Number of the location that it enters.
    pub target: usize,
    /// Values that it is there for.
    pub select: Option<Text>,
    /// When it may be taken.
    pub guard: Option<Text>,
    /// What it takes part in.
    pub sync: Option<Text>,
    /// What it changes.
    pub update: Option<Text>,
    /// Whether the tester controls it, if that is said, and where.
    pub controllable: Option<(bool, Span)>,
}
