//! The lemmas of all frames, each stored once, at the last frame in which it is known to hold.

use super::cube::Cube;

/// The lemmas of all frames. Frame i, which contains all states reached within i steps, is the conjunction of the lemmas at levels i, i +
/// 1, … and of those that always hold. Frame 0 is the set of initial states and has no lemmas of its own.
pub(super) struct Frames {
    /// For each level the cubes that its lemmas exclude.
    levels: Vec<Vec<Cube>>,
    /// The cubes that lemmas exclude which are inductive on their own or together with others of this list.
    forever: Vec<Cube>,
}

impl Frames {
    /// Returns frame 0 alone, which is the set of initial states.
    pub(super) fn new() -> Frames {
        Frames {
            levels: vec![Vec::new()],
            forever: Vec::new(),
        }
    }

    /// Returns the index of the last frame.
    pub(super) fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Adds a frame after the last one that has only the lemmas that always hold.
    pub(super) fn extend(&mut self) {
        self.levels.push(Vec::new());
    }

    /// Returns the lemmas at this level, as the cubes that they exclude: they are known to hold up to this frame and no further.
    pub(super) fn at(&self, level: usize) -> &[Cube] {
        &self.levels[level]
    }

    /// Returns the lemmas that always hold, as the cubes that they exclude.
    pub(super) fn forever(&self) -> &[Cube] {
        &self.forever
    }

    /// Returns all lemmas of the frame `level`, as the cubes that they exclude.
    pub(super) fn lemmas(&self, level: usize) -> impl Iterator<Item = &Cube> {
        let finite = self.levels[level..].iter().flatten();
        self.forever.iter().chain(finite)
    }

    /// Returns the last frame from `level` on that excludes the cube by one lemma. `None` if no frame does; `Some(None)` if all frames do,
    /// by a lemma that always holds.
    pub(super) fn excludes(&self, cube: &Cube, level: usize) -> Option<Option<usize>> {
        if self.forever.iter().any(|lemma| lemma.subsumes(cube)) {
            return Some(None);
        }
        (level..self.levels.len())
            .rev()
            .find(|&at| self.levels[at].iter().any(|lemma| lemma.subsumes(cube)))
            .map(Some)
    }

    /// Adds a lemma, given as the cube that it excludes, and drops the lemmas at levels up to `level` that it subsumes.
    pub(super) fn insert(&mut self, lemma: Cube, level: usize) {
        for lower in &mut self.levels[1..=level] {
            lower.retain(|weaker| !lemma.subsumes(weaker));
        }
        self.levels[level].push(lemma);
    }

    /// Adds a lemma that always holds, given as the cube that it excludes.
    pub(super) fn insert_forever(&mut self, lemma: Cube) {
        for level in &mut self.levels[1..] {
            level.retain(|weaker| !lemma.subsumes(weaker));
        }
        self.forever.retain(|weaker| !lemma.subsumes(weaker));
        self.forever.push(lemma);
    }
}
