"""Which platforms this person talks to, and with which key: a 0600 file under the configuration directory.

`ARGOSY_URL` with `ARGOSY_API_KEY` win over the file, so that a pipeline needs none.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from argosy.cli.failures import NOT_SIGNED_IN, Failure


@dataclass(frozen=True)
class Context:
    name: str
    url: str
    key: str = ""
    ca: str = ""  # a file with the certificate to trust, for a self-signed installation


@dataclass
class Contexts:
    current: str = ""
    known: dict[str, Context] = field(default_factory=dict)


def file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "") or str(Path.home() / ".config")
    return Path(os.environ.get("ARGOSY_CONFIG", "") or Path(base) / "argosy" / "config.json")


def load() -> Contexts:
    path = file()
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {name: Context(name=name, **values) for name, values in raw["contexts"].items()}
        return Contexts(raw["current"], known)
    except FileNotFoundError:
        return Contexts()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(
            f"{path} cannot be read: {error}", cure="mend it, or remove it and sign in again"
        ) from error


def save(contexts: Contexts) -> None:
    """Written whole and renamed: a crash leaves the old file or the new one."""
    path = file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {
        name: {key: value for key, value in asdict(context).items() if key != "name" and value}
        for name, context in contexts.known.items()
    }
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as scratch:
        json.dump({"current": contexts.current, "contexts": known}, scratch, indent=2)
    Path(scratch.name).chmod(0o600)
    Path(scratch.name).replace(path)


def active(name: str = "") -> Context:
    url, key = os.environ.get("ARGOSY_URL", ""), os.environ.get("ARGOSY_API_KEY", "")
    if url and not name:
        return Context("(environment)", url.rstrip("/"), key)
    contexts = load()
    wanted = name or contexts.current
    if (found := contexts.known.get(wanted)) is not None:
        return found
    if name:
        raise Failure(f"there is no context {name!r}", cure="argosy config get-contexts")
    raise Failure("nobody is signed in", cure="argosy login URL", status=NOT_SIGNED_IN)
