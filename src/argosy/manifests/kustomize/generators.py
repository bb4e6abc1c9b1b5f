"""ConfigMaps and Secrets that are made of literals, files and environment files."""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from argosy.kube.objects import Object
from argosy.manifests.kustomize.kustomization import (
    ConfigMapArgs,
    GeneratorOptions,
    HelmChart,
    Kustomization,
    SecretArgs,
)
from argosy.manifests.kustomize.located import located
from argosy.manifests.kustomize.resource import ClusterWide, Resource, made_mapping
from argosy.manifests.kustomize.roots import Root
from argosy.manifests.kustomize.scalars import Quoted, is_null, new_text, text_of
from argosy.manifests.tree import SourceError

_LINE = 70  # characters of base64 that upstream puts on one line


def made_by_fields(
    kustomization: Kustomization,
    root: Root,
    cluster_wide: ClusterWide,
    chart: Callable[[HelmChart], list[Resource]],
) -> Iterator[tuple[str, str, list[Resource]]]:
    """What a kustomization's own fields generate: the field, upstream's name of the generator, the resources."""
    everywhere = kustomization.generator_options
    for name, kind, entries in (
        ("configMapGenerator", "ConfigMapGenerator", kustomization.config_map_generator),
        ("secretGenerator", "SecretGenerator", kustomization.secret_generator),
    ):
        for index, args in enumerate(entries):
            field = f"{name}[{index}]"
            options = with_global_options(args.options, everywhere)
            with located(field):
                made = generated(root, msgspec.structs.replace(args, options=options), cluster_wide)
            yield field, kind, [made]
    for index, one in enumerate(kustomization.helm_charts):
        field = f"helmCharts[{index}]"
        with located(field):
            rendered = chart(one)
        yield field, "HelmChartInflationGenerator", rendered


def generated(root: Root, args: ConfigMapArgs, cluster_wide: ClusterWide) -> Resource:
    if not args.name:
        raise SourceError("a configmap must have a name")
    metadata: Object = {"name": new_text(args.name)}
    if args.namespace:
        metadata["namespace"] = new_text(args.namespace)
    obj: Object = {"apiVersion": "v1", "kind": "Secret" if isinstance(args, SecretArgs) else "ConfigMap"}
    obj["metadata"] = metadata
    values = _values(root, args)
    if isinstance(args, SecretArgs):
        obj["type"] = new_text(args.type or "Opaque")
        obj["data"] = {key: _in_base64(values[key]) for key in sorted(values)}
    else:
        _fill_config_map(obj, values)
    options = args.options or GeneratorOptions()
    for of, entries in (("labels", options.labels), ("annotations", options.annotations)):
        if entries:
            metadata[of] = {key: Quoted(entries[key]) for key in sorted(entries)}
    if options.immutable:
        obj["immutable"] = True
    behaviour = args.behavior if args.behavior in {"create", "merge", "replace"} else "unspecified"
    return Resource(obj, cluster_wide, behaviour=behaviour, hashed=not options.disable_name_suffix_hash)


def with_global_options(
    local: GeneratorOptions | None, everywhere: GeneratorOptions | None
) -> GeneratorOptions | None:
    """What `generatorOptions` says holds unless a generator says something else; what either switches on is on."""
    if everywhere is None:
        return local
    local = local or GeneratorOptions()
    return msgspec.structs.replace(
        local,
        labels={**everywhere.labels, **local.labels},
        annotations={**everywhere.annotations, **local.annotations},
        disable_name_suffix_hash=local.disable_name_suffix_hash or everywhere.disable_name_suffix_hash,
        immutable=local.immutable or everywhere.immutable,
    )


def _fill_config_map(obj: Object, values: Mapping[str, bytes]) -> None:
    for key in sorted(values):
        try:
            made_mapping(obj, "data")[key] = _as_text(values[key].decode())
        except UnicodeDecodeError:
            made_mapping(obj, "binaryData")[key] = _in_base64(values[key])


def _as_text(value: str) -> str:
    return Quoted(value) if "\n" in value else new_text(value)


def _in_base64(data: bytes) -> str:
    """In lines, as upstream does, once it is longer than one."""
    encoded = base64.b64encode(data).decode()
    if len(encoded) < _LINE:
        return new_text(encoded)
    return Quoted("".join(f"{encoded[at : at + _LINE]}\n" for at in range(0, len(encoded), _LINE)))


def _values(root: Root, args: ConfigMapArgs) -> dict[str, bytes]:
    values: dict[str, bytes] = {}
    for key, value in _pairs(root, args):
        if key in values:
            raise SourceError(f"configmap {args.name} illegally repeats the key `{key}`")
        values[key] = value
    return values


