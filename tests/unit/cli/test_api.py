"""What the CLI makes of the answers and silences of a server: here one that follows a script, byte by byte."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from argosy.cli.api import Api
from argosy.cli.contexts import Context
from argosy.cli.failures import FAILED, NOT_SIGNED_IN, REFUSED, TOO_MANY, UNAVAILABLE, USAGE, Failure

HANGS_UP = b""


@dataclass
class Scripted:
    url: str
    asked: list[str] = field(default_factory=list)

    def keys(self) -> list[str]:
        return [key for text in self.asked for key in re.findall(r"Idempotency-Key: (\w+)", text)]


@contextmanager
def server(*answers: bytes) -> Iterator[Scripted]:
    """One connection per answer; an empty answer closes the connection once the request is read."""
    listener = socket.create_server(("127.0.0.1", 0))
    scripted = Scripted(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def serve() -> None:
        for answer in answers:
            with suppress(OSError):  # the test has ended, or the client has hung up
                link, _ = listener.accept()
                with link:
                    scripted.asked.append(link.recv(65536).decode(errors="replace"))
                    link.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield scripted
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def answer(status: int, body: object, *headers: str) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(data)}", "Connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


def api(scripted: Scripted, name: str = "here") -> Api:
    return Api(Context(name, scripted.url, "the-key"))


def failure_of(answers: Sequence[bytes], name: str = "here") -> Failure:
    with server(*answers) as scripted, pytest.raises(Failure) as told:
        api(scripted, name).get("/api/me")
    assert len(told.value.lines()) <= 3
    return told.value


def test_a_write_whose_answer_was_lost_is_asked_again_with_the_same_key() -> None:
    with server(HANGS_UP, answer(200, {"id": "x"})) as scripted:
        assert api(scripted).post("/api/teams", {"name": "a"}) == {"id": "x"}
    first, second = scripted.keys()
    assert first == second
    assert len(first) == 32


def test_each_write_has_a_key_of_its_own() -> None:
    with server(answer(200, {}), answer(200, {})) as scripted:
        api(scripted).post("/api/teams")
        api(scripted).post("/api/teams")
    assert len(set(scripted.keys())) == 2


def test_a_connection_that_breaks_twice_is_a_failure() -> None:
    failure = failure_of([HANGS_UP, HANGS_UP])
    assert failure.status == UNAVAILABLE
    assert "cannot be reached" in failure.message


def test_half_an_answer_is_asked_for_again() -> None:
    half = answer(200, {"name": "whole"})[:-4]
    with server(half, answer(200, {"name": "whole"})) as scripted:
        assert api(scripted).get("/api/me") == {"name": "whole"}


def test_signing_in_is_never_repeated() -> None:
    with server(HANGS_UP) as scripted, pytest.raises(Failure):
        api(scripted).sign_in("a@example.com", "secret")
    assert len(scripted.asked) == 1


def test_a_download_that_breaks_off_does_not_look_whole() -> None:
    with server(answer(200, b"0123456789")[:-4]) as scripted, pytest.raises(Failure):
        list(api(scripted).download("/api/audit/export"))


def test_a_list_is_followed_page_by_page() -> None:
    pages = [answer(200, {"items": [1, 2], "next": "c"}), answer(200, {"items": [3], "next": ""})]
    with server(*pages) as scripted:
        assert api(scripted).pages("/api/users", most=None, search="a b", role=None) == ([1, 2, 3], False)
    assert scripted.asked[0].startswith("GET /api/users?search=a+b&limit=200 ")
    assert scripted.asked[1].startswith("GET /api/users?search=a+b&limit=200&after=c ")


def test_a_refusal_names_the_field_and_the_cure() -> None:
    body = {"message": "bad\x1b[2J", "cure": "say it better", "context": {"field": "name"}}
    failure = failure_of([answer(422, body)])
    assert failure.status == REFUSED
    assert failure.lines() == ["error: bad\N{REPLACEMENT CHARACTER}[2J", "where: name", "do: say it better"]


def test_a_fault_of_the_platform_names_the_request() -> None:
    failure = failure_of([answer(500, {"message": "ours", "request_id": "abc"})])
    assert (failure.status, failure.where) == (FAILED, "request abc")


def test_too_many_requests_say_how_long_to_wait() -> None:
    failure = failure_of([answer(429, {"message": "slow down", "context": {"retry_after": 7}})])
    assert (failure.status, failure.cure) == (TOO_MANY, "try again in 7 s")


def test_an_ended_key_leads_to_signing_in_again() -> None:
    with server(answer(401, {"message": "no"})) as scripted, pytest.raises(Failure) as told:
        api(scripted).get("/api/me")
    assert (told.value.status, told.value.cure) == (NOT_SIGNED_IN, f"argosy login {scripted.url}")


def test_an_ended_key_in_a_pipeline_leads_to_its_environment() -> None:
    assert "ARGOSY_API_KEY" in failure_of([answer(401, {"message": "no"})], "(environment)").cure


def test_a_redirect_says_where_it_leads() -> None:
    failure = failure_of([answer(301, b"", "Location: https://argosy.example.com/")])
    assert "https://argosy.example.com/" in failure.cure


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"\xff", b'{"message": {}', b'{"context": 1}'])
def test_another_program_behind_the_url_is_noticed(body: bytes) -> None:
    assert "answered 404" in failure_of([answer(404, body)]).message
    assert "does not answer like Argosy" in failure_of([answer(200, b"<html>")]).message


def test_a_server_that_speaks_no_http_is_noticed() -> None:
    assert failure_of([b"SSH-2.0-OpenSSH_9.2\r\n"]).status == UNAVAILABLE


def test_a_closed_port_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Failure, match="Connection refused") as told:
        Api(Context("a", f"http://127.0.0.1:{port}", "k")).get("/api/me")
    assert told.value.status == UNAVAILABLE


def test_a_silent_server_ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(Failure, match="did not answer in time"):
            Api(Context("a", url, "k")).get("/api/me", seconds=0.05)


@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".example.com", "nowhere.invalid"])
def test_a_host_without_an_address_says_so(host: str) -> None:
    with pytest.raises(Failure, match="cannot be reached") as told:
        Api(Context("a", f"http://{host}", "k")).get("/api/me")
    assert told.value.status == UNAVAILABLE


def test_https_towards_plain_http_says_so() -> None:
    with server(b"HTTP/1.1 400 No\r\n\r\n") as scripted, pytest.raises(Failure, match="does not speak TLS"):
        Api(Context("a", scripted.url.replace("http:", "https:"), "k")).get("/api/me")


@pytest.mark.parametrize("key", ["a\r\nX-Admin: yes", "ключ", "two words", "\x00"])
def test_a_key_that_would_break_the_header_is_refused(key: str) -> None:
    with pytest.raises(Failure, match="characters that no key has") as told:
        Api(Context("a", "http://a", key))
    assert told.value.status == USAGE
    assert key not in "".join(told.value.lines())


def test_a_certificate_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    for name in ("ca.pem", "absent.pem"):
        context = Context("a", "https://127.0.0.1:1", "k", ca=str(tmp_path / name))
        with pytest.raises(Failure, match="cannot be read") as told:
            Api(context).get("/api/me")
        assert told.value.where == str(tmp_path / name)
