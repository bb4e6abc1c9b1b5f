"""Settings: a msgspec Struct filled from defaults, then a file, then the environment. Unknown names are errors.

`ARGOSY_AUDIT_READS_KEPT_DAYS=7` sets `reads_kept_days` of the section `audit`; a list is written with commas. The file is YAML or JSON with
one mapping per section. The host reads both once and hands each service its own Struct.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, get_origin

import msgspec

from argosy.kit.errors import BadRequest

S = TypeVar("S", bound=msgspec.Struct)
Raw = str | int | float | bool | list[str] | None


def load(
    kind: type[S], section: str, *, file: Mapping[str, Mapping[str, Raw]], environ: Mapping[str, str]
) -> S:
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    values: dict[str, Raw] = dict(file.get(section, {}))
    unknown = sorted(set(values) - set(fields))
    if unknown:
        raise BadRequest(
            f"settings: {section}.{unknown[0]} does not exist",
            code="settings.unknown",
            cure=f"known names in {section}: {', '.join(sorted(fields))}",
        )
    prefix = f"ARGOSY_{section.upper()}_"
    for name, type_ in fields.items():
        if (text := environ.get(prefix + name.upper())) is not None:
            is_list = get_origin(type_) is list
            values[name] = [item.strip() for item in text.split(",") if item.strip()] if is_list else text
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(
            f"settings: {section}: {error}",
            code="settings.invalid",
            cure=f"correct it in the settings file or in {prefix}…",
        ) from error
