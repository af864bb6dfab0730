//! Verdicts by operator, with the predictions of a language's guidelines.

use hyperkill_audit::documents::OperatorResult;

use super::{Align, Table};

fn cells(row: &OperatorResult) -> Vec<String> {
    // Share of the mutants without need for a test that the guidelines predict.
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

/// Returns a table of verdicts and predictions with a row for each operator and one for all.
#[must_use]
pub fn table(rows: &[OperatorResult]) -> Table {
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
    for row in rows {
        table.row(cells(row));
    }
    table.row(cells(&OperatorResult::sum("all", rows)));
    table
}
