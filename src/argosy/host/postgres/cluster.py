"""Creates the cluster once, crash-safely, and checks before every start that it can be run.

`process.prepare` calls `prepare_cluster`; the tests' throw-away servers call `initialise` themselves.
The settings are written anew at each start, so that an upgrade of Argosy also upgrades them; what an operator
wants otherwise goes into `local.conf` beside them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import Binaries, find_binaries, usable_by
from argosy.host.postgres.location import Location, settle, shared_home, unwritable
from argosy.host.postgres.orphans import clear_leftovers
from argosy.host.postgres.owner import Owner, named_stand_in
from argosy.host.postgres.passwords import ADMIN, password
from argosy.kit.errors import ArgosyError, Conflict

Report = Callable[[str], None]
FREE_BYTES_FLOOR = 200 * 1024 * 1024

_ACCESS = (
    "# Written at each start. Unix socket only, and nobody without a password.\nlocal all all scram-sha-256\n"
)

_SETTINGS = """\
# Written at each start; put your own settings into local.conf beside this file.
listen_addresses = ''
unix_socket_permissions = 0700
password_encryption = scram-sha-256
max_connections = 60
# One machine, small when idle: few processes, little shared memory, no background work that nobody needs.
shared_buffers = 32MB
huge_pages = off
work_mem = 4MB
maintenance_work_mem = 64MB
effective_cache_size = 512MB
io_method = sync
jit = off
max_worker_processes = 4
max_parallel_workers = 2
max_parallel_workers_per_gather = 1
max_logical_replication_workers = 0
autovacuum_max_workers = 2
autovacuum_worker_slots = 4
autovacuum_naptime = 30s
# What was committed stays committed.
fsync = on
synchronous_commit = on
full_page_writes = on
wal_level = minimal
max_wal_senders = 0
min_wal_size = 64MB
max_wal_size = 512MB
wal_compression = on
checkpoint_timeout = 10min
# A client that vanished must not hold its locks for hours.
idle_in_transaction_session_timeout = 5min
# Terse, and without the statement, whose text could carry a secret.
log_destination = stderr
logging_collector = off
log_line_prefix = '%m [%p] '
log_error_verbosity = terse
log_min_error_statement = panic
log_checkpoints = off
log_startup_progress_interval = 1s
lc_messages = 'C'
timezone = 'UTC'
log_timezone = 'UTC'
cluster_name = 'argosy'
update_process_title = off
include = 'local.conf'
"""


def prepare_cluster(data: DataDir, report: Report) -> tuple[Location, Binaries]:
    found = find_binaries()
    location = settle(data)
    if location.sockets.parent != location.home:
        report(f"the path of {data.root} is too long for a Unix socket; it is in {location.sockets}")
    try:
        binaries = usable_by(location.owner, found, shared_home())
        _check_version(location, binaries)
        clear_leftovers(location.cluster, report)
        _check_space(location.home)
        if not location.exists():
            report("creating the database cluster")
            secret = password(data, ADMIN)
            create_cluster(location.cluster, location.owner, binaries, secret)
        write_settings(location.cluster, location.owner)
    except OSError as error:
        raise explain(error, data) from error
    return location, binaries


def explain(error: OSError, data: DataDir) -> ArgosyError:
    if error.errno in (28, 122):  # ENOSPC, EDQUOT
        return _full(data.root)
    return unwritable(data, error)


def _check_version(location: Location, binaries: Binaries) -> None:
    if not location.exists():
        return
    there = (location.cluster / "PG_VERSION").read_text().strip()
    if there != binaries.major:
        raise Conflict(
            f"the database in {location.cluster} is of PostgreSQL {there}, the programs are {binaries.version}",
            code="postgres.version",
            cure=f"start the Argosy that made it (or set ARGOSY_POSTGRES_BIN to PostgreSQL {there}), "
            "'argosy backup FILE', then restore here",
        )


def _check_space(folder: Path) -> None:
    facts = os.statvfs(folder)
    if facts.f_bavail * facts.f_frsize < FREE_BYTES_FLOOR:
        raise _full(folder)


def _full(folder: Path) -> Conflict:
    return Conflict(
        f"the disk that holds {folder} is full: less than {FREE_BYTES_FLOOR // 1024 // 1024} MB free",
        code="disk_full",
        cure="free some space, or move the installation: 'argosy backup FILE' and restore with --data-dir",
    )


def create_cluster(
    cluster: Path, owner: Owner, binaries: Binaries, secret: str, *, extra: tuple[str, ...] = ()
) -> None:
    """initdb under another name, then one rename: a crash in between leaves nothing that looks like a cluster."""
    staging = cluster.with_name(f"{cluster.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    maker = named_stand_in(owner)
    secret_file = cluster.with_name(f"{cluster.name}.secret")
    try:
        _write_private(secret_file, secret, maker)
        maker.own(staging)
        if maker != owner:
            maker.own(cluster.parent)
        _run_initdb(binaries, staging, secret_file, maker, extra)
    finally:
        owner.own(cluster.parent)
        secret_file.unlink(missing_ok=True)
    if maker != owner:
        for path in (staging, *staging.rglob("*")):
            owner.own(path)
    write_settings(staging, owner)
    staging.rename(cluster)
    _sync_folder(cluster.parent)


def _run_initdb(
    binaries: Binaries, staging: Path, secret_file: Path, maker: Owner, extra: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [binaries["initdb"], "--pgdata", str(staging), "--username", ADMIN, "--pwfile", str(secret_file),
         "--auth-local=scram-sha-256", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C",
         "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums", "--no-instructions",
         *extra],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        user=maker.user, group=maker.group, extra_groups=maker.extra_groups,
        cwd="/", env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
    )  # fmt: skip
    if done.returncode == 0:
        return
    told = [line for line in done.stderr.splitlines() if "error" in line.lower() or "FATAL" in line]
    reason = (told or done.stderr.splitlines() or ["it said nothing"])[0].strip()
    if "No space left" in done.stderr:
        raise _full(staging.parent)
    cure = "look at the reason above; 'argosy doctor' shows what this machine offers"
    if "could not look up effective user ID" in done.stderr:
        cure = f"give uid {os.geteuid()} a name in /etc/passwd (in a container: run as a named user)"
    raise Conflict(f"cannot create the database cluster: {reason}", code="postgres.initdb", cure=cure)


def write_settings(cluster: Path, owner: Owner, settings: str = _SETTINGS) -> None:
    for name, text in (("postgresql.conf", settings), ("pg_hba.conf", _ACCESS)):
        target = cluster / name
        if target.is_file() and target.read_text() == text:
            continue
        written = cluster / f"{name}.new"
        _write_private(written, text, owner)
        written.rename(target)
    if not (local := cluster / "local.conf").exists():
        _write_private(local, "# Your own settings; Argosy never touches this file again.\n", owner)


def _write_private(path: Path, text: str, owner: Owner) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    owner.own(path)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
