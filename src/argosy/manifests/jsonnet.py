"""jsonnet, with imports from the repository and nowhere else. Runs in a worker that is killed when it does not end."""

from __future__ import annotations

import posixpath

from argosy.contracts.argo.source import Jsonnet, JsonnetVariable
from argosy.manifests.environment import Environment
from argosy.manifests.tree import SourceError, Tree, inside

_NOTHING = Jsonnet()
_DEEPEST = 500


def evaluate(
    tree: Tree,
    name: str,
    data: bytes,
    path: str,
    options: Jsonnet | None,
    environment: Environment,
) -> bytes:
    """JSON. Imports are looked for beside the file, then in `libs` (from the repository's root) from the last to the first, then in the
    application's folder."""
    import _jsonnet  # 28 MB that few applications need

    said = options if options is not None else _NOTHING
    libraries = [path, *(inside("", lib, says="spec.source.directory.jsonnet.libs") for lib in said.libs)]

    def imported(folder: str, relative: str) -> tuple[str, bytes]:
        if relative.startswith("/"):
            raise RuntimeError(f"import {relative!r}: paths start in the folder of the importing file")
        for base in (folder.strip("/"), *reversed(libraries)):
            target = inside(base, relative, says=name)
            if tree.form(target) is not None:
                return f"/{target}", tree.read(target)
        raise RuntimeError(
            f"couldn't open import {relative!r}: no match locally or in the Jsonnet library paths"
        )

    try:
        text = _jsonnet.evaluate_snippet(
            f"/{name}",
            data.decode(),
            tla_vars=_values(said.tlas, environment, code=False),
            tla_codes=_values(said.tlas, environment, code=True),
            ext_vars=_values(said.ext_vars, environment, code=False),
            ext_codes=_values(said.ext_vars, environment, code=True),
            import_callback=imported,
            max_stack=_DEEPEST,
        )
    except (RuntimeError, UnicodeDecodeError, SourceError) as error:
        shown = posixpath.relpath(name, path) if path else name
        raise SourceError(f'Failed to evaluate jsonnet "{shown}": {str(error).strip()}') from error
    return str(text).encode()


def _values(variables: list[JsonnetVariable], environment: Environment, *, code: bool) -> dict[str, str]:
    return {one.name: environment.substitute(one.value) for one in variables if one.code == code}
