//! Large netlists: the cost is linear in the text, for every order and layout.

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_netlist::NetlistFrontend;

fn with(operators: &'static [&'static str]) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::names(operators.iter().copied())),
        ..FrontendOptions::default()
    }
}

/// Returns a BLIF text with a chain of gates, the last one first.
fn backwards(count: usize) -> String {
    let mut text = format!(".model m\n.inputs a b\n.outputs n{count}\n");
    for i in (1..=count).rev() {
        let before = if i == 1 {
            "a".to_owned()
        } else {
            format!("n{}", i - 1)
        };
        text += &format!(".names {before} b n{i}\n10 1\n01 1\n");
    }
    text + ".end\n"
}

#[test]
fn three_hundred_thousand_gates_in_reverse_order_are_read() {
    let text = backwards(300_000);
    let found = NetlistFrontend::Blif.translate(&[SourceFile::new("m.blif", text)], &with(&[]));
    let found = found.expect("a netlist");
    assert_eq!(found.system.outputs.len(), 1);
    // Each gate has some terms, independent of its depth.
    let terms = found.system.terms.len();
    assert!(terms < 5 * 300_000, "{terms}");
}

#[test]
fn more_mutants_than_fit_are_refused_where_they_begin() {
    let text = backwards(180_000);
    let errors = NetlistFrontend::Blif.translate(
        &[SourceFile::new("m.blif", text.clone())],
        &FrontendOptions::default(),
    );
    let error = errors.expect_err("too many").remove(0);
    assert!(
        error.message.contains("more than 1000000 mutants"),
        "{}",
        error.message
    );
    assert!(error.span.expect("a place").of(&text).starts_with(".names"));
}

/// Returns the chain of gates in JSON, all in one line as some programs write it.
fn in_one_line(count: usize) -> String {
    let cells: Vec<String> = (1..=count)
        .rev()
        .map(|i| {
            let before = if i == 1 { 2 } else { i + 9 };
            format!(
                concat!(
                    r#""c{}":{{"type":"$_XOR_","parameters":{{}},"attributes":{{}},"#,
                    r#""port_directions":{{"A":"input","B":"input","Y":"output"}},"#,
                    r#""connections":{{"A":[{}],"B":[3],"Y":[{}]}}}}"#
                ),
                i,
                before,
                i + 10
            )
        })
        .collect();
    format!(
        concat!(
            r#"{{"modules":{{"m":{{"ports":{{"a":{{"direction":"input","bits":[2]}},"#,
            r#""b":{{"direction":"input","bits":[3]}},"o":{{"direction":"output","bits":[{}]}}}},"#,
            r#""cells":{{{}}},"netnames":{{}}}}}}}}"#
        ),
        count + 10,
        cells.join(",")
    )
}

#[test]
fn mutants_of_a_netlist_in_one_line_have_their_columns() {
    let text = in_one_line(10_000);
    let sources = [SourceFile::new("m.json", text.as_str())];
    // Counting from the start of the line for each of them would take minutes.
    let found = NetlistFrontend::Yosys
        .translate(&sources, &with(&["inv"]))
        .expect("a netlist");
    assert!(found.catalogue.len() > 10_000);
    for (mutant, _) in &found.catalogue {
        assert_eq!(
            (mutant.place.line, mutant.place.column),
            (1, mutant.place.start + 1)
        );
    }
}
