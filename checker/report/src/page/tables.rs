//! Tables on the front of the page.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_audit::documents::{
    MutantDescription, MutantResult, OperatorResult, Timings, VerdictWord, WorkDone,
};

use crate::escape::markup;
use crate::standing::{Standing, Status};

type Mutants<'a> = [(&'a MutantDescription, &'a MutantResult, Standing)];

/// Number of rows, at most, of the table by part of the model.
const MOST_PLACES: usize = 40;
/// Number of undecided mutants, at most, that are listed.
const MOST_UNDECIDED: usize = 200;
/// Number of mutants, at most, in the list of the slowest.
const MOST_SLOW: usize = 10;
/// Number of rows, at most, of the table of the slowest parts of a run.
const MOST_PARTS: usize = 20;

/// Counts of a set of mutants by status.
#[derive(Clone, Copy, Default)]
struct Counts {
    mutants: usize,
    killed: usize,
    survived: usize,
    open: usize,
    ignored: usize,
    invalid: usize,
}

impl Counts {
    fn add(&mut self, standing: &Standing) {
        self.mutants += 1;
        *match standing.status {
            Status::Killed => &mut self.killed,
            Status::Survived => &mut self.survived,
            Status::Pending => &mut self.open,
            Status::Ignored => &mut self.ignored,
            Status::CompileError => &mut self.invalid,
        } += 1;
    }

    fn row(self, name: &str) -> String {
        let counted = self.killed + self.survived + self.open;
        let percent = |part: usize| part as f64 * 100.0 / counted as f64;
        let score = match (counted, self.open) {
            (0, _) => "-".to_owned(),
            (_, 0) => format!("{:.0} %", percent(self.killed)),
            _ => format!(
                "{:.0} to {:.0} %",
                percent(self.killed),
                percent(self.killed + self.open)
            ),
        };
        let numbers = [
            self.mutants,
            self.killed,
            self.survived,
            self.open,
            self.ignored,
            self.invalid,
        ];
        let numbers = numbers.map(|number| format!("<td>{number}</td>")).concat();
        format!(
            "<tr><th>{}</th>{numbers}<td>{score}</td></tr>\n",
            markup(name)
        )
    }
}

const HEADING: &str = "<th>mutants</th><th>killed</th><th>survived</th><th>undecided</th><th>ignored</th>\
     <th>no model</th><th>score</th></tr></thead>\n<tbody>\n";

/// Returns an HTML table of mutants by operator: a row of counts by status for each.
pub(super) fn operators(mutants: &Mutants<'_>) -> String {
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    for (mutant, _, standing) in mutants {
        let operator = mutant.operator.as_deref().unwrap_or("-");
        rows.entry(operator).or_default().add(standing);
    }
    let rows = rows.iter().map(|(name, counts)| counts.row(name));
    format!(
        "<article>\n<h2>By operator</h2>\n<table><thead><tr><th>operator</th>{HEADING}{}</tbody></table>\n</article>\n",
        rows.collect::<String>()
    )
}

/// Returns an HTML table by operator: mutants that need no test, and mutants that the language's guidelines predict to need none. Empty if
/// there are no rows.
pub(super) fn guidelines(rows: &[OperatorResult]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let row = |row: &OperatorResult| {
        let numbers = [
            row.mutants,
            row.non_subsumed,
            row.subsumed,
            row.inconsistent,
            row.unknown,
            row.violating,
        ];
        let numbers = numbers.map(|number| format!("<td>{number}</td>")).concat();
        let ratio = match row.ratio {
            None => "-".to_owned(),
            Some(ratio) => format!("{ratio:.0} %"),
        };
        let name = markup(&row.operator);
        format!("<tr><th>{name}</th>{numbers}<td>{ratio}</td></tr>\n")
    };
    let all = OperatorResult::sum("all", rows);
    let rows: String = rows.iter().chain([&all]).map(row).collect();
    format!(
        "<article>\n<h2>Guidelines</h2>\n<p>A mutant that violates a guideline needs no test, by its change alone. The ratio says how \
         many of the subsumed and inconsistent mutants violate one.</p>\n<table><thead><tr><th>operator</th><th>mutants</th>\
         <th>non-subsumed</th><th>subsumed</th><th>inconsistent</th><th>undecided</th>\
         <th>violating</th><th>ratio</th></tr></thead>\n<tbody>\n\
         {rows}\
         </tbody></table>\n</article>\n"
    )
}

