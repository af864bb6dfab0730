//! A model as its file says it: templates, locations and transitions with their texts, not yet read.

use hyperkill_frontend::{Diagnostic, Span};

use hyperkill_text::Excerpt;

/// A model as its file says it.
#[derive(Clone, Debug, Default)]
pub struct Nta {
    /// The text of the global declarations.
    pub declaration: Excerpt,
    /// The place for an additional global declaration: a byte of the file, and whether an element must be created for it.
    pub room: (usize, bool),
    /// The templates in their order.
    pub templates: Vec<TemplateText>,
    /// Instances, in files before 3.5.
    pub instantiation: Excerpt,
    /// The instances and the `system` line, which lists the processes.
    pub system: Excerpt,
    /// The place of the system declaration.
    pub system_span: Span,
    /// The queries of the file.
    pub queries: Vec<String>,
}

/// A template.
#[derive(Clone, Debug)]
pub struct TemplateText {
    /// The name of the template.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The text of the parameters.
    pub parameter: Excerpt,
    /// The text of the template's declarations.
    pub declaration: Excerpt,
    /// The locations in their order.
    pub locations: Vec<LocationText>,
    /// The index of the initial location.
    pub initial: usize,
    /// The transitions in their order.
    pub transitions: Vec<TransitionText>,
    /// The places of the template's branch points.
    pub branch_points: Vec<Span>,
    /// The byte of the file at which a transition can be added.
    pub room: usize,
}

/// A location.
#[derive(Clone, Debug)]
pub struct LocationText {
    /// The identifier, by which transitions refer to the location.
    pub id: String,
    /// The name; the id if there is none.
    pub name: String,
    /// The place of the complete element.
    pub span: Span,
    /// The text of the invariant, if there is one.
    pub invariant: Option<Excerpt>,
    /// Whether the location is urgent: time stops there.
    pub is_urgent: bool,
    /// Whether the location is committed: it must be left before any other step.
    pub is_committed: bool,
    /// Whether the location has a rate of exponential distributions.
    pub has_rate: bool,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct TransitionText {
    /// The place of the complete element.
    pub span: Span,
    /// The index of the location that the transition leaves.
    pub source: usize,
    /// The index of the location that the transition enters.
    pub target: usize,
    /// The `select` label: names with types, one transition for each choice of their values.
    pub select: Option<Excerpt>,
    /// The text of the guard, if there is one.
    pub guard: Option<Excerpt>,
    /// The text of the synchronisation, if there is one.
    pub sync: Option<Excerpt>,
    /// The text of the updates, if there are any.
    pub update: Option<Excerpt>,
    /// Whether the tester controls it, and the place of that attribute; `None` if the file does not say.
    pub controllable: Option<(bool, Span)>,
    /// The place of the transition's weight, if it has one.
    pub weight: Option<Span>,
    /// The transition to the branch point at which this one starts. All parts but the span and the target are stated there.
    pub branch: Option<Branch>,
}

/// A branch of a transition that splits at a branch point.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The transition up to the branch point.
    pub stem: Span,
    /// The updates of the branch, which follow those of that transition.
    pub update: Option<Excerpt>,
}

impl TransitionText {
    /// Returns all updates as one text, those of the branch last.
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

/// The number of transitions that branch points make of one template, at most.
const MAX_BRANCHES: usize = 100_000;

/// Joins each transition into a branch point with each one that leaves it, and returns the transitions between locations. Branch points are
/// numbered from `locations` on.
///
/// # Errors
/// If a branch leads to another branch point, or has other labels than updates.
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
            if joined.len() >= MAX_BRANCHES {
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
