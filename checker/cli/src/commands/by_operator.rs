//! Verdicts by operator, beside what a language says of its mutants beforehand.

use crate::documents::OperatorResult;
use hyperkill_report::text::{Align, Table};
use hyperkill_run::decided::Decided;

fn cells(row: &OperatorResult) -> Vec<String> {
    // Of those that nobody needs, how many the guidelines find.
    let found = match row.ratio {
        None => "-".to_owned(),
        Some(ratio) => format!("{ratio:.0} %"),
    };
    let numbers = [
        row.mutants,
        row.non_subsumed,
        row.subsumed,
        row.inconsistent,
        row.violating,
    ];
    let numbers = numbers.iter().map(ToString::to_string);
    std::iter::once(row.operator.clone())
        .chain(numbers)
        .chain([found])
        .collect()
}

/// The table, in the order in which the catalogue uses the operators; `None` if the language says nothing beforehand.
pub(super) fn table(decided: &Decided) -> Option<Table> {
    let rows = decided.by_operator()?;
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
    for row in &rows {
        table.row(cells(row));
    }
    table.row(cells(&OperatorResult::sum("all", &rows)));
    Some(table)
}