/// Returns an HTML table of mutants by the part of the model that they change, with counts by status. Parts with most survivors are first.
pub(super) fn places(mutants: &Mutants<'_>) -> String {
    let mut rows: BTreeMap<String, Counts> = BTreeMap::new();
    for (mutant, _, standing) in mutants {
        rows.entry(part(mutant)).or_default().add(standing);
    }
    let mut rows: Vec<(String, Counts)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, counts)| {
        let needs = counts.survived + counts.open;
        (std::cmp::Reverse(needs), std::cmp::Reverse(counts.mutants))
    });
    let shown = rows.iter().take(MOST_PLACES);
    let shown: String = shown.map(|(name, counts)| counts.row(name)).collect();
    let rest = match rows.len().saturating_sub(MOST_PLACES) {
        0 => String::new(),
        more => format!("<p>and {more} more, with fewer survivors</p>\n"),
    };
    format!(
        "<article>\n<h2>By place</h2>\n<table><thead><tr><th>place</th>{HEADING}{shown}</tbody></table>\n{rest}</article>\n"
    )
}

/// Returns the part of a model that a mutant changes: the first two segments of its path, or its line if it has none. A mutant with several
/// changes gets the parts of all changes, joined by ` + `.
fn part(mutant: &MutantDescription) -> String {
    let first_steps = |path: &str| -> String {
        let steps: Vec<&str> = path.split('/').take(2).collect();
        steps.join("/")
    };
    match (&mutant.path, &mutant.place) {
        (Some(path), _) => {
            let mut parts: Vec<String> = path.split('+').map(first_steps).collect();
            parts.dedup();
            parts.join(" + ")
        }
        (None, Some(place)) => format!("{}:{}", place.file, place.line),
        (None, None) => "-".to_owned(),
    }
}

/// Returns an HTML table of the undecided mutants with their reasons; empty if there are none.
pub(super) fn undecided(mutants: &Mutants<'_>) -> String {
    let open = mutants
        .iter()
        .filter(|(_, result, _)| result.verdict == VerdictWord::Unknown);
    let open: Vec<_> = open.collect();
    if open.is_empty() {
        return String::new();
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, result, _) in &open {
        let reason = result.reason.as_deref().unwrap_or("not decided");
        *reasons.entry(reason).or_default() += 1;
    }
    let reasons = reasons
        .iter()
        .map(|(reason, count)| format!("{} {count}", markup(reason)));
    let mut text = format!(
        "<article>\n<h2>Undecided</h2>\n<p>{} by reason: {}</p>\n<table><tbody>\n",
        open.len(),
        reasons.collect::<Vec<_>>().join(", ")
    );
    for (mutant, result, _) in open.iter().take(MOST_UNDECIDED) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<tr><th><code>{}</code></th><td>{}</td><td>{}</td><td>{}</td></tr>",
            markup(&mutant.id),
            markup(mutant.operator.as_deref().unwrap_or("")),
            markup(&at(mutant)),
            markup(&crate::standing::undecided(result))
        );
    }
    text.push_str("</tbody></table>\n");
    if let Some(more) = open.len().checked_sub(MOST_UNDECIDED + 1) {
        let _ = writeln!(
            text,
            "<p>and {} more: <code>hyperkill show --verdict unknown</code></p>",
            more + 1
        );
    }
    text.push_str("</article>\n");
    text
}

/// Returns an HTML table of the mutants that took longest; empty if no times are known.
pub(super) fn slowest(mutants: &Mutants<'_>, seconds: &BTreeMap<&str, f64>) -> String {
    let times = mutants.iter().filter_map(|(mutant, result, _)| {
        let seconds = *seconds.get(mutant.id.as_str())?;
        // Shorter times would appear as zero.
        (seconds >= 0.0005).then_some((seconds, mutant, result))
    });
    let mut times: Vec<_> = times.collect();
    times.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
    if times.is_empty() {
        return String::new();
    }
    let mut text = String::from("<article>\n<h2>Slowest</h2>\n<table><tbody>\n");
    for (seconds, mutant, result) in times.into_iter().take(MOST_SLOW) {
        let _ = writeln!(
            text,
            "<tr><th><code>{}</code></th><td>{seconds:.3} s</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            markup(&mutant.id),
            result.verdict.word(),
            markup(result.engine.as_deref().unwrap_or("")),
            markup(&at(mutant))
        );
    }
    text.push_str("</tbody></table>\n</article>\n");
    text
}

