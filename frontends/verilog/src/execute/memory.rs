//! `$readmemh` and `$readmemb`: initial contents of memories, from files that the loader of the front end has found.

use hyperkill_frontend::Span;

use crate::ast::{ExprId, ExprKind};
use crate::design::{Entity, Run, Stop, VarId};
use crate::number::{Digit, Literal};
use crate::state::{Elaborator, Mode};

/// The tasks that read the contents of memories.
pub const READ_MEMORY: &[&str] = &["$readmemh", "$readmemb"];

impl Elaborator<'_> {
    /// Executes `$readmemh("file", memory, first, last)` (IEEE 1364-2005 §17.2.9).
    pub(super) fn read_memory(&mut self, task: &str, arguments: &[ExprId], place: Span) -> Run<()> {
        if self.mode != Mode::Initial {
            let message = format!("`{task}` is supported in `initial` blocks only");
            return Err(Stop::at(place, message));
        }
        let [file, memory, bounds @ ..] = arguments else {
            return Err(Stop::at(
                place,
                format!("`{task}` needs a file and a memory"),
            ));
        };
        let Some(file) = self.name_of_file(*file)? else {
            let message = format!("`{task}`: the name of the file must be a constant string");
            return Err(Stop::at(place, message));
        };
        let Some(text) = self.source.files.get(&*file).cloned() else {
            let message = format!("`{task}`: the file `{file}` is not found");
            return Err(Stop::at(place, message));
        };
        let (var, low, high) = self.memory(*memory, place)?;
        let (mut first, mut last) = (low, high);
        if let Some(bound) = bounds.first() {
            first = self.integer(*bound)?;
        }
        if let Some(bound) = bounds.get(1) {
            last = self.integer(*bound)?;
        }
        let step = if first <= last { 1 } else { -1 };
        let mut at = first;
        let bits = if task == "$readmemh" { 4 } else { 1 };
        for word in words_of(&text) {
            if let Some(address) = word.strip_prefix('@') {
                at = i64::from_str_radix(address, 16)
                    .map_err(|_| Stop::at(place, format!("`{file}`: `{word}` is no address")))?;
                continue;
            }
            let width = self.design.var(var).width;
            let base = if bits == 4 { "'h" } else { "'b" };
            let literal = Literal::based(None, &format!("{base}{word}"))
                .map_err(|message| Stop::at(place, format!("`{file}`: `{word}`: {message}")))?;
            let inside = at >= first.min(last) && at <= first.max(last);
            if !inside || at < low || at > high {
                let message =
                    format!("`{file}` has a word for the address {at}, which is not there");
                return Err(Stop::at(place, message));
            }
            let digits = literal.at_width(width as usize, false);
            let value = if digits.iter().any(|digit| digit.is_unknown()) {
                self.unknown(width)
            } else {
                let ones: Vec<bool> = digits.iter().map(|digit| *digit == Digit::One).collect();
                self.design.words.bits(&ones)
            };
            let word = self.word_of(var, (at - low) as u32);
            self.env.blocking.insert(word, value);
            at += step;
        }
        Ok(())
    }

    /// Returns the name of the file: a string as written, or the value of a constant. `None` if it is neither, or not in UTF-8.
    fn name_of_file(&mut self, expr: ExprId) -> Run<Option<String>> {
        if let ExprKind::Text(file) = &self.source.expr(expr).kind {
            return Ok(Some(file.to_string()));
        }
        let (value, _) = self.muted(|this| this.value(expr))?;
        let Some(bits) = self.design.words.constant(value) else {
            return Ok(None);
        };
        let bytes = bits.chunks(8).rev().map(|bits| {
            let bits = bits.iter().enumerate();
            bits.fold(0u8, |byte, (i, bit)| byte | u8::from(*bit) << i)
        });
        let bytes: Vec<u8> = bytes.filter(|byte| *byte != 0).collect();
        Ok(String::from_utf8(bytes).ok())
    }

    /// Returns the variable of a memory, and its lowest and highest address.
    ///
    /// # Errors
    /// If the expression is no array of one dimension.
    fn memory(&mut self, expr: ExprId, place: Span) -> Run<(VarId, i64, i64)> {
        if let ExprKind::Name(path) = &self.source.expr(expr).kind
            && let [step] = path.as_slice()
            && let Some(Entity::Var(var)) = self.lookup(&step.name)
            && let [(a, b)] = self.design.var(var).dimensions[..]
        {
            return Ok((var, a.min(b), a.max(b)));
        }
        Err(Stop::at(place, "this is no memory with one dimension"))
    }
}

/// Returns the words and addresses between white space and comments.
fn words_of(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        plain.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n'),
            Some(b'*') => comment.find("*/").map(|end| end + 2),
            _ => Some(1),
        };
        plain.push(' ');
        rest = end.map_or("", |end| &comment[end..]);
    }
    plain.push_str(rest);
    plain.split_whitespace().map(str::to_owned).collect()
}
