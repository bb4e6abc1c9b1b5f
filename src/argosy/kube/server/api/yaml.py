"""Answers in YAML, as Go's writer chooses among the ways to write a text."""

from __future__ import annotations

import yaml

from argosy.kube.objects import Object
from argosy.kube.server.decoding.go_yaml import is_plain_text

_STRING = "tag:yaml.org,2002:str"
_AMBIGUOUS = frozenset(["y", "Y", "n", "N"])


class _Dumper(yaml.CSafeDumper):
    pass


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif text in _AMBIGUOUS or not is_plain_text(text):
        style = '"'
    return dumper.represent_scalar(_STRING, text, style=style)


_Dumper.add_representer(str, _text)


def written(value: object) -> bytes:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=True, allow_unicode=True).encode()


def item(value: object) -> bytes:
    """Of a list that `with_list` puts together."""
    return written([value])


def with_list(around: Object, field: str, items: list[bytes]) -> bytes:
    """`around` and, where its name has it among the others, the list."""
    parts = {name: written({name: value}) for name, value in around.items()}
    parts[field] = b"%s:\n%s" % (field.encode(), b"".join(items)) if items else written({field: []})
    return b"".join(parts[name] for name in sorted(parts))
