"""A browser on a running platform. Each test gets a page of its own; console errors and page errors fail it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.installation import Client, Installation, Tenant

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Per module, not per session: while it is open it occupies this thread's event loop, and async tests follow."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(playwright: Playwright, chromium: Path) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=str(chromium), args=list(FLAGS))
    yield launched
    launched.close()


@pytest.fixture
def context(browser: Browser, installation: Installation) -> Iterator[BrowserContext]:
    made = browser.new_context(
        base_url=installation.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    made.set_default_timeout(10_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: faults.append(message.text) if _is_fault(message.type, message.text) else None,
    )
    yield opened
    assert not faults, faults


def _is_fault(kind: str, text: str) -> bool:
    """A refused request is the server's answer, and the page shows it; anything else is ours."""
    return kind == "error" and not text.startswith("Failed to load resource")


@pytest.fixture
def tenant(installation: Installation) -> Tenant:
    return installation.new_account()


def carry(context: BrowserContext, client: Client) -> None:
    """Give the browser the session that `client` has."""
    name, _, value = client.cookie.partition("=")
    context.add_cookies(
        [{"name": name, "value": value, "url": client.url, "httpOnly": True, "sameSite": "Strict"}]
    )


@pytest.fixture
def as_admin(page: Page, context: BrowserContext, tenant: Tenant) -> Page:
    carry(context, tenant.admin)
    return page


@pytest.fixture(scope="session")
def shared_tenant(installation: Installation) -> Tenant:
    """For tests that only look."""
    return installation.new_account("Shared by those who look")
