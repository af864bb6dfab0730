//! Rules for packages and files that the compiler does not check: dependencies, and the form of sources.
//!
//! The allowed dependencies are those of the architecture page. A change to one of them changes this test, with the reason in the commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use hyperkill_tests::peers::skipped;
use serde_json::Value;

struct Package {
    name: String,
    /// The folder of the manifest, relative to the workspace.
    folder: PathBuf,
    /// The packages of the workspace that the package depends on, including dependencies of tests and build scripts.
    depends_on: BTreeSet<String>,
}

/// The dependencies that a package may have, or must not have.
enum Allowed {
    Only(&'static [&'static str]),
    /// The allowed dependencies as words, without the prefix of package names.
    Words(&'static str),
    /// Any package except the named ones.
    AllBut(&'static [&'static str]),
}

impl Package {
    /// Returns the dependencies that the package may have: `core ← sat ← sat-cadical, sat-batsat`; `core ← formulas ← evidence ← certify ←
    /// checker ← cli`, where `certify` and `recheck` see `sat-batsat`, and `checker` and `decide` see `sat-cadical`; `certify ← audit ←
    /// report ← cli`, where `audit` sees `frontends/api` and `formulas` too; `audit, checker, frontends/api ← export, run ← exec, verify ←
    /// cli`, where `run`, `exec` and `verify` see `report` too; `core ← frontends/api ← frontends/* ← cli`; `frontends/api ← text ←
    /// netlist, smv, timed-fsm, uppaal, guarded ← action-systems, efsm ← cli`; `frontends/timed-fsm ← decide, recheck ← cli`; `uppaal,
    /// timed ← uppaal/decide ← cli`; `uppaal, timed-certify ← uppaal/recheck ← cli`; `tests` sees all.
    fn allowed(&self) -> Allowed {
        match self.folder.to_str() {
            Some("core") => Allowed::Only(&[]),
            Some("core/sat" | "formulas" | "frontends/api") => Allowed::Only(&["hyperkill-core"]),
            Some("core/sat-batsat" | "core/sat-cadical") => Allowed::Words("core sat"),
            Some("checker/evidence") => Allowed::Only(&["hyperkill-core", "hyperkill-formulas"]),
            Some("checker/certify") => Allowed::Words("core evidence formulas sat sat-batsat"),
            Some("checker") => Allowed::Words("certify core evidence formulas sat sat-cadical"),
            Some("checker/audit") => Allowed::Words("certify core evidence formulas frontend"),
            Some("checker/report") => Allowed::Words("audit core frontend"),
            Some("checker/export") => Allowed::Words("audit checker core frontend"),
            Some("checker/run") => {
                Allowed::Words("audit certify checker core evidence formulas frontend report")
            }
            Some("checker/exec") => Allowed::Words("audit checker core export frontend report run"),
            Some("checker/verify") => {
                Allowed::Words("audit certify checker core evidence formulas frontend report run")
            }
            Some("checker/cli") => Allowed::AllBut(&[
                "hyperkill-tests",
                "hyperkill-sat",
                "hyperkill-sat-batsat",
                "hyperkill-sat-cadical",
            ]),
            Some("tests") => Allowed::AllBut(&[]),
            // Decision procedures have the checking procedure as a test dependency, and not the other way round.
            Some("frontends/text") => Allowed::Words("core frontend"),
            Some("frontends/action-systems" | "frontends/efsm") => {
                Allowed::Words("core frontend guarded text")
            }
            Some(
                "frontends/guarded"
                | "frontends/netlist"
                | "frontends/smv"
                | "frontends/timed-fsm"
                | "frontends/uppaal",
            ) => Allowed::Words("core frontend text"),
            Some("frontends/timed") => Allowed::Words("core timed-certify"),
            Some("frontends/timed-certify") => Allowed::Words("core"),
            Some("frontends/uppaal/decide") => {
                Allowed::Words("core frontend timed timed-certify uppaal uppaal-recheck")
            }
            Some("frontends/uppaal/recheck") => {
                Allowed::Words("core frontend timed-certify uppaal")
            }
            Some("frontends/timed-fsm/decide") => {
                Allowed::Words("core frontend sat sat-cadical timed-fsm timed-fsm-recheck")
            }
            Some("frontends/timed-fsm/recheck") => {
                Allowed::Words("core frontend sat sat-batsat timed-fsm")
            }
            _ if self.folder.starts_with("frontends") => Allowed::Words("core frontend sat"),
            _ => panic!("{} has no room in the house", self.folder.display()),
        }
    }

