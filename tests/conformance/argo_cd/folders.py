"""The scenarios' repositories as folders of this machine, and a server that shows them as files, which is all that Git needs to read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from argosy.kube.objects import Object
from tests.git_repository import Work


def commit(
    folder: Path, objects: list[Object], files: dict[str, str], *, branch: str = "main", tag: str = ""
) -> str:
    """Everything that is in the repository from now on."""
    work = Work(folder)
    if branch != "main":
        work.git("checkout", "--quiet", "-B", branch)
    if work.tried("rev-parse", "HEAD").returncode == 0:
        work.git("rm", "-r", "--quiet", "--force", "--ignore-unmatch", ".")
    if objects:
        files = {**files, "objects.yaml": yaml.safe_dump_all(objects, sort_keys=False)}
    revision = work.commit(files)
    if tag:
        work.git("tag", tag)
    if branch != "main":
        work.git("checkout", "--quiet", "main")
    work.git("update-server-info")
    return revision


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:
        """Tests speak for themselves."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address under which the folders are found."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, name="repositories", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(10)
