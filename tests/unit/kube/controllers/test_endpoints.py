"""Which pods stand behind a Service."""

from __future__ import annotations

from argosy.kube.controllers.endpoints import slicing
from argosy.kube.controllers.endpoints.addresses import HEADLESS, endpoints
from argosy.kube.controllers.endpoints.mirroring import mirrored
from argosy.kube.objects import Object, labels_of
from tests.unit.kube.controllers.objects import owner, pod


def service(**spec: object) -> Object:
    made = owner("Service")
    made["spec"] = {"ports": [{"port": 80, "targetPort": 8080, "protocol": "TCP"}], **spec}
    return made


def behind(name: str, address: str, **more: object) -> Object:
    found = pod(name, **more)  # type: ignore[arg-type]
    found["status"]["podIP"] = address
    return found


def planned(it: Object, pods: list[Object], held: list[Object]) -> slicing.Changes:
    return slicing.plan(it, endpoints(it, pods), held, "now")


def test_a_pod_is_an_endpoint_once_it_has_an_address() -> None:
    found = endpoints(service(), [behind("a", "10.0.0.1"), pod("b"), behind("c", "10.0.0.3", phase="Failed")])
    assert [(one.address, one.ready) for one in found] == [("10.0.0.1", True)]


def test_a_pod_that_ends_still_serves_but_is_not_ready() -> None:
    [found] = endpoints(service(), [behind("a", "10.0.0.1", going=True)])
    assert (found.ready, found.serving, found.terminating) == (False, True, True)
    assert slicing.subsets([found], service()) == []


def test_named_ports_are_looked_up_in_each_pod() -> None:
    it = service(ports=[{"name": "web", "port": 80, "targetPort": "http", "protocol": "TCP"}])
    one, other = behind("a", "10.0.0.1"), behind("b", "10.0.0.2")
    one["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": 8000}]
    other["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": 9000}]
    assert len(planned(it, [one, other], []).create) == 2


def test_slices_hold_a_hundred_each() -> None:
    pods = [behind(f"p{number:03}", f"10.0.1.{number}") for number in range(150)]
    assert [len(one["endpoints"]) for one in planned(service(), pods, []).create] == [100, 50]


def test_what_is_right_is_not_written_again() -> None:
    pods = [behind("a", "10.0.0.1")]
    [made] = planned(service(), pods, []).create
    assert planned(service(), pods, [made]) == slicing.Changes([], [], [])


def test_one_change_touches_one_slice() -> None:
    pods = [behind(f"p{number:03}", f"10.0.1.{number}") for number in range(150)]
    held = planned(service(), pods, []).create
    changes = planned(service(), pods[1:], held)
    assert (len(changes.create), len(changes.update), len(changes.delete)) == (0, 1, 0)


def test_a_slice_of_other_ports_is_dropped() -> None:
    pods = [behind("a", "10.0.0.1")]
    held = planned(service(), pods, []).create
    changes = planned(service(ports=[{"port": 80, "targetPort": 9090}]), pods, held)
    assert (len(changes.create), changes.delete) == (1, held)


def test_a_service_without_pods_has_one_empty_slice_and_keeps_it() -> None:
    [made] = planned(service(), [], []).create
    assert made["endpoints"] == []
    assert planned(service(), [], [made]) == slicing.Changes([], [], [])


def test_headless_services_are_marked() -> None:
    it = service(clusterIP="None")
    [made] = planned(it, [], []).create
    assert labels_of(made)[HEADLESS] == ""
    legacy = slicing.legacy(it, [], None, "now")
    assert legacy is not None
    assert labels_of(legacy)[HEADLESS] == ""


def test_endpoints_by_hand_are_mirrored_by_family() -> None:
    subset = {
        "addresses": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
        "notReadyAddresses": [{"ip": "10.0.0.2"}],
        "ports": [{"port": 80}],
    }
    found = mirrored({"subsets": [subset]})
    assert [(one["addressType"], len(one["endpoints"])) for one in found] == [("IPv4", 2), ("IPv6", 1)]
