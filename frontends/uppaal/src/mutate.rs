//! The mutation operators of \[0\], as edits of the file.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::mutant::Operator;
use hyperkill_core::timed::Relation;
use hyperkill_frontend::mutation::{self, Catalogue, Edit, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Severity, SourceFile, Span};

use crate::conditions::{relation, turned};
use crate::document::{Nta, TemplateText, TransitionText};
use crate::guidelines::Guideline;
use crate::machine::{Binding, Machine};
use crate::syntax::{Edge, Expr, Node, Template};

/// A mutant, and the guideline that it violates.
pub type Mutation = mutation::Mutation<Option<Guideline>>;

/// A proposed mutant: its path, its edit, and the guideline that it violates.
pub(crate) type Proposal = (String, Edit, Option<Guideline>);

/// The edits of an operator on a template.
#[derive(Default)]
pub(crate) struct Proposals {
    pub(crate) edits: Vec<Proposal>,
    /// The number of mutants that cannot be written, by reason.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

impl Proposals {
    /// Counts `mutants` mutants that cannot be written, for this reason.
    pub(crate) fn leave_out(&mut self, mutants: usize, why: &'static str) {
        if mutants > 0 {
            *self.left_out.entry(why).or_default() += mutants;
        }
    }
}

impl From<Vec<Proposal>> for Proposals {
    fn from(edits: Vec<Proposal>) -> Proposals {
        Proposals {
            edits,
            ..Proposals::default()
        }
    }
}

/// Numbers of mutants that an operator describes and the catalogue lacks, by operator and reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct LeftOut(BTreeMap<(String, &'static str), usize>);

impl LeftOut {
    fn add(&mut self, operator: &str, why: &'static str, mutants: usize) {
        *self.0.entry((operator.to_owned(), why)).or_default() += mutants;
    }

    /// Adds the left-out second changes of a mutant that the operator `first` has made.
    pub(crate) fn add_behind(&mut self, first: &str, second: LeftOut) {
        for ((operator, why), mutants) in second.0 {
            self.add(&format!("{first}+{operator}"), why, mutants);
        }
    }

    /// Returns these numbers together with those of first changes that cannot be written, and so cannot be followed by second ones.
    #[must_use]
    pub(crate) fn with_firsts(mut self, firsts: LeftOut) -> LeftOut {
        for ((operator, why), mutants) in firsts.0 {
            self.add(&format!("{operator} as the first change"), why, mutants);
        }
        self
    }

    /// Returns a warning for each operator and reason.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        self.0.iter().map(|((operator, why), mutants)| {
            let are = match mutants {
                1 => "1 mutant is".to_owned(),
                mutants => format!("{mutants} mutants are"),
            };
            let message = format!("{operator}: {are} left out of the catalogue: {why}");
            Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::unlocated(message)
            }
        })
    }
}

type Rule = mutation::Rule<Does>;

/// An end of a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Source,
    Target,
}

/// The edits that an operator makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    Tmi,
    Smi,
    Tad,
    Cxl,
    Cxs,
    Ccn,
    /// One of several comparisons has a larger constant.
    Cal,
    /// One of several comparisons has a smaller constant.
    Cas,
    /// One of several comparisons is negated.
    Can,
    Moved(End),
    Relabelled,
    Resets,
    Tax,
}

