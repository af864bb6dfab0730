//! Charts as inline SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_audit::counted;
use hyperkill_audit::documents::{Interval, SuiteTest, Summary};

/// Width of a chart, in SVG units.
const WIDTH: f64 = 600.0;
/// Number of bars of a histogram, at most.
const MOST_BARS: usize = 40;

/// Returns a bar from 0 to 100 % that shows an interval of mutation scores, as SVG.
pub(super) fn interval(interval: Interval) -> String {
    let at = |percent: f64| percent / 100.0 * WIDTH;
    let (low, high) = (at(interval.low), at(interval.high));
    format!(
        "<svg class=\"bar\" preserveAspectRatio=\"none\" viewBox=\"0 0 {WIDTH} 14\" role=\"img\" aria-label=\"mutation score\">\
         <rect class=\"empty\" width=\"{WIDTH}\" height=\"14\"/>\
         <rect class=\"open\" width=\"{high:.1}\" height=\"14\"/>\
         <rect class=\"killed\" width=\"{low:.1}\" height=\"14\"/></svg>\n"
    )
}

/// Returns a bar of the mutants by verdict as SVG, with a legend of the colours.
pub(super) fn verdicts(summary: &Summary) -> String {
    let certain = summary.killed_definite + summary.killed_adaptive;
    let parts = [
        ("killed", "killed for certain", certain),
        (
            "perhaps",
            "killed if choices are controlled",
            summary.killed_controllable,
        ),
        ("perhaps", "killed potentially", summary.killed_potential),
        (
            "survived",
            "not definitely killable",
            summary.not_definitely_killable,
        ),
        ("survived", "refuses input", summary.refuses_input),
        ("open", "undecided", summary.unknown),
        ("ignored", "proved equivalent", summary.equivalent),
        ("ignored", "duplicate", summary.duplicate),
        ("invalid", "no model", summary.invalid),
    ];
    let all = summary.mutants.max(1) as f64;
    let mut drawing = format!(
        "<svg class=\"bar\" preserveAspectRatio=\"none\" viewBox=\"0 0 {WIDTH} 14\" role=\"img\" aria-label=\"verdicts\">"
    );
    let mut legend = String::from("<ul class=\"legend\">");
    let mut before = 0;
    for (class, words, count) in parts.into_iter().filter(|(_, _, count)| *count > 0) {
        let (x, width) = (before as f64 / all * WIDTH, count as f64 / all * WIDTH);
        // Writing to a string cannot fail.
        let _ = write!(
            drawing,
            "<rect class=\"{class}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"14\"><title>{words}: {count}</title></rect>"
        );
        let _ = write!(legend, "<li><i class=\"{class}\"></i>{words} {count}</li>");
        before += count;
    }
    format!("{drawing}</svg>\n{legend}</ul>\n")
}

/// Draws a histogram of test lengths.
pub(super) fn lengths(tests: &[SuiteTest]) -> String {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for test in tests {
        *counts.entry(test.steps.len()).or_default() += 1;
    }
    let Some((&longest, _)) = counts.last_key_value() else {
        return String::new();
    };
    let steps: usize = tests.iter().map(|test| test.steps.len()).sum();
    let per_bar = (longest + 1).div_ceil(MOST_BARS);
    let mut bars = vec![0; longest / per_bar + 1];
    for (length, count) in counts {
        bars[length / per_bar] += count;
    }
    let most = bars.iter().copied().max().unwrap_or(1).max(1) as f64;
    let wide = WIDTH / bars.len() as f64;
    let mut drawing = format!(
        "<svg viewBox=\"0 0 {WIDTH} 136\" role=\"img\" aria-label=\"test lengths\">\
         <line x1=\"0\" y1=\"116\" x2=\"{WIDTH}\" y2=\"116\"/>"
    );
    for (number, &count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = count as f64 / most * 100.0;
        let (first, last) = (number * per_bar, number * per_bar + per_bar - 1);
        let range = match first == last {
            true => counted(first, "step"),
            false => format!("{first} to {last} steps"),
        };
        let _ = write!(
            drawing,
            "<rect class=\"tests\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{range}: {}</title></rect>",
            number as f64 * wide,
            116.0 - height,
            (wide - 1.0).max(0.5),
            counted(count, "test")
        );
    }
    format!(
        "<article>\n<h2>Test lengths</h2>\n<p>{}, {} in all, the longest has {longest}</p>\n{drawing}\
         <text x=\"0\" y=\"132\">0</text><text x=\"{WIDTH}\" y=\"132\" text-anchor=\"end\">{longest}</text></svg>\n</article>\n",
        counted(tests.len(), "test"),
        counted(steps, "step")
    )
}
