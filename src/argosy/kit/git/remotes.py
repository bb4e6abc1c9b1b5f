"""A repository elsewhere and what it takes to reach it: credentials, keys, certificates, a proxy.

Secrets go to Git through files of mode 0600 in a private folder that lives as long as one command. They stand in no argument list, no
URL and no environment, so nothing that lists processes or dumps surroundings shows them. Credentials are bound to the address they were
given for: a redirect to another host gets none.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from argosy.kit.git.addresses import Address, parse
from argosy.kit.git.failing import Failure, GitFailed

_PREFIX = "argosy-git-"
_SSH_SECONDS = 15
_MEMORY = Path("/dev") / "shm"


@dataclass(frozen=True, slots=True)
class Login:
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Remote:
    address: Address
    login: Login | None = None
    ssh_key: str = field(default="", repr=False)
    known_hosts: str = ""
    authority: str = ""
    """Certificates (PEM) that are trusted instead of the system's."""
    certificate: str = ""
    certificate_key: str = field(default="", repr=False)
    insecure: bool = False
    proxy: str = field(default="", repr=False)
    no_proxy: str = ""

    @property
    def credentials(self) -> Login | None:
        """What was given beside the address goes before what was written into it."""
        if self.login is not None or not self.address.password:
            return self.login
        return Login(self.address.user, self.address.password)


@dataclass(slots=True)
class Reach:
    """What a command needs so that it gets there."""

    settings: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    protocols: tuple[str, ...] = ()


@contextlib.contextmanager
def reaching(remote: Remote | None) -> Iterator[Reach]:
    if remote is None:
        yield Reach()
        return
    with _private_folder() as folder:
        reach = Reach(protocols=(remote.address.scheme,))
        if remote.address.scheme == "ssh":
            reach.variables["GIT_SSH_COMMAND"] = _ssh(remote, folder)
            reach.variables["GIT_SSH_VARIANT"] = "ssh"
        elif remote.address.scheme in {"http", "https"}:
            _http(remote, folder, reach)
        yield reach


def _http(remote: Remote, folder: Path, reach: Reach) -> None:
    if (login := remote.credentials) is not None:
        _helper(remote.address.origin, login, folder / "login", reach)
    if remote.authority:
        reach.settings["http.sslCAInfo"] = str(_file(folder / "authority", remote.authority))
    if remote.certificate:
        reach.settings["http.sslCert"] = str(_file(folder / "certificate", remote.certificate))
        reach.settings["http.sslKey"] = str(_file(folder / "certificate-key", remote.certificate_key))
    if remote.insecure:
        reach.settings["http.sslVerify"] = "false"
    if remote.proxy:
        proxy = parse(f"{remote.proxy.rstrip('/')}/-".removesuffix("-") + "proxy")
        if proxy.password:
            _helper(proxy.origin, Login(proxy.user, proxy.password), folder / "proxy", reach)
        user = f"{quote(proxy.user)}@" if proxy.user else ""
        reach.settings["http.proxy"] = proxy.origin.replace("://", f"://{user}", 1)
    if remote.no_proxy:
        reach.variables["no_proxy"] = remote.no_proxy


def _helper(origin: str, login: Login, file: Path, reach: Reach) -> None:
    if any(sign in login.user + login.password for sign in "\n\r\0"):
        raise GitFailed(
            "user name or password has a line break in it",
            code=Failure.AUTHENTICATION,
            cure="store them without one; often it is at the end of a file",
        )
    _file(file, f"username={login.user}\npassword={login.password}\n")
    said = f'!f() {{ test "$1" = get && cat {shlex.quote(str(file))}; }}; f'
    reach.settings[f"credential.{origin}.helper"] = said


def _ssh(remote: Remote, folder: Path) -> str:
    """The whole command, so that no file of this machine's user has a say."""
    options = {
        "BatchMode": "yes",
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "IdentityFile": "none",
        "GlobalKnownHostsFile": "/dev/null",
        "UserKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "no" if remote.insecure else "yes",
        "UpdateHostKeys": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitLocalCommand": "no",
        "ProxyCommand": "none",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": str(_SSH_SECONDS),
        "ServerAliveInterval": str(_SSH_SECONDS),
        "LogLevel": "ERROR",
    }
    if remote.known_hosts and not remote.insecure:
        options["UserKnownHostsFile"] = str(_file(folder / "known_hosts", remote.known_hosts))
    if remote.ssh_key:
        key = remote.ssh_key if remote.ssh_key.endswith("\n") else f"{remote.ssh_key}\n"
        options["IdentityFile"] = str(_file(folder / "key", key))
    words = ["ssh", "-F", "/dev/null"]
    for name, value in options.items():
        words += ["-o", f"{name}={value}"]
    return shlex.join(words)


def _file(path: Path, text: str) -> Path:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    _clear_what_a_crash_left()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_memory()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _memory() -> str | None:
    """A folder that no disk keeps, where there is one."""
    return str(_MEMORY) if os.access(_MEMORY, os.W_OK | os.X_OK) else None


@functools.cache
def _clear_what_a_crash_left() -> None:
    for folder in Path(_memory() or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            if owner.isdigit() and folder.stat().st_uid == os.getuid() and not _runs(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
