//! Refused files of GraphWalker: the place, the message and the help of each error.

use crate::walks::{file, refused};

#[test]
fn what_to_do_about_a_refused_file_is_said() {
    let good = file("b", "");
    let text = |from: &str, to: &str| {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        text
    };
    let no_start = text("\"startElementId\": \"e0\", ", "");
    let shared = no_start.replacen(
        "\"name\": \"v_A\"",
        "\"name\": \"v_A\", \"sharedState\": \"S\"",
        1,
    );
    let commented = format!("/* a licence */\n{good}");
    let increased = file("b", "y += 1").replace("\"v1\" }", "\"v1\", \"actions\": [\"y = 0\"] }");
    for (text, place, message, help) in [
        (no_start, "", "no model has a start element", "start with"),
        (
            shared,
            "",
            "no model has a start element",
            "into one list `models`",
        ),
        (
            commented,
            "",
            "this is no model of GraphWalker: expected value",
            "JSON has no comments: leave them out",
        ),
        (
            text("\"id\": \"v1\"", "\"id\": \"v0\""),
            "\"v0\"",
            "a second element has the id `v0`",
            "give it another one",
        ),
        (
            file("b", "x == 1"),
            "==",
            "`==` stands where `=` is expected",
            "a comparison alone does nothing",
        ),
        (
            increased,
            "y",
            "`y` may be read here before it has a value",
            "set it in the actions of the model",
        ),
    ] {
        let (found, said, what) = refused(&text);
        assert_eq!((found.as_str(), said.as_str()), (place, message), "{text}");
        assert!(what.contains(help), "{what}");
    }
}
