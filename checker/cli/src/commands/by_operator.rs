//! Verdicts by operator, beside what a language says of its mutants beforehand.

use crate::decision::Decided;
use crate::documents::VerdictWord;
use crate::report::text::{Align, Table};

/// Numbers of one operator.
#[derive(Clone, Copy, Default)]
struct Row {
    mutants: usize,
    killed: usize,
    equivalent: usize,
    invalid: usize,
    violating: usize,
}

impl Row {
    fn plus(self, other: Row) -> Row {
        Row {
            mutants: self.mutants + other.mutants,
            killed: self.killed + other.killed,
            equivalent: self.equivalent + other.equivalent,
            invalid: self.invalid + other.invalid,
            violating: self.violating + other.violating,
        }
    }

    fn cells(self, name: &str) -> Vec<String> {
        let needless = self.equivalent + self.invalid;
        // Of those that nobody needs, how many the guidelines find.
        let found = match needless {
            0 => "-".to_owned(),
            needless => format!("{:.0} %", 100.0 * self.violating as f64 / needless as f64),
        };
        let numbers = [
            self.mutants,
            self.killed,
            self.equivalent,
            self.invalid,
            self.violating,
        ];
        let numbers = numbers.iter().map(ToString::to_string);
        std::iter::once(name.to_owned())
            .chain(numbers)
            .chain([found])
            .collect()
    }
}

/// The table, in the order in which the catalogue uses the operators; `None` if the language says nothing beforehand.
pub(super) fn table(decided: &Decided) -> Option<Table> {
    if decided.needless.is_empty() {
        return None;
    }
    let mut rows: Vec<(&str, Row)> = Vec::new();
    for (mutant, result) in decided.mutants.iter().zip(&decided.results) {
        let operator = mutant.operator.as_deref().unwrap_or("");
        let is_violating = decided.needless.iter().any(|id| id.0 == result.mutant);
        let one = Row {
            mutants: 1,
            killed: usize::from(result.verdict == VerdictWord::Killed),
            equivalent: usize::from(result.verdict == VerdictWord::Equivalent),
            invalid: usize::from(result.verdict == VerdictWord::Invalid),
            violating: usize::from(is_violating),
        };
        match rows.iter_mut().find(|(name, _)| *name == operator) {
            Some((_, row)) => *row = row.plus(one),
            None => rows.push((operator, one)),
        }
    }
    let mut table = Table::new([Align::Left].into_iter().chain([Align::Right; 6])).indented(2);
    table.row([
        "operator",
        "mutants",
        "killed",
        "equivalent",
        "invalid",
        "violating",
        "found",
    ]);
    for (name, row) in &rows {
        table.row(row.cells(name));
    }
    let all = rows
        .iter()
        .fold(Row::default(), |sum, (_, row)| sum.plus(*row));
    table.row(all.cells("all"));
    Some(table)
}
