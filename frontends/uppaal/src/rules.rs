//! The definitions of refinement: the presets of `--semantics`. Also operations on clock constraints: their complement, and the numbers
//! that stand for differences of clocks.

use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Relation, Rules};
use hyperkill_frontend::{Diagnostic, did_you_mean};

/// A definition of refinement with a name (`--semantics`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// Edges that leave the good states are removed. Actions unknown to the model fail.
    #[default]
    Strict,
    /// The refinement of Definition 7 of \[0\].
    Definition7,
    /// The rules of verifytga: the model stays at outputs that it does not know.
    VerifyTga,
    /// The rules of Ecdar: those of verifytga, where inputs left open have no effect, and alphabets are compared.
    Ecdar,
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 4] = [
        Preset::Strict,
        Preset::Definition7,
        Preset::VerifyTga,
        Preset::Ecdar,
    ];

    /// Returns the name in `--semantics`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preset::Strict => "strict",
            Preset::Definition7 => "definition7",
            Preset::VerifyTga => "verifytga",
            Preset::Ecdar => "ecdar",
        }
    }

    /// Returns the preset of this name; `strict` without a name.
    ///
    /// # Errors
    /// If there is no such preset.
    pub fn of(name: Option<&str>) -> Result<Preset, Diagnostic> {
        let Some(name) = name else {
            return Ok(Preset::default());
        };
        let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| {
            let near = did_you_mean(name, Preset::ALL.map(Preset::name));
            Diagnostic::option(
                format!("--semantics {name}: there is no such meaning"),
                near,
            )
        })
    }

    /// Returns the name of the conformance relation, in a word or two.
    #[must_use]
    pub fn question(self) -> &'static str {
        match self {
            Preset::Strict => "refinement",
            Preset::Definition7 => "refinement (definition7)",
            Preset::VerifyTga => "refinement (verifytga)",
            Preset::Ecdar => "refinement (ecdar)",
        }
    }

    /// Returns the rules of the preset.
    #[must_use]
    pub fn rules(self) -> Rules {
        match self {
            Preset::Strict => Rules::STRICT,
            Preset::Definition7 => Rules::DEFINITION_7,
            Preset::VerifyTga => Rules::VERIFYTGA,
            Preset::Ecdar => Rules::ECDAR,
        }
    }

    /// Returns the automaton with the edges that the preset adds.
    #[must_use]
    pub fn completed(self, automaton: Automaton) -> Automaton {
        match self {
            Preset::Ecdar => with_self_loops(automaton),
            Preset::Strict | Preset::Definition7 | Preset::VerifyTga => automaton,
        }
    }
}

/// Returns the comparison operator in the syntax of models.
pub(crate) fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Less => "<",
        Relation::AtMost => "<=",
        Relation::Equal => "==",
        Relation::AtLeast => ">=",
        Relation::Greater => ">",
    }
}

/// Returns the automaton completed by self-loops: an input that no edge accepts changes nothing.
#[must_use]
pub fn with_self_loops(mut automaton: Automaton) -> Automaton {
    let inputs: Vec<String> = automaton
        .actions(true)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut loops = Vec::new();
    for (number, _) in automaton.locations.iter().enumerate() {
        for input in &inputs {
            for guard in left_open(&automaton, number, input) {
                loops.push(Edge {
                    source: number,
                    target: number,
                    action: Action {
                        name: input.clone(),
                        is_input: true,
                    },
                    guard,
                    updates: Vec::new(),
                });
            }
        }
    }
    automaton.edges.extend(loops);
    automaton
}

/// Returns the clock values in a location for which no edge accepts an input, as conjunctions that exclude each other.
pub(crate) fn left_open(automaton: &Automaton, location: usize, input: &str) -> Vec<Vec<Atom>> {
    let accepting = automaton.leaving(location).filter_map(|(_, edge)| {
        let accepts = edge.action.is_input && edge.action.name == input;
        let demanded = accepts.then(|| automaton.demanded_by_target(edge))??;
        Some(edge.guard.iter().chain(&demanded).copied().collect())
    });
    let accepting: Vec<Vec<Atom>> = accepting.collect();
    let accepting: Vec<&[Atom]> = accepting.iter().map(Vec::as_slice).collect();
    none_of(&accepting)
}

/// Returns the clock values for which none of some conjunctions holds, as conjunctions that exclude each other.
pub(crate) fn none_of(alternatives: &[&[Atom]]) -> Vec<Vec<Atom>> {
    let mut open: Vec<Vec<Atom>> = vec![Vec::new()];
    for atoms in alternatives {
        let mut rest = Vec::new();
        for known in open {
            // The states that fail the first comparison, or satisfy it and fail the second, and so on.
            let mut held = known;
            for atom in *atoms {
                for opposite in opposites(atom) {
                    rest.push(held.iter().copied().chain([opposite]).collect());
                }
                held.push(*atom);
            }
        }
        open = rest;
    }
    open
}

/// The first number that stands for a difference of clocks in an [`Atom`], in place of a clock. Differences may be negative.
/// [`crate::differences`] removes them.
pub(crate) const FIRST_DIFFERENCE: usize = usize::MAX / 2;

/// Whether a comparison is about a difference of clocks.
pub(crate) fn is_difference(atom: &Atom) -> bool {
    atom.clock >= FIRST_DIFFERENCE
}

/// Whether each clock, regarded alone, has a value within all of these bounds.
pub(crate) fn is_possible(atoms: &[Atom]) -> bool {
    atoms.iter().all(|of| {
        // In halves: a strict bound is half a unit further in, which is exact for bounds that are whole.
        let (mut from, mut to) = match of.clock >= FIRST_DIFFERENCE {
            true => (i64::MIN, i64::MAX),
            false => (0, i64::MAX),
        };
        for atom in atoms.iter().filter(|atom| atom.clock == of.clock) {
            let twice = atom.constant.saturating_mul(2);
            match atom.relation {
                Relation::Less => to = to.min(twice.saturating_sub(1)),
                Relation::AtMost => to = to.min(twice),
                Relation::Equal => (from, to) = (from.max(twice), to.min(twice)),
                Relation::AtLeast => from = from.max(twice),
                Relation::Greater => from = from.max(twice.saturating_add(1)),
            }
        }
        from <= to
    })
}

/// Returns comparisons whose disjunction is the negation of a comparison.
pub(crate) fn opposites(atom: &Atom) -> Vec<Atom> {
    let relations: &[Relation] = match atom.relation {
        Relation::Less => &[Relation::AtLeast],
        Relation::AtMost => &[Relation::Greater],
        Relation::Equal => &[Relation::Less, Relation::Greater],
        Relation::AtLeast => &[Relation::Less],
        Relation::Greater => &[Relation::AtMost],
    };
    let turned = relations.iter().map(|relation| Atom {
        relation: *relation,
        ..*atom
    });
    turned.collect()
}
