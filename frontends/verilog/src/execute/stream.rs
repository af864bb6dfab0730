//! Streaming concatenations, `{<<n{a, b}}` and `{>>{a, b}}` (IEEE 1800-2017 §11.4.14).

use hyperkill_core::term::TermId;

use super::target::Target;
use crate::ast::{ExprId, ExprKind};
use crate::design::{Run, Stop};
use crate::state::Elaborator;

impl Elaborator<'_> {
    /// Returns the bits of a stream that is the value of an assignment; `None` for other values.
    ///
    /// # Errors
    /// If its slices have no bits, or a part has no value.
    pub(super) fn stream(&mut self, value: ExprId) -> Run<Option<TermId>> {
        let source = self.source;
        let ExprKind::Stream(reversed, size, parts) = &source.expr(value).kind else {
            return Ok(None);
        };
        self.note(value);
        self.no_other(value);
        let whole = self.concat(parts)?;
        let slice = self.slice_width(*size, value)?;
        match reversed {
            true => self.reversed(whole, slice).map(Some),
            false => Ok(Some(whole)),
        }
    }

    /// Returns a stream of bits at the left end of a word of this width, with zeros after it.
    ///
    /// # Errors
    /// If the stream is wider; `value` is its expression.
    pub(super) fn at_the_left(&mut self, stream: TermId, width: u32, value: ExprId) -> Run<TermId> {
        let words = &mut self.design.words;
        let own = words.width(stream);
        if own > width {
            return Err(Stop::at(
                self.span(value),
                "the target of this streaming concatenation has fewer bits",
            ));
        }
        if own == width {
            return Ok(stream);
        }
        let zeros = words.number(0, width - own);
        Ok(words.concat(stream, zeros)?)
    }

    /// Returns the parts of a stream that is the target of an assignment, the most significant first, and the bits for them. `None` for
    /// other targets. The parts take the leftmost bits of the value. With `<<`, the slices of these bits are reversed.
    ///
    /// # Errors
    /// If the value has fewer bits than the parts, or the width of slices does not divide that of the parts: the standard calls unpacking
    /// the reverse of packing, so the remaining bits are at the right end, but Verilator takes them from the left end.
    pub(super) fn unpacked(
        &mut self,
        target: ExprId,
        value: ExprId,
    ) -> Run<Option<(Vec<Target>, TermId)>> {
        let source = self.source;
        let ExprKind::Stream(reversed, size, parts) = &source.expr(target).kind else {
            return Ok(None);
        };
        let mut targets = Vec::new();
        for part in parts {
            targets.extend(self.targets(*part)?);
        }
        let width: u32 = targets.iter().map(|target| target.width).sum();
        let slice = self.slice_width(*size, target)?;
        if *reversed && slice < width && !width.is_multiple_of(slice) {
            let message = format!(
                "slices of {slice} bits do not divide the {width} bits of this target; tools disagree about the rest"
            );
            return Err(Stop::at(self.span(target), message));
        }
        let bits = match self.stream(value)? {
            Some(stream) => stream,
            None => self.value(value)?.0,
        };
        let own = self.design.words.width(bits);
        let Some(surplus) = own.checked_sub(width) else {
            let message = format!("this target takes {width} bits of a value that has {own}");
            return Err(Stop::at(self.span(target), message));
        };
        let bits = self.design.words.slice(bits, surplus, width)?;
        let bits = match reversed {
            true => self.reversed(bits, slice)?,
            false => bits,
        };
        Ok(Some((targets, bits)))
    }

    /// Returns the width of the slices of a stream: a number, or the width of a type. A missing `size` is 1.
    ///
    /// # Errors
    /// If it is not positive.
    fn slice_width(&mut self, size: Option<ExprId>, stream: ExprId) -> Run<u32> {
        let size = match size {
            None => 1,
            Some(size) => match self.cast_type(size)? {
                Some(layout) => layout.width() as i64,
                None => self.integer(size)?,
            },
        };
        u32::try_from(size)
            .ok()
            .filter(|size| *size > 0)
            .ok_or_else(|| {
                Stop::at(
                    self.span(stream),
                    "the slices of this streaming concatenation have no bits",
                )
            })
    }

    /// Returns the slices of a word, counted from the right, in reverse order. The last slice has the remaining bits.
    fn reversed(&mut self, whole: TermId, slice: u32) -> Run<TermId> {
        let width = self.design.words.width(whole);
        let mut slices = Vec::new();
        let mut low = 0;
        while low < width {
            let count = slice.min(width - low);
            slices.push(self.design.words.slice(whole, low, count)?);
            low += count;
        }
        // The slice from the right end becomes the most significant one.
        slices.reverse();
        Ok(self.design.words.join(&slices).unwrap_or(Ok(whole))?)
    }
}
