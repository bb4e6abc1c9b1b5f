"""Plays a scenario against a Kubernetes API server and brings back what it answered, as it came.

`transcripts.normalised` makes the answers of two servers comparable. Scenarios may run at the same time: each has a namespace of
its own, and what it creates outside of it is deleted at the end.
"""

from __future__ import annotations

import asyncio
import io
import json
import secrets
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import aiohttp
import yarl

from tests.conformance.kube.paths import MISSING, at
from tests.conformance.kube.requests import TYPES, Asked, asked
from tests.conformance.kube.scenario import Scenario, ScenarioError, Values, collections, fill

_PATIENCE = 15.0
_QUIET = 0.15
"""How long a watch is listened to after its last expected event, in case there is one too many."""


@dataclass(frozen=True)
class Server:
    """Where to play. `admin` has a client certificate, `anonymous` has not; both trust the server's CA."""

    url: str
    admin: ssl.SSLContext
    anonymous: ssl.SSLContext


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    events: list[bytes] | None = None
    only: list[str] = field(default_factory=list)
    """The parts of the body that the scenario is about; all of it when empty."""

    def document(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def said(self) -> str:
        return f"{self.status} {self.body.decode(errors='replace')[:600]}"


@dataclass
class Played:
    """What came of a scenario: an answer for each step, in their order, with those of `meanwhile` after their watch."""

    scenario: Scenario
    known: Values
    answers: list[tuple[str, Answer]] = field(default_factory=list)
    setup: list[Answer] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    """Steps that did not do what the scenario says it shows (`expect`)."""


async def play(server: Server, scenario: Scenario) -> Played:
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=8),
        headers={"User-Agent": "replay/1"},
        read_bufsize=1 << 22,
        timeout=aiohttp.ClientTimeout(total=60),
    ) as session:
        return await _Player(server, scenario, session).play()


async def play_all(
    server: Server,
    chosen: Sequence[Scenario],
    each: Callable[[Played], None],
    failed: Callable[[str], None],
    *,
    at_once: int = 6,
) -> None:
    """Several at a time; one that cannot be played is reported and stops no other."""
    gate = asyncio.Semaphore(at_once)

    async def one(scenario: Scenario) -> None:
        async with gate:
            try:
                played = await play(server, scenario)
            except ScenarioError as error:
                failed(str(error))
                return
        each(played)

    await asyncio.gather(*(one(scenario) for scenario in chosen))


