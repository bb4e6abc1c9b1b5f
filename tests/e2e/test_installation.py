"""What an administrator of the installation does in the browser: accounts, and other administrators."""

from __future__ import annotations

import re
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import carry
from tests.installation import Client, Installation, Tenant
from tests.security.database import execute
from tests.security.test_dead_letters import PARK


@pytest.fixture
def as_root(page: Page, context: BrowserContext, installation: Installation) -> Page:
    carry(context, installation.admin)
    return page


def fresh(word: str) -> str:
    return f"{word}-{secrets.token_hex(4)}"


def test_an_account_is_created_with_an_admin_whose_password_is_shown_once(
    as_root: Page, installation: Installation
) -> None:
    name, email = fresh("acme"), f"{fresh('admin')}@example.com"
    as_root.goto("/settings/accounts")
    as_root.get_by_role("button", name="Create account").click()
    panel = as_root.get_by_role("dialog")
    panel.get_by_label("Name").fill(name)
    panel.get_by_label("E-mail of its first admin").fill(email)
    panel.get_by_role("button", name="Create account").click()
    expect(panel.get_by_role("heading", name="One-time password")).to_be_visible()
    password = panel.locator("code").first.inner_text()
    panel.get_by_role("button", name="I have stored it").click()
    as_root.get_by_placeholder("Search accounts").fill(name)
    expect(as_root.get_by_role("row", name=re.compile(name))).to_be_visible()
    expect(as_root.get_by_text(password)).to_have_count(0)
    assert Client(installation.url).sign_in(email, password).done("GET", "/api/me")["account"]["name"] == name


def test_an_event_that_cannot_be_mended_is_discarded_after_a_question(
    as_root: Page, installation: Installation
) -> None:
    poison, key = secrets.token_hex(12), fresh("key")
    with ThreadPoolExecutor(1) as beside:  # the browser's driver occupies this thread's event loop
        beside.submit(execute, installation, PARK, poison, secrets.token_hex(12), key, "{}", 4).result()
    as_root.goto("/settings/system")
    as_root.get_by_role("button", name=f"Acts on audit.recorded.v1 of {key}").click()
    as_root.get_by_role("menuitem", name="Discard").click()
    asked = as_root.get_by_role("dialog")
    expect(asked.get_by_text(re.compile("cannot be undone"))).to_be_visible()
    asked.get_by_role("button", name="Discard").click()

    expect(as_root.get_by_text("1 event discarded")).to_be_visible()
    expect(as_root.get_by_text(key, exact=True)).to_have_count(0)


def test_an_administrator_is_added_and_removed_by_name(
    as_root: Page, installation: Installation, tenant: Tenant
) -> None:
    as_root.goto("/settings/administrators/new")
    panel = as_root.get_by_role("dialog")
    panel.get_by_label("E-mail").fill(f"{fresh('nobody')}@example.com")
    panel.get_by_role("button", name="Add administrator").click()
    expect(panel.get_by_text(re.compile("is no active user of any account"))).to_be_visible()
    panel.get_by_label("E-mail").fill(tenant.member_email)
    panel.get_by_role("button", name="Add administrator").click()
    row = as_root.get_by_role("row", name=re.compile(tenant.member_email))
    expect(row).to_be_visible()
    assert tenant.member.done("GET", "/api/me")["platform_admin"] is True
    assert tenant.member.get("/api/administrators").status == 200

    row.get_by_role("button", name=re.compile("Acts on")).click()
    as_root.get_by_role("menuitem", name="Remove").click()
    question = as_root.get_by_role("dialog")
    expect(question.get_by_text(re.compile("no longer create accounts"))).to_be_visible()
    question.get_by_label(f"Type {tenant.member_email} to confirm").fill(tenant.member_email)
    question.get_by_role("button", name="Remove administrator").click()
    expect(row).to_have_count(0)
    assert tenant.member.done("GET", "/api/me")["platform_admin"] is False


def test_an_admin_changes_the_account_and_others_read_it(
    as_admin: Page, context: BrowserContext, tenant: Tenant
) -> None:
    name = fresh("renamed")
    as_admin.goto("/settings/account")
    as_admin.get_by_label("Name").fill(name)
    zone = as_admin.get_by_role("combobox", name="Time zone").or_(as_admin.get_by_label("Time zone")).first
    zone.fill("Kolkata")
    as_admin.get_by_role("option", name="Asia/Kolkata").click()
    expect(as_admin.get_by_text(re.compile(r"Now \w+ \d+ \w+, \d\d:\d\d\."))).to_be_visible()
    as_admin.get_by_role("button", name="Save").click()
    expect(as_admin.get_by_text("Account saved")).to_be_visible()
    assert tenant.admin.done("GET", "/api/account")["name"] == name
    assert tenant.admin.done("GET", "/api/account")["time_zone"] == "Asia/Kolkata"

    carry(context, tenant.member)
    as_admin.goto("/settings/account")
    expect(as_admin.get_by_text(re.compile("where it is"))).to_be_visible()
    expect(as_admin.get_by_role("button", name="Save")).to_have_count(0)


def test_the_audit_log_is_narrowed_to_days_and_an_operation_in_the_address(
    as_admin: Page, tenant: Tenant
) -> None:
    tenant.admin.done("POST", "/api/teams", {"name": "narrowed"})
    as_admin.goto("/settings/audit")
    expect(as_admin.get_by_text("narrowed").first).to_be_visible()
    as_admin.get_by_placeholder("Any time").click()
    as_admin.get_by_role("option", name="Custom…").click()
    as_admin.get_by_label("To", exact=True).fill("2020-01-31")
    expect(as_admin.get_by_text("No entry matches")).to_be_visible()
    expect(as_admin).to_have_url(re.compile("range=custom.*to=2020-01-31"))
    as_admin.get_by_label("To", exact=True).fill("")
    as_admin.get_by_label("From", exact=True).fill("2020-01-01")
    expect(as_admin.get_by_text("narrowed").first).to_be_visible()
    as_admin.get_by_placeholder("Any operation").fill("create team")
    as_admin.get_by_role("option", name="create team").click()
    expect(as_admin).to_have_url(re.compile("operation=create_team"))
    expect(as_admin.get_by_role("row")).to_have_count(2)
