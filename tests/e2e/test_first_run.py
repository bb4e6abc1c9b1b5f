"""What a newcomer does in the first minutes, in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.installation import Client, Installation


def test_the_link_that_up_prints_signs_in_once(browser: Browser) -> None:
    with Installation() as installation:
        page = browser.new_page()
        page.goto(installation.link)
        expect(page.get_by_role("heading", name=re.compile("password", re.IGNORECASE))).to_be_visible()
        page.close()

        again = browser.new_page()
        again.goto(installation.link)
        expect(again.get_by_text(re.compile("link", re.IGNORECASE)).first).to_be_visible()
        expect(again).to_have_url(re.compile("/sign-in"))
        again.close()


def test_a_newcomer_signs_in_makes_a_team_a_user_a_rule_and_a_key_and_sees_them_in_the_audit_log(
    browser: Browser,
) -> None:
    with Installation() as installation:
        page = browser.new_page(base_url=installation.url, viewport={"width": 1440, "height": 900})
        page.goto("/")
        sign_in_for_the_first_time(page, installation)
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()

        make_team(page, "Deployers")
        make_user(page, "colleague@example.com", "A colleague")
        make_rule(page, "Deployers may sync", "Deployers")
        key = make_key(page, "laptop")

        assert Client(installation.url, key=key).get("/api/user").json["email"] == installation.email
        page.goto("/settings/audit")
        rows = page.get_by_role("table", name=re.compile("audit", re.IGNORECASE))
        for thing in ("Deployers", "colleague@example.com", "Deployers may sync", "laptop"):
            expect(rows.get_by_text(thing).first).to_be_visible()


def sign_in_for_the_first_time(page: Page, installation: Installation) -> None:
    page.get_by_label("E-mail").fill(installation.email)
    page.get_by_label("Password", exact=True).fill(installation.password)
    page.get_by_role("button", name="Sign in").click()
    own = "a long enough phrase 42"
    fields = page.locator("input[type=password]")
    expect(fields).to_have_count(2)
    for field in fields.all():
        field.fill(own)
    page.keyboard.press("Enter")


def make_team(page: Page, name: str) -> None:
    page.goto("/settings/teams")
    page.get_by_role("button", name="Create team").click()
    panel = page.get_by_role("dialog")
    panel.get_by_label("Name").fill(name)
    panel.get_by_role("button", name="Create team").click()
    expect(page.get_by_text(name, exact=True).first).to_be_visible()


def make_user(page: Page, email: str, name: str) -> None:
    page.goto("/settings/users")
    page.get_by_role("button", name="Create user").click()
    panel = page.get_by_role("dialog")
    panel.get_by_label("E-mail").fill(email)
    panel.get_by_label("Name").fill(name)
    panel.get_by_role("button", name="Create user").click()
    expect(panel.get_by_text(re.compile("one-time password", re.IGNORECASE)).first).to_be_visible()


def make_rule(page: Page, name: str, team: str) -> None:
    page.goto("/settings/access-rules")
    page.get_by_role("button", name="Create rule").click()
    panel = page.get_by_role("dialog")
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_label("Teams").click()
    page.get_by_role("option", name=team).click()
    page.keyboard.press("Escape")
    panel.get_by_label("Sync", exact=True).check()
    panel.get_by_role("button", name="Create rule").click()
    expect(page.get_by_text(name, exact=True).first).to_be_visible()


def make_key(page: Page, name: str) -> str:
    page.goto("/settings/api-keys")
    page.get_by_role("button", name=re.compile("^Create")).first.click()
    panel = page.get_by_role("dialog")
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_role("button", name=re.compile("^Create")).click()
    shown = panel.get_by_text(re.compile(r"^argk_[A-Za-z0-9_-]+$")).first
    expect(shown).to_be_visible()
    return shown.inner_text()
