//! The symbol table and comment section at the end of both formats.
//!
//! Names and comments should be UTF-8. Other lines are read byte by byte as Latin-1, so that different names stay different; they are
//! written as UTF-8.

use super::cursor::Cursor;
use super::error::{AigerError, AigerErrorKind, Section};
use crate::Aig;

/// Reads names and comments into the graph. Each thing has at most one name.
pub(super) fn symbols_and_comments(
    cursor: &mut Cursor<'_>,
    aig: &mut Aig,
) -> Result<(), AigerError> {
    cursor.section = Section::Symbols;
    loop {
        match cursor.rest() {
            [] => return Ok(()),
            [b'c', b'\n', comments @ ..] => {
                let comments = comments.strip_suffix(b"\n").unwrap_or(comments);
                if !comments.is_empty() {
                    aig.comments = comments.split(|&byte| byte == b'\n').map(text).collect();
                }
                return Ok(());
            }
            [
                letter @ (b'i' | b'l' | b'o' | b'b' | b'c' | b'j' | b'f'),
                ..,
            ] => {
                symbol(cursor, aig, *letter)?;
            }
            _ => return Err(cursor.unexpected("a symbol, a comment or the end of the file")),
        }
    }
}

fn symbol(cursor: &mut Cursor<'_>, aig: &mut Aig, letter: u8) -> Result<(), AigerError> {
    let at = cursor.at();
    cursor.byte(letter, "a symbol")?;
    let index = cursor.number("the symbol's index", u64::from(u32::MAX))? as usize;
    cursor.space()?;
    let name = text(cursor.line()?);
    let symbol = || format!("{}{index}", char::from(letter));

    let (section, count) = match letter {
        b'i' => (Section::Inputs, aig.inputs().len()),
        b'l' => (Section::Latches, aig.latches().len()),
        b'o' => (Section::Outputs, aig.outputs.len()),
        b'b' => (Section::Bad, aig.bad.len()),
        b'c' => (Section::Constraints, aig.constraints.len()),
        b'j' => (Section::Justice, aig.justice.len()),
        _ => (Section::Fairness, aig.fairness.len()),
    };
    if index >= count {
        let kind = AigerErrorKind::NamesNothing {
            symbol: symbol(),
            section,
            count,
        };
        return Err(cursor.error_at(at, kind));
    }
    let old = match letter {
        b'i' => {
            let old = aig.inputs()[index].name.clone();
            aig.set_input_name(index, Some(name));
            old
        }
        b'l' => {
            let old = aig.latches()[index].name.clone();
            aig.set_latch_name(index, Some(name));
            old
        }
        b'o' => aig.outputs[index].name.replace(name),
        b'b' => aig.bad[index].name.replace(name),
        b'c' => aig.constraints[index].name.replace(name),
        b'j' => aig.justice[index].name.replace(name),
        _ => aig.fairness[index].name.replace(name),
    };
    match old {
        None => Ok(()),
        Some(_) => {
            let symbol = symbol();
            Err(cursor.error_at(at, AigerErrorKind::NamedTwice { symbol }))
        }
    }
}

fn text(line: &[u8]) -> String {
    match str::from_utf8(line) {
        Ok(line) => line.to_owned(),
        Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
    }
}
