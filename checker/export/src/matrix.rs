//! The kill matrix: which mutants a command, tests or properties notice.

use hyperkill_audit::documents::{ScoreReport, ScoreResult};
use serde::Serialize;

use crate::csv::line;

/// Returns the kill matrix of a score report as comma-separated values: a row for each mutant and a column for each test.
#[must_use]
pub fn matrix(report: &ScoreReport) -> String {
    let columns = [
        "mutant", "operator", "file", "line", "column", "verdict", "result",
    ];
    let tests = report.tests.iter().map(String::as_str);
    let mut text = line(columns.into_iter().chain(tests)) + "\n";
    for mutant in &report.mutants {
        let place = mutant.place.as_ref();
        let mut cells = vec![
            mutant.mutant.clone(),
            mutant.operator.clone().unwrap_or_default(),
            place.map_or_else(String::new, |place| place.file.clone()),
            place.map_or_else(String::new, |place| place.line.to_string()),
            place.map_or_else(String::new, |place| place.column.to_string()),
            word(&mutant.verdict),
            word(&mutant.result),
        ];
        cells.extend(report.tests.iter().map(|test| {
            // A cell without a result stays empty.
            let cell = match (mutant.killed_by.contains(test), mutant.result) {
                (true, _) => "1",
                (false, ScoreResult::Killed | ScoreResult::NotEnded | ScoreResult::Survived) => "0",
                (false, _) => "",
            };
            cell.to_owned()
        }));
        text += &(line(cells) + "\n");
    }
    text
}

/// Returns the spelling of a value in documents.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}
