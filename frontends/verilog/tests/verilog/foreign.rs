//! Parts of SystemVerilog that are no hardware: passed over where nothing uses them, otherwise refused by name at their place.

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_verilog::VerilogFrontend;

/// Returns the first error of a text, with its line. `None` if the text is a design.
fn refused(text: &str) -> Option<(String, usize)> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let errors = VerilogFrontend.translate(&[SourceFile::new("m.sv", text)], &options);
    let error = errors.err()?.remove(0);
    let span = error.span.unwrap_or_else(|| panic!("{error:?}"));
    let line = text[..span.start].matches('\n').count() + 1;
    Some((error.message, line))
}

fn module(inside: &str) -> String {
    format!("module m(input clk, a, output y);\n{inside}\nassign y = a;\nendmodule\n")
}

#[test]
fn parts_that_are_no_hardware_are_refused_by_name_at_their_place() {
    let bind = "`bind` is not supported";
    let dpi = "a function or task in C (`import \"DPI-C\"`) is not supported";
    let class = "`class c` is not supported";
    let cases = [
        (module("bind m k u(.a(a));"), bind, 2),
        (module("bind sub.inner k u(.*);"), bind, 2),
        (module("") + "bind m k u(.a(a));", bind, 5),
        (module("import \"DPI-C\" function int f(int a);"), dpi, 2),
        (module("import \"DPI-C\" context task t();"), dpi, 2),
        (
            format!("import \"DPI-C\" function int f(int a);\n{}", module("")),
            dpi,
            1,
        ),
        (
            format!(
                "package p;\nimport \"DPI-C\" function int f();\nendpackage\n{}",
                module("")
            ),
            dpi,
            2,
        ),
        (module("class c; int x; endclass\nc object;"), class, 3),
        (
            format!("class c; endclass\n{}", module("c object = new;")),
            class,
            3,
        ),
        (
            format!("virtual class c; endclass\n{}", module("c object;")),
            class,
            3,
        ),
        (
            format!("program t(input a); endprogram\n{}", module("t u(a);")),
            "`program t` is not supported",
            3,
        ),
        (
            format!("checker k(logic a); endchecker\n{}", module("k u(a);")),
            "`checker k` is not supported",
            3,
        ),
    ];
    for (text, message, line) in cases {
        assert_eq!(refused(&text), Some((message.to_owned(), line)), "{text}");
    }
}

#[test]
fn parts_that_are_no_hardware_are_passed_over_where_nothing_uses_them() {
    for inside in [
        "class c; int x; function new(); x = 0; endfunction endclass",
        "virtual class c; endclass : c",
        "program t; initial begin end endprogram",
        "checker k(logic a); endchecker",
        "clocking cb @(posedge clk); input a; endclocking",
        "default clocking cb @(posedge clk); input a; endclocking",
        "global clocking cb @(posedge clk); endclocking",
        "covergroup cg @(posedge clk); coverpoint a; endgroup : cg\ncg measured = new;\ncg other = new();",
        "export \"DPI-C\" function f;",
    ] {
        assert_eq!(refused(&module(inside)), None, "{inside}");
    }
    for outside in [
        "class c; int x; endclass",
        "virtual class c; endclass",
        "program t; endprogram",
        "package p; class c; endclass typedef logic t; endpackage",
        // A module may have such a name.
        "module checker(input a); endmodule",
    ] {
        let inside = if outside.contains("module") {
            "checker u(.a(a));"
        } else {
            ""
        };
        let text = format!("{outside}\n{}", module(inside));
        assert_eq!(refused(&text), None, "{text}");
    }
}
