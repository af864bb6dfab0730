//! `report.html`, a page that needs no network.
//!
//! This module writes the front of the page. Stryker's web components, embedded in the page, show the mutants in their sources.

mod charts;
mod tables;

use std::fmt::Write;

use hyperkill_audit::documents::{Interval, LockState, Summary};

use crate::Findings;
use crate::escape::{markup, script};
use crate::stryker::report;

/// Script with Stryker's web components, which show mutants in their sources (`assets/README.md`).
const COMPONENTS: &str =
    include_str!("../../assets/mutation-testing-elements/mutation-test-elements.js");
/// Authors and licences of the components.
const NOTICE: &str = include_str!("../../assets/mutation-testing-elements/NOTICE");
const STYLE: &str = include_str!("style.css");
/// Script that shows the front, our own part of the page, where the components list all files.
const FRONT: &str = include_str!("front.js");

/// Number of mutants up to which the page shows them in their sources. A browser takes minutes to show more.
const SHOWN_IN_SOURCES: usize = 20_000;

/// Returns the page with the results of a run as HTML. With more than 20,000 mutants it has the numbers, but not the mutants.
///
/// # Errors
/// If the embedded report cannot be written as JSON, which its types exclude.
pub fn page(findings: &Findings<'_>) -> serde_json::Result<String> {
    let title = markup(&findings.table.model.name);
    let mut page = String::with_capacity(COMPONENTS.len() + (1 << 16));
    // The policy forbids loading from anywhere, whatever a text of the model contains.
    let policy =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    push_front(&mut page, findings);
    let count = findings.table.mutants.len();
    if count > SHOWN_IN_SOURCES {
        let _ = write!(
            page,
            "<p>A page cannot show {count} mutants in their sources. <code>hyperkill show DIR</code> lists them, and \
             <code>--verdict</code>, <code>--operator</code> and <code>--file</code> choose among them.</p>\n</body>\n</html>\n"
        );
        return Ok(page);
    }
    let report = script(&serde_json::to_string(&report(findings))?);
    let _ = write!(
        page,
        "<mutation-test-report-app title-postfix=\"{title}\"></mutation-test-report-app>\n\
         <!--\n{NOTICE}-->\n<script>{COMPONENTS}</script>\n<script>\n\
         document.querySelector('mutation-test-report-app').report = {report};\n{FRONT}</script>\n</body>\n</html>\n"
    );
    Ok(page)
}

/// Appends the front of the page, its part above the sources: summary, charts and tables.
fn push_front(page: &mut String, findings: &Findings<'_>) {
    let summary = findings.summary();
    let title = markup(&findings.table.model.name);
    let _ = write!(page, "<section id=\"front\">\n<h1>{title}</h1>\n");
    if let Some((question, original)) = findings.asked {
        let _ = writeln!(
            page,
            "<p>{} model, question {}, hyperkill {}</p>",
            markup(original),
            markup(question),
            markup(findings.version)
        );
    }
    let unfinished = match findings.state {
        LockState::Finished => None,
        LockState::Running => Some("the run goes on, or was killed"),
        LockState::Interrupted => Some("the run was interrupted"),
        LockState::Failed => Some("the run was stopped by an error"),
    };
    if let Some(unfinished) = unfinished {
        let _ = writeln!(
            page,
            "<p class=\"open\">{unfinished}: mutants without a verdict count as undecided.</p>"
        );
    }
    push_score(page, &summary, findings.suite.is_some());
    page.push_str(&charts::verdicts(&summary));
    page.push_str("<div class=\"columns\">\n");
    let mutants = findings.mutants();
    page.push_str(&tables::operators(&mutants));
    page.push_str(&tables::guidelines(findings.by_operator.unwrap_or(&[])));
    page.push_str(&tables::places(&mutants));
    page.push_str(&tables::undecided(&mutants));
    page.push_str(&tables::slowest(&mutants, &findings.seconds));
    page.push_str(&findings.timings.map_or_else(String::new, tables::work));
    let tests = findings.suite.unwrap_or(&[]);
    page.push_str(&charts::lengths(tests));
    page.push_str("</div>\n");
    if summary.unknown > 0 && findings.table.mutants.len() <= SHOWN_IN_SOURCES {
        page.push_str("<p>The scores of files below leave out what is undecided.</p>\n");
    }
    page.push_str("</section>\n");
}

/// Appends the mutation score with its basis. With `has_suite`, it is the score of the run's suite; otherwise, of the mutants decided so
/// far.
fn push_score(page: &mut String, summary: &Summary, has_suite: bool) {
    let Some(score) = summary.score else {
        page.push_str("<p class=\"score\">no mutation score: no mutant counts</p>\n");
        return;
    };
    let whose = match has_suite {
        true => "of the suite that this run made; it says nothing about any other tests",
        false => "of the mutants decided so far",
    };
    let certain = summary.killed_definite + summary.killed_adaptive;
    let _ = writeln!(
        page,
        "<p class=\"score\"><b>{}</b> mutation score</p>\n{}\
         <p>{certain} of {} mutants that count are killed for certain: the score {whose}.</p>",
        percent(score.certain),
        charts::interval(score.certain),
        summary.counted()
    );
    let more = [
        (summary.potential(), score.with_potential, "potential"),
        (
            summary.killed_controllable,
            score.with_controllable,
            "controllable",
        ),
    ];
    for (count, interval, what) in more.into_iter().filter(|(count, _, _)| *count > 0) {
        let _ = writeln!(
            page,
            "<p>{} with {what} kills, of which there are {count}.</p>",
            percent(interval)
        );
    }
}

fn percent(interval: Interval) -> String {
    match interval.low == interval.high {
        true => format!("{:.1} %", interval.low),
        false => format!("{:.1} to {:.1} %", interval.low, interval.high),
    }
}
