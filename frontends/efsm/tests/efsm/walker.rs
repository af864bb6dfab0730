//! An interpreter of GraphWalker's models with its own reader of JSON, and of JavaScript as far as the tests use it. It is independent of
//! the tested code.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// A value of JavaScript.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Js {
    Bool(bool),
    Number(i64),
    Text(String),
}

/// The position of a walk: the model, the vertex, and all variables, `MODEL.name` or `global.name`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) model: usize,
    /// The id of the vertex; `None` before the first edge.
    pub(crate) vertex: Option<String>,
    pub(crate) variables: BTreeMap<String, Js>,
}

/// The models of a file.
pub(crate) struct Walker {
    models: Vec<Json>,
}

fn text<'j>(of: &'j Json, key: &str) -> Option<&'j str> {
    of[key].as_str().filter(|text| !text.is_empty())
}

fn list<'j>(of: &'j Json, key: &str) -> impl Iterator<Item = &'j Json> {
    of[key].as_array().into_iter().flatten()
}

fn is_blocked(element: &Json) -> bool {
    element["properties"]["blocked"] == Json::Bool(true)
}

fn name(element: &Json) -> &str {
    text(element, "name")
        .or(text(element, "id"))
        .expect("a name")
}

impl Walker {
    pub(crate) fn new(file: &str) -> Walker {
        let json: Json = serde_json::from_str(file).expect("JSON");
        let models = json["models"].as_array().expect("models").clone();
        Walker { models }
    }

    pub(crate) fn model_name(&self, model: usize) -> &str {
        self.models[model]["name"].as_str().expect("a name")
    }

    /// Returns the position at the start of walks, after the initial actions of all models.
    pub(crate) fn start(&self) -> Place {
        let with_start = |model: &Json| text(model, "startElementId").is_some();
        let model = self.models.iter().position(with_start).expect("a start");
        let mut place = Place {
            model,
            vertex: None,
            variables: BTreeMap::new(),
        };
        for index in 0..self.models.len() {
            self.act(&self.models[index], index, &mut place.variables);
        }
        place
    }

    /// Returns all possible steps from a position: the event, the name of the vertex that is reached, and the new position.
    pub(crate) fn steps(&self, place: &Place) -> Vec<(String, String, Place)> {
        let moves = self.moves(place).into_iter();
        moves.map(|(_, step)| step).collect()
    }

    /// Returns all possible steps from a position, each with the id of its edge if it is one.
    pub(crate) fn moves(&self, place: &Place) -> Vec<(Option<String>, (String, String, Place))> {
        let model = &self.models[place.model];
        let mut found = Vec::new();
        let start = text(model, "startElementId");
        let mut vertices = list(model, "vertices");
        let begins_at = vertices.find(|vertex| text(vertex, "id") == start);
        if let (None, Some(vertex), Some(id)) = (&place.vertex, begins_at, start) {
            let event = format!("{}.{}", self.model_name(place.model), name(vertex));
            let step = self.arrive(&event, place.model, id, place.variables.clone());
            found.extend(step.map(|step| (None, step)));
        }
        for edge in list(model, "edges").filter(|edge| !is_blocked(edge)) {
            let leads = match &place.vertex {
                None => text(edge, "id") == start,
                Some(vertex) => text(edge, "sourceVertexId") == Some(vertex),
            };
            // The guard of the first element is ignored.
            let guard = text(edge, "guard").filter(|_| place.vertex.is_some());
            let guard = guard.is_none_or(|guard| {
                let value = Script::new(guard, self.scope(guard, place.model), &place.variables);
                value.expression() == Js::Bool(true)
            });
            if leads && guard {
                let mut variables = place.variables.clone();
                self.act(edge, place.model, &mut variables);
                let target = text(edge, "targetVertexId").expect("a target");
                let step = self.arrive(name(edge), place.model, target, variables);
                let id = text(edge, "id").map(str::to_owned);
                found.extend(step.map(|step| (id, step)));
            }
        }
        let vertices = list(model, "vertices");
        let here = vertices.filter(|v| place.vertex.as_deref() == text(v, "id"));
        for shared in here.filter_map(|vertex| text(vertex, "sharedState")) {
            for other in (0..self.models.len()).filter(|other| *other != place.model) {
                for vertex in list(&self.models[other], "vertices") {
                    if text(vertex, "sharedState") == Some(shared) {
                        let event = format!("{}.{}", self.model_name(other), name(vertex));
                        let id = text(vertex, "id").expect("an id");
                        let step = self.arrive(&event, other, id, place.variables.clone());
                        found.extend(step.map(|step| (None, step)));
                    }
                }
            }
        }
        found
    }

    fn arrive(
        &self,
        event: &str,
        model: usize,
        vertex: &str,
        mut variables: BTreeMap<String, Js>,
    ) -> Option<(String, String, Place)> {
        let mut vertices = list(&self.models[model], "vertices");
        let found = vertices.find(|v| text(v, "id") == Some(vertex) && !is_blocked(v))?;
        self.act(found, model, &mut variables);
        let place = Place {
            model,
            vertex: Some(vertex.to_owned()),
            variables,
        };
        Some((event.to_owned(), name(found).to_owned(), place))
    }