def _pairs(root: Root, args: ConfigMapArgs) -> Iterator[tuple[str, bytes]]:
    for path in args.envs:
        try:
            yield from _of_lines(root.data(path))
        except SourceError as error:
            raise SourceError(f"loading KV pairs: env source files: {error}") from error
    for literal in args.literals:
        yield _of_literal(literal, is_secret=isinstance(args, SecretArgs))
    for source in args.files:
        key, path = _of_file(source)
        try:
            yield key, root.data(path)
        except SourceError as error:
            raise SourceError(f"loading KV pairs: file sources: {error}") from error


def _of_lines(data: bytes) -> Iterable[tuple[str, bytes]]:
    for number, raw in enumerate(data.split(b"\n")):
        line = raw.removesuffix(b"\r")
        if number == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            text = line.decode().lstrip()
        except UnicodeDecodeError as error:
            raise SourceError(f"line {number + 1} has invalid utf8 bytes") from error
        if text and not text.startswith("#"):
            key, _, value = text.partition("=")
            if key:
                yield key, value.encode()


def _of_literal(source: str, *, is_secret: bool) -> tuple[str, bytes]:
    """The message keeps the value to itself: it may be a password, and so may a key without one be."""
    key, equals, value = source.partition("=")
    if not equals or not key:
        shown = f"{'…' if is_secret else key}{equals and '=…'}"
        raise SourceError(f"loading KV pairs: invalid literal source {shown}, expected key=value")
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return key, value.encode()


def _of_file(source: str) -> tuple[str, str]:
    key, equals, path = source.partition("=")
    if not equals:
        return posixpath.basename(source), source
    if "=" in path:
        raise SourceError(f"source \"{source}\" key name or file path contains '='")
    if not key:
        raise SourceError(f'missing key name for file path "{path}" in source "{source}"')
    if not path:
        raise SourceError(f'missing file path for key name "{key}" in source "{source}"')
    return key, path


def absorb(resources: list[Resource], made: Resource) -> None:
    """Adds what was generated, or merges it into what is there, or puts it in its place, as its `behavior` says."""
    identity = made.id
    found = [
        index
        for index, one in enumerate(resources)
        if one.obj and any(known.same(identity) for known in one.any_id())
    ]
    if not found:
        if made.behaviour in {"merge", "replace"}:
            raise SourceError(f"id {identity} does not exist; cannot merge or replace")
        resources.append(made)
        return
    if len(found) > 1:
        raise SourceError(f"found multiple objects that could accept merge of {identity}")
    if made.behaviour not in {"merge", "replace"}:
        raise SourceError(
            f"id {identity} exists; can not use behavior: '{made.behaviour}', behavior must be merge or replace"
        )
    _take_over(resources[found[0]], made)
    resources[found[0]] = made


def _take_over(old: Resource, made: Resource) -> None:
    merges = made.behaviour == "merge"
    data = _data(old) if merges else {}
    binary = _texts_of(old.obj.get("binaryData")) if merges else {}
    for of in ("labels", "annotations"):
        made.set_texts(of, {**old.texts(of), **made.texts(of)})
    made.set_name(old.name)
    made.set_namespace(old.namespace)
    made.was, made.prefixes, made.suffixes = list(old.was), list(old.prefixes), list(old.suffixes)
    made.variables, made.transformations = list(old.variables), list(old.transformations)
    made.behaviour = old.behaviour
    made.hashed = made.hashed and old.hashed
    if merges:
        made.origin = old.origin or made.origin
        _merge_texts(made.obj, "data", data)
        _merge_texts(made.obj, "binaryData", binary)


def _data(old: Resource) -> dict[str, str]:
    """Of a Secret, as the API server would have it: `stringData` encoded, and winning."""
    data = _texts_of(old.obj.get("data"))
    if text_of(old.obj.get("apiVersion", "")) == "v1" and old.kind == "Secret":
        texts = _texts_of(old.obj.get("stringData"))
        data.update({key: str(_in_base64(value.encode())) for key, value in texts.items()})
    return data


def _texts_of(mapping: object) -> dict[str, str]:
    if not isinstance(mapping, dict):
        return {}
    return {str(key): "" if is_null(value) else text_of(value) for key, value in mapping.items()}


def _merge_texts(obj: Object, field: str, old: Mapping[str, str]) -> None:
    merged = {**old, **_texts_of(obj.get(field))}
    obj.pop(field, None)
    if merged:
        obj[field] = {key: _as_text(merged[key]) for key in sorted(merged)}
