"""The older templates: `{{name}}` is replaced by a parameter, and stays as it is when there is none."""

from __future__ import annotations

from collections.abc import Mapping

from argosy.domain.templates.errors import TemplateError
from argosy.domain.templates.quoting import quoted


def substitute(template: str, params: Mapping[str, object]) -> str:
    """Only texts are put in. Raises `TemplateError` for a tag that is never closed."""
    if not _has_tag(template):
        return template
    parts: list[str] = []
    at = 0
    while (left := template.find("{{", at)) >= 0:
        parts.append(template[at:left])
        right = template.find("}}", left + 2)
        if right < 0:
            told = (
                f'invalid template: Cannot find end tag="}}}}" in the template={quoted(template)} '
                f"starting from {quoted(template[left + 2 :])}"
            )
            line = template.count("\n", 0, left) + 1
            raise TemplateError(
                told, name="", line=line, cause="a tag is never closed", cure="close it with }}"
            )
        tag = template[left + 2 : right]
        value = params.get(tag.strip())
        parts.append(value if isinstance(value, str) and tag.strip() else f"{{{{{tag}}}}}")
        at = right + 2
    return "".join([*parts, template[at:]])


def _has_tag(template: str) -> bool:
    """In one line: upstream looks no further."""
    return any("}}" in line.partition("{{")[2] for line in template.split("\n") if "{{" in line)
