"""Several kubeconfigs count as one, as `kubectl` has it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from argosy.kit.errors import BadRequest
from argosy.kube.client import from_environment, from_kubeconfig
from argosy.kube.client.kubeconfig import files_of, from_files
from argosy.kube.objects import Object


def written(path: Path, *names: str, current: str = "", **cluster: str) -> Path:
    config: Object = {
        "contexts": [{"name": one, "context": {"cluster": one, "user": one}} for one in names],
        "clusters": [
            {"name": one, "cluster": {"server": f"https://{path.stem}", **cluster}} for one in names
        ],
        "users": [{"name": one, "user": {"token": f"{one} of {path.stem}"}} for one in names],
    }
    if current:
        config["current-context"] = current
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(config))
    return path


def test_the_first_file_that_names_something_counts(tmp_path: Path) -> None:
    first = written(tmp_path / "first", "shared", "mine")
    second = written(tmp_path / "second", "shared", "theirs", current="shared")
    third = written(tmp_path / "third", current="theirs")

    merged = from_files([first, second, third])

    _, cluster, user = merged.chosen()
    assert (cluster.text("server"), user.text("token")) == ("https://first", "shared of first")
    assert merged.chosen("theirs")[1].text("server") == "https://second"
    assert set(merged.contexts) == {"shared", "mine", "theirs"}


def test_an_entry_is_taken_whole_and_never_completed_by_another_file(tmp_path: Path) -> None:
    first = written(tmp_path / "first", "shared", current="shared")
    second = written(tmp_path / "second", "shared", **{"proxy-url": "http://proxy"})
    assert from_files([first, second]).chosen()[1].text("proxy-url") == ""


def test_relative_paths_begin_where_their_own_file_lies(tmp_path: Path) -> None:
    first = written(tmp_path / "a" / "first", current="one")
    second = written(tmp_path / "b" / "second", "one", **{"certificate-authority": "ca.pem"})
    (tmp_path / "b" / "ca.pem").write_text("the one beside the second")
    assert from_files([first, second]).chosen()[1].content("certificate-authority") == (
        b"the one beside the second"
    )


def test_files_that_are_not_there_are_passed_over(tmp_path: Path) -> None:
    there = written(tmp_path / "there", "one")
    listed = f"{tmp_path}/missing::{there}:{there}"
    assert files_of({"KUBECONFIG": listed, "HOME": str(tmp_path)}) == [there]


def test_without_the_variable_the_one_in_the_home_folder_counts(tmp_path: Path) -> None:
    there = written(tmp_path / ".kube" / "config", "one")
    assert files_of({"HOME": str(tmp_path)}) == [there]
    assert files_of({"KUBECONFIG": "", "HOME": str(tmp_path)}) == [there]


def test_without_any_it_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one:{tmp_path}/two")
    with pytest.raises(BadRequest, match=f"{tmp_path}/one, {tmp_path}/two"):
        from_environment()


@pytest.mark.parametrize("content", ["[]", "contexts: 3", "clusters: [one]", "users: [{name: a, user: b}]"])
def test_what_is_no_kubeconfig_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "config").write_text(content)
    with pytest.raises(BadRequest) as refused:
        from_kubeconfig(tmp_path / "config")
    assert refused.value.code == "kube.kubeconfig"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("socks5://127.0.0.1:1080", "of the kind socks5"),
        ("socks5h://127.0.0.1:1080", "of the kind socks5h"),
        ("ftp://proxy", "not usable"),
        ("proxy:3128", "not usable"),
        ("http://", "not usable"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_said_with_its_cure(tmp_path: Path, url: str, said: str) -> None:
    file = written(tmp_path / "config", "one", current="one", **{"proxy-url": url})
    with pytest.raises(BadRequest, match=said) as refused:
        from_kubeconfig(file)
    assert "http://" in refused.value.cure


def test_a_proxys_password_is_not_told(tmp_path: Path) -> None:
    file = written(tmp_path / "config", "one", current="one", **{"proxy-url": "ftp://me:secret@proxy"})
    with pytest.raises(BadRequest) as refused:
        from_kubeconfig(file)
    assert "secret" not in refused.value.message