    /// Whether the package is one of the libraries that only compute.
    fn is_pure(&self) -> bool {
        !matches!(self.folder.to_str(), Some("checker/cli" | "tests"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are a folder of the workspace")
        .to_owned()
}

/// Returns the output of cargo, without network access.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--offline")
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text in UTF-8")
}

fn packages() -> Vec<Package> {
    let output = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&output).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let workspace = PathBuf::from(text(&metadata["workspace_root"]));
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            let folder = manifest.parent().expect("a folder");
            Package {
                name: text(&package["name"]),
                folder: folder
                    .strip_prefix(&workspace)
                    .expect("inside the workspace")
                    .to_owned(),
                depends_on: list(&package["dependencies"])
                    .iter()
                    .filter(|dependency| dependency["path"].is_string())
                    .map(|dependency| text(&dependency["name"]))
                    .collect(),
            }
        })
        .collect()
}

/// Returns the folders that the rules skip, relative to the workspace if they begin with `/`: the folders ignored by git, and git's own.
fn ignored() -> Vec<String> {
    let listed = read(Path::new(".gitignore"));
    // Patterns match files, not folders.
    let names = listed.lines().filter(|line| !line.contains('*'));
    names
        .map(str::to_owned)
        .chain(["/.git".to_owned()])
        .collect()
}

/// Returns all Rust sources below `folder`, relative to the workspace. Fails if there are none.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let root = root();
    let ignored = ignored();
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let relative = path.strip_prefix(&root).expect("below the root");
            if path.is_dir() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let from_root = format!("/{}", relative.display());
                if !ignored.iter().any(|i| *i == name || *i == from_root) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(relative.to_owned());
            }
        }
    }
    assert!(!found.is_empty(), "no sources in {}", folder.display());
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).expect("a readable source")
}

fn assert_none(offenders: &BTreeMap<PathBuf, String>, rule: &str) {
    assert!(offenders.is_empty(), "{rule}: {offenders:#?}");
}

#[test]
fn the_rules_look_at_every_source_that_git_knows() {
    let listing = Command::new("git")
        .args(["ls-files", "*.rs"])
        .current_dir(root())
        .output();
    let Some(listing) = listing.ok().filter(|output| output.status.success()) else {
        skipped(
            "comparing the sources with git's",
            "this is no git repository",
        );
        return;
    };
    let listing = String::from_utf8(listing.stdout).expect("names in UTF-8");
    let looked_at: BTreeSet<PathBuf> = sources(Path::new("")).into_iter().collect();
    let known = listing.lines().map(PathBuf::from);
    // Files may be deleted in the working tree but not yet in the index.
    let missed: Vec<PathBuf> = known
        .filter(|path| root().join(path).exists() && !looked_at.contains(path))
        .collect();
    assert!(missed.is_empty(), "not looked at: {missed:?}");
}

#[test]
fn packages_depend_on_each_other_along_the_arrows_only() {
    let packages = packages();
    assert!(packages.len() >= 12, "some packages are missing");
    for package in &packages {
        for dependency in &package.depends_on {
            let allowed = match package.allowed() {
                Allowed::Only(names) => names.contains(&dependency.as_str()),
                Allowed::Words(names) => names
                    .split(' ')
                    .any(|name| *dependency == format!("hyperkill-{name}")),
                Allowed::AllBut(names) => !names.contains(&dependency.as_str()),
            };
            assert!(allowed, "{} must not see {dependency}", package.name);
        }
    }
}

#[test]
fn every_package_opts_in_to_the_lints_of_the_workspace() {
    for package in packages() {
        let manifest = read(&package.folder.join("Cargo.toml"));
        assert!(
            manifest.contains("[lints]\nworkspace = true\n"),
            "{} has lints of its own",
            package.name
        );
    }
}

#[test]
fn every_source_says_first_what_it_is_for() {
    let offenders = sources(Path::new(""))
        .into_iter()
        .filter(|path| !read(path).starts_with("//! "))
        .map(|path| (path, String::from("does not start with //!")))
        .collect();
    assert_none(&offenders, "sources start with their purpose");
}

