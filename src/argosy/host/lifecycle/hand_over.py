"""The verbs whose work lies elsewhere in `host`: backup, restore, rehearsed upgrade, a new password, serve.

Each imports its part when it is used and hands over; only the words on the terminal are decided here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from argosy.host.lifecycle.failures import OK
from argosy.host.options import Plan
from argosy.host.paths import DataDir
from argosy.kit import backups
from argosy.kit.errors import Conflict


def backup(data: DataDir, file: Path) -> int:
    from argosy.host.backup import backup as take

    manifest = take(data, file, say)
    backups.note(
        data.root,
        backups.Backup(
            str(file.absolute()),
            manifest.taken,
            file.stat().st_size,
            manifest.clusters,
            list(manifest.left_out),
        ),
    )
    if manifest.left_out:
        raise Conflict(
            f"the backup is written, but without what could not be read: {', '.join(manifest.left_out)}",
            code="backup.incomplete",
            cure="mend or delete these embedded clusters ('argosy kube list' shows them), then make another backup",
        )
    return OK


def restore(data: DataDir, file: Path, *, force: bool) -> int:
    from argosy.host.backup import restore as bring_back

    bring_back(data, file, force, say)
    return OK


def rehearse_upgrade(data: DataDir, load_plan: Callable[[], Plan]) -> int:
    from argosy.host.backup import rehearse_upgrade as rehearse

    rehearse(data, load_plan().migrate_all, say)
    return OK


def reset_password(data: DataDir, email: str, *, as_json: bool) -> int:
    """The password goes to the terminal and nowhere else; it is changed at the next sign-in."""
    from argosy.host.admin import reset_password as new_password

    password = new_password(data, email)
    if as_json:
        say(msgspec.json.encode({"email": email, "password": password}).decode())
    else:
        say(f"E-mail    {email}\nPassword  {password}   (shown only now)")
    return OK


def sign_in_link(data: DataDir, *, as_json: bool) -> int:
    """Also for services run one by one, where no `up` prints it."""
    from argosy.host.admin import sign_in

    facts = sign_in(data)
    if as_json:
        say(msgspec.json.encode(facts).decode())
        return OK
    say(f"Sign in   {facts['sign_in_link']}   (once, within 10 minutes)")
    say(f"E-mail    {facts['email']}")
    if "password" in facts:
        say(f"Password  {facts['password']}   (shown only now)")
    return OK


def serve(data: DataDir, names: list[str], *, listing: str) -> int:
    from argosy.host.serve import main

    os.environ["ARGOSY_DATA_DIR"] = str(data.root)  # a deployment is told everything by its environment
    return main(names, listing)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
