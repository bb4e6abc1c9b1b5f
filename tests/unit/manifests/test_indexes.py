"""Of a repository's index only the part about one chart is read, however it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from argosy.manifests.indexes import Release, releases
from argosy.manifests.tree import SourceError

ENTRIES = {
    "web": [
        {"name": "web", "version": "1.10.0", "urls": ["web-1.10.0.tgz"], "digest": "abc", "description": "entries:\n  db:\n"},
        {"name": "web", "version": "1.9.0", "urls": ["https://x.example/web.tgz", "other"], "dependencies": [{"name": "db"}]},
        {"name": "web", "version": "0.1.0", "urls": []},
        "odd",
    ],
    "web-admin": [{"version": "3.0.0", "urls": ["a.tgz"]}],
    "1": [{"version": 1.1, "urls": ["b.tgz"]}],
    "none": [],
}  # fmt: skip
INDEX = {"apiVersion": "v1", "entries": ENTRIES, "generated": "now"}
WEB = [Release("1.10.0", "web-1.10.0.tgz", "abc"), Release("1.9.0", "https://x.example/web.tgz")]

WRITTEN = {
    "as helm does": yaml.safe_dump(INDEX, sort_keys=False),
    "with windows line ends": yaml.safe_dump(INDEX).replace("\n", "\r\n"),
    "as JSON": json.dumps(INDEX),
    "in flow style": yaml.safe_dump(INDEX, default_flow_style=True),
    "with the entries last": yaml.safe_dump({"apiVersion": "v1", "zentries": 1, "entries": ENTRIES}),
    "with comments": yaml.safe_dump(INDEX).replace("entries:\n", "# x\nentries:\n# y\n"),
}


def index(folder: Path, text: str) -> Path:
    file = folder / "index.yaml"
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize("how", WRITTEN)
def test_the_releases_of_a_chart_are_found(tmp_path: Path, how: str) -> None:
    file = index(tmp_path, WRITTEN[how])
    assert releases(file, "web") == WEB
    assert releases(file, "web-admin") == [Release("3.0.0", "a.tgz")]
    assert releases(file, "1") == [Release("1.1", "b.tgz")]
    assert releases(file, "none") == []
    assert releases(file, "db") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "has no entries"),
        ("apiVersion: v1", "has no entries"),
        ("entries: [", "cannot be read"),
        ("<html>\n<p: x>", "has no entries|cannot be read"),
        ('{"entries"', "cannot be read"),
        ("entries:\n  web:\n  - {a: [\n", "cannot be read"),
    ],
)
def test_what_is_no_index_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        releases(index(tmp_path, text), "web")


def test_a_large_index_is_read_only_where_it_matters(tmp_path: Path) -> None:
    one = "".join(
        f"  chart-{number}:\n" + "  - version: 1.0.0\n    urls: [a.tgz]\n    description: xxxxxxxxxxxxxxxxxxxxxxxxx\n" * 40
        for number in range(6000)
    )  # fmt: skip
    file = index(tmp_path, f"apiVersion: v1\nentries:\n{one}generated: now\n")
    assert file.stat().st_size > 16 * 2**20  # more than is read as a whole
    assert len(releases(file, "chart-5999")) == 40
    assert releases(file, "chart-6000") == []
