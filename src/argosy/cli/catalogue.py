"""The verbs there are, and the page that lists them. `main` runs them; completion and the reference read them here."""

from __future__ import annotations

from argosy.cli.failures import EXIT_CODES

HOST_VERBS = {
    "up": "start the platform",
    "down": "stop it",
    "status": "show its processes",
    "doctor": "show what this machine has and lacks",
    "backup": "write all data to one file",
    "restore": "bring back a backup",
    "reset": "delete all data (without --yes: show what that is)",
    "upgrade": "rehearse an upgrade on a copy of the database",
    "service": "run under systemd",
    "admin": "help for locked-out people",
    "kube": "the embedded Kubernetes clusters",
    "serve": "run some services, for a deployment of your own",
}
RESOURCE_VERBS = {
    "get": "list things, or show one",
    "create": "create one",
    "delete": "delete one",
}
VERBS = {
    "login": "sign in to a platform",
    "logout": "end this machine's key and forget it",
    "whoami": "show who is signed in",
    "config": "choose between platforms",
    "access": "explain who may do what",
    "audit": "verify and export the audit log",
    "git": "repositories of the built-in Git server",
    "completion": "a completion script for your shell",
}
ALL = (*HOST_VERBS, *RESOURCE_VERBS, *VERBS, "help", "version")
# spelling on the command line → module in `argosy.cli.nouns`
NOUNS = {
    "users": "users",
    "teams": "teams",
    "service-accounts": "service_accounts",
    "api-keys": "api_keys",
    "access-rules": "access_rules",
    "accounts": "accounts",
    "administrators": "administrators",
    "audit": "audit",
}
ENVIRONMENT = """\
environment:
  ARGOSY_URL, ARGOSY_API_KEY   the platform to talk to and its key, instead of a context
  ARGOSY_CA                    a PEM file with the certificate to trust there
  ARGOSY_CONFIG                the file with the contexts (~/.config/argosy/config.json)
  ARGOSY_DATA_DIR              where this machine's installation lies (~/.argosy)
"""
_EXAMPLES = """\
examples:
  argosy up
  argosy login http://127.0.0.1:8080 --email you@example.com
  argosy create team developers
  argosy get users -o json
"""


def overview() -> str:
    things = ", ".join(NOUNS)
    return "\n".join(
        (
            "usage: argosy VERB …\n",
            _block("this machine's installation", HOST_VERBS),
            _block(f"things ({things})", RESOURCE_VERBS),
            _block("a platform", VERBS),
            _EXAMPLES,
            "`argosy help VERB` and `argosy VERB --help` tell more.\n",
            ENVIRONMENT,
            EXIT_CODES,
        )
    )


def _block(title: str, verbs: dict[str, str]) -> str:
    return f"{title}:\n" + "".join(f"  {verb:<12}{words}\n" for verb, words in verbs.items())
