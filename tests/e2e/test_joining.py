"""Somebody with a login here is added to another account: they come in with both passwords, and not before."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.installation import PASSWORD, Client, Installation


@pytest.mark.browser
def test_a_one_time_password_of_somebody_known_leads_to_the_page_where_they_accept(
    page: Page, installation: Installation
) -> None:
    here, there = installation.new_account(), installation.new_account()
    made = there.admin.done("POST", "/api/users", {"email": here.member_email})
    page.goto(f"{installation.url}/sign-in")
    page.get_by_label("E-mail").fill(here.member_email)
    page.get_by_label("Password", exact=True).fill(made["one_time_password"])
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name=f"Join {there.name}")).to_be_visible()
    assert made["one_time_password"] not in page.url
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Accept").click()

    expect(page.get_by_text(there.name).first).to_be_visible()
    accounts = (
        Client(installation.url).sign_in(here.member_email, PASSWORD).done("GET", "/api/me")["accounts"]
    )
    assert {account["name"] for account in accounts} == {here.name, there.name}
