//! Work grows with the text, and not faster: terms and mutants are counted, no clock is read.

use hyperkill_frontend::{FrontendOptions, SourceFile};

use crate::support::translated;

/// Returns the numbers of terms and of mutants of a system.
fn work(text: String) -> (usize, usize) {
    let translation = translated(&SourceFile::new("m", text), &FrontendOptions::default());
    (translation.system.terms.len(), translation.catalogue.len())
}

fn system(actions: &[String], offers: &[String], inputs: &str) -> String {
    format!(
        "type(t, X) :- X in 0..99.\nvar([a, b], t).\nstate_def([a, b]).\ninit([0, 0]).\n{inputs}as :-\n  actions (\n{}\n  ),\n  \
         dood (\n{}\n  ).\n",
        actions.join(",\n"),
        offers.join("\n  [] ")
    )
}

/// Returns a system with `count` actions, each with a parameter.
fn many_actions(count: usize, inputs: &str) -> String {
    let actions = (0..count).map(|i| {
        format!(
            "'e{i}'(W)::(W #= {}) => ((a #= {}) => (a := {}; b := W))",
            i % 90,
            i % 80,
            i % 70
        )
    });
    let offers = (0..count).map(|i| format!("[X:t]:'e{i}'(X)"));
    system(
        &actions.collect::<Vec<_>>(),
        &offers.collect::<Vec<_>>(),
        inputs,
    )
}

/// Returns a system with one action of `count` branches.
fn many_branches(count: usize) -> String {
    let branches = (0..count).map(|i| format!("((a #= {}) => (b := {}))", i % 90, i % 80));
    let branches: Vec<String> = branches.collect();
    let action = format!("'e'::(true) => ({})", branches.join(" [] "));
    system(&[action], &["'e'".to_owned()], "")
}

/// Returns a system with one action of `count` choices in sequence, whose assignments no later command reads.
fn many_choices(count: usize) -> String {
    let choice = "((b := 1) [] (b := 2))".to_owned();
    let action = format!("'e'::(true) => ({})", vec![choice; count].join("; "));
    system(&[action], &["'e'".to_owned()], "")
}

/// Checks that a text of double size has at most 2.2 times the terms and about twice the mutants. `of` makes a text of a size.
fn grows_linearly(of: impl Fn(usize) -> String, small: usize) {
    let (first, mutants) = work(of(small));
    let (second, more) = work(of(2 * small));
    assert!(second * 10 <= first * 22, "{first} terms, then {second}");
    assert!(more <= 2 * mutants + 2, "{mutants} mutants, then {more}");
}

#[test]
fn work_is_linear_in_the_number_of_actions() {
    grows_linearly(|count| many_actions(count, ""), 2_000);
    grows_linearly(|count| many_actions(count, "input([]).\n"), 500);
}

/// Does not end if the time is quadratic in the length of a line.
#[test]
fn a_hundred_thousand_actions_on_one_line_are_read() {
    let text = many_actions(100_000, "").replace('\n', " /* a remark */ ");
    let read = hyperkill_action_systems::read(&SourceFile::new("m", text));
    let read = read.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(read.system.actions.len(), 100_000);
    assert!(read.comments.len() > 100_000);
}

#[test]
fn work_is_linear_in_the_number_of_branches() {
    grows_linearly(many_branches, 2_000);
}

#[test]
fn choices_in_a_row_that_nothing_reads_are_no_more_work_than_others() {
    grows_linearly(many_choices, 90);
}

#[test]
fn a_chain_of_operators_may_be_as_long_as_a_text() {
    let sum = vec!["a"; 100_000].join(" - ");
    let action = format!("'e'::({sum} #< 5) => (skip)");
    let (terms, mutants) = work(system(&[action], &["'e'".to_owned()], ""));
    assert!(
        terms > 1000 && mutants == 2,
        "{terms} terms, {mutants} mutants"
    );
}

#[test]
fn combinations_of_choices_that_are_too_many_are_refused() {
    use hyperkill_action_systems::ActionSystemFrontend;
    use hyperkill_frontend::Frontend;
    // Whether the last guard holds depends on all choices before it.
    let choice = "((a := a + b) [] (a := a + 2) [] (b := b + a))".to_owned();
    let action = format!(
        "'e'::(true) => ({}; ((a #= b) => (skip)))",
        vec![choice; 60].join("; ")
    );
    let text = system(&[action], &["'e'".to_owned()], "");
    let found =
        ActionSystemFrontend.translate(&[SourceFile::new("m", text)], &FrontendOptions::default());
    let errors = found.map(drop).expect_err("too much work");
    assert!(
        errors[0].message.contains("combinations of choices"),
        "{errors:?}"
    );
    assert!(errors[0].span.is_some());
}
