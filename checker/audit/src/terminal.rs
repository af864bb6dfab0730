//! Makes texts harmless for a terminal: control characters in foreign texts are escaped.
//!
//! Names of signals, source lines and messages of other programs are foreign. Colours of hyperkill carry a random mark ([`paint`]). When a
//! text leaves the program, [`shown`] lets marked colours through. It writes all other control characters, and characters that change the
//! direction of writing, as `\u001b`, as JSON does.

use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// The first character of an escape sequence of terminals.
const ESCAPE: char = '\x1b';

/// Returns the random digits that follow the escape character in our own colours. The author of a model cannot know them.
fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| format!("{:020}", RandomState::new().hash_one("mark")))
}

/// Returns text in a colour or another style, by its code for terminals. The escape sequences carry our mark, so that they are known as
/// ours.
pub fn paint(code: &str, text: &str) -> String {
    let mark = mark();
    format!("{ESCAPE}{mark}[{code}m{text}{ESCAPE}{mark}[0m")
}

/// Returns text with the mark at all its colours, so that they are known as ours. The text must be made from harmless texts only.
pub fn trusted(text: &str) -> String {
    text.replace(ESCAPE, &format!("{ESCAPE}{}", mark()))
}

/// The treatment of our own colours, which carry the mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colors {
    /// The mark of our own colours stays, since the text is processed further.
    Keep,
    /// The mark is removed, so that a terminal shows the colour.
    Show,
    /// Our own colours are removed.
    Drop,
}

/// Returns text as a person or a terminal may see it: control characters are escaped, and only our own colours remain.
#[must_use]
pub fn shown(text: &str) -> String {
    escaped(text, Colors::Show, is_steering)
}

/// Returns text with control characters escaped and without our own colours. Line ends are kept.
#[must_use]
pub fn harmless(text: &str) -> String {
    escaped(text, Colors::Drop, is_steering)
}

/// Whether [`harmless`] leaves the text unchanged.
#[must_use]
pub fn is_harmless(text: &str) -> bool {
    !text.contains(is_steering)
}

/// Returns the text for use within a line: line ends are escaped, too, and our own colours are kept.
#[must_use]
pub fn in_a_line(text: &str) -> String {
    escaped(text, Colors::Keep, |c| c == '\n' || is_steering(c))
}

fn escaped(text: &str, colors: Colors, bad: impl Fn(char) -> bool) -> String {
    if !text.contains(&bad) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&bad) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let ours = rest
            .strip_prefix(ESCAPE)
            .and_then(|behind| behind.strip_prefix(mark()));
        if let Some(behind) = ours {
            // An escape sequence of a colour ends with its first letter.
            let end = behind.find('m').map_or(behind.len(), |end| end + 1);
            let (sequence, after) = behind.split_at(end);
            match colors {
                Colors::Keep => out.push_str(&rest[..rest.len() - after.len()]),
                Colors::Show => out.extend([&ESCAPE.to_string(), sequence]),
                Colors::Drop => {}
            }
            rest = after;
            continue;
        }
        let mut characters = rest.chars();
        if let Some(character) = characters.next() {
            // A line may end with a carriage return and a line feed.
            let ends_line = character == '\r' && characters.as_str().starts_with('\n');
            match ends_line && !bad('\n') {
                true => out.push(character),
                false => push_escaped(&mut out, character),
            }
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out
}

/// Whether a character does more on a terminal than to stand in its place or to end a line.
fn is_steering(character: char) -> bool {
    let turns = matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    turns || character.is_control() && !matches!(character, '\n' | '\t')
}

fn push_escaped(out: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\u{:04x}", u32::from(character));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_colours_pass_and_only_if_they_are_wanted() {
        let text = paint("31", "red \x1b[31m\x1b]0;title\x07");
        assert_eq!(
            shown(&text),
            "\x1b[31mred \\u001b[31m\\u001b]0;title\\u0007\x1b[0m"
        );
        assert_eq!(harmless(&text), "red \\u001b[31m\\u001b]0;title\\u0007");
        assert_eq!(shown(&trusted("\x1b[1mbold")), "\x1b[1mbold");
    }

    #[test]
    fn no_character_that_steers_comes_through_and_all_others_do() {
        for code in (0..=0x10_ffff).filter_map(char::from_u32) {
            let out = shown(&format!("a{code}b"));
            let kept = out == format!("a{code}b");
            let steers = (code.is_control() && code != '\n' && code != '\t')
                || ('\u{202a}'..='\u{202e}').contains(&code)
                || ('\u{2066}'..='\u{2069}').contains(&code);
            assert!(!(kept && steers), "{:x}", u32::from(code));
            assert!(kept || out.is_ascii(), "{out}");
        }
        for plain in ["é φ ⇒ │ ◄ 水\n\tx", "line\r\nline\r\n", ""] {
            assert_eq!(shown(plain), plain);
        }
        assert_eq!(shown("over\rwritten"), "over\\u000dwritten");
    }

    #[test]
    fn a_part_of_a_line_makes_no_line() {
        let text = in_a_line(&paint("1", "a\nerror: b\r\n"));
        assert_eq!(harmless(&text), "a\\u000aerror: b\\u000d\\u000a");
        assert!(shown(&text).starts_with("\x1b[1ma"));
    }

    #[test]
    fn json_stays_json_and_means_the_same() {
        let text = "del \x7f, csi \u{9b}31m, esc \x1b[0m, turned \u{202e}, end\n";
        let json = serde_json::to_string(text).unwrap();
        let out = shown(&json);
        assert!(out.is_ascii(), "{out}");
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }
}
