//! Technology cells that a design uses without defining them: they are taken from a library of this package.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyperkill_core::system::Warning;
use hyperkill_frontend::Span;
use hyperkill_frontend::boxes::Boxes;

use crate::lexer::{Kind, Token, lex};

/// The library. A module of the user with the same name takes precedence.
const LIBRARY: &str = include_str!("cells.sv");
/// The clock gate, which passes edges of a clock while its enable is 1: output, clock, enable.
pub const CLOCK_GATE: &str = "hyperkill_clock_gate";

/// A cell that was taken from the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The module.
    pub name: String,
    /// The place of the first use.
    pub place: Span,
}

impl Cell {
    /// Returns the warning that the cell comes from the library.
    #[must_use]
    pub fn warning(&self) -> Warning {
        Warning {
            message: format!(
                "no file defines `{}`: it is taken for the cell of this name that hyperkill knows",
                self.name
            ),
            file: self.place.file,
            bytes: (self.place.start, self.place.end),
        }
    }
}

/// Whether the library has a cell of this name.
#[must_use]
pub fn is_known(name: &str) -> bool {
    defined(&lex(0, LIBRARY)).any(|(_, known)| *known == *name)
}

/// Adds the definitions of known cells that these tokens use and do not define, unless options name them. Returns the cells.
/// The added tokens stand in no file, so the cells have no mutants.
pub fn add_cells(tokens: &mut Vec<Token>, boxes: &Boxes) -> Vec<Cell> {
    let defined: BTreeSet<Arc<str>> = defined(tokens).map(|(_, name)| name).collect();
    let is_taken = |name: &Arc<str>| defined.contains(name) || boxes.kind(name).is_some();
    let mut library: Vec<Token> = lex(0, LIBRARY);
    library.retain(|token| !matches!(token.kind, Kind::Newline | Kind::Remark));
    let mut cells = Vec::new();
    let mut added = Vec::new();
    let begins: Vec<(usize, Arc<str>)> = self::defined(&library).collect();
    for (number, (first, name)) in begins.iter().enumerate() {
        // `name instance (` or `name #(`.
        let is_instance = |pair: &&[Token]| {
            let is_name = pair[0].kind == Kind::Word && pair[0].text == *name;
            is_name && (pair[1].kind == Kind::Word || pair[1].is("#"))
        };
        let used = tokens.windows(2).find(is_instance).map(|pair| pair[0].span);
        let Some(place) = used.filter(|_| !is_taken(name)) else {
            continue;
        };
        let last = begins.get(number + 1).map_or(library.len(), |(at, _)| *at);
        let own = library[*first..last].iter();
        added.extend(
            own.filter(|token| token.kind != Kind::End)
                .map(|token| Token {
                    span: Span::default(),
                    usage: u32::MAX,
                    ..token.clone()
                }),
        );
        cells.push(Cell {
            name: name.to_string(),
            place,
        });
    }
    let end = tokens.len() - usize::from(tokens.last().is_some_and(|t| t.kind == Kind::End));
    tokens.splice(end..end, added);
    cells
}

/// Returns the modules that tokens define, each with its first token.
fn defined(tokens: &[Token]) -> impl Iterator<Item = (usize, Arc<str>)> + '_ {
    let pairs = tokens.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| pair[0].kind == Kind::Word && &*pair[0].text == "module")
        .map(|(at, pair)| (at, Arc::clone(&pair[1].text)))
}
