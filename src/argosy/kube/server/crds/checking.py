"""Values against a schema, with everything that is wrong with them in the API server's words.

A `Check` is one schema, made ready when it is reached first. It also counts what did match, because of several alternatives
that all fail (`anyOf`, `oneOf`) upstream tells the mistakes of the one that came closest. On an update, what was wrong already and did
not change is let pass (`old`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.crds import mistakes, numbers, string_formats
from argosy.kube.server.crds.mistakes import Wrong
from argosy.kube.server.crds.regex_syntax import RegexError
from argosy.kube.server.crds.regexes import matcher
from argosy.kube.server.crds.unchanged import NOTHING, correlated, inside, same, unchanged
from argosy.kube.server.rules import wording

_SAFE = 2**53 - 1
_JSON = msgspec.json.Encoder(order="sorted")


class Check:
    """`base` is the structural schema at the same place, which knows how lists are to be compared."""

    __slots__ = (
        "_additional",
        "_all",
        "_any",
        "_base",
        "_format",
        "_items",
        "_named",
        "_not",
        "_one",
        "_raw",
        "_required",
        "_types",
    )

    def __init__(self, raw: Object, base: Object | None = None) -> None:
        self._raw = raw
        self._base: Object = raw if base is None else base
        kind = raw.get("type") or ""
        self._types: tuple[str, ...] = (kind,) if kind else ()
        if raw.get("x-kubernetes-int-or-string"):
            self._types = ("integer", "string")
        self._format = string_formats.known(
            self._types[0] if len(self._types) == 1 else "", raw.get("format") or ""
        )
        self._named: dict[str, Check | None] = {}
        self._items: Check | None = None
        self._additional: Check | None = None
        self._required: tuple[str, ...] = tuple(raw.get("required") or ())
        nested = self._base
        self._all = [Check(one, nested) for one in raw.get("allOf") or ()]
        self._any = [Check(one, nested) for one in raw.get("anyOf") or ()]
        self._one = [Check(one, nested) for one in raw.get("oneOf") or ()]
        self._not = Check(raw["not"], nested) if raw.get("not") is not None else None

    def run(self, value: Any, path: str, wrong: list[Wrong], old: Any = NOTHING) -> int:
        """Adds to `wrong`; answers how much matched."""
        if value is None:
            return self._null(path, wrong)
        matched = 2
        if self._types or self._format:
            matched += 1 + self._type(value, path, wrong)
        matched += 2
        if self._all or self._any or self._one or self._not is not None:
            matched += self._alternatives(value, path, wrong, old)
        kind = type(value)
        if kind is str:
            matched += self._string(value, path, wrong)
        elif kind is dict:
            matched += 1 + self._object(value, path, wrong, old)
        elif kind is list:
            matched += 2 + self._list(value, path, wrong, old)
        elif kind is int or kind is float:
            matched += 2
            numbers.check(self._raw, self._types, self._format, value, path, wrong)
        if self._raw.get("enum"):
            self._enum(value, path, wrong)
        return matched

    def _null(self, path: str, wrong: list[Wrong]) -> int:
        matched = 1
        if self._types and "null" not in self._types and not self._raw.get("nullable"):
            wrong.append(mistakes.type_wrong(path, ",".join(self._types), "null"))
            matched = 0
        if self._raw.get("enum"):
            self._enum(None, path, wrong)
        return matched

    def _type(self, value: Any, path: str, wrong: list[Wrong]) -> int:
        kind, width = _JSON_TYPES[type(value)]
        types, form = self._types, self._format
        fits = (
            kind in types
            or (kind == "integer" and "number" in types)
            or (kind == "number" and "integer" in types and value.is_integer() and abs(value) <= _SAFE)
        )
        loose = kind in {"string", "array"}
        if form and not loose and not (fits or width == form):
            wrong.append(mistakes.type_wrong(path, form, width))
            return 0
        if form and loose and "number" not in types and "integer" not in types:
            return 1
        if not fits:
            wrong.append(mistakes.type_wrong(path, ",".join(types), kind))
            return 0
        return 1

    def _string(self, value: str, path: str, wrong: list[Wrong]) -> int:
        raw, matched = self._raw, 1
        most, least, pattern = raw.get("maxLength"), raw.get("minLength"), raw.get("pattern")
        if most is not None and len(value) > most:
            wrong.append(mistakes.from_cause(wording.too_long(path, most)))
        elif least is not None and len(value) < least:
            wrong.append(mistakes.invalid(path, value, f"should be at least {least} chars long"))
        elif pattern and (told := _mismatch(pattern, value)) is not None:
            wrong.append(mistakes.invalid(path, value, f"should match '{told}'"))
        if self._format and (check := string_formats.check(self._format)) is not None:
            matched += 1
            if not check(value):
                wrong.append(mistakes.type_wrong(path, self._format, value))
        return matched

    def _enum(self, value: Any, path: str, wrong: list[Wrong]) -> None:
        allowed: list[Any] = self._raw["enum"]
        if any(_same_choice(value, one) for one in allowed):
            return
        names = [one if isinstance(one, str) else wording.as_json(one) for one in allowed]
        wrong.append(mistakes.from_cause(wording.not_supported(path, mistakes.printed(value), names)))

    def _list(self, value: list[Any], path: str, wrong: list[Wrong], old: Any) -> int:
        raw, matched = self._raw, 0
        items = raw.get("items")
        if type(items) is dict:
            if self._items is None:
                self._items = Check(items, inside(self._base.get("items")))
            before = correlated(old, self._base)
            for at, one in enumerate(value):
                matched += self._items.inside(one, f"{path}[{at}]", wrong, before(one))
        size, least, most = len(value), raw.get("minItems"), raw.get("maxItems")
        if least is not None and size < least:
            wrong.append(mistakes.invalid(path, size, f"should have at least {least} items"))
        if most is not None and size > most:
            wrong.append(mistakes.from_cause(wording.too_many(path, size, most)))
        if raw.get("uniqueItems") and len({_JSON.encode(one) for one in value}) < size:
            wrong.append(mistakes.invalid(path, "", "shouldn't contain duplicates"))
        return matched

    def _object(self, value: Object, path: str, wrong: list[Wrong], old: Any) -> int:
        raw, matched, named = self._raw, 0, self._named
        size, least, most = len(value), raw.get("minProperties"), raw.get("maxProperties")
        if least is not None and size < least:
            wrong.append(mistakes.invalid(path, size, f"should have at least {least} properties"))
        if most is not None and size > most:
            wrong.append(mistakes.from_cause(wording.too_many(path, size, most)))
        additional = raw.get("additionalProperties")
        correlated = type(old) is dict
        for name, inner in value.items():
            check = named[name] if name in named else self._property(name)
            if check is not None:
                where = f"{path}.{name}" if path else name
            elif additional is None or additional is True:
                continue
            elif additional is False:
                told = f"{path}.{name} in body is a forbidden property"
                wrong.append(mistakes.from_cause(wording.invalid(path, name, told)))
                continue
            else:
                if self._additional is None:
                    self._additional = Check(additional, inside(self._base.get("additionalProperties")))
                check, where = self._additional, f"{path}.{name}"
            was = old.get(name, NOTHING) if correlated else NOTHING
            if not path and name in {"kind", "apiVersion"}:
                was = NOTHING
            matched += check.inside(inner, where, wrong, was)
        for name in self._required:
            if name not in value:
                wrong.append(mistakes.from_cause(wording.required(f"{path}.{name}")))
        return matched

    def _property(self, name: str) -> Check | None:
        found = (self._raw.get("properties") or {}).get(name)
        if found is None:
            return None
        base = inside((self._base.get("properties") or {}).get(name))
        made = self._named[name] = Check(found, base)
        return made

    def inside(self, value: Any, path: str, wrong: list[Wrong], old: Any) -> int:
        """As `run`, and lets pass what did not change."""
        if old is NOTHING:
            return self.run(value, path, wrong)
        before = len(wrong)
        matched = self.run(value, path, wrong, old)
        if len(wrong) > before and unchanged(value, old, self._base):
            del wrong[before:]
        return matched

    def _alternatives(self, value: Any, path: str, wrong: list[Wrong], old: Any) -> int:
        matched = 0
        if self._any:
            matched += self._any_of(value, path, wrong, old)
        if self._one:
            matched += self._one_of(value, path, wrong, old)
        if self._all:
            matched += self._all_of(value, path, wrong, old)
        if self._not is not None:
            inner: list[Wrong] = []
            self._not.run(value, path, inner, old)
            if not inner:
                wrong.append(mistakes.composed(f"{wording.quoted(path)} must not validate the schema (not)"))
        return matched

    def _any_of(self, value: Any, path: str, wrong: list[Wrong], old: Any) -> int:
        best: tuple[int, list[Wrong]] | None = None
        for one in self._any:
            inner: list[Wrong] = []
            matched = one.run(value, path, inner, old)
            if not inner:
                return matched
            if best is None or matched > best[0]:
                best = matched, inner
        wrong.append(mistakes.composed(f"{wording.quoted(path)} must validate at least one schema (anyOf)"))
        if best is None:
            return 0
        wrong += best[1]
        return best[0]

    def _one_of(self, value: Any, path: str, wrong: list[Wrong], old: Any) -> int:
        best: tuple[int, list[Wrong]] | None = None
        valid: list[int] = []
        for one in self._one:
            inner: list[Wrong] = []
            matched = one.run(value, path, inner, old)
            if not inner:
                valid.append(matched)
                best = None
            elif not valid and (best is None or matched > best[0]):
                best = matched, inner
        if len(valid) == 1:
            return valid[0]
        found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
        wrong.append(
            mistakes.composed(
                f"{wording.quoted(path)} must validate one and only one schema (oneOf). {found}"
            )
        )
        if best is None:
            return 0
        wrong += best[1]
        return best[0]

    def _all_of(self, value: Any, path: str, wrong: list[Wrong], old: Any) -> int:
        total = valid = 0
        for one in self._all:
            before = len(wrong)
            total += one.run(value, path, wrong, old)
            valid += len(wrong) == before
        if valid < len(self._all):
            none = "" if valid else ". None validated"
            wrong.append(
                mistakes.composed(f"{wording.quoted(path)} must validate all the schemas (allOf){none}")
            )
        return total


def _mismatch(pattern: str, value: str) -> str | None:
    """What to tell, unless it matches."""
    try:
        return None if matcher(pattern)(value) else pattern
    except RegexError as error:
        return f"{pattern}, but pattern is invalid: {error}"


def _same_choice(value: Any, allowed: Any) -> bool:
    if isinstance(value, bool) or isinstance(allowed, bool):
        return value is allowed
    if isinstance(value, int | float) and isinstance(allowed, int | float):
        return (int(value) if isinstance(allowed, int) else float(value)) == allowed
    return type(value) is type(allowed) and value is not None and same(value, allowed)


_JSON_TYPES: dict[type, tuple[str, str]] = {
    bool: ("boolean", ""),
    str: ("string", ""),
    int: ("integer", "int64"),
    float: ("number", "float64"),
    list: ("array", ""),
    dict: ("object", ""),
}