const RULES: Rules<Does> = Rules {
    usual: &[
        Rule {
            name: "TMI",
            summary: "leaves out a transition",
            example: "<transition>…</transition> ⇒",
            edits: Does::Tmi,
        },
        Rule {
            name: "SMI",
            summary: "leaves out a location with its transitions, but not the initial one",
            example: "<location>…</location> … <transition>…</transition> ⇒",
            edits: Does::Smi,
        },
        Rule {
            name: "TAD",
            summary: "adds a transition with a new input or output, and the guard and updates of the first one",
            example: "</template> ⇒ <transition>…</transition></template>",
            edits: Does::Tad,
        },
        Rule {
            name: "CXL",
            summary: "adds 1 to the constant of a guard or invariant that compares one clock",
            example: "x <= 5 ⇒ x <= 6",
            edits: Does::Cxl,
        },
        Rule {
            name: "CXS",
            summary: "takes 1 from the constant of a guard or invariant that compares one clock, if it is 2 or more",
            example: "x <= 5 ⇒ x <= 4",
            edits: Does::Cxs,
        },
        Rule {
            name: "CCN",
            summary: "negates a guard that compares one clock, but not by ==",
            example: "x <= 5 ⇒ x > 5",
            edits: Does::Ccn,
        },
    ],
    on_demand: &[
        Rule {
            name: "CAL",
            summary: "adds 1 to the constant of one of several comparisons of a guard or invariant",
            example: "x <= 5 && y > 2 ⇒ x <= 6 && y > 2",
            edits: Does::Cal,
        },
        Rule {
            name: "CAS",
            summary: "takes 1 from the constant of one of several comparisons of a guard or invariant, if it is 2 or more",
            example: "x <= 5 && y > 2 ⇒ x <= 4 && y > 2",
            edits: Does::Cas,
        },
        Rule {
            name: "CAN",
            summary: "negates one of several comparisons of a guard, but not by ==",
            example: "x <= 5 && y > 2 ⇒ x > 5 && y > 2",
            edits: Does::Can,
        },
        Rule {
            name: "CSL",
            summary: "moves the source of a transition to another location",
            example: "<source ref=\"l0\"/> ⇒ <source ref=\"l1\"/>",
            edits: Does::Moved(End::Source),
        },
        Rule {
            name: "CTL",
            summary: "moves the target of a transition to another location",
            example: "<target ref=\"l0\"/> ⇒ <target ref=\"l1\"/>",
            edits: Does::Moved(End::Target),
        },
        Rule {
            name: "CAC",
            summary: "puts another label of the template in place of a transition's own",
            example: "press? ⇒ open!",
            edits: Does::Relabelled,
        },
        Rule {
            name: "IRS",
            summary: "leaves out what sets a clock, or sets one that a transition keeps to 0",
            example: "x = 0 ⇒ x = 0, y = 0",
            edits: Does::Resets,
        },
        Rule {
            name: "TAX",
            summary: "adds a transition with a label of the template, and the guard and updates of the first one",
            example: "</template> ⇒ <transition>…</transition></template>",
            edits: Does::Tax,
        },
    ],
};

/// Returns the operators with their summaries and examples, as the catalogue for users shows them.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// The names of channels of new transitions. A number is appended if the name is in use.
const NEW_CHANNELS: [&str; 2] = ["added_input", "added_output"];

/// Whether a channel has a name of the channels that mutants with new transitions declare.
pub(crate) fn is_new_channel(name: &str) -> bool {
    let mut names = NEW_CHANNELS.iter();
    names.any(|new| {
        let number = name.strip_prefix(new);
        number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    })
}

/// Returns the names of the new input and output channel, which the text does not contain.
fn new_channels(text: &str) -> [String; 2] {
    NEW_CHANNELS.map(|name| {
        let numbered = (1..).map(|number: usize| match number {
            1 => name.to_owned(),
            number => format!("{name}{number}"),
        });
        let mut free = numbered.skip_while(|name| text.contains(name.as_str()));
        free.next().unwrap_or_default()
    })
}

/// Returns the text with declarations of an input and an output channel for new transitions of mutants.
#[must_use]
pub fn with_channels(source: &str, nta: &Nta) -> String {
    let [input, output] = new_channels(source);
    let (at, needs_element) = nta.room;
    let declared = format!("chan {input}, {output};");
    let declared = match needs_element {
        true => format!("<declaration>{declared}</declaration>"),
        false => format!("{declared} "),
    };
    let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
    [before, &declared, after].concat()
}

/// Returns the input and the output channel that [`with_channels`] declared for a change; `level` 0 is the last change. `None` if there are
/// not so many declarations.
fn declared_channels(source: &str, level: usize) -> Option<[String; 2]> {
    let (at, _) = source.match_indices("chan added_input").nth(level)?;
    let names = source[at + 5..].split(';').next()?;
    let (input, output) = names.split_once(", ")?;
    Some([input.to_owned(), output.to_owned()])
}

