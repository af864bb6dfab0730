//! Replaces the operator of an expression and keeps everything else, including spaces, lines and comments.

use super::apart::apart;
use crate::source::Span;

/// An operand of a replaced operator.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The place, with its own parentheses.
    pub place: Span,
    /// Whether the operand needs parentheses beside the new operator.
    pub fenced: bool,
}

/// Returns the text of `left OPERATOR right` with another operator. `sign` is the place of the old operator. `fenced` says whether the
/// result needs parentheses there; `grow` is as for [`apart`]. `None` if the places are not in this order.
pub fn exchanged(
    text: &str,
    operands: [Operand; 2],
    sign: Span,
    new: &str,
    fenced: bool,
    grow: impl Fn(&str, &str) -> bool,
) -> Option<String> {
    let [left, right] = operands;
    let operand = |operand: Operand| {
        let text = operand.place.of(text);
        match operand.fenced {
            true => format!("({text})"),
            false => text.to_owned(),
        }
    };
    let before = text.get(left.place.end..sign.start)?;
    let after = text.get(sign.end..right.place.start)?;
    let right = operand(right);
    let mut whole = operand(left);
    for piece in [before, new, after, &right] {
        let piece = apart(Some(&whole), piece, None, &grow);
        whole.push_str(&piece);
    }
    Some(match fenced {
        true => format!("({whole})"),
        false => whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_keep_operands_what_they_are() {
        let text = "a + b /* c */ * d";
        let operand = |start, end, fenced| Operand {
            place: Span::new(start, end),
            fenced,
        };
        let letters = |left: &str, right: &str| left.ends_with('-') && right.starts_with('-');
        let of = |fences: [bool; 3], new| {
            let operands = [operand(0, 5, fences[0]), operand(16, 17, fences[1])];
            exchanged(text, operands, Span::new(14, 15), new, fences[2], letters)
        };
        assert_eq!(of([false; 3], "-").as_deref(), Some("a + b /* c */ - d"));
        let fenced = of([true, false, true], "-");
        assert_eq!(fenced.as_deref(), Some("((a + b) /* c */ - d)"));
        let tight = exchanged(
            "a+-b",
            [operand(0, 1, false), operand(2, 4, false)],
            Span::new(1, 2),
            "-",
            false,
            letters,
        );
        assert_eq!(tight.as_deref(), Some("a- -b"));
    }
}
