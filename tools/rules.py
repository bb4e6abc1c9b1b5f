"""House rules that no linter knows: where SQL may stand, where an error may be caught without a name, and
what a file may not be called or contain.

Run by `tools.lint` and by pre-commit. Each finding says the place and what to do; `exemptions.toml` holds
the exceptions with their reasons.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from tools.exemptions import Exemptions
from tools.steps import ROOT

# Stores hold a service's SQL; backends, the host's PostgreSQL process and its backups that of the machinery.
SQL_HOMES = (
    "src/argosy/platform/*/store.py",
    "src/argosy/platform/*/store/*.py",
    "src/argosy/backends/*",
    "src/argosy/host/postgres*",
    "src/argosy/host/backup/*",
    "src/argosy/kit/journal.py",
    "src/argosy/kube/server/store/disk.py",
)
_STATEMENT = re.compile(
    r"\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\S+.*\sAS\s+\("
    r"|(CREATE|ALTER|DROP)\s+(TABLE|INDEX|ROLE|SCHEMA|DATABASE|POLICY|UNIQUE|USER|FUNCTION|TRIGGER|TYPE|EXTENSION)\b"
    r"|(GRANT|REVOKE)\s+\S+.*\s(TO|FROM|ON)\s|LISTEN\s+\w|NOTIFY\s+\w|TRUNCATE\s|COPY\s+\S+\s+(FROM|TO)\s)",
    re.DOTALL,
)
_ANY_CASE = re.compile(_STATEMENT.pattern, re.DOTALL | re.IGNORECASE)
_DRAWERS = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
_BANNER = re.compile(r"#\s*[-=#*─]{3,}")
_UNFINISHED = re.compile(r"#.*\b(TODO|FIXME|XXX|HACK)\b")
_RUNS_SQL = {"execute", "executemany", "fetch", "fetchrow", "fetchval", "fetchmany", "cursor", "prepare"}


@dataclass(frozen=True)
class Finding:
    line: int
    name: str
    what: str


def main() -> int:
    found: list[str] = []
    sources = [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in _python_files()]
    for rule, check in (("broad-except", broad_excepts), ("sql", sql_outside), ("words", words)):
        exemptions = Exemptions.of(rule)
        for path, source in sources:
            try:
                findings = list(dict.fromkeys(check(path, source)))
            except SyntaxError as error:
                found.append(f"{path}:{error.lineno}: is not Python: {error.msg}")
                continue
            for finding in findings:
                if not exemptions.allows(path, finding.name):
                    found.append(f"{path}:{finding.line}: in {finding.name or 'the module'}: {finding.what}")
        found += exemptions.stale()
    print("\n".join(dict.fromkeys(found)))
    return 1 if found else 0


def _python_files() -> list[Path]:
    return sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("tools/*.py")])


def broad_excepts(_path: str, source: str) -> Iterator[Finding]:
    """`except Exception` that ends without raising: a loop's top may, by exemption; nothing else may."""
    for name, node in _named(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises(node.body):
            what = "catches every error. Name the errors, or list the loop in tools/exemptions.toml [broad-except]"
            yield Finding(node.lineno, name, what)


def sql_outside(path: str, source: str) -> Iterator[Finding]:
    if any(fnmatch(path, home) for home in SQL_HOMES):
        return
    tree = ast.parse(source)
    prose = _docstrings(tree)
    for name, node in _named(tree):
        if isinstance(node, ast.Call) and _runs_sql(node):
            suspicious = any(_ANY_CASE.match(text) for text in _texts(node.args[0]))
        elif isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in prose:
            suspicious = any(_STATEMENT.match(text) for text in _texts(node))
        else:
            continue
        if suspicious:
            yield Finding(node.lineno, name, "SQL belongs in the service's store.py")


def words(path: str, source: str) -> Iterator[Finding]:
    """A name that says nothing, a banner that shouts, a promise that nobody will keep."""
    if _DRAWERS & set(path.removesuffix(".py").split("/")):
        yield Finding(1, "", "is a drawer, not an idea. Name the module after what it does")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if _BANNER.match(token.string):
            yield Finding(
                token.start[0], "", "a banner comment. When a file needs chapters, it is several files"
            )
        if found := _UNFINISHED.match(token.string):
            yield Finding(token.start[0], "", f"{found[1]}: finish it, or say in words what holds instead")


def _is_broad(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    if isinstance(kind, ast.Tuple):
        return any(_is_broad(part) for part in kind.elts)
    return isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}


def _raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise)


def _runs_sql(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _RUNS_SQL and bool(call.args)


def _texts(node: ast.expr) -> Iterator[str]:
    """The text a literal begins with."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr) and node.values:
        yield from _texts(node.values[0])


def _docstrings(tree: ast.Module) -> set[int]:
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


def _named(node: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node with the qualified name of the function or class it stands in."""
    for child in ast.iter_child_nodes(node):
        name = within
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{within}.{child.name}".lstrip(".")
        yield name, child
        yield from _named(child, name)


if __name__ == "__main__":
    sys.exit(main())
