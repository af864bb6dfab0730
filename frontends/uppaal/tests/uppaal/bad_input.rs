//! Errors in files are reported at their places.

use hyperkill_frontend::{FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_uppaal::read;

use crate::models::{model, template};

/// Returns the first error of a model: its message, and the text at its place.
fn refusal(text: &str) -> (String, String) {
    let sources = [SourceFile::new("model.xml", text)];
    let errors = read(&sources, &FrontendOptions::default()).expect_err(text);
    for error in &errors {
        let span = error.span.unwrap_or_default();
        assert!(
            span.start <= span.end && span.end <= text.len(),
            "{error:?}"
        );
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
    }
    let first = &errors[0];
    let there = first.span.map_or("", |span| span.of(text));
    (first.message.clone(), there.to_owned())
}

fn assert_refused(text: &str, message: &str, place: &str) {
    let (said, there) = refusal(text);
    assert!(said.contains(message), "{said}\n{text}");
    assert_eq!(there, place, "{said}\n{text}");
}

#[test]
fn what_is_no_xml_or_bombs_is_refused() {
    assert_refused("<nta><template></nta>", "this is no XML", "");
    assert_refused("", "this is no XML", "");
    assert_refused("<xml/>", "a model is an element `nta`", "<xml");
    let bomb = "<!DOCTYPE nta [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><nta><system>&b;</system></nta>";
    assert_refused(bomb, "entities of a file's own", "<!ENTITY");
    let unknown = model("", &template("x &nbsp; 5", ""), "system P;");
    assert_refused(&unknown, "unknown entity", "");
    let deep = format!(
        "<nta>{}{}</nta>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    assert_refused(&deep, "a model has no `a`", "<a");
}

#[test]
fn what_is_too_deep_or_too_large_is_refused() {
    let brackets = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let deep = model("", &template(&brackets, ""), "system P;");
    assert_refused(&deep, "inside one another", "(");
    let long = vec!["1"; 100_000].join(" + ");
    let (said, _) = refusal(&model(
        "",
        &template(&format!("x &lt; {long}"), ""),
        "system P;",
    ));
    assert!(said.contains("inside one another"), "{said}");
    let braces = format!("void f() {} {}", "{".repeat(100_000), "}".repeat(100_000));
    let (said, _) = refusal(&model(&braces, &template("", ""), "system P;"));
    assert!(said.contains("inside one another"), "{said}");
    let large = model("const int N = 2147483648;", &template("", ""), "system P;");
    assert_refused(&large, "does not fit 32 bits", "2147483648");
    let wide = model("int a[100000000];", &template("", ""), "system P;");
    assert_refused(&wide, "an array has", "100000000");
}

#[test]
fn what_templates_lack_or_have_twice_is_refused() {
    let one = |inside: &str| {
        format!("<nta><template><name>P</name>{inside}</template><system>system P;</system></nta>")
    };
    assert_refused(
        &one("<location id=\"a\"/>"),
        "does not say where it starts",
        "<name",
    );
    assert_refused(
        &one("<location id=\"a\"/><init ref=\"b\"/>"),
        "there is no location `b`",
        "<init",
    );
    assert_refused(
        &one("<location id=\"a\"/><location id=\"a\"/><init ref=\"a\"/>"),
        "two locations `a`",
        "<location",
    );
    let dangling = "<location id=\"a\"/><init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"c\"/></transition>";
    assert_refused(&one(dangling), "there is no location `c`", "<target");
    assert_refused(
        &one("<location id=\"a\"/><init ref=\"a\"/><transition><source ref=\"a\"/></transition>"),
        "lacks its source or target",
        "<transition",
    );
}

#[test]
fn what_has_no_type_or_no_value_is_refused() {
    let guard = |declared: &str, guard: &str| model(declared, &template(guard, ""), "system P;");
    let update = |declared: &str, update: &str| model(declared, &template("", update), "system P;");
    assert_refused(
        &guard("", "nothing &gt; 1"),
        "`nothing` is not declared",
        "nothing",
    );
    assert_refused(
        &update("int i;", "i = x"),
        "a clock cannot be given to a number",
        "x",
    );
    assert_refused(&update("int i;", "i = x + 1"), "this is a clock", "x");
    assert_refused(
        &guard("int a[3];", "a[3] == 0"),
        "the index 3 is not from 0 to 2",
        "3",
    );
    assert_refused(&update("int[0,3] i;", "i = 4"), "4 is not from 0 to 3", "4");
    assert_refused(&update("int i;", "i = 1 / i"), "division by zero", "1 / i");
    assert_refused(&guard("", "x' == 2"), "rates other than 1", "2");
    let sources = [SourceFile::new("model.xml", guard("", "x' == 2"))];
    let errors = read(&sources, &FrontendOptions::default()).expect_err("a rate");
    let help = errors[0].help.as_deref().unwrap_or_default();
    assert!(help.starts_with("leave the rate out"), "{errors:?}");
    let invariant = guard("clock y;", "").replace(
        "<location id=\"a\"/>",
        "<location id=\"a\"><label kind=\"invariant\">x - y &lt; 3</label></location>",
    );
    let (said, _) = refusal(&invariant);
    assert!(
        said.contains("differences of clocks in invariants"),
        "{said}"
    );
    assert_refused(&guard("", "!(x &lt; 3)"), "cannot be negated", "(x &lt; 3)");
    assert_refused(&guard("double d;", ""), "`double` are not read", "double");
    assert_refused(
        &guard("int f(int n) { return f(n); }", ""),
        "calls itself",
        "f",
    );
    let endless = update("void f() { while (true) { } }", "f()");
    let (said, _) = refusal(&endless);
    assert!(said.contains("takes more than"), "{said}");
    assert_refused(&update("", "x = -1"), "not set to a negative value", "-1");
    assert_refused(
        &guard("const int N = 1;", "N++ == 1"),
        "`N` is constant",
        "N",
    );
    assert_refused(&guard("int i; int i;", ""), "declared twice", "i");
}

#[test]
fn what_is_said_of_inputs_and_outputs_has_to_agree() {
    let edge = |attribute: &str, label: &str| {
        format!(
            "<template><name>P</name><location id=\"a\"/><init ref=\"a\"/><transition{attribute}><source ref=\"a\"/><target ref=\"a\"/>\
             <label kind=\"synchronisation\">{label}</label></transition></template>"
        )
    };
    let wrong = " controllable=\"false\"";
    let said = model("chan c;", &edge(wrong, "c?"), "system P;");
    assert_refused(
        &said,
        "an edge with an input is the tester's",
        "controllable=\"false\"",
    );
    let said = model("chan c;", &edge("", "c!"), "system P; IO P { c? }");
    assert_refused(&said, "`IO` says otherwise of `c`", "c");
    let said = model("chan c;", &edge("", "c!"), "system P; IO P { }");
    assert_refused(&said, "`IO` does not say what `c` is", "c");
}

#[test]
fn a_process_has_to_be_chosen_and_alone() {
    let two = model(
        "int v;",
        &template("v == 0", ""),
        "A = P(); B = P(); system A, B;",
    );
    let (said, _) = refusal(&two);
    assert!(said.contains("several processes: A, B"), "{said}");
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: Some("A".to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let read = |text: &str| {
        let sources = [SourceFile::new("model.xml", text)];
        hyperkill_uppaal::read(&sources, &options)
    };
    assert!(read(&two).is_ok());
    let shared = model(
        "int[0,9] v;",
        &template("v == 0", "v = 0"),
        "A = P(); B = P(); system A, B;",
    );
    let errors = read(&shared).expect_err("shared");
    assert!(
        errors[0].message.contains("written by other processes"),
        "{errors:?}"
    );
}
