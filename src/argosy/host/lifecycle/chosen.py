"""What the operator chose: command line over environment over settings file over defaults, checked and kept.

Only what the command line gave is written to the file, so the next plain `argosy up` does the same. Called by `up`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import yaml as pyyaml

from argosy.host.lifecycle.failures import usage
from argosy.host.options import UpSettings
from argosy.host.paths import DataDir
from argosy.kit import yaml
from argosy.kit.errors import BadRequest
from argosy.kit.settings import Raw, load

SECTION = "up"
_HEADER = "# Settings of this installation, one mapping per section. 'argosy up' keeps its options here;\n# when it does, comments below this line are lost.\n"
Sections = dict[str, dict[str, Raw]]


class Flags(msgspec.Struct, frozen=True, omit_defaults=True):
    """The command line; None is "not said"."""

    host: str | None = None
    port: int | None = None
    public_url: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    tls_self_signed: bool | None = None


def settle(data: DataDir, flags: Flags, environ: Mapping[str, str] = os.environ) -> UpSettings:
    base = load(UpSettings, SECTION, file=read(data.settings), environ=environ)
    settings = msgspec.structs.replace(base, **_said(flags))
    check(settings)
    return settings


def check_alone(flags: Flags) -> None:
    """The command line by itself; half a pair may be completed by the file."""
    said = _said(flags)
    pair = ("tls_cert", "tls_key")
    if sum(bool(said.get(name)) for name in pair) == 1:
        said = {name: value for name, value in said.items() if name not in pair}
    check(msgspec.structs.replace(UpSettings(), **said))


def check(settings: UpSettings) -> None:
    if not 0 <= settings.port <= 65535:
        raise usage(f"--port {settings.port} is not a port", "use 1 to 65535, or 0 for a free one")
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise usage(
            "a TLS certificate and its key go together", "give both --tls-cert FILE and --tls-key FILE"
        )
    for option, file in (("--tls-cert", settings.tls_cert), ("--tls-key", settings.tls_key)):
        if file and not Path(file).is_file():
            raise usage(f"{option}: {file} is not a file", "give PEM files, or use --tls-self-signed")
    if settings.public_url:
        _check_url(settings.public_url)


def keep(data: DataDir, flags: Flags) -> None:
    if not (said := _said(flags)):
        return
    sections = read(data.settings)
    merged = {**sections.get(SECTION, {}), **said}
    if merged == sections.get(SECTION, {}):
        return
    sections[SECTION] = merged
    draft = data.settings.with_name(data.settings.name + ".new")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(_HEADER + pyyaml.safe_dump(sections, sort_keys=True))
    os.replace(draft, data.settings)


def read(path: Path) -> Sections:
    try:
        return msgspec.convert(yaml.load(path.read_bytes(), what="settings file") or {}, Sections)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (BadRequest, msgspec.ValidationError) as error:
        raise BadRequest(
            f"the settings file must have one mapping per section: {error}",
            code="settings.invalid",
            cure="correct it, or move it away to start with the defaults",
            context={"where": str(path)},
        ) from error


def _said(flags: Flags) -> dict[str, str | int | bool]:
    return {name: value for name, value in msgspec.structs.asdict(flags).items() if value is not None}


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        fine = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not (parts.path or parts.query or parts.fragment or parts.username or parts.password)
        )
    except ValueError:
        fine = False
    if not fine:
        raise usage(
            f"--public-url {url!r} is not the origin of a site",
            "give scheme and host only, as in https://argosy.example.com",
        )