/// Returns the inputs that new transitions may have after `order` changes.
pub(crate) fn new_inputs(source: &str, order: usize) -> Vec<String> {
    let levels = (0..order).filter_map(|level| declared_channels(source, level));
    levels.map(|[input, _]| input).collect()
}

/// The process and text to mutate, with everything that operators read.
pub(crate) struct Place<'a> {
    pub(crate) sources: &'a [SourceFile],
    pub(crate) text: &'a TemplateText,
    pub(crate) template: &'a Template,
    pub(crate) machine: Machine,
    /// The number of changes that the text already has.
    pub(crate) level: usize,
    /// Whether some steps have priority over others: a change of one step then affects when others are possible.
    pub(crate) has_priorities: bool,
}

/// Returns all mutants in catalogue order, by operator, then as the file has them, and the numbers of mutants that cannot be written.
///
/// # Errors
/// If there are too many.
pub(crate) fn mutations(
    mut place: Place<'_>,
    options: &FrontendOptions,
) -> Result<(Vec<Mutation>, LeftOut), Diagnostic> {
    let mut catalogue = Catalogue::new(place.sources);
    let mut left_out = LeftOut::default();
    for rule in RULES.chosen(options) {
        let proposals = place.edits(rule.edits);
        for (path, edit, guideline) in proposals.edits {
            let guideline = guideline.filter(|_| !place.has_priorities);
            let path = format!("{}/{path}", place.template.name.text);
            catalogue.add(rule.name, &path, edit, guideline, |_, _| ())?;
        }
        for (why, mutants) in proposals.left_out {
            left_out.add(rule.name, why, mutants);
        }
    }
    Ok((catalogue.in_order_found(), left_out))
}

/// The reason to leave out new transitions with new channels.
const NO_CHANNELS: &str = "the channels of their transitions are not declared";

/// The owner of a comparison.
#[derive(Clone, Copy)]
enum Of {
    /// The invariant of this location.
    Location(usize),
    /// The guard of this edge.
    Edge(usize),
}

