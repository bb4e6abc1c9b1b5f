"""`make docs`: refreshes what is generated in docs/ and checks that every link leads somewhere.

Generated here: the service diagram in docs/architecture.md, from `argosy serve --list`. With `--check`
nothing is written and a difference fails.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.setup import VENV
from tools.steps import ROOT, Stop, run

ARCHITECTURE = ROOT / "docs" / "architecture.md"
_DIAGRAM = re.compile(r"(<!-- services -->\n)(.*?)(<!-- /services -->)", re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_CODE = re.compile(r"```.*?```", re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]+`")


def main(arguments: list[str]) -> int:
    wrong = [f"{page.relative_to(ROOT)}: {what}" for page in pages() for what in broken_links(page)]
    try:
        drawn = with_diagram(ARCHITECTURE.read_text(), services())
    except Stop as stop:
        wrong.append(str(stop))
    else:
        if "--check" not in arguments:
            ARCHITECTURE.write_text(drawn)
        elif drawn != ARCHITECTURE.read_text():
            wrong.append("docs/architecture.md: the service diagram is old. Refresh it: make docs")
    print("\n".join(wrong) if wrong else f"docs: {len(pages())} pages, every link leads somewhere")
    return 1 if wrong else 0


def services() -> str:
    return run([VENV / "bin" / "argosy", "serve", "--list", "--output", "mermaid"], deadline=60)


def with_diagram(page: str, diagram: str) -> str:
    fenced = f"```mermaid\n{diagram.strip()}\n```\n"
    return _DIAGRAM.sub(lambda found: found[1] + fenced + found[3], page)


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def broken_links(page: Path) -> Iterator[str]:
    text = _INLINE_CODE.sub("", _CODE.sub("", page.read_text()))
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"the link to {target} leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            yield f"{path or 'this page'} has no heading for #{anchor}"


def anchors(text: str) -> set[str]:
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(_CODE.sub("", text)))
    return {heading.replace(" ", "-") for heading in headings}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
