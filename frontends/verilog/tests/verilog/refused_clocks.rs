//! Refused designs, and notes about clocks.

use crate::clocks::{clocks, read};

fn module(inside: &str) -> String {
    format!(
        "module m(input a, b, rst, d, output reg p, q, r);\n{}\nendmodule\n",
        inside.replace("; ", ";\n")
    )
}

type Asked<'a> = &'a [(&'a str, Option<u32>)];

#[test]
fn clocks_that_are_not_supported_are_refused_with_a_reason() {
    let two = "always @(posedge a) p <= d; always @(posedge b) q <= p;";
    let cases: [(&str, Asked<'_>, &str); 15] = [
        (two, &[("c", None)], "--clock c: there is no such clock"),
        (two, &[("d", None)], "--clock d: there is no such clock"),
        (
            two,
            &[("a", None), ("a", None)],
            "--clock a: it is named twice",
        ),
        (
            two,
            &[("a", Some(0)), ("b", Some(1))],
            "a period is at least 1",
        ),
        (
            two,
            &[("a", Some(3)), ("b", None)],
            "--clock b: it has no period, and `a` has one",
        ),
        (
            two,
            &[("a", Some(1009)), ("b", Some(1013))],
            "repeat after more than 1024 steps",
        ),
        (
            two,
            &[("a", Some(u32::MAX)), ("b", Some(u32::MAX - 1))],
            "repeat after more than 1024 steps",
        ),
        (
            "always @(posedge a) p <= b; always @(posedge b) q <= p;",
            &[],
            "the clock `b` is read as a value",
        ),
        (
            "always @(posedge a) p <= d; wire g = p & d; always @(posedge g) q <= d;",
            &[],
            "made by logic",
        ),
        (
            "always @(posedge a) p = d; always @(posedge p) q <= d;",
            &[],
            "makes a clock and gets its value by `=`",
        ),
        (
            "always @(posedge p) p <= ~p; always @(posedge a) q <= p;",
            &[],
            "clocked by itself",
        ),
        (
            "always @(posedge p) q <= ~q; always @(posedge q) p <= ~p; always @(posedge a) r <= d;",
            &[],
            "clocked by itself",
        ),
        (
            "always @(posedge a or posedge rst) if (rst) p <= 1; else p <= ~p; always @(posedge p) q <= d;",
            &[],
            "set at once to the value that is an edge of it",
        ),
        (
            "always @(posedge a) p <= d; always @(posedge p) q <= d; assert property (@(posedge p) q);",
            &[],
            "a property at the edges of a clock that a register makes",
        ),
        (
            "always @(posedge a) p <= d; always @(posedge b) q <= d; assert property (@(negedge b) q);",
            &[],
            "a property at an edge at which no register changes",
        ),
    ];
    for (inside, asked, message) in cases {
        let errors = read(&module(inside), clocks(asked)).expect_err(inside);
        assert!(errors[0].message.contains(message), "{inside}: {errors:?}");
    }
}

#[test]
fn a_run_says_when_clocks_tick() {
    let two = "always @(posedge a) p <= d; always @(posedge b) q <= p;";
    let both = "always @(posedge a) p <= d; always @(negedge a) q <= p;";
    let cases: [(&str, Asked<'_>, &[&str]); 5] = [
        (
            two,
            &[],
            &["`a` is a clock: it ticks (one edge) in the steps in which the test input `a` is 1"],
        ),
        (
            two,
            &[("a", None)],
            &[
                "`a` is the clock: one step is one edge",
                "`b` is a clock that never ticks: --clock does not name it",
            ],
        ),
        (
            two,
            &[("b", Some(2)), ("a", Some(3))],
            &[
                "`a` is a clock with period 3: it ticks (one edge) in the first step, and in 2 of every 4 steps",
            ],
        ),
        (
            both,
            &[],
            &["`a` is the clock: one step is one edge, rising and falling in turn"],
        ),
        (
            "always @(posedge a) p <= d; always @(posedge p) q <= d;",
            &[("a", Some(7))],
            &["`a` is the clock: one step is one edge"],
        ),
    ];
    for (inside, asked, expected) in cases {
        let (_, notes) =
            read(&module(inside), clocks(asked)).unwrap_or_else(|errors| panic!("{errors:?}"));
        for note in expected {
            assert!(
                notes.iter().any(|other| other == note),
                "{note}: {notes:#?}"
            );
        }
    }
}
