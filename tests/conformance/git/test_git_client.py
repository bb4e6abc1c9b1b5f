"""What people do with git works against the built-in server as against any other, and what is refused is said in words."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.git.conftest import Server
from tests.git_repository import Work

VERSIONS = ("0", "1", "2")


def test_an_empty_repository_is_cloned_filled_and_cloned_again(server: Server) -> None:
    repository = server.make()
    first = server.clone(repository, "first")
    assert first.git("symbolic-ref", "--short", "HEAD") == "main"
    made = first.commit({"a.yaml": "a: 1\n", "dir/ä b": "2"})
    first.git("push", "--quiet", "origin", "HEAD")
    second = server.clone(repository, "second")
    assert second.git("rev-parse", "HEAD") == made
    assert (second.folder / "dir/ä b").read_text() == "2"
    assert server.one(repository)["pushed"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_the_protocol_is_spoken(server: Server, version: str) -> None:
    repository = server.make()
    work = server.work(repository)
    work.git("config", "protocol.version", version)
    for number in range(3):
        made = work.commit({"a.yaml": str(number)})
        work.git("push", "--quiet")
    above = Work(server.folder / "above")
    seen = above.git("-c", f"protocol.version={version}", "ls-remote", server.url(repository))
    assert seen.split()[0] == made
    above.git("-c", f"protocol.version={version}", "clone", "--quiet", server.url(repository), "copy")
    assert Work(server.folder / "above/copy").git("rev-list", "--count", "HEAD") == "4"


@pytest.mark.parametrize(
    "options", [("--depth=1",), ("--filter=blob:none",), ("--depth=1", "--no-single-branch")]
)
def test_shallow_and_partial_clones_work_and_can_be_completed(
    server: Server, options: tuple[str, ...]
) -> None:
    repository = server.make()
    work = server.work(repository)
    for number in range(4):
        work.commit({"a.yaml": str(number), f"f{number}": "x"})
    work.git("push", "--quiet")
    copy = server.clone(repository, "copy", *options)
    if "--depth=1" in options:
        assert copy.git("rev-list", "--count", "HEAD") == "1"
        copy.git("fetch", "--quiet", "--unshallow")
    assert copy.git("rev-list", "--count", "HEAD") == "5"


def test_branches_and_tags_come_and_go(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    work.git("tag", "--annotate", "--message=one", "v1")
    work.git("branch", "feature/x")
    work.git("push", "--quiet", "origin", "feature/x", "v1")
    refs = server.one(repository, "/refs")
    assert sorted(one["name"] for one in refs["branches"]) == ["feature/x", "main"]
    assert [(one["name"], one["commit"]) for one in refs["tags"]] == [("v1", work.git("rev-parse", "HEAD"))]
    work.git("push", "--quiet", "origin", ":feature/x", ":v1")
    assert list(server.branches(repository)) == ["main"]
    copy = server.clone(repository)
    assert copy.git("tag") == ""


def test_rewriting_works_where_nothing_forbids_it(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    work.git("checkout", "--quiet", "-b", "mine")
    work.commit({"a.yaml": "2"})
    work.git("push", "--quiet", "origin", "mine")
    work.git("commit", "--quiet", "--amend", "--message=other")
    assert "non-fast-forward" in work.tried("push", "origin", "mine").stderr
    work.git("push", "--quiet", "--force-with-lease", "origin", "mine")
    assert server.branches(repository)["mine"] == work.git("rev-parse", "HEAD")


def test_the_default_branch_is_neither_rewritten_nor_removed(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    before = work.git("rev-parse", "HEAD")
    work.git("commit", "--quiet", "--amend", "--message=other")
    forced = work.tried("push", "--force", "origin", "main")
    assert forced.returncode != 0
    assert "main is the default branch: its history cannot be rewritten" in forced.stderr
    removed = work.tried("push", "origin", ":main")
    assert "main is the default branch and cannot be deleted" in removed.stderr
    assert server.branches(repository) == {"main": before}


def test_protected_branches_take_pushes_only_from_who_may(server: Server) -> None:
    me = server.tenant.admin.done("GET", "/api/me")["id"]
    other = server.tenant.admin.done("POST", "/api/service-accounts", {"name": "robot"})["id"]
    rules = [
        {"pattern": "release/*", "pushers": [other]},
        {"pattern": "staging", "pushers": [me]},
        {"pattern": "free", "force": True, "deletion": True},
    ]
    repository = server.make(protections=rules)
    work = server.work(repository)
    refused = work.tried("push", "origin", "HEAD:release/1")
    assert "release/1 is protected: you are not among those who may push to it" in refused.stderr
    work.git("push", "--quiet", "origin", "HEAD:staging", "HEAD:free")
    assert "staging is protected and cannot be deleted" in work.tried("push", "origin", ":staging").stderr
    work.git("commit", "--quiet", "--amend", "--message=other")
    assert "staging is protected" in work.tried("push", "--force", "origin", "HEAD:staging").stderr
    work.git("push", "--quiet", "--force", "origin", "HEAD:free")
    work.git("push", "--quiet", "origin", ":free")
    marked = [one["name"] for one in server.one(repository, "/refs")["branches"] if one["protected"]]
    assert sorted(marked) == ["main", "staging"]


@pytest.mark.parametrize("ref", ["refs/heads/-x", "refs/argosy/x", "refs/pull/1/head", "refs/x"])
def test_odd_refs_are_refused_with_a_reason(server: Server, ref: str) -> None:
    repository = server.make()
    work = server.work(repository)
    refused = work.tried("push", "origin", f"HEAD:{ref}")
    assert refused.returncode != 0
    assert list(server.branches(repository)) == ["main"]


def test_one_refused_ref_refuses_the_whole_push(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    work.git("tag", "v1")
    assert work.tried("push", "origin", "v1", ":main").returncode != 0
    assert server.one(repository, "/refs")["tags"] == []


def test_many_pushes_to_one_branch_at_once_end_in_one_history(server: Server) -> None:
    repository = server.make()
    server.work(repository)
    clones = [server.clone(repository, f"clone{number}") for number in range(5)]

    def push(number: int, clone: Work) -> None:
        clone.commit({f"file{number}": str(number)}, f"from {number}")
        for _ in range(40):
            if clone.tried("push", "origin", "main").returncode == 0:
                return
            clone.git("pull", "--quiet", "--rebase", "origin", "main")
        raise AssertionError("it was overtaken forty times")

    threads = [threading.Thread(target=push, args=pair) for pair in enumerate(clones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    final = server.clone(repository, "final")
    assert final.git("rev-list", "--count", "HEAD") == "6"
    assert {f"file{number}" for number in range(5)} <= {path.name for path in final.folder.iterdir()}


def test_a_big_push_is_streamed_and_comes_back_whole(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    content = os.urandom(24 << 20)
    work.commit({"big": content})
    work.git("push", "--quiet")
    assert (server.clone(repository).folder / "big").read_bytes() == content


def test_more_than_a_push_may_bring_is_refused_by_name_and_leaves_nothing(server: Server) -> None:
    repository = server.make(push_limit_mb=1)
    work = server.work(repository)
    before = server.branches(repository)
    work.commit({"big": os.urandom(3 << 20)})
    refused = work.tried("push", "origin", "main")
    assert refused.returncode != 0
    assert "this push is larger than 1 MB" in refused.stderr
    assert "[remote rejected] main -> main (this push is larger than 1 MB)" in refused.stderr
    assert server.branches(repository) == before
    work.git("reset", "--quiet", "--hard", "HEAD~1")
    work.commit({"small": "x"})
    work.git("push", "--quiet")


def test_a_repository_does_not_outgrow_its_limit(server: Server) -> None:
    repository = server.make(size_limit_mb=2)
    work = server.work(repository)
    work.commit({"big": os.urandom(3 << 19)})
    work.git("push", "--quiet")
    until(lambda: server.one(repository)["size"] > 1 << 20)
    work.commit({"bigger": os.urandom(3 << 19)})
    refused = work.tried("push", "origin", "main")
    assert "this repository would become larger than 2 MB" in refused.stderr
    work.git("push", "--quiet", "origin", "HEAD~1:refs/heads/other")
    work.git("push", "--quiet", "origin", ":other")


def until(holds: Any) -> None:
    async def look() -> None:
        async with asyncio.timeout(15):
            while not holds():
                await asyncio.sleep(0.05)

    asyncio.run(look())


def test_objects_that_are_no_good_are_refused(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    bad = work.with_tree(("100644", work.blob("x"), ".git"))
    refused = work.tried("push", "origin", f"{bad}:refs/heads/bad")
    assert refused.returncode != 0
    assert "hasDotgit" in refused.stderr
    assert list(server.branches(repository)) == ["main"]


def test_a_push_that_breaks_off_leaves_nothing(server: Server) -> None:
    repository = server.make()
    work = server.work(repository)
    work.commit({"big": os.urandom(20 << 20)})
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    push = subprocess.Popen(
        ["git", "push", "origin", "main"],
        cwd=work.folder,
        env=env,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert push.stderr is not None
    push.stderr.read(1)
    os.killpg(push.pid, 9)
    push.wait()
    push.stderr.close()
    work.commit({"after": "x"})
    work.git("push", "--quiet")
    assert server.branches(repository)["main"] == work.git("rev-parse", "HEAD")


def test_the_first_push_of_another_branch_makes_it_the_default_one(server: Server) -> None:
    repository = server.make()
    work = Work(server.folder / "work", branch="trunk")
    work.commit({"a": "1"})
    work.git("push", "--quiet", server.url(repository), "trunk")
    until(lambda: server.one(repository)["default_branch"] == "trunk")
    assert server.clone(repository).git("symbolic-ref", "--short", "HEAD") == "trunk"


def test_somebody_elses_repository_does_not_exist(server: Server) -> None:
    repository = server.make()
    server.work(repository)
    stranger = server.installation.new_account()
    above = Work(server.folder / "above")
    refused = above.tried("ls-remote", server.url(repository, stranger.admin_key.key))
    assert "not found" in refused.stderr
    mine = f"/git/{stranger.id}/{repository['name']}.git"
    assert (
        "not found"
        in above.tried(
            "ls-remote", server.url({**repository, "url": f"{server.installation.url}{mine}"})
        ).stderr
    )


def test_a_key_that_ended_opens_nothing_any_more(server: Server) -> None:
    repository = server.make()
    server.work(repository)
    made = server.key()
    above = Work(server.folder / "above")
    above.git("ls-remote", server.url(repository, made["key"]))
    server.tenant.admin.done("DELETE", f"/api/api-keys/{made['api_key']['id']}")
    refused = above.tried("ls-remote", server.url(repository, made["key"]))
    assert "Authentication failed" in refused.stderr


def test_a_repository_is_renamed_changed_and_removed(server: Server) -> None:
    repository = server.make(description="old")
    work = server.work(repository)
    work.git("push", "--quiet", "origin", "HEAD:other")
    path = f"/api/git/repositories/{repository['id']}"
    key = server.tenant.admin_key
    assert key.patch(path, {"default_branch": "nope"}).code == "repository.branch"
    changed = key.done("PATCH", path, {"name": "Shop2", "description": "new", "default_branch": "other"})
    assert (changed["name"], changed["default_branch"]) == ("Shop2", "other")
    assert server.clone(changed).git("symbolic-ref", "--short", "HEAD") == "other"
    assert key.post("/api/git/repositories", {"name": "shop2"}).code == "repository.exists"
    server.make("shop")
    key.done("DELETE", path)
    assert key.get(path).status == 404
    folder = server.installation.data_dir / "git" / server.tenant.id
    until(lambda: not list(folder.glob(f"{repository['id']}*")))


def test_what_is_inside_is_shown(server: Server) -> None:
    repository = server.make()
    assert server.one(repository, "/commits")["commits"] == []
    assert server.one(repository, "/files") == {"commit": "", "files": []}
    work = server.work(repository)
    work.link("link", "a.yaml")
    made = work.commit({"dir/page.html": "<script>alert(1)</script>", "dir/b": "b"}, "Second\n\nbody")
    work.git("push", "--quiet")
    commits = server.one(repository, "/commits?path=dir")["commits"]
    assert [(one["id"], one["subject"], one["message"], one["author"]) for one in commits] == [
        (made, "Second", "Second\n\nbody", "Ada")
    ]
    files = server.one(repository, "/files?path=dir&revision=main")
    assert (files["commit"], [one["path"] for one in files["files"]]) == (made, ["dir/b", "dir/page.html"])
    kinds = {one["name"]: one["kind"] for one in server.one(repository, "/files")["files"]}
    assert kinds == {"a.yaml": "file", "dir": "folder", "link": "link"}
    raw = server.tenant.admin_key.get(f"/api/git/repositories/{repository['id']}/raw?path=dir/page.html")
    assert raw.body == b"<script>alert(1)</script>"
    assert raw.headers["content-type"] == "text/plain; charset=utf-8"
    assert raw.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("part", "status"),
    [("/files?path=../x", 422), ("/files?path=nope", 404), ("/files?revision=nope", 404), ("/files?revision=--all", 422),
     ("/raw?path=dir", 404), ("/raw?path=", 404), ("/commits?revision=-x", 422), ("/commits?path=:(glob)**", 200),
     ("/commits?revision=main@{1}", 422), ("/raw?path=a.yaml&revision=HEAD~1", 422)],
)  # fmt: skip
def test_bad_questions_get_clear_answers(server: Server, part: str, status: int) -> None:
    repository = server.make()
    server.work(repository)
    reply = server.tenant.admin_key.get(f"/api/git/repositories/{repository['id']}{part}")
    assert reply.status == status, reply.body


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "../x", "-x", ".git", "a.git", "A.LOCK", "a b", "a\u0000", "x" * 101, "a.", "ä"],
)
def test_names_that_could_be_misunderstood_are_refused(server: Server, name: str) -> None:
    assert server.tenant.admin_key.post("/api/git/repositories", {"name": name}).status in (400, 422)


def test_no_key_stands_in_any_log(server: Server) -> None:
    repository = server.make()
    server.work(repository)
    server.clone(repository)
    secret = server.tenant.admin_key.key
    for log in (server.installation.data_dir / "logs").glob("*.log"):
        assert secret not in log.read_text(errors="replace")
    entries = server.tenant.admin.get("/api/audit?limit=200").body.decode()
    assert secret not in entries
    assert '"operation":"push"' in entries


def test_the_folder_is_private_and_holds_no_hooks(server: Server) -> None:
    repository = server.make()
    server.work(repository)
    root: Path = server.installation.data_dir / "git"
    folder = root / server.tenant.id / f"{repository['id']}.git"
    assert root.stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0
    assert not (folder / "hooks").exists()
