//! Results of certification, as text for people.

use hyperkill_audit::documents::{CertifyReport, Circuits, Fault};
use hyperkill_frontend::counted;

use super::{Align, Style, Table};

/// Returns the results of a certification as text; `dir` is the certified folder.
#[must_use]
pub fn certified(report: &CertifyReport, dir: &str, style: Style) -> String {
    let model = report
        .model
        .as_ref()
        .map_or("unknown model", |model| &model.name);
    let mut text = format!("{}\n\n", style.bold(&format!("{dir}: {model}")));
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    for checked in &report.checked {
        table.row([
            checked.what.clone(),
            checked.count.to_string(),
            style.dim(&checked.how),
        ]);
    }
    text.push_str(&table.to_string());
    let list = |text: &mut String, title: String, faults: &[Fault]| {
        if !faults.is_empty() {
            text.push_str(&format!("\n{title}\n"));
            for fault in faults {
                text.push_str(&format!("  {}: {}\n", fault.place, fault.what));
            }
        }
    };
    list(&mut text, style.red("does not check"), &report.faults);
    list(&mut text, style.yellow("not checked"), &report.open);
    if let Some(Circuits { written, other }) = report.circuits {
        let written = counted(written, "proof");
        text.push_str(&format!(
            "\n  {written} written as circuits; {other} of another form\n"
        ));
    }
    if report.faults.is_empty() && report.open.is_empty() {
        text.push_str(&format!("\n  {}\n", style.green("all evidence checks")));
    }
    text.push_str("\n  not covered, since no evidence of it is kept\n");
    for what in &report.not_covered {
        text.push_str(&format!("    {}\n", style.dim(what)));
    }
    text
}