impl Place<'_> {
    pub(crate) fn source(&self) -> &str {
        self.sources.first().map_or("", |source| &source.text)
    }

    fn edits(&mut self, does: Does) -> Proposals {
        match does {
            Does::Tmi => self.less_transitions().into(),
            Does::Smi => self.less_locations().into(),
            Does::Tad => self.more_transitions(),
            Does::Cxl => self.shifted(1, false).into(),
            Does::Cxs => self.shifted(-1, false).into(),
            Does::Ccn => self.negated(false).into(),
            Does::Cal => self.shifted(1, true).into(),
            Does::Cas => self.shifted(-1, true).into(),
            Does::Can => self.negated(true).into(),
            Does::Moved(end) => self.moved(end),
            Does::Relabelled => self.relabelled(),
            Does::Resets => self.resets(),
            Does::Tax => self.more_by_labels().into(),
        }
    }

    pub(crate) fn edge_path(&self, number: usize) -> String {
        let edge = &self.text.transitions[number];
        let name = |location: usize| &self.text.locations[location].name;
        format!("{}->{}", name(edge.source), name(edge.target))
    }

    fn less_transitions(&self) -> Vec<Proposal> {
        let transitions = self.text.transitions.iter().enumerate();
        // A branch of several transitions is left out once.
        let mut gone = BTreeSet::new();
        let transitions = transitions.filter(|(_, transition)| gone.insert(transition.span));
        let removed = transitions.map(|(number, transition)| {
            let edit = Edit {
                span: transition.span,
                replacement: String::new(),
            };
            let edge = &self.template.edges[number];
            let guideline = self.template.without_edge(edge, self.is_urgent(edge));
            let guideline = guideline.filter(|_| transition.branch.is_none());
            (self.edge_path(number), edit, guideline)
        });
        removed.collect()
    }

    fn less_locations(&self) -> Vec<Proposal> {
        let mut edits = Vec::new();
        let edges = self.template.edges.iter();
        let urgent: Vec<bool> = edges.map(|edge| self.is_urgent(edge)).collect();
        for (number, location) in self.text.locations.iter().enumerate() {
            if number == self.text.initial {
                continue;
            }
            let mut gone = vec![location.span];
            for transition in &self.text.transitions {
                match &transition.branch {
                    // A branch that no transition leads to is no transition.
                    Some(branch) if transition.source == number => gone.push(branch.stem),
                    None if transition.source == number => gone.push(transition.span),
                    _ => {}
                }
                if transition.target == number {
                    gone.push(transition.span);
                }
            }
            gone.sort_unstable();
            gone.dedup();
            let (Some(first), Some(last)) = (gone.first(), gone.last()) else {
                continue;
            };
            let mut kept = String::new();
            let mut at = first.start;
            for span in &gone {
                kept.push_str(self.source().get(at..span.start).unwrap_or(""));
                at = span.end;
            }
            let edit = Edit {
                span: first.to(*last),
                replacement: kept,
            };
            let guideline = self.template.without_location(number, &urgent);
            edits.push((location.name.clone(), edit, guideline));
        }
        edits
    }

    /// Proposes a transition for each ordered pair of locations, once with an input and once with an output.
    fn more_transitions(&self) -> Proposals {
        let Some([input, output]) = declared_channels(self.source(), self.level) else {
            let mut none = Proposals::default();
            let pairs = self.text.locations.len() * self.text.locations.len();
            none.leave_out(2 * pairs, NO_CHANNELS);
            return none;
        };
        let first = self.text.transitions.first();
        let (before, after) = first.map_or_else(Default::default, |first| self.labels(first));
        let room = Span::new(self.text.room, self.text.room);
        let mut edits = Vec::new();
        for (sign, channel, attribute) in
            [("?", input, ""), ("!", output, " controllable=\"false\"")]
        {
            for source in &self.text.locations {
                for target in &self.text.locations {
                    let (from, to) = (&source.id, &target.id);
                    let sync = format!("<label kind=\"synchronisation\">{channel}{sign}</label>");
                    let replacement = format!(
                        "<transition{attribute}><source ref=\"{from}\"/><target ref=\"{to}\"/>{before}{sync}{after}</transition>"
                    );
                    let path = format!("{}->{} {channel}{sign}", source.name, target.name);
                    let edit = Edit {
                        span: room,
                        replacement,
                    };
                    let guideline = (sign == "?").then_some(Guideline::G2);
                    edits.push((path, edit, guideline));
                }
            }
        }
        edits.into()
    }

    /// Returns as XML the labels of a transition that precede its synchronisation, and those that follow it.
    pub(crate) fn labels(&self, transition: &TransitionText) -> (String, String) {
        let label = |kind: &str, text: &Option<hyperkill_text::Excerpt>| {
            let text = text.as_ref()?;
            let plain = crate::xml::escaped(&text.plain);
            Some(format!("<label kind=\"{kind}\">{plain}</label>"))
        };
        let before = [
            label("select", &transition.select),
            label("guard", &transition.guard),
        ];
        let after = label("assignment", &transition.update);
        (
            before.into_iter().flatten().collect(),
            after.unwrap_or_default(),
        )
    }

    /// Returns the comparisons in guards and invariants, with their paths: in conditions with several comparisons if `are_several`,
    /// otherwise in conditions with one.
    fn comparisons(&self, are_several: bool) -> Vec<(String, &Expr, Of)> {
        let locations = self.template.locations.iter().enumerate();
        let invariants = locations.map(|(number, location)| {
            let path = location.name.clone();
            (path, &location.invariant, Of::Location(number))
        });
        let edges = self.template.edges.iter().enumerate();
        // Branches of one transition have its guard in common.
        let mut stems = BTreeSet::new();
        let edges = edges.filter(|(number, _)| {
            let branch = self.text.transitions[*number].branch.as_ref();
            branch.is_none_or(|branch| stems.insert(branch.stem))
        });
        let guards =
            edges.map(|(number, edge)| (self.edge_path(number), &edge.guard, Of::Edge(number)));
        let mut found = Vec::new();
        for (path, parts, of) in invariants.chain(guards) {
            match parts.as_slice() {
                [only] if !are_several => found.push((path, only, of)),
                [_, _, ..] if are_several => {
                    let parts = parts.iter().enumerate();
                    found.extend(parts.map(|(at, part)| (format!("{path} {}", at + 1), part, of)));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the parts of a comparison of one clock with data: the relation as written, the clock, the data, and whether the clock comes
    /// first. `None` for other expressions.
    fn atom(&self, whole: &Expr) -> Option<(Relation, Expr, Expr, bool)> {
        let Node::Binary(operator, left, right) = &whole.node else {
            return None;
        };
        let relation = relation(*operator)?;
        let mut machine = self.machine.clone();
        let mut is_clock = |side: &Expr| {
            let clock = machine.clock(side).ok().flatten();
            clock.is_some_and(|(_, of)| of == crate::values::Type::Clock)
        };
        let clocks = (is_clock(left), is_clock(right));
        let (left, right) = (left.as_ref().clone(), right.as_ref().clone());
        match clocks {
            (true, false) if !self.machine.is_about_clocks(&right) => {
                Some((relation, left, right, true))
            }
            (false, true) if !self.machine.is_about_clocks(&left) => {
                Some((relation, right, left, false))
            }
            _ => None,
        }
    }

    fn shifted(&mut self, by: i64, are_several: bool) -> Vec<Proposal> {
        let mut edits = Vec::new();
        for (path, whole, of) in self.comparisons(are_several) {
            let Some((relation, _, constant, clock_first)) = self.atom(whole) else {
                continue;
            };
            let relation = if clock_first {
                relation
            } else {
                turned(relation)
            };
            let guideline = match of {
                Of::Location(number) => self.template.shifted_invariant(number, relation, by > 0),
                Of::Edge(number) => {
                    let edge = &self.template.edges[number];
                    self.template.shifted_guard(edge, relation, by > 0)
                }
            };
            let written = constant.span.of(self.source());
            let replacement = match constant.node {
                Node::Number(number) => (number + by).to_string(),
                _ if by > 0 => format!("({written}) + {by}"),
                _ => format!("({written}) - {}", -by),
            };
            // Smaller by one, it has to be 1 at least; what changes along a run is let through.
            let value = self.machine.clone().number(&constant);
            if by < 0 && value.is_ok_and(|value| value + by < 1) {
                continue;
            }
            let edit = Edit {
                span: constant.span,
                replacement,
            };
            // Guidelines are about guards and invariants that are one comparison.
            edits.push((path, edit, guideline.filter(|_| !are_several)));
        }
        edits
    }

    fn negated(&mut self, are_several: bool) -> Vec<Proposal> {
        let mut edits = Vec::new();
        for (path, whole, of) in self.comparisons(are_several) {
            let Some((relation, clock, constant, clock_first)) = self.atom(whole) else {
                continue;
            };
            let opposite = match relation {
                Relation::Less => ">=",
                Relation::AtMost => ">",
                Relation::AtLeast => "<",
                Relation::Greater => "<=",
                Relation::Equal => continue,
            };
            if matches!(of, Of::Location(_)) {
                continue;
            }
            let (first, second) = match clock_first {
                true => (clock.span, constant.span),
                false => (constant.span, clock.span),
            };
            let opposite = match self.is_in_cdata(whole.span.start) {
                true => opposite.to_owned(),
                false => crate::xml::escaped(opposite),
            };
            let (first, second) = (first.of(self.source()), second.of(self.source()));
            let edit = Edit {
                span: whole.span,
                replacement: format!("{first} {opposite} {second}"),
            };
            edits.push((path, edit, None));
        }
        edits
    }

    /// Whether the channel of an edge is urgent, so that time stops while the edge can be taken.
    fn is_urgent(&self, edge: &Edge) -> bool {
        let name = edge
            .sync
            .as_ref()
            .and_then(|sync| crate::typing::root(&sync.channel));
        let channel = name.and_then(|name| self.machine.find(name));
        matches!(channel, Some(Binding::Channel(_, of)) if of.is_urgent())
    }

    fn is_in_cdata(&self, at: usize) -> bool {
        let before = self.source().get(..at).unwrap_or("");
        before.rfind("<![CDATA[") > before.rfind("]]>")
    }
}
