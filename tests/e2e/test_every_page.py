"""Every page in both themes: accessible (axe), deep-linkable, and well with the strict content policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.e2e.conftest import carry
from tests.installation import Client, Installation, Tenant

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = {
    "/": "main",
    "/settings/profile": "Profile",
    "/settings/users": "Users",
    "/settings/users/invitations": "Users",
    "/settings/teams": "Teams",
    "/settings/service-accounts": "Service accounts",
    "/settings/api-keys": "API keys",
    "/settings/access-rules": "Access rules",
    "/settings/audit": "Audit log",
    "/settings/audit?range=custom&from=2026-01-01": "Audit log",
    "/settings/account": "Account settings",
}
INSTALLATION_PAGES = {
    "/settings/accounts": "Accounts",
    "/settings/accounts/new": "Accounts",
    "/settings/administrators": "Administrators",
    "/settings/administrators/new": "Administrators",
    "/settings/system": "System",
}


def violations(page: Page) -> list[str]:
    """axe runs through the debugger, so that the page's own policy stays as strict as it is."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:200]})" for one in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_by_its_address_and_is_accessible(
    browser: Browser, installation: Installation, shared_tenant: Tenant, path: str, scheme: str
) -> None:
    opens_well(browser, shared_tenant.admin, path, PAGES[path], scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", INSTALLATION_PAGES)
def test_a_page_of_the_installation_opens_for_its_administrators(
    browser: Browser, installation: Installation, path: str, scheme: str
) -> None:
    opens_well(browser, installation.admin, path, INSTALLATION_PAGES[path], scheme)


def opens_well(browser: Browser, client: Client, path: str, title: str, scheme: str) -> None:
    context = browser.new_context(
        base_url=client.url, color_scheme=scheme, reduced_motion="reduce",
        viewport={"width": 1440, "height": 900},
    )  # fmt: skip
    carry(context, client)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(path)
    expect(page.locator("h1")).to_be_visible()
    if title != "main":
        expect(page.locator("h1")).to_have_text(title)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert violations(page) == []
    assert faults == []
    context.close()


def test_the_sign_in_page_is_accessible(page: Page) -> None:
    page.goto("/sign-in")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert violations(page) == []


def test_who_is_not_signed_in_comes_back_to_the_page_asked_for(page: Page, tenant: Tenant) -> None:
    page.goto("/settings/teams?search=ops")
    expect(page).to_have_url(re.compile("/sign-in"))
    page.get_by_label("E-mail").fill(tenant.admin_email)
    page.get_by_label("Password", exact=True).fill(tenant.password)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/settings/teams\?search=ops"))


def test_filters_live_in_the_address(as_admin: Page, tenant: Tenant) -> None:
    for name in ("alpha", "beta"):
        tenant.admin.done("POST", "/api/teams", {"name": name})
    as_admin.goto("/settings/teams")
    expect(as_admin.get_by_text("beta", exact=True)).to_be_visible()
    as_admin.keyboard.press("/")
    as_admin.keyboard.type("alph")
    expect(as_admin.get_by_text("beta", exact=True)).to_have_count(0)
    expect(as_admin).to_have_url(re.compile("search=alph"))
    as_admin.reload()
    expect(as_admin.get_by_text("alpha", exact=True)).to_be_visible()
    expect(as_admin.get_by_text("beta", exact=True)).to_have_count(0)


def test_the_palette_goes_anywhere_from_the_keyboard(as_admin: Page) -> None:
    as_admin.goto("/")
    expect(as_admin.get_by_role("heading", level=1)).to_be_visible()
    as_admin.keyboard.press("Control+k")
    expect(
        as_admin.get_by_role("dialog")
        .get_by_role("combobox")
        .or_(as_admin.get_by_role("dialog").get_by_role("textbox"))
        .first
    ).to_be_focused()
    as_admin.keyboard.type("access rules")
    as_admin.keyboard.press("Enter")
    expect(as_admin).to_have_url(re.compile("/settings/access-rules"))


def test_what_is_typed_before_the_palette_is_there_lands_in_it(as_admin: Page) -> None:
    """Its chunk comes late here, on purpose: the keys wait for it, Enter too, and reach nothing else."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    as_admin.route(re.compile(r"/assets/Palette-.*\.js"), hold)
    as_admin.goto("/settings/teams")
    expect(as_admin.get_by_role("heading", level=1)).to_be_visible()
    as_admin.keyboard.press("Control+k")
    as_admin.keyboard.type("c?")  # what would create a team, and show the shortcuts
    as_admin.keyboard.press("Backspace")
    as_admin.keyboard.press("Backspace")
    as_admin.keyboard.type("access rules")
    as_admin.keyboard.press("Enter")
    expect(as_admin).to_have_url(re.compile("/settings/teams$"))
    for route in held:
        route.continue_()
    expect(as_admin).to_have_url(re.compile("/settings/access-rules$"))
    expect(as_admin.get_by_role("dialog")).to_have_count(0)


def test_a_fast_typist_need_not_wait_for_the_palette(as_admin: Page) -> None:
    as_admin.goto("/")
    expect(as_admin.get_by_role("heading", level=1)).to_be_visible()
    as_admin.keyboard.press("Control+k")
    as_admin.keyboard.type("api keys")
    as_admin.keyboard.press("Enter")
    expect(as_admin).to_have_url(re.compile("/settings/api-keys$"))
    expect(as_admin.get_by_role("dialog")).to_have_count(0)


def test_a_name_with_markup_is_shown_as_text(as_admin: Page, tenant: Tenant) -> None:
    nasty = "<img src=x onerror=alert(1)><b>bold</b>"
    tenant.admin.done("POST", "/api/teams", {"name": nasty})
    as_admin.goto("/settings/teams")
    expect(as_admin.get_by_text(nasty, exact=True).first).to_be_visible()


def test_a_member_sees_no_way_to_what_only_admins_may(
    page: Page, context: BrowserContext, tenant: Tenant
) -> None:
    carry(context, tenant.member)
    page.goto("/settings/teams")
    expect(page.get_by_role("heading", name="Teams")).to_be_visible()
    expect(page.get_by_role("button", name="Create team")).to_have_count(0)


@pytest.mark.parametrize("path", ["/settings/audit", "/settings/service-accounts/new", "/settings/system"])
def test_a_page_for_admins_says_so_to_a_member_and_asks_the_server_for_nothing(
    page: Page, context: BrowserContext, shared_tenant: Tenant, path: str
) -> None:
    carry(context, shared_tenant.member)
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
    page.goto(path)
    expect(page.get_by_text("This page is for admin")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^(Create|Export|Try again)"))).to_have_count(0)
    assert refused == []


def test_an_invitation_that_does_not_work_says_why_and_leads_to_the_sign_in(page: Page) -> None:
    page.goto("/invitation#token=never-given-out")
    expect(page.get_by_text(re.compile("used, withdrawn or has expired"))).to_be_visible()
    expect(page.get_by_role("link", name="Sign in with a password")).to_be_visible()
    assert violations(page) == []


def test_a_removed_user_is_signed_out_of_the_open_page(
    page: Page, context: BrowserContext, tenant: Tenant
) -> None:
    carry(context, tenant.member)
    page.goto("/settings/profile")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    member = tenant.member.done("GET", "/api/me")["id"]
    tenant.admin.done("DELETE", f"/api/users/{member}")
    page.goto("/settings/teams")
    expect(page).to_have_url(re.compile("/sign-in"))


def test_the_reference_page_is_styled_under_the_same_policy(page: Page) -> None:
    page.goto("/api/reference")
    expect(page.get_by_role("heading", name="Argosy API")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "960px"
    assert violations(page) == []