#[test]
fn no_source_is_longer_than_800_lines() {
    let offenders = sources(Path::new(""))
        .into_iter()
        .map(|path| (read(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > 800)
        .map(|(lines, path)| (path, format!("{lines} lines")))
        .collect();
    assert_none(&offenders, "a longer source has two subjects");
}

/// Returns the functions of a source formatted by rustfmt, without its unit tests: name and number of lines of each.
fn functions(source: &str) -> Vec<(String, usize)> {
    let product = source.split("#[cfg(test)]\nmod tests").next();
    let lines: Vec<&str> = product.unwrap_or_default().lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let item = line.trim_start();
        let before = item.split("fn ").next().unwrap_or_default();
        let mut marks = before.split_whitespace();
        let is_mark = |mark: &str| mark.starts_with("pub") || matches!(mark, "const" | "async");
        if !item.contains("fn ") || !marks.all(is_mark) {
            continue;
        }
        let indent = &line[..line.len() - item.len()];
        let ends = |line: &&str| {
            let own = line.strip_prefix(indent);
            own.is_some_and(|own| !own.starts_with(' ') && own.ends_with(['}', ';']))
        };
        let length = lines[first..].iter().position(ends);
        let name = words(&item[before.len() + 3..]).next().unwrap_or_default();
        found.push((name.to_owned(), 1 + length.unwrap_or_default()));
    }
    found
}

#[test]
fn the_length_of_a_function_is_found() {
    let source = "impl A {\n    pub(super) fn a() {\n        if b {\n        }\n    }\n}\n\nfn b(\n    c: u8,\n) {\n}\n\
                  trait C {\n    fn c();\n}\nlet f = |d: fn ()| {};\n#[cfg(test)]\nmod tests {\n    fn d() {}\n}\n";
    let expected = [("a", 4), ("b", 4), ("c", 1)].map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(functions(source), expected);
}

#[test]
fn no_function_of_these_packages_is_longer_than_80_lines() {
    let packages = "core formulas checker checker/audit checker/certify checker/evidence checker/exec checker/export checker/report \
                    checker/run checker/verify";
    let mut offenders = BTreeMap::new();
    let mut looked_at = 0;
    for package in packages.split(' ') {
        for path in sources(&Path::new(package).join("src")) {
            let functions = functions(&read(&path));
            looked_at += functions.len();
            if let Some((name, lines)) = functions.into_iter().find(|(_, lines)| *lines > 80) {
                offenders.insert(path, format!("{name} has {lines} lines"));
            }
        }
    }
    assert!(looked_at > 1_000, "{looked_at} functions");
    assert_none(&offenders, "a function fits on a screen");
}

/// Comments and texts are included, since rustfmt does not wrap them.
#[test]
fn no_line_of_a_source_is_longer_than_140_columns() {
    let mut offenders = BTreeMap::new();
    for path in sources(Path::new("")) {
        let text = read(&path);
        let mut lines = text.lines().enumerate();
        if let Some((line, _)) = lines.find(|(_, line)| line.chars().count() > 140) {
            offenders.insert(path, format!("line {}", line + 1));
        }
    }
    assert_none(&offenders, "a line is no wider than a screen");
}

#[test]
fn no_source_has_the_name_of_a_drawer() {
    let drawers = [
        "util", "utils", "misc", "other", "others", "manager", "helper", "helpers", "common",
    ];
    let offenders = sources(Path::new(""))
        .into_iter()
        .filter_map(|path| {
            let drawer = path.components().find_map(|component| {
                let name = Path::new(component.as_os_str()).file_stem()?.to_str()?;
                drawers.contains(&name).then(|| name.to_owned())
            })?;
            Some((path, drawer))
        })
        .collect();
    assert_none(&offenders, "a name says what is inside");
}

#[test]
fn every_source_is_where_cargo_compiles_it() {
    let mut packages = packages();
    // A file belongs to the innermost package that contains it.
    packages.sort_by_key(|package| std::cmp::Reverse(package.folder.components().count()));
    let compiled = ["src", "tests", "benches", "bench", "examples", "build.rs"];
    let mut offenders = BTreeMap::new();
    // Fuzz targets need another compiler. Their package is no member of the workspace, and names each target.
    let fuzz = read(Path::new("tests/fuzz/Cargo.toml"));
    let is_fuzz_target = |path: &Path| {
        let inside = path.strip_prefix("tests/fuzz").ok();
        inside.is_some_and(|inside| fuzz.contains(&format!("path = \"{}\"", inside.display())))
    };
    for path in sources(Path::new("")) {
        if is_fuzz_target(&path) {
            continue;
        }
        let inside = packages
            .iter()
            .find_map(|package| path.strip_prefix(&package.folder).ok());
        let first = inside.and_then(|inside| inside.components().next());
        if !first.is_some_and(|first| compiled.iter().any(|name| first.as_os_str() == *name)) {
            offenders.insert(path, String::from("is never compiled"));
        }
    }
    assert_none(&offenders, "sources belong to a target of a package");
}

/// Each test program is linked separately, and a file that no program names is not compiled.
#[test]
fn files_of_integration_tests_are_modules_of_few_programs() {
    let mut offenders = BTreeMap::new();
    for package in packages() {
        let folder = package.folder.join("tests");
        if !root().join(&folder).is_dir() {
            continue;
        }
        for path in sources(&folder) {
            let beside = path.parent().expect("a file has a folder").to_owned();
            let main = beside.join("main.rs");
            if beside == folder {
                offenders.insert(path, String::from("is a program of its own"));
            } else if path != main {
                let name = path.file_stem().expect("a file has a name");
                let module = format!("mod {};", name.display());
                if !read(&main).lines().any(|line| line == module) {
                    offenders.insert(path, format!("is not named by {}", main.display()));
                }
            }
        }
    }
    assert_none(&offenders, "tests are grouped by subject");
}

/// Returns all packages that one is built from, including itself and external ones, without dependencies of tests and build scripts.
fn built_from(package: &str) -> BTreeSet<String> {
    let format = ["--edges=normal", "--prefix=none", "--format={p}"];
    let listed = cargo(&[&["tree", "--package", package], &format[..]].concat());
    let names = listed.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_certifier_is_built_from_no_engine_and_from_a_solver_of_another_make() {
    let certifier = built_from("hyperkill-certify");
    // The package that checks run folders must be as independent as the certifier.
    let audit = built_from("hyperkill-audit");
    for engine in [
        "hyperkill-checker",
        "hyperkill-sat-cadical",
        "cadical-sys",
        "rand",
    ] {
        assert!(!certifier.contains(engine), "the certifier sees {engine}");
        assert!(!audit.contains(engine), "what checks runs sees {engine}");
    }
    assert!(audit.contains("hyperkill-certify"), "{audit:?}");
    assert!(certifier.contains("batsat"), "{certifier:?}");
    // Engines must use this solver only through the certifier, or the check would not be independent.
    let packages = packages();
    let users = packages.iter().filter(|package| {
        package.depends_on.contains("hyperkill-sat-batsat") && package.folder != Path::new("tests")
    });
    let users: Vec<&str> = users.map(|package| package.name.as_str()).collect();
    assert_eq!(users, ["hyperkill-timed-fsm-recheck", "hyperkill-certify"]);
}

#[test]
fn what_checks_verdicts_of_timed_machines_is_not_built_from_what_decides_them() {
    for language in ["timed-fsm", "uppaal"] {
        let [decide, recheck] =
            ["decide", "recheck"].map(|it| format!("hyperkill-{language}-{it}"));
        assert!(!built_from(&recheck).contains(&decide));
        assert!(!built_from(&decide).contains(&recheck));
    }
    assert!(!built_from("hyperkill-uppaal-recheck").contains("hyperkill-timed"));
    let recheck = built_from("hyperkill-timed-fsm-recheck");
    let decide = built_from("hyperkill-timed-fsm-decide");
    assert!(!recheck.contains("cadical-sys") && !decide.contains("batsat"));
}

#[test]
fn front_ends_are_built_from_no_solver() {
    for package in packages() {
        // Decision procedures of languages, and their checkers, are no front ends.
        let is_procedure = package.folder.components().count() > 2;
        if package.folder.starts_with("frontends") && !is_procedure {
            let parts = built_from(&package.name);
            for solver in ["batsat", "cadical-sys"] {
                assert!(!parts.contains(solver), "{} sees {solver}", package.name);
            }
        }
    }
}

/// Whether the text contains this name as the first part of a path, and not only as the end of a longer name.
fn names(text: &str, name: &str) -> bool {
    let found = text.match_indices(name).map(|(at, _)| &text[..at]);
    let mut before = found.filter_map(|before| before.chars().next_back());
    before.any(|c| !c.is_alphanumeric() && c != '_')
}

#[test]
fn every_sat_solver_is_named_in_one_package_only() {
    let this = Path::new("tests/tests/house/architecture.rs");
    let homes = [
        ("cadical_sys", "core/sat-cadical"),
        ("batsat::", "core/sat-batsat"),
        ("rustsat::", "core/sat"),
    ];
    let mut offenders = BTreeMap::new();
    for path in sources(Path::new(""))
        .into_iter()
        .filter(|path| path != this)
    {
        let text = read(&path);
        let named = homes
            .into_iter()
            .find(|(name, home)| !path.starts_with(home) && names(&text, name));
        if let Some((name, _)) = named {
            offenders.insert(path, name.to_owned());
        }
    }
    assert_none(&offenders, "a solver is behind the package named for it");
}

/// Returns the code of a source as one line, without comments but with string literals.
fn code(path: &Path) -> String {
    let text = read(path);
    let lines = text.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.starts_with("//"));
    // Drops comments after code, but not the `//` of an address.
    let code = code.map(|line| line.split(" // ").next().unwrap_or_default());
    code.collect::<Vec<_>>().join(" ")
}

/// Returns the names and keywords in code.
pub(crate) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

#[test]
fn the_words_sat_and_unsat_do_not_leave_the_solvers_and_the_encoding() {
    let rooms = ["checker/src/engines/encode"];
    let libraries = ["core/src", "formulas/src", "frontends", "checker"];
    let mut offenders = BTreeMap::new();
    for path in libraries.iter().flat_map(|room| sources(Path::new(room))) {
        if rooms.iter().any(|room| path.starts_with(room)) {
            continue;
        }
        // Names of a solver's literals are allowed.
        let code = code(&path);
        let said = words(&code).find(|word| {
            let word = word.to_lowercase();
            word == "sat" || word.starts_with("unsat") || word.starts_with("satisfiab")
        });
        if let Some(word) = said {
            offenders.insert(path, word.to_owned());
        }
    }
    assert_none(
        &offenders,
        "with alternating quantifiers sat and unsat have no fixed sense",
    );
}

/// Returns all paths that begin with `prefix` in the code, without it. Names in braces are returned one by one.
pub(crate) fn paths_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in code.split(prefix).skip(1) {
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c: char| !is_path(c)).unwrap_or(rest.len());
        let (path, rest) = rest.split_at(end);
        match rest
            .strip_prefix('{')
            .and_then(|inside| inside.split_once('}'))
        {
            Some((inside, _)) => {
                let names = inside.split(',').filter_map(|name| words(name).next());
                found.extend(names.map(|name| format!("{path}{name}")));
            }
            None => {
                found.insert(path.trim_end_matches(':').to_owned());
            }
        }
    }
    found
}