class _Player:
    def __init__(self, server: Server, scenario: Scenario, session: aiohttp.ClientSession) -> None:
        self._server, self._scenario, self._session = server, scenario, session
        self._known: Values = {"ns": f"ns-{secrets.token_hex(5)}"}
        self._known |= fill(collections(), self._known)
        for name, value in scenario.let.items():
            self._known[name] = _repeated(fill(value, self._known))
        self._played = Played(scenario, self._known)
        self._created: list[str] = []

    async def play(self) -> Played:
        try:
            await self._prepare()
            for number, step in enumerate(self._scenario.steps, 1):
                await self._play(step, str(number))
        except (TimeoutError, aiohttp.ClientError, ScenarioError) as error:
            raise ScenarioError(f"{self._scenario.id}: {type(error).__name__}: {error}") from error
        finally:
            await self._clean_up()
        return self._played

    async def _prepare(self) -> None:
        if self._scenario.namespace:
            await self._make_namespace()
        for step in self._scenario.setup:
            answer = await self._step(step)
            self._played.setup.append(answer)
            if answer.status >= 300:
                raise ScenarioError(f"setup: {step['do']}: {answer.said()}")

    async def _make_namespace(self) -> None:
        """With the ServiceAccount that pods need and a controller would make."""
        name = self._known["ns"]
        for path, kind, named in (
            ("/api/v1/namespaces", "Namespace", name),
            (f"/api/v1/namespaces/{name}/serviceaccounts", "ServiceAccount", "default"),
        ):
            body = json.dumps({"apiVersion": "v1", "kind": kind, "metadata": {"name": named}}).encode()
            answer = await self._request(Asked("POST", path, {"Content-Type": "application/json"}, body))
            if answer.status not in {201, 409}:
                raise ScenarioError(f"{path}: {answer.said()}")

    async def _play(self, step: Values, number: str) -> None:
        if "watch" in step:
            await self._watch(step, number)
            return
        answer = await self._step(step)
        self._note(number, step["do"], answer, step)

    def _note(self, number: str, name: str, answer: Answer, step: Values) -> None:
        only = fill(step.get("only", []), self._known)
        answer.only = [only] if isinstance(only, str) else only
        self._played.answers.append((f"{number} {name}", answer))
        self._judge(number, name, answer, step)

    def _judge(self, number: str, name: str, answer: Answer, step: Values) -> None:
        wanted = step.get("expect", range(200, 300))
        right = wanted == "any" or answer.status in (wanted if isinstance(wanted, list | range) else [wanted])
        if not right:
            self._played.surprises.append(f"step {number} {name}: not {wanted}: {answer.said()}")

    async def _step(self, step: Values) -> Answer:
        """Once, or until it says what is waited for."""
        request = asked(step, self._known)
        deadline = time.monotonic() + _PATIENCE
        answer = await self._request(request)
        while not self._holds(step.get("until", {}), answer) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
            answer = await self._request(request)
        self._keep(step, answer)
        if answer.status == 201:
            self._remember(request, answer)
        return answer

    async def _request(self, request: Asked) -> Answer:
        async with self._session.request(
            request.method,
            yarl.URL(self._server.url + request.path, encoded=True),
            headers=request.headers,
            data=None if request.body is None else io.BytesIO(request.body),
            skip_auto_headers=["Content-Type"],
            allow_redirects=False,
            ssl=self._server.admin if request.certificate else self._server.anonymous,
        ) as response:
            return Answer(response.status, list(response.headers.items()), await response.read())

    async def _watch(self, step: Values, number: str) -> None:
        """Opens the stream, does what is to be done meanwhile, reads the events that must come."""
        answer = Answer(events=[])
        self._played.answers.append((f"{number} {step['watch']}", answer))
        request = asked(step, self._known)
        async with self._session.get(
            yarl.URL(self._server.url + request.path, encoded=True),
            headers=request.headers,
            ssl=self._server.admin,
        ) as response:
            answer.status, answer.headers = response.status, list(response.headers.items())
            if response.status != 200:
                answer.body, answer.events = await response.read(), None
            for index, inner in enumerate(step.get("meanwhile", []), 1):
                await self._play(inner, f"{number}.{index}")
            if answer.events is not None:
                await self._read_events(response, answer.events, step.get("events", "end"))
        self._judge(number, step["watch"], answer, step)

    async def _read_events(
        self, response: aiohttp.ClientResponse, events: list[bytes], wanted: int | str
    ) -> None:
        """As many as must come and any that come too much; `end`: all until the server ends it."""
        while True:
            enough = isinstance(wanted, int) and len(events) >= wanted
            try:
                async with asyncio.timeout(_QUIET if enough else _PATIENCE):
                    line = await response.content.readline()
            except TimeoutError:
                if not enough:
                    told = f"a watch said {len(events)} of {wanted} events, then nothing"
                    self._played.surprises.append(told)
                return
            if not line:
                return
            if not _ambient(line):
                events.append(line)

    def _keep(self, step: Values, answer: Answer) -> None:
        for name, path in step.get("keep", {}).items():
            found = at(answer.document(), path)
            if found is MISSING:
                raise ScenarioError(f"{step['do']}: nothing at {path}: {answer.said()}")
            self._known[name] = found

    def _holds(self, until: Values, answer: Answer) -> bool:
        return all(
            answer.status == value if path == "status code" else at(answer.document(), path) == value
            for path, value in fill(until, self._known).items()
        )

    def _remember(self, request: Asked, answer: Answer) -> None:
        """What does not go away with the namespace."""
        path, document = request.path.partition("?")[0], answer.document()
        if f"/namespaces/{self._known['ns']}/" in path or not isinstance(document, dict):
            return
        metadata = document.get("metadata") or {}
        if "uid" in metadata and "name" in metadata:
            self._created.append(f"{path}/{quote(metadata['name'])}" if request.method == "POST" else path)

    async def _clean_up(self) -> None:
        for path in reversed(dict.fromkeys(self._created)):
            answer = await self._request(Asked("DELETE", path, {}))
            finalizers = at(answer.document(), "metadata.finalizers")
            # A definition's own finalizer is the server's work.
            if answer.status == 200 and finalizers is not MISSING and "customresourcedefinitions" not in path:
                drop = b'{"metadata":{"finalizers":null}}'
                await self._request(Asked("PATCH", path, {"Content-Type": TYPES["merge"]}, drop))


def _repeated(value: Any) -> Any:
    """`{repeat: "[", times: 10000}`: a text that nobody wants to read in a file."""
    if isinstance(value, dict) and value.keys() == {"repeat", "times"}:
        return str(value["repeat"]) * int(value["times"])
    return value


def _ambient(line: bytes) -> bool:
    """A bookmark comes when the server likes, but for the one that ends the initial events."""
    return line.startswith(b'{"type":"BOOKMARK"') and b"initial-events-end" not in line
