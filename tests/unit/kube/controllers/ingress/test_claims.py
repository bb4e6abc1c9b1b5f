"""Who gets which host and path when several ask for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.controllers.ingress.claims import Claims, Owner
from argosy.kube.controllers.ingress.wishes import Covers, Wish

OLD = Owner("2026-01-01T00:00:00Z", "local", "default", "old")
NEW = Owner("2026-01-02T00:00:00Z", "local", "default", "new")
ELSEWHERE = Owner("2026-01-03T00:00:00Z", "staging", "default", "old")


def wish(
    host: str = "shop.localhost", path: str = "/", covers: Covers = "Prefix", service: str = "web"
) -> Wish:
    return Wish(host, path, covers, service, "80")


def holders(claims: Claims) -> dict[tuple[str, str], str]:
    return {(one.wish.host, one.wish.path): one.owner.name for one in claims.granted()}


def test_the_oldest_has_it_whoever_asked_first_and_in_whatever_cluster() -> None:
    claims = Claims()

    for owner in (ELSEWHERE, NEW, OLD):
        claims.put(owner, [wish()])

    assert [one.owner for one in claims.granted()] == [OLD]
    assert claims.lost(NEW) == [(wish(), OLD)]
    assert claims.lost(ELSEWHERE) == [(wish(), OLD)]
    assert claims.lost(OLD) == []


def test_the_next_one_gets_it_when_the_oldest_is_gone_and_is_told() -> None:
    claims = Claims()
    claims.put(OLD, [wish()])
    claims.put(NEW, [wish()])
    told: list[Owner] = []
    claims.on_verdict(told.append)

    claims.put(OLD, [])

    assert told == [NEW]
    assert claims.lost(NEW) == []
    assert [one.owner for one in claims.granted()] == [NEW]


def test_one_that_loses_what_it_had_to_an_older_one_is_told() -> None:
    claims = Claims()
    claims.put(NEW, [wish()])
    told: list[Owner] = []
    claims.on_verdict(told.append)

    claims.put(OLD, [wish()])

    assert told == [NEW]


def test_different_paths_and_kinds_of_one_host_do_not_get_in_each_other_s_way() -> None:
    claims = Claims()

    claims.put(OLD, [wish(path="/a"), wish(path="/a", covers="Exact"), wish(covers="Default")])
    claims.put(NEW, [wish(path="/b"), wish(path="/a/b")])

    assert claims.lost(NEW) == []
    assert len(list(claims.granted())) == 5


def test_a_slash_at_the_end_makes_no_other_prefix() -> None:
    claims = Claims()

    claims.put(OLD, [wish(path="/a/")])
    claims.put(NEW, [wish(path="/a")])

    assert claims.lost(NEW) == [(wish(path="/a"), OLD)]


def test_paths_of_their_own_never_collide() -> None:
    claims = Claims()

    claims.put(OLD, [wish(host="")])
    claims.put(NEW, [wish(host="")])

    assert len(list(claims.granted())) == 2


def test_of_two_equal_wishes_of_one_ingress_the_first_is_served() -> None:
    claims = Claims()

    claims.put(OLD, [wish(service="first"), wish(service="second")])

    assert [one.wish.service for one in claims.granted()] == ["first"]


def test_a_change_is_told_once_and_what_says_the_same_is_none() -> None:
    claims, told = Claims(), []
    deaf = claims.on_change(lambda: told.append("changed"))

    claims.put(OLD, [wish()])
    claims.put(OLD, [wish()])
    claims.put(OLD, [wish(service="other")])
    deaf()
    claims.put(OLD, [])

    assert told == ["changed", "changed"]


def test_only_services_that_something_granted_goes_to_are_reached() -> None:
    claims = Claims()
    claims.put(OLD, [wish()])
    claims.put(NEW, [wish(service="behind-a-lost-claim")])

    assert claims.reaches("local", "default", "web", "80")
    assert not claims.reaches("local", "default", "web", "443")
    assert not claims.reaches("local", "default", "behind-a-lost-claim", "80")
    assert not claims.reaches("staging", "default", "web", "80")


OWNERS = [Owner(f"2026-01-0{day}", "local", "default", name) for day in (1, 2) for name in ("a", "b", "c")]
WISHES = st.lists(
    st.builds(
        wish, host=st.sampled_from(["", "x.localhost", "y.localhost"]), path=st.sampled_from(["/", "/p"])
    )
)


@given(st.lists(st.tuples(st.sampled_from(OWNERS), WISHES)))
def test_whatever_the_order_of_changes_the_same_ones_hold_what_they_hold(
    changes: list[tuple[Owner, list[Wish]]],
) -> None:
    stepwise, at_once = Claims(), Claims()
    for owner, wanted in changes:
        stepwise.put(owner, wanted)
    for owner, wanted in sorted(dict(changes).items(), reverse=True):
        at_once.put(owner, wanted)

    assert set(stepwise.granted()) == set(at_once.granted())
    for owner in OWNERS:
        assert set(stepwise.lost(owner)) == set(at_once.lost(owner))