/// Returns an HTML table of the slowest parts of a run: times of each round, engine and phase, with counted work.
pub(super) fn work(timings: &Timings) -> String {
    if timings.parts.is_empty() {
        return String::new();
    }
    let all: f64 = timings.parts.iter().map(|part| part.seconds).sum();
    let mut text = String::from(
        "<article>\n<h2>Where the time went</h2>\n<table><thead><tr><th>round</th><th>engine</th><th>phase</th>\
         <th>seconds</th><th>share</th><th>gates</th><th>gates built</th><th>conflicts</th>\
         <th>ticks</th><th>diagram calls</th><th>clauses</th></tr></thead>\n<tbody>\n",
    );
    for part in timings.parts.iter().take(MOST_PARTS) {
        let round = part.round.and_then(|number| {
            let name = timings.rounds.get(number.checked_sub(1)?)?;
            Some(format!("{number} {name}"))
        });
        let WorkDone {
            gates,
            nodes,
            conflicts,
            ticks,
            calls,
            clauses,
        } = part.work;
        let numbers = [gates, nodes, conflicts, ticks, calls, clauses];
        let numbers = numbers.map(|number| format!("<td>{number}</td>")).concat();
        let _ = writeln!(
            text,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{:.3}</td><td>{:.1} %</td>{numbers}</tr>",
            markup(round.as_deref().unwrap_or("-")),
            markup(part.engine.as_deref().unwrap_or("-")),
            markup(&part.phase),
            part.seconds,
            part.seconds * 100.0 / all.max(f64::MIN_POSITIVE)
        );
    }
    text.push_str("</tbody></table>\n</article>\n");
    text
}

/// Returns the place of a mutant as `file:line:column`.
fn at(mutant: &MutantDescription) -> String {
    mutant.place.as_ref().map_or_else(String::new, |place| {
        format!("{}:{}:{}", place.file, place.line, place.column)
    })
}

#[cfg(test)]
mod tests {
    use hyperkill_audit::documents::PartTime;

    use super::*;

    #[test]
    fn parts_of_a_run_have_their_round_and_their_share() {
        let part = |round, seconds| PartTime {
            round,
            engine: Some("<b>".to_owned()),
            phase: "find".to_owned(),
            seconds,
            work: WorkDone {
                conflicts: 17,
                ..WorkDone::default()
            },
        };
        let mut timings = Timings {
            schema: Timings::SCHEMA.to_owned(),
            jobs: 1,
            total_seconds: 4.0,
            rounds: vec!["structure".to_owned()],
            parts: vec![part(Some(1), 3.0), part(None, 1.0)],
            threads: Vec::new(),
            mutants: Vec::new(),
        };
        let text = work(&timings);
        let row = "<th>1 structure</th><td>&lt;b&gt;</td><td>find</td><td>3.000</td><td>75.0 %</td><td>0</td><td>0</td><td>17</td>";
        assert!(text.contains(row), "{text}");
        timings.parts.clear();
        assert_eq!(work(&timings), "");
    }

    #[test]
    fn a_mutant_of_two_changes_is_in_the_parts_of_both() {
        let part_of = |path: &str| {
            let mut mutant = MutantDescription::of("m-1", None, None);
            mutant.path = Some(path.to_owned());
            part(&mutant)
        };
        assert_eq!(part_of("main/next(x)/case[0]/value"), "main/next(x)");
        assert_eq!(
            part_of("main/next(x)/case[0]+main/init(y)"),
            "main/next(x) + main/init(y)"
        );
        assert_eq!(part_of("main/next(x)/a+main/next(x)/b"), "main/next(x)");
    }
}
