//! Parent modules (`mod.rs`, `lib.rs`) and their submodules. If a parent uses a submodule, the submodule uses nothing that the parent
//! defines. So dependencies go in one direction, and one of both can be read without the other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::architecture::{paths_after, product_code, sources, words};

/// The folders of the packages that follow this rule.
const ROOTED: [&str; 28] = [
    "core",
    "formulas",
    "frontends/api",
    "frontends/text",
    "frontends/guarded",
    "frontends/action-systems",
    "frontends/efsm",
    "frontends/netlist",
    "frontends/smv",
    "frontends/verilog",
    "frontends/timed-fsm",
    "frontends/timed-fsm/decide",
    "frontends/timed-fsm/recheck",
    "frontends/timed",
    "frontends/timed-certify",
    "frontends/uppaal",
    "frontends/uppaal/decide",
    "frontends/uppaal/recheck",
    "checker",
    "checker/evidence",
    "checker/certify",
    "checker/audit",
    "checker/report",
    "checker/export",
    "checker/run",
    "checker/exec",
    "checker/verify",
    "checker/cli",
];

/// Returns the names of all items that a file defines.
fn defined(code: &str) -> BTreeSet<String> {
    const KEYWORDS: [&str; 7] = ["fn", "struct", "enum", "trait", "type", "const", "static"];
    let mut depth = 0_usize;
    let mut outside = String::new();
    for letter in code.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    let words: Vec<&str> = words(&outside).collect();
    let defined = words.windows(2).filter(|pair| KEYWORDS.contains(&pair[0]));
    defined.map(|pair| pair[1].to_owned()).collect()
}

/// Returns the code of a parent without its re-exports.
fn without_lending(code: &str) -> String {
    let statements = code.split_inclusive(';').filter(|statement| {
        let statement = statement.trim_start();
        !["pub use ", "pub(crate) use ", "pub(super) use "]
            .iter()
            .any(|lending| statement.starts_with(lending))
    });
    statements.collect()
}

/// Returns the items in `defined` that the code of a submodule uses by the path of its parent, or by `super::` if it `is_top`.
fn used_of_parent(
    code: &str,
    is_top: bool,
    prefix: &str,
    defined: &BTreeSet<String>,
) -> Vec<String> {
    let mut named = paths_after(code, prefix);
    if is_top {
        named.extend(paths_after(code, "super::"));
    }
    let names = named.iter().filter_map(|path| path.split("::").next());
    let names = names.filter(|name| defined.contains(*name));
    names.map(str::to_owned).collect()
}

/// Returns the submodules that a parent uses and that use an item of the parent, as `submodule: item`.
fn circles(folder: &Path, root: &str, prefix: &str) -> Vec<String> {
    let root = product_code(&folder.join(root));
    let defined = defined(&root);
    let using = without_lending(&root);
    let all = sources(folder);
    let mut found = Vec::new();
    for path in &all {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        let parts: Vec<String> = (inside.with_extension("").iter())
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let [room, rest @ ..] = parts.as_slice() else {
            continue;
        };
        let uses_room = using.contains(&format!("{room}::"));
        if ["mod", "lib", "main"].contains(&room.as_str()) || !uses_room {
            continue;
        }
        let code = product_code(path);
        let is_top = rest.is_empty() || rest == ["mod"];
        let names = used_of_parent(&code, is_top, prefix, &defined);
        found.extend(names.iter().map(|name| format!("{room}: {name}")));
    }
    found
}

/// Returns all parent modules of a package: folder, name of the file, and prefix of paths (`crate::…`).
fn roots(package: &str) -> Vec<(PathBuf, &'static str, String)> {
    let source = Path::new(package).join("src");
    let files = sources(&source);
    let mut found = vec![(source.clone(), "lib.rs", "crate::".to_owned())];
    for folder in files.iter().filter(|path| path.ends_with("mod.rs")) {
        let Some(folder) = folder.parent() else {
            continue;
        };
        let inside = folder.strip_prefix(&source).unwrap_or(folder);
        let names = inside.iter().map(|name| name.to_string_lossy());
        let path = names.collect::<Vec<_>>().join("::");
        found.push((folder.to_owned(), "mod.rs", format!("crate::{path}::")));
    }
    found
}

#[test]
fn submodules_use_nothing_that_a_parent_defines_which_uses_them() {
    let mut folders = 0;
    for package in ROOTED {
        for (folder, root, prefix) in roots(package) {
            let found = circles(&folder, root, &prefix);
            assert!(found.is_empty(), "{}: {found:?}", folder.display());
            folders += 1;
        }
    }
    assert!(folders > 40, "{folders}");
}

#[test]
fn items_of_a_parent_are_found_in_its_submodule() {
    let parent = defined("mod room; pub struct Shared { a: u8 } fn f() { room::g(); }");
    let code = "use super::{Shared, other}; use crate::here::f; fn g() {}";
    let used = used_of_parent(code, true, "crate::here::", &parent);
    assert_eq!(
        BTreeSet::from_iter(used),
        BTreeSet::from(["Shared", "f"].map(str::to_owned))
    );
    let code = "pub use a::B; use c::D; fn e() { struct F; } pub struct G { h: u8 }";
    assert_eq!(defined(code), BTreeSet::from(["e", "G"].map(str::to_owned)));
    assert!(!without_lending(code).contains("a::B") && without_lending(code).contains("c::D"));
}
