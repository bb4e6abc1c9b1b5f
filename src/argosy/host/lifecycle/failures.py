"""The errors these verbs can end with, and the exit code of each. `__main__` prints and returns them."""

from __future__ import annotations

from pathlib import Path

from argosy.kit.errors import ArgosyError, BadRequest, Conflict, Forbidden, NotFound

OK, FAILED, USAGE, NOT_RUNNING, ALREADY_RUNNING, REFUSED = range(6)
INTERRUPTED = 130
_EXIT_CODES = {
    "host.usage": USAGE,
    "host.not_running": NOT_RUNNING,
    "host.already_running": ALREADY_RUNNING,
    "host.refused": REFUSED,
    "restore.running": ALREADY_RUNNING,
    "restore.not_empty": REFUSED,
    "backup.exists": REFUSED,
}


def exit_code(error: ArgosyError) -> int:
    return _EXIT_CODES.get(error.code, FAILED)


def usage(message: str, cure: str) -> BadRequest:
    return BadRequest(message, code="host.usage", cure=cure)


def not_running(data_dir: Path, *, note: str = "") -> NotFound:
    return NotFound(
        "Argosy is not running" + (f" ({note})" if note else ""),
        code="host.not_running",
        cure="start it with: argosy up",
        context={"where": str(data_dir)},
    )


def already_running(data_dir: Path, *, url: str, pid: int) -> Conflict:
    found = f"at {url} (pid {pid})" if url else "and still starting"
    return Conflict(
        f"Argosy is already running {found}",
        code="host.already_running",
        cure="open that URL, stop it with 'argosy down', or give this one its own --data-dir and --port",
        context={"where": str(data_dir)},
    )


def refused(message: str, *, where: Path | str, cure: str) -> Forbidden:
    return Forbidden(message, code="host.refused", cure=cure, context={"where": str(where)})
