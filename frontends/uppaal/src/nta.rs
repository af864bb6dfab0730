//! A model as its file says it: templates, locations and transitions with their texts, not yet read.

use hyperkill_frontend::{Diagnostic, Span};

use hyperkill_text::Excerpt;

/// A model as its file says it.
#[derive(Clone, Debug, Default)]
pub struct Nta {
    /// Global declarations, and where more could be added.
    pub declaration: Excerpt,
    /// Where a global declaration can be added: a byte of the file, and whether an element has to be made for it.
    pub room: (usize, bool),
    /// The templates in their order.
    pub templates: Vec<TemplateText>,
    /// Instances, in files before 3.5.
    pub instantiation: Excerpt,
    /// Instances and the line that says which processes there are.
    pub system: Excerpt,
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
    pub parameter: Excerpt,
    /// Its declarations.
    pub declaration: Excerpt,
    /// The locations in their order.
    pub locations: Vec<LocationText>,
    /// Number of the location that it starts in.
    pub initial: usize,
    /// The transitions in their order.
    pub transitions: Vec<TransitionText>,
    /// Where its branch points stand.
    pub branch_points: Vec<Span>,
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
    pub invariant: Option<Excerpt>,
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
    pub select: Option<Excerpt>,
    /// When it may be taken.
    pub guard: Option<Excerpt>,
    /// What it takes part in.
    pub sync: Option<Excerpt>,
    /// What it changes.
    pub update: Option<Excerpt>,
    /// Whether the tester controls it, if that is said, and where.
    pub controllable: Option<(bool, Span)>,
    /// Where its weight stands, if it has one.
    pub weight: Option<Span>,
    /// What leads to the branch point that it leaves. All but the span and the target is said there.
    pub branch: Option<Branch>,
}

/// A branch of a transition that splits at a branch point.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The transition up to the branch point.
    pub stem: Span,
    /// What the branch changes, after the updates of that transition.
    pub update: Option<Excerpt>,
}

impl TransitionText {
    /// All updates as one text.
    #[must_use]
    pub fn updates(&self) -> String {
        let own = self.update.iter();
        let branch = self
            .branch
            .iter()
            .filter_map(|branch| branch.update.as_ref());
        let texts = own.chain(branch).map(|text| text.plain.trim());
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        texts.join(", ")
    }
}

/// Most transitions that branch points make of one template.
const MOST: usize = 100_000;

/// Joins each transition into a branch point with each one that leaves it. Branch points are numbered behind the locations.
pub(crate) fn joined(
    parts: Vec<TransitionText>,
    locations: usize,
) -> Result<Vec<TransitionText>, Diagnostic> {
    let mut joined = Vec::new();
    let leaves_point = |part: &&TransitionText| part.source >= locations;
    for branch in parts.iter().filter(leaves_point) {
        let labels = [&branch.select, &branch.guard, &branch.sync];
        if branch.target >= locations {
            let message = "a branch point leads to locations only";
            return Err(Diagnostic::error(branch.span, message));
        }
        if labels.into_iter().any(Option::is_some) {
            let message = "behind a branch point there are weights and updates only";
            return Err(Diagnostic::error(branch.span, message));
        }
    }
    for part in parts.iter().filter(|part| part.source < locations) {
        if let Some(weight) = part.weight {
            let message = "a weight stands behind a branch point only";
            return Err(Diagnostic::error(weight, message));
        }
        if part.target < locations {
            joined.push(part.clone());
            continue;
        }
        for branch in parts.iter().filter(|other| other.source == part.target) {
            if joined.len() >= MOST {
                let message = "branch points make too many transitions";
                return Err(Diagnostic::error(part.span, message));
            }
            joined.push(TransitionText {
                span: branch.span,
                target: branch.target,
                weight: branch.weight,
                branch: Some(Branch {
                    stem: part.span,
                    update: branch.update.clone(),
                }),
                ..part.clone()
            });
        }
    }
    Ok(joined)
}
