"""Which platforms this person talks to, and with which key: a 0600 file under the configuration directory.

`ARGOSY_URL` with `ARGOSY_API_KEY` win over the file, so that a pipeline needs none.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from argosy.cli.failures import NOT_FOUND, NOT_SIGNED_IN, USAGE, Failure

ENVIRONMENT = "(environment)"


@dataclass(frozen=True)
class Context:
    name: str
    url: str
    key: str = ""
    key_id: str = ""  # of a key that `login` made, and that `logout` may therefore end
    device: str = (
        ""  # the cookie by which the platform knows this machine at the next sign-in; it opens nothing
    )
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
        known = {str(name): _context(str(name), values) for name, values in raw["contexts"].items()}
        return Contexts(str(raw["current"]), known)
    except FileNotFoundError:
        return Contexts()
    except OSError as error:
        raise _unusable("cannot be read", error) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Failure(
            "the file with your sign-ins is damaged",
            where=str(path),
            cure="remove it, then: argosy login URL",
        ) from error


def _context(name: str, values: Mapping[str, object]) -> Context:
    """What a newer version has added is left alone, not choked on."""
    told = {key: values.get(key, "") for key in ("key", "key_id", "device", "ca")}
    if not all(isinstance(value, str) for value in (values["url"], *told.values())):
        raise TypeError("a context holds text only")
    return Context(name, str(values["url"]), **{key: str(value) for key, value in told.items()})


@contextmanager
def changing() -> Iterator[Contexts]:
    """Read, change, write, while nobody else does: two sign-ins at once must both be remembered."""
    path = file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable("cannot be written", error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        contexts = load()
        yield contexts
        _save(contexts, path)
    finally:
        os.close(lock)


def check_writable() -> None:
    """Before a key is made that could not be kept."""
    with changing():
        pass


def _save(contexts: Contexts, path: Path) -> None:
    """Written whole and renamed: a crash leaves the old file or the new one."""
    known = {
        name: {key: value for key, value in asdict(context).items() if key != "name" and value}
        for name, context in contexts.known.items()
    }
    text = json.dumps({"current": contexts.current, "contexts": known}, indent=2, ensure_ascii=False) + "\n"
    target = path.resolve()  # whoever keeps the file elsewhere by a link keeps the link
    draft = target.with_name(target.name + ".new")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _unusable("cannot be written", error) from error


def _unusable(how: str, error: OSError) -> Failure:
    return Failure(
        f"the file with your sign-ins {how}: {error.strerror or error}",
        where=str(error.filename or file()),
        cure="make it yours, or name another one in $ARGOSY_CONFIG",
    )


def active(name: str = "") -> Context:
    if not name and (found := _from_environment()) is not None:
        return found
    contexts = load()
    wanted = name or contexts.current
    if (kept := contexts.known.get(wanted)) is not None:
        return kept
    if name:
        raise absent(name)
    raise Failure("nobody is signed in", cure="argosy login URL", status=NOT_SIGNED_IN)


def _from_environment() -> Context | None:
    url, key = os.environ.get("ARGOSY_URL", ""), os.environ.get("ARGOSY_API_KEY", "")
    if key and not url:
        raise Failure("ARGOSY_API_KEY is set, but not ARGOSY_URL", cure="set both, or neither", status=USAGE)
    return Context(ENVIRONMENT, origin(url), key.strip(), ca=os.environ.get("ARGOSY_CA", "")) if url else None


def absent(name: str) -> Failure:
    return Failure(f"there is no context {name!r}", cure="argosy config get-contexts", status=NOT_FOUND)


def origin(url: str) -> str:
    """Scheme, host and port of what somebody copied out of a browser."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Failure(
            f"{url!r} is not a URL of a platform",
            cure="write it with http:// or https://, for example http://127.0.0.1:8080",
            status=USAGE,
        )
    if parts.username is not None or parts.password is not None:
        raise Failure("a URL must not hold a password", cure="use --email and --password -", status=USAGE)
    return f"{parts.scheme}://{parts.netloc}"


def forget(contexts: Contexts, name: str) -> None:
    del contexts.known[name]
    contexts.current = "" if contexts.current == name else contexts.current
