"""Values in messages read as Go prints them."""

from __future__ import annotations

import pytest

from argosy.kube.server.access.quoting import as_json, quoted, quoted_list


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain", '"plain"'),
        ("", '""'),
        ('say "x" \\ y', r'"say \"x\" \\ y"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ("\x00\x1b\x7f", r'"\x00\x1b\x7f"'),
        ("bücher 日本 😀", '"bücher 日本 😀"'),
        ("\u00a0\u200b\u202e\ufeff", r'"\u00a0\u200b\u202e\ufeff"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("\udc80", '"\ufffd"'),
    ],
)
def test_a_text_is_quoted(text: str, printed: str) -> None:
    assert quoted(text) == printed


def test_a_list_has_spaces_between() -> None:
    assert quoted_list(["", "apps"]) == '["" "apps"]'
    assert quoted_list([]) == "[]"


def test_a_value_is_compact_json_that_no_browser_takes_for_html() -> None:
    assert as_json({"a": "<é&>"}) == '{"a":"\\u003cé\\u0026\\u003e"}'
