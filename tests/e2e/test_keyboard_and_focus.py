"""Who works with the keyboard, or is called away in the middle of a form, loses neither their place nor their words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.conftest import carry
from tests.e2e.test_every_page import violations
from tests.installation import Tenant


def team(tenant: Tenant, name: str) -> str:
    return str(tenant.admin.done("POST", "/api/teams", {"name": name})["id"])


def test_closing_a_panel_gives_the_focus_back_to_its_row(as_admin: Page, tenant: Tenant) -> None:
    team(tenant, "alpha")
    as_admin.goto("/settings/teams")
    row = as_admin.get_by_role("link", name="alpha")
    row.focus()
    as_admin.keyboard.press("Enter")
    expect(as_admin.get_by_role("dialog")).to_be_visible()
    as_admin.keyboard.press("Escape")
    expect(as_admin.get_by_role("dialog")).to_have_count(0)
    expect(row).to_be_focused()


def test_closing_a_question_gives_the_focus_back_to_the_menu_it_came_from(
    as_admin: Page, tenant: Tenant
) -> None:
    team(tenant, "alpha")
    as_admin.goto("/settings/teams")
    acts = as_admin.get_by_role("button", name="Acts on alpha")
    acts.focus()
    as_admin.keyboard.press("Enter")
    expect(as_admin.get_by_role("menuitem", name="Remove team")).to_be_focused()
    as_admin.keyboard.press("Enter")
    expect(as_admin.get_by_role("dialog")).to_be_visible()
    as_admin.keyboard.press("Escape")
    expect(as_admin.get_by_role("dialog")).to_have_count(0)
    expect(acts).to_be_focused()


def test_a_new_rule_takes_its_name_at_once_when_opened_by_its_address(as_admin: Page) -> None:
    as_admin.goto("/settings/access-rules/new")
    expect(as_admin.get_by_role("dialog").get_by_label("Name", exact=True)).to_be_focused()


def test_a_field_that_the_server_refuses_says_so_and_takes_the_focus(as_admin: Page, tenant: Tenant) -> None:
    team(tenant, "alpha")
    as_admin.goto("/settings/teams/new")
    panel = as_admin.get_by_role("dialog")
    name = panel.get_by_label("Name", exact=True)
    name.fill("alpha")
    panel.get_by_role("button", name="Create team").click()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_accessible_description(re.compile("There is a team named alpha already"))
    expect(name).to_be_focused()


def test_coming_back_to_the_window_keeps_what_was_typed(as_admin: Page, tenant: Tenant) -> None:
    member = tenant.member.done("GET", "/api/me")["id"]
    as_admin.clock.install()
    as_admin.goto(f"/settings/users/{member}")
    name = as_admin.get_by_role("dialog").get_by_label("Name", exact=True)
    name.fill("half a na")
    as_admin.clock.fast_forward(60_000)  # by now the answer is stale, and asked for again on return
    with as_admin.expect_response(re.compile(f"/api/users/{member}$")):
        as_admin.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    as_admin.clock.run_for(1000)
    expect(name).to_have_value("half a na")


def test_where_filters_leave_nothing_one_press_goes_back_to_everything(
    as_admin: Page, tenant: Tenant
) -> None:
    team(tenant, "alpha")
    as_admin.goto("/settings/teams?search=nothing-has-this-name&sort=-name")
    as_admin.get_by_role("button", name="Clear the filters").click()
    expect(as_admin.get_by_text("alpha", exact=True)).to_be_visible()
    expect(as_admin).to_have_url(re.compile(r"/settings/teams\?sort=-name$"))


def test_while_the_server_thinks_the_page_says_that_it_is_opening(as_admin: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    as_admin.route(re.compile(r"/api/me$"), hold)
    as_admin.goto("/settings/teams")
    expect(as_admin.get_by_text("Opening Argosy")).to_be_visible()
    for route in held:
        route.continue_()
    expect(as_admin.get_by_role("heading", name="Teams")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_its_menu_and_the_acts_on_a_row_are_accessible(
    browser: Browser, shared_tenant: Tenant, scheme: str
) -> None:
    context = browser.new_context(
        base_url=shared_tenant.admin.url, color_scheme=scheme, reduced_motion="reduce",
        viewport={"width": 390, "height": 844},
    )  # fmt: skip
    carry(context, shared_tenant.admin)
    page = context.new_page()
    page.goto("/settings/users")
    page.get_by_role("button", name=re.compile("^Acts on")).first.click()
    expect(page.get_by_role("menuitem").first).to_be_visible()
    page.keyboard.press("ArrowUp")  # to the last, which is in red
    floats = "region:"  # an open menu stands beside the landmarks, over them all
    assert [one for one in violations(page) if not one.startswith(floats)] == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open the menu").click()
    expect(page.get_by_role("dialog", name="Menu")).to_be_visible()
    assert violations(page) == []
    context.close()