/// Returns the code of a source as one line, without its unit tests.
pub(crate) fn product_code(path: &Path) -> String {
    let code = code(path);
    let product = code.split("#[cfg(test)] mod tests").next();
    product.unwrap_or_default().to_owned()
}

/// Returns the top-level modules of a package by name, each with the modules that it names.
fn rooms(package: &Path) -> BTreeMap<String, BTreeSet<String>> {
    modules(&package.join("src"), "lib.rs", "crate::")
}

/// Returns the modules in a folder, each with the modules that it names. The root module is the file `root`, and paths begin with
/// `prefix`. A name re-exported by the root counts for the module that defines it.
fn modules(folder: &Path, root: &str, prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let all = sources(folder);
    let room = |path: &Path| -> String {
        let inside = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        let first = inside.components().next();
        first.map_or_else(String::new, |name| {
            name.as_os_str().to_string_lossy().into_owned()
        })
    };
    let is_root = |path: &Path| ["lib", "main", "mod"].contains(&room(path).as_str());
    let names: BTreeSet<String> = (all.iter().filter(|path| !is_root(path)))
        .map(|path| room(path))
        .collect();
    let root = product_code(&folder.join(root));
    let lent: BTreeMap<String, String> = [format!("use {prefix}"), "use ".to_owned()]
        .iter()
        .flat_map(|lending| paths_after(&root, lending))
        .filter_map(|path| {
            let (room, rest) = path.split_once("::")?;
            let name = rest.rsplit("::").next()?;
            names
                .contains(room)
                .then(|| (name.to_owned(), room.to_owned()))
        })
        .collect();
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in all.iter().filter(|path| !is_root(path)) {
        let code = product_code(path);
        let inside = path.strip_prefix(folder).unwrap_or(path);
        let is_top = inside.components().count() == 1 || inside.ends_with("mod.rs");
        let own = room(path);
        let mut named = paths_after(&code, prefix);
        if is_top && inside.components().count() <= 2 {
            named.extend(paths_after(&code, "super::"));
        }
        let named = named.iter().filter_map(|path| path.split("::").next());
        let named = named.map(|name| lent.get(name).map_or(name, String::as_str));
        let others = named.filter(|name| names.contains(*name) && **name != own);
        let others: Vec<String> = others.map(str::to_owned).collect();
        seen.entry(own).or_default().extend(others);
    }
    seen
}

