//! Operators that are applied only if selected: other sources, targets and labels, and inverted resets.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::Edit;

use crate::document::TransitionText;
use crate::machine::Binding;
use crate::mutate::{End, Place, Proposal, Proposals};
use crate::syntax::{Expr, Node};
use crate::values::Type;
use crate::xml::{escaped, quoted};

/// The reason to leave the source or target of a transition unchanged.
const NO_REFERENCE: &str = "their transitions do not name the location in an attribute `ref`";
/// The reason to leave a label unchanged.
const CONTRADICTS: &str = "`controllable` of their transitions contradicts the new label";
/// The reason to leave transitions with a branch point unchanged.
const BRANCHES: &str = "their transitions split at a branch point";
/// The reason to add no update.
const NO_END: &str = "their transitions do not end with `</transition>`";

impl Place<'_> {
    fn proposal(&self, number: usize, what: &str, span: Span, replacement: String) -> Proposal {
        let path = format!("{} {what}", self.edge_path(number));
        (path, Edit { span, replacement }, None)
    }

    /// Proposes to move each transition's source, or target (`end`), to every other location.
    pub(crate) fn moved(&self, end: End) -> Proposals {
        let mut all = Proposals::default();
        for (number, transition) in self.text.transitions.iter().enumerate() {
            let (tag, there) = match end {
                End::Source => ("<source", transition.source),
                End::Target => ("<target", transition.target),
            };
            if transition.branch.is_some() {
                all.leave_out(self.text.locations.len() - 1, BRANCHES);
                continue;
            }
            let Some(span) = self.reference(transition, tag) else {
                all.leave_out(self.text.locations.len() - 1, NO_REFERENCE);
                continue;
            };
            for (other, location) in self.text.locations.iter().enumerate() {
                if other != there {
                    let id = quoted(&location.id);
                    let proposal = self.proposal(number, &location.name, span, format!("\"{id}\""));
                    all.edits.push(proposal);
                }
            }
        }
        all
    }

    /// Returns the place of the value of `ref`, with its quotes, in the element `tag` of a transition. `None` if there is none.
    fn reference(&self, transition: &TransitionText, tag: &str) -> Option<Span> {
        let text = transition.span.of(self.source());
        let element = text.find(tag)?;
        let end = element + text[element..].find('>')?;
        let name = element + text[element..end].find("ref")?;
        let quoted = name + text[name..end].find(['"', '\''])?;
        let quote = text[quoted..].chars().next()?;
        let length = text[quoted + 1..end].find(quote)? + 2;
        let start = transition.span.start + quoted;
        Some(Span::new(start, start + length))
    }

    /// Returns the synchronisation labels of all transitions, each once.
    fn actions(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        let labels = self.text.transitions.iter().filter_map(|t| t.sync.as_ref());
        for label in labels {
            let label = label.plain.trim();
            if !label.is_empty() && !all.contains(&label) {
                all.push(label);
            }
        }
        all
    }

    /// Proposes to replace each synchronisation label by every other one of the template.
    pub(crate) fn relabelled(&self) -> Proposals {
        let mut all = Proposals::default();
        for (number, transition) in self.text.transitions.iter().enumerate() {
            let Some(own) = transition.sync.as_ref() else {
                continue;
            };
            if transition.branch.is_some() {
                all.leave_out(self.actions().len() - 1, BRANCHES);
                continue;
            }
            let span = own.span(0, own.plain.len());
            for other in self.actions() {
                let is_said = transition.controllable.is_some();
                let turns = own.plain.trim().ends_with('?') != other.ends_with('?');
                if other == own.plain.trim() {
                    continue;
                }
                match is_said && turns {
                    true => all.leave_out(1, CONTRADICTS),
                    false => {
                        let proposal = self.proposal(number, other, span, escaped(other));
                        all.edits.push(proposal);
                    }
                }
            }
        }
        all
    }

    /// Proposes to invert a reset of a transition: a clock that it sets is kept, and a clock that it keeps is set to 0.
    pub(crate) fn resets(&self) -> Proposals {
        let mut all = Proposals::default();
        for (number, edge) in self.template.edges.iter().enumerate() {
            let transition = &self.text.transitions[number];
            if transition.branch.is_some() {
                all.leave_out(self.clocks().len(), BRANCHES);
                continue;
            }
            for clock in self.clocks() {
                let (kept, set): (Vec<&Expr>, Vec<&Expr>) =
                    edge.update.iter().partition(|update| !sets(update, &clock));
                let mut texts: Vec<&str> = kept.iter().map(|e| e.span.of(self.source())).collect();
                let reset = format!("{clock} = 0");
                if set.is_empty() {
                    texts.push(&reset);
                }
                let text = texts.join(", ");
                let span = match &transition.update {
                    Some(update) => update.span(0, update.plain.len()),
                    None => {
                        let tag = "</transition>";
                        let whole = transition.span.of(self.source());
                        let Some(at) = whole.rfind(tag) else {
                            all.leave_out(1, NO_END);
                            continue;
                        };
                        let at = transition.span.start + at;
                        let label = format!("<label kind=\"assignment\">{text}</label>");
                        let proposal = self.proposal(number, &clock, Span::new(at, at), label);
                        all.edits.push(proposal);
                        continue;
                    }
                };
                all.edits.push(self.proposal(number, &clock, span, text));
            }
        }
        all
    }

    /// Returns the names of clocks that are no part of an array.
    fn clocks(&self) -> Vec<String> {
        let levels = self.machine.levels.iter().flatten();
        let clocks = levels.filter(|(_, of)| matches!(of, Binding::Clock(_, Type::Clock)));
        let mut names: Vec<String> = clocks.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Proposes a transition for each ordered pair of locations and each label of the template, with the guard and updates of the first
    /// transition.
    pub(crate) fn more_by_labels(&self) -> Vec<Proposal> {
        let first = self.text.transitions.first();
        let (before, after) = first.map_or_else(Default::default, |first| self.labels(first));
        let room = Span::new(self.text.room, self.text.room);
        let mut edits = Vec::new();
        for action in self.actions() {
            for source in &self.text.locations {
                for target in &self.text.locations {
                    let [from, to] = [source, target].map(|l| quoted(&l.id));
                    let label = format!(
                        "<label kind=\"synchronisation\">{}</label>",
                        escaped(action)
                    );
                    let replacement = format!(
                        "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>{before}{label}{after}</transition>"
                    );
                    let path = format!("{}->{} {action}", source.name, target.name);
                    let edit = Edit {
                        span: room,
                        replacement,
                    };
                    edits.push((path, edit, None));
                }
            }
        }
        edits
    }
}

/// Whether an update is an assignment to the clock with this name.
fn sets(update: &Expr, clock: &str) -> bool {
    match &update.node {
        Node::Assign(_, target, _) => matches!(&target.node, Node::Name(name) if name == clock),
        _ => false,
    }
}
