//! The decision order by activity in recent conflicts (VSIDS), in a binary heap.

/// A heap of some of the variables, the most active at the top.
pub(super) struct Order {
    activity: Vec<f64>,
    step: f64,
    heap: Vec<u32>,
    /// For each variable its position in the heap.
    places: Vec<u32>,
    /// For each variable the number of the last call of [`Order::fill`] that contained it: only variables of the latest call return to the
    /// heap.
    member: Vec<u32>,
    filling: u32,
}

const ABSENT: u32 = u32::MAX;

impl Order {
    pub(super) fn new() -> Order {
        Order {
            activity: Vec::new(),
            step: 1.0,
            heap: Vec::new(),
            places: Vec::new(),
            member: Vec::new(),
            filling: 0,
        }
    }

    /// Adds a variable, with no activity and outside the heap.
    pub(super) fn add(&mut self) {
        self.activity.push(0.0);
        self.places.push(ABSENT);
        self.member.push(0);
    }

    /// Empties the heap and fills it with these variables.
    pub(super) fn fill(&mut self, variables: impl Iterator<Item = u32>) {
        for &variable in &self.heap {
            self.places[variable as usize] = ABSENT;
        }
        self.heap.clear();
        self.filling += 1;
        for variable in variables {
            self.member[variable as usize] = self.filling;
            self.places[variable as usize] = self.heap.len() as u32;
            self.heap.push(variable);
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sink(at);
        }
    }

    /// Removes and returns the most active variable of the heap; `None` if the heap is empty.
    pub(super) fn take(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else {
            self.places[last as usize] = ABSENT;
            return Some(last);
        };
        self.places[first as usize] = ABSENT;
        self.heap[0] = last;
        self.places[last as usize] = 0;
        self.sink(0);
        Some(first)
    }

    /// Returns a variable to the heap, if the last [`Order::fill`] contained it.
    pub(super) fn put_back(&mut self, variable: u32) {
        let v = variable as usize;
        if self.member[v] == self.filling && self.places[v] == ABSENT {
            self.places[v] = self.heap.len() as u32;
            self.heap.push(variable);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Increases the activity of a variable that took part in a conflict.
    pub(super) fn bump(&mut self, variable: u32) {
        let v = variable as usize;
        self.activity[v] += self.step;
        if self.activity[v] > 1e100 {
            for activity in &mut self.activity {
                *activity *= 1e-100;
            }
            self.step *= 1e-100;
        }
        if self.places[v] != ABSENT {
            self.rise(self.places[v] as usize);
        }
    }

    /// Whether variable `one` is more active than variable `other`.
    pub(super) fn prefers(&self, one: usize, other: usize) -> bool {
        self.activity[one] > self.activity[other]
    }

    /// Decays the activities of all variables, so that older conflicts count less.
    pub(super) fn decay(&mut self) {
        self.step /= 0.95;
    }

    fn score(&self, variable: u32) -> f64 {
        self.activity[variable as usize]
    }

    fn set(&mut self, at: usize, variable: u32) {
        self.heap[at] = variable;
        self.places[variable as usize] = at as u32;
    }

    fn rise(&mut self, mut at: usize) {
        let variable = self.heap[at];
        let score = self.score(variable);
        while at > 0 {
            let above = self.heap[(at - 1) / 2];
            if self.score(above) >= score {
                break;
            }
            self.set(at, above);
            at = (at - 1) / 2;
        }
        self.set(at, variable);
    }

    fn sink(&mut self, mut at: usize) {
        let variable = self.heap[at];
        let score = self.score(variable);
        loop {
            let left = 2 * at + 1;
            let Some(&first) = self.heap.get(left) else {
                break;
            };
            let (mut best, mut below) = (left, first);
            if let Some(&second) = self.heap.get(left + 1)
                && self.score(second) > self.score(first)
            {
                (best, below) = (left + 1, second);
            }
            if score >= self.score(below) {
                break;
            }
            self.set(at, below);
            at = best;
        }
        self.set(at, variable);
    }
}
