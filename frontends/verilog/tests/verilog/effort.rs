//! How much is looked for until a design is resolved: counted, not timed.

use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile};
use hyperkill_verilog::work;

/// What it takes to resolve a text.
fn counted(text: &str) -> usize {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let found = work(&[SourceFile::new("m.sv", text)], &options);
    found.unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Wires whose bits depend on each other across words: each must be taken apart into bits.
fn crossing(words: usize) -> String {
    let mut text = format!("module m (input [1:0] i, output [{}:0] y);\n", words - 1);
    for word in 0..words {
        let before = match word {
            0 => "i".to_owned(),
            _ => format!("w{}", word - 1),
        };
        text.push_str(&format!(
            "wire [1:0] w{word}; wire v{word}; assign w{word} = {{v{word}, {before}[0] ^ {before}[1]}}; assign v{word} = ~w{word}[0];\n\
             assign y[{word}] = v{word};\n"
        ));
    }
    text + "endmodule\n"
}

/// A tree of nodes in one vector, each from two later ones, as arbiters have it.
fn tree(leaves: usize) -> String {
    format!(
        "module m (input [{0}:0] i, output y);
           wire [{1}:0] n;
           for (genvar l = 0; l < {leaves}; l++) assign n[{0} + l] = i[l];
           for (genvar k = 0; k < {0}; k++) assign n[k] = n[2 * k + 1] ^ n[2 * k + 2];
           assign y = n[0];
         endmodule",
        leaves - 1,
        2 * leaves - 2
    )
}

/// A vector of which each bit is made of the one before, in one block.
fn ripple(bits: usize) -> String {
    format!(
        "module m (input [{0}:0] i, output [{0}:0] y);
           logic [{bits}:0] c; assign c[0] = 1'b0;
           for (genvar k = 0; k < {bits}; k++) begin : g
             logic s; assign {{c[k + 1], s}} = i[k] + c[k]; assign y[k] = s;
           end
         endmodule",
        bits - 1
    )
}

#[test]
fn what_is_looked_for_grows_with_the_design() {
    for (name, make) in [
        ("crossing", crossing as fn(usize) -> String),
        ("tree", tree),
        ("ripple", ripple),
    ] {
        let (small, large) = (counted(&make(64)), counted(&make(512)));
        assert!(
            large < 10 * small,
            "{name}: {small} for 64, {large} for 512"
        );
        assert!(large < 512 * 100, "{name}: {large} for 512");
    }
}
