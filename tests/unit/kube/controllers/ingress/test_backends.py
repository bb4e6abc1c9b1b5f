"""From a Service and its port to the endpoints that are ready."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.ingress.backends import NoBackend, endpoints
from argosy.kube.objects import Object


def service(**spec: object) -> Object:
    ports = [{"name": "http", "port": 80}, {"name": "admin", "port": 9000}]
    return {"metadata": {"name": "web", "namespace": "default"}, "spec": {"ports": ports, **spec}}


def piece(*addresses: str, port: int = 8080, name: str = "http", ready: bool = True) -> Object:
    return {
        "ports": [{"name": name, "port": port}],
        "endpoints": [{"addresses": [one], "conditions": {"ready": ready}} for one in addresses],
    }


@pytest.mark.parametrize("port", ["http", "80"])
def test_a_port_is_named_or_numbered_and_the_pods_listen_on_the_target(port: str) -> None:
    found = endpoints(
        service(), [piece("10.0.0.1", "10.0.0.2"), piece("10.0.0.3", name="admin", port=9001)], port
    )

    assert isinstance(found, list)
    assert [(one["addresses"][0], number) for one, number in found] == [
        ("10.0.0.1", 8080),
        ("10.0.0.2", 8080),
    ]


def test_who_is_not_ready_is_not_asked() -> None:
    found = endpoints(service(), [piece("10.0.0.1", ready=False), piece("10.0.0.2")], "http")

    assert isinstance(found, list)
    assert [one["addresses"][0] for one, _ in found] == ["10.0.0.2"]


@pytest.mark.parametrize(
    ("it", "slices", "port", "words"),
    [
        (service(), [], "http", "the Service default/web has no ready endpoint"),
        (service(), [piece("10.0.0.1")], "81", "the Service default/web has no port 81"),
        (service(type="ExternalName"), [], "http", "is a name elsewhere"),
    ],
)
def test_the_reason_is_told_when_nobody_can_answer(
    it: Object, slices: list[Object], port: str, words: str
) -> None:
    found = endpoints(it, slices, port)

    assert isinstance(found, NoBackend)
    assert words in found.words


def test_a_service_with_one_nameless_port_is_found_by_its_number() -> None:
    it = {"metadata": {"name": "web", "namespace": "default"}, "spec": {"ports": [{"port": 80}]}}
    slices = [{"ports": [{"name": "", "port": 80}], "endpoints": [{"addresses": ["10.0.0.1"]}]}]

    assert isinstance(endpoints(it, slices, "80"), list)