    fn scope(&self, script: &str, model: usize) -> String {
        match script.contains("global.") {
            true => String::new(),
            false if self.models.len() == 1 => String::new(),
            false => format!("{}.", self.model_name(model)),
        }
    }

    fn act(&self, element: &Json, model: usize, variables: &mut BTreeMap<String, Js>) {
        for script in list(element, "actions").filter_map(Json::as_str) {
            let scope = self.scope(script, model);
            for statement in script.split(';').map(str::trim).filter(|s| !s.is_empty()) {
                let (target, value) = match statement {
                    _ if statement.ends_with("++") => step(statement, "+ 1"),
                    _ if statement.ends_with("--") => step(statement, "- 1"),
                    _ => {
                        let (target, value) = statement.split_once('=').expect("an assignment");
                        match target.trim().strip_suffix('+') {
                            Some(target) => (target.trim(), format!("{target} + ({value})")),
                            None => (target.trim(), value.to_owned()),
                        }
                    }
                };
                let value = Script::new(&value, scope.clone(), variables).expression();
                variables.insert(format!("{scope}{target}"), value);
            }
        }
    }
}

fn step<'s>(statement: &'s str, sign: &str) -> (&'s str, String) {
    let target = statement[..statement.len() - 2].trim();
    (target, format!("{target} {sign}"))
}

/// An expression that is evaluated as it is read.
struct Script<'v> {
    tokens: Vec<String>,
    at: usize,
    scope: String,
    variables: &'v BTreeMap<String, Js>,
}

impl<'v> Script<'v> {
    fn new(text: &str, scope: String, variables: &'v BTreeMap<String, Js>) -> Script<'v> {
        let mut tokens: Vec<String> = Vec::new();
        let characters: Vec<char> = text.chars().collect();
        let mut at = 0;
        while at < characters.len() {
            let start = at;
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            match characters[at] {
                c if c.is_whitespace() => {
                    at += 1;
                    continue;
                }
                quote @ ('"' | '\'') => {
                    at += 1;
                    while characters[at] != quote {
                        at += 1;
                    }
                    at += 1;
                }
                c if is_word(c) => {
                    while at < characters.len() && is_word(characters[at]) {
                        at += 1;
                    }
                }
                c => {
                    at += 1;
                    let doubled = "&|=!<>".contains(c)
                        && characters.get(at).is_some_and(|d| "&|=".contains(*d));
                    at += usize::from(doubled);
                }
            }
            tokens.push(characters[start..at].iter().collect());
        }
        Script {
            tokens,
            at: 0,
            scope,
            variables,
        }
    }

    fn expression(mut self) -> Js {
        self.above(0)
    }

    fn level(&self) -> Option<usize> {
        match self.tokens.get(self.at)?.as_str() {
            "||" => Some(1),
            "&&" => Some(2),
            "==" | "!=" => Some(3),
            "<" | "<=" | ">" | ">=" => Some(4),
            "+" | "-" => Some(5),
            "*" => Some(6),
            _ => None,
        }
    }

    fn above(&mut self, least: usize) -> Js {
        let mut left = self.operand();
        while let Some(level) = self.level().filter(|level| *level > least) {
            let sign = self.tokens[self.at].clone();
            self.at += 1;
            let right = self.above(level);
            left = match (sign.as_str(), left, right) {
                ("==", a, b) => Js::Bool(a == b),
                ("!=", a, b) => Js::Bool(a != b),
                ("||", Js::Bool(a), Js::Bool(b)) => Js::Bool(a || b),
                ("&&", Js::Bool(a), Js::Bool(b)) => Js::Bool(a && b),
                (sign, Js::Number(a), Js::Number(b)) => match sign {
                    "<" => Js::Bool(a < b),
                    "<=" => Js::Bool(a <= b),
                    ">" => Js::Bool(a > b),
                    ">=" => Js::Bool(a >= b),
                    "+" => Js::Number(a + b),
                    "-" => Js::Number(a - b),
                    _ => Js::Number(a * b),
                },
                other => panic!("{other:?}"),
            };
        }
        left
    }

    fn operand(&mut self) -> Js {
        let token = self.tokens[self.at].clone();
        self.at += 1;
        match token.as_str() {
            "(" => {
                let inside = self.above(0);
                self.at += 1;
                inside
            }
            "!" => match self.operand() {
                Js::Bool(value) => Js::Bool(!value),
                other => panic!("{other:?}"),
            },
            "-" => match self.operand() {
                Js::Number(value) => Js::Number(-value),
                other => panic!("{other:?}"),
            },
            "true" => Js::Bool(true),
            "false" => Js::Bool(false),
            word if word.starts_with(['"', '\'']) => Js::Text(word[1..word.len() - 1].to_owned()),
            word => match word.parse() {
                Ok(number) => Js::Number(number),
                Err(_) => self.variables[&format!("{}{word}", self.scope)].clone(),
            },
        }
    }
}