/// Returns the cycles: sets of modules that depend on each other.
fn circles(seen: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<String>> {
    let reached = |from: &String| {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut due: Vec<&String> = vec![from];
        while let Some(room) = due.pop() {
            for other in seen.get(room).into_iter().flatten() {
                if reached.insert(other.clone()) {
                    due.push(other);
                }
            }
        }
        reached
    };
    let all: BTreeMap<&String, BTreeSet<String>> = seen.keys().map(|r| (r, reached(r))).collect();
    let circle = |room: &String| -> Option<BTreeSet<String>> {
        let own = all.get(room).filter(|reached| reached.contains(room))?;
        let back = |other: &&String| all.get(other).is_some_and(|back| back.contains(room));
        Some(own.iter().filter(back).cloned().collect())
    };
    seen.keys().filter_map(circle).collect()
}

#[test]
fn a_circle_of_modules_is_found() {
    let seen = |pairs: &[(&str, &[&str])]| {
        let pairs = pairs.iter().map(|(room, others)| {
            let others = others.iter().map(|name| (*name).to_owned());
            ((*room).to_owned(), others.collect())
        });
        pairs.collect::<BTreeMap<String, BTreeSet<String>>>()
    };
    let none = seen(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(circles(&none), BTreeSet::new());
    let one = seen(&[("a", &["b"]), ("b", &["c"]), ("c", &["b", "d"]), ("d", &[])]);
    let found = BTreeSet::from(["b".to_owned(), "c".to_owned()]);
    assert_eq!(circles(&one), BTreeSet::from([found]));
    let cli = rooms(Path::new("checker/cli"));
    assert!(
        cli["commands"].contains("load") && cli["process"].contains("exit_code"),
        "{cli:?}"
    );
}

/// The folders of the packages, without the tests.
const PACKAGES: &str = "core formulas frontends/api frontends/text frontends/guarded frontends/action-systems \
    frontends/efsm frontends/netlist frontends/smv frontends/verilog frontends/timed-fsm \
    frontends/timed-fsm/decide frontends/timed-fsm/recheck frontends/timed frontends/timed-certify \
    frontends/uppaal frontends/uppaal/decide frontends/uppaal/recheck checker/evidence \
    checker/certify checker/audit checker/report checker/export checker/run checker/exec checker/verify checker checker/cli";

#[test]
fn the_modules_of_a_package_see_each_other_in_one_direction_only() {
    for package in PACKAGES.split(' ') {
        let found = circles(&rooms(Path::new(package)));
        assert!(found.is_empty(), "circles in {package}: {found:?}");
    }
}

#[test]
fn the_files_of_a_folder_see_each_other_in_one_direction_only() {
    let mut folders = 0;
    for package in PACKAGES.split(' ') {
        let root = Path::new(package).join("src");
        let files = sources(&root);
        let owners = files.iter().filter(|path| path.ends_with("mod.rs"));
        for folder in owners.filter_map(|path| path.parent()) {
            let inside = folder.strip_prefix(&root).unwrap_or(folder);
            let names = inside.iter().map(|name| name.to_string_lossy());
            let path = names.collect::<Vec<_>>().join("::");
            let found = circles(&modules(folder, "mod.rs", &format!("crate::{path}::")));
            assert!(
                found.is_empty(),
                "circles in {}: {found:?}",
                folder.display()
            );
            folders += 1;
        }
    }
    assert!(folders > 40, "{folders}");
    let explicit = Path::new("checker/src/engines/explicit");
    let seen = modules(explicit, "mod.rs", "crate::engines::explicit::");
    assert!(seen["subsets"].contains("machine"), "{seen:?}");
}

#[test]
fn a_model_is_read_for_its_evidence_without_engines() {
    let mut offenders = BTreeMap::new();
    let folders = ["checker/run/src/load", "checker/cli/src/load"].map(Path::new);
    for path in folders.into_iter().flat_map(sources) {
        // These modules may use the checker, which names errors of external programs that read files.
        let rooms = ["judgement.rs", "program.rs", "yosys.rs"];
        let may = rooms.iter().any(|room| path.ends_with(room));
        let code = product_code(&path);
        if !may && words(&code).any(|word| word == "hyperkill_checker") {
            offenders.insert(path, String::from("sees the engines"));
        }
    }
    assert_none(
        &offenders,
        "what engines say while a model is read is in one place",
    );
    // Engines are used only where a model is read for a decision.
    let load = product_code(Path::new("checker/cli/src/load/model.rs"));
    let (_, draft) = load
        .split_once("fn draft(")
        .expect("what `certify` reads models with");
    let (draft, _) = draft.split_once(" fn ").expect("another function");
    assert!(
        !words(draft).any(|word| word.starts_with("judge")),
        "{draft}"
    );
    let command = product_code(Path::new("checker/cli/src/commands/certify.rs"));
    assert!(
        command.contains("load::draft(") && !command.contains("load::load"),
        "{command}"
    );
}

#[test]
fn the_oracle_shares_no_code_with_the_engines() {
    let mut offenders = BTreeMap::new();
    for path in sources(Path::new("tests/src/oracle")) {
        let code = code(&path);
        // Circuits in the package's own tests do not count.
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        let packages = words(code).filter(|word| word.starts_with("hyperkill_"));
        if let Some(package) = packages.into_iter().find(|name| *name != "hyperkill_core") {
            offenders.insert(path, package.to_owned());
        } else if let Some(module) = paths_after(code, "crate::").pop_first() {
            offenders.insert(path, module);
        }
    }
    assert_none(&offenders, "the oracle decides on its own");
}

#[test]
fn as_many_faults_can_be_planted_as_the_architecture_page_says() {
    let source = code(Path::new("checker/evidence/src/fault.rs"));
    let (_, variants) = source.split_once("pub enum Fault {").expect("the faults");
    let (variants, _) = variants.split_once('}').expect("an end of the faults");
    let faults = words(variants).count();
    let page = read(Path::new("docs/src/internals/architecture.md"));
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = format!("{faults} faults planted in the engines");
    assert!(
        page.contains(&sentence),
        "the page does not say: {sentence}"
    );
    // Each fault is in a list that a comparison iterates over, or in a test of its own.
    let tests = sources(Path::new("tests/tests"));
    let tests = tests.iter().map(|path| code(path)).collect::<String>();
    for fault in words(variants) {
        let named = format!("Fault::{fault}");
        assert!(
            source.matches(&named).count() > 0 || tests.contains(&named),
            "{named} is planted in no test"
        );
    }
}

#[test]
fn libraries_touch_neither_files_nor_environment_nor_processes() {
    let mut offenders = BTreeMap::new();
    for package in packages().iter().filter(|package| package.is_pure()) {
        for path in sources(&package.folder.join("src")) {
            let text = read(&path);
            let outside = ["std::fs", "std::env", "std::process", "std::net", "anyhow"];
            if let Some(name) = outside.into_iter().find(|name| text.contains(name)) {
                offenders.insert(path, name.to_owned());
            }
        }
    }
    assert_none(&offenders, "libraries are given what they need");
}
