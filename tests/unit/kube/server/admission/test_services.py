"""Addresses and node ports of services: given out, kept, refused."""

from __future__ import annotations

import ipaddress

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.admission import services
from argosy.kube.server.admission.service_addresses import NETWORK
from tests.unit.kube.server.admission.reading import Reader, creating, updating


def service(uid="1", **spec):
    meta = {"name": "web", "namespace": "shop", "uid": uid}
    return {
        "metadata": meta,
        "spec": {"type": "ClusterIP", "ports": [{"port": 80, "protocol": "TCP"}], **spec},
    }


def made(reader=None, **spec):
    obj = service(selector={"a": "b"}, **spec)
    services.admit(creating(reader or Reader(), "services", obj))
    return obj["spec"]


def test_a_service_gets_an_address_that_nobody_has():
    spec = made()
    assert ipaddress.ip_address(spec["clusterIP"]) in NETWORK
    assert (spec["clusterIPs"], spec["ipFamilies"], spec["ipFamilyPolicy"]) == (
        [spec["clusterIP"]],
        ["IPv4"],
        "SingleStack",
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {"clusterIP": "10.96.0.9"},
            'spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated',
        ),
        (
            {"clusterIP": "192.0.2.7"},
            (
                'spec.clusterIPs: Invalid value: ["192.0.2.7"]: failed to allocate IP 192.0.2.7: the provided IP (192.0.2.7) is '
                "not in the valid range. The range of valid IPs is 10.96.0.0/16"
            ),
        ),
        (
            {"ipFamilies": ["IPv6"]},
            'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
        ),
        (
            {"ipFamilyPolicy": "RequireDualStack"},
            'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        ),
        (
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 31000}]},
            "spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated",
        ),
        (
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]},
            (
                "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. "
                "The range of valid ports is 30000-32767"
            ),
        ),
    ],
)
def test_what_cannot_be_given_is_refused(spec, words):
    other = service("2", clusterIP="10.96.0.9", ports=[{"port": 1, "nodePort": 31000}])
    with pytest.raises(ApiError) as raised:
        made(Reader(services=[other]), **spec)
    assert raised.value.message == f'Service "web" is invalid: {words}'


def test_an_update_that_leaves_the_address_and_the_ports_out_keeps_them():
    old = service(type="NodePort", selector={"a": "b"})
    services.admit(creating(Reader(), "services", old))
    new = service(type="NodePort", selector={"a": "b"})
    services.admit(updating(Reader(services=[old]), "services", new, old))
    assert new["spec"] == old["spec"]


def test_two_protocols_of_one_port_share_the_port_of_the_nodes():
    ports = [{"port": 53, "protocol": "UDP", "name": "u"}, {"port": 53, "protocol": "TCP", "name": "t"}]
    spec = made(type="NodePort", ports=ports)
    assert spec["ports"][0]["nodePort"] == spec["ports"][1]["nodePort"]


def test_a_headless_service_of_nobody_has_both_families():
    obj = service(clusterIP="None")
    services.admit(creating(Reader(), "services", obj))
    assert (obj["spec"]["clusterIPs"], obj["spec"]["ipFamilies"]) == (["None"], ["IPv4", "IPv6"])


def test_a_balancer_that_keeps_traffic_local_gets_a_port_to_ask_for_its_health():
    spec = made(type="LoadBalancer", externalTrafficPolicy="Local")
    assert spec["healthCheckNodePort"] in range(30000, 32768)
