//! The languages of formulas and their names.

use std::fmt;

/// A language of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// The language of hyperkill.
    Hyperkill,
    /// MCHyper's prefix syntax.
    MCHyper,
    /// HyperQB 1.
    HyperQb1,
    /// HyperQB 2.
    HyperQb2,
    /// AutoHyper.
    AutoHyper,
}

impl Dialect {
    /// All languages, our own first.
    pub const ALL: [Dialect; 5] = [
        Dialect::Hyperkill,
        Dialect::MCHyper,
        Dialect::HyperQb1,
        Dialect::HyperQb2,
        Dialect::AutoHyper,
    ];

    /// Returns the name of the language on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Hyperkill => "hyperkill",
            Dialect::MCHyper => "mchyper",
            Dialect::HyperQb1 => "hyperqb1",
            Dialect::HyperQb2 => "hyperqb2",
            Dialect::AutoHyper => "autohyper",
        }
    }

    /// Guesses the language of a text by its signs, as a suggestion for a text that our parser refuses.
    #[must_use]
    pub fn guess(text: &str) -> Dialect {
        let begins = |word: &str| text.trim_start().trim_start_matches('(').starts_with(word);
        if begins("Forall") || begins("Exists") {
            return match text.contains("AP \"") || text.contains("Forall (") {
                true => Dialect::MCHyper,
                false => Dialect::HyperQb2,
            };
        }
        let braced = text.contains("}_") || text.contains("*_");
        let starred = text.contains('*') || text.contains("/\\") || text.contains("\\/");
        match (braced, starred || text.contains('~')) {
            (true, _) => Dialect::AutoHyper,
            (false, true) => Dialect::HyperQb1,
            (false, false) => Dialect::Hyperkill,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
