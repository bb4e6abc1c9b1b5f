"""Pictures of every page in both themes, of a platform with a little life in it: `python -m tools.screenshots`.

Writes docs/screenshots/. They are looked at in review, and two of them stand in the README.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from tests.e2e.conftest import FLAGS, carry
from tests.installation import Client, Installation
from tools import browser
from tools.steps import ROOT

FOLDER = ROOT / "docs" / "screenshots"
SIZE: ViewportSize = {"width": 1440, "height": 900}
Scheme = Literal["light", "dark"]
PAGES = {
    "home": "/",
    "users": "/settings/users",
    "teams": "/settings/teams",
    "service-accounts": "/settings/service-accounts",
    "api-keys": "/settings/api-keys",
    "access-rules": "/settings/access-rules",
    "audit-log": "/settings/audit",
    "account-settings": "/settings/account",
    "accounts": "/settings/accounts",
    "administrators": "/settings/administrators",
    "system": "/settings/system",
    "profile": "/settings/profile",
}


def main() -> int:
    program = browser.find()
    if program is None:
        sys.stderr.write("no chromium on this machine: apt-get install chromium\n")
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Installation() as installation, sync_playwright() as driver:
        give_it_life(installation.admin)
        launched = driver.chromium.launch(executable_path=str(program), args=list(FLAGS))
        schemes: tuple[Scheme, ...] = ("light", "dark")
        for scheme in schemes:
            take_all(launched, installation, scheme)
        launched.close()
    return 0


def give_it_life(admin: Client) -> None:
    """Roles, not people: nobody here exists."""
    teams = {
        name: admin.done("POST", "/api/teams", {"name": name, "description": about})["id"]
        for name, about in (
            ("deployers", "May bring releases to production"),
            ("developers", "Everybody who writes code"),
            ("on call", "Whoever is woken up tonight"),
        )
    }
    for name, team in (
        ("developer one", "developers"),
        ("developer two", "developers"),
        ("release lead", "deployers"),
    ):
        email = f"{name.replace(' ', '.')}@example.com"
        admin.done("POST", "/api/users", {"email": email, "name": name, "teams": [teams[team]]})
    robot = admin.done(
        "POST", "/api/service-accounts", {"name": "build robot", "teams": [teams["deployers"]]}
    )
    admin.done("POST", "/api/api-keys", {"name": "laptop"})
    admin.done(
        "POST", "/api/api-keys", {"name": "ci", "service_account": robot["id"], "scopes": ["teams:read"]}
    )
    rules = (
        ("Deployers sync production", "deployers", ["SYNC", "APP_ROLLBACK"], "prod-*"),
        ("Developers sync staging", "developers", ["SYNC", "VIEW_POD_LOGS"], "staging"),
    )
    for name, team, actions, namespace in rules:
        conditions = [{"attribute": "NAMESPACE", "values": [namespace]}]
        body = {"name": name, "entity": "applications", "teams": [teams[team]], "actions": actions}
        admin.done("POST", "/api/access-rules", {**body, "conditions": conditions})
    admin.post("/api/teams", {"name": "deployers"})  # a conflict, so that the log shows a failure too


def take_all(launched: Browser, installation: Installation, scheme: Scheme) -> None:
    context = launched.new_context(
        base_url=installation.url,
        viewport=SIZE,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    take(page, "/sign-in", FOLDER / f"sign-in-{scheme}.png")
    take_signed_in(context, page, installation, scheme)
    context.close()


def take_signed_in(context: BrowserContext, page: Page, installation: Installation, scheme: Scheme) -> None:
    carry(context, installation.admin)
    for name, path in PAGES.items():
        take(page, path, FOLDER / f"{name}-{scheme}.png")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").wait_for()
    page.screenshot(path=FOLDER / f"palette-{scheme}.png")


def take(page: Page, path: str, file: Path) -> None:
    page.goto(path)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)


if __name__ == "__main__":
    sys.exit(main())
