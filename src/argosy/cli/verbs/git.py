"""`argosy git`: repositories of the built-in Git server, and the credential with which git itself gets in.

`credential` speaks git's own protocol for helpers: git asks it by standard input, and it answers with the key of the context whose URL is
the one that git wants to reach. So no key stands in a URL, and none in git's configuration.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from urllib.parse import urlsplit

from argosy.cli import contexts, resources
from argosy.cli.api import Api
from argosy.cli.contexts import Context
from argosy.cli.failures import Failure
from argosy.cli.output import show
from argosy.cli.parsers import context_option, output_options
from argosy.cli.resources import Created, Noun, without_none
from argosy.kit.arguments import Parser

EXAMPLES = (
    "git create shop",
    "git create shop --description 'the shop, all environments' -o json",
    "git list",
    "git clone-help shop",
    "git secret --namespace argocd",
    "git delete shop --yes",
)
_USER = "argosy"  # any would do: the key says who it is


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--description", default="")
    parser.add_argument(
        "--default-branch", default="main", metavar="BRANCH", help="main, if not said otherwise"
    )
    parser.add_argument("--push-limit", type=int, metavar="MB", help="what one push may bring")
    parser.add_argument("--size-limit", type=int, metavar="MB", help="what it may take on disk")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    body = without_none(
        name=asked.name,
        description=asked.description,
        default_branch=asked.default_branch,
        push_limit_mb=asked.push_limit,
        size_limit_mb=asked.size_limit,
    )
    made = api.post("/api/git/repositories", body)
    return Created(made, made)


REPOSITORY = Noun(
    title="repository",
    plural="repositories",
    path="/api/git/repositories",
    columns=(
        ("NAME", "name"),
        ("BRANCH", "default_branch"),
        ("PUSHED", "pushed"),
        ("URL", "url"),
        ("ID", "id"),
    ),
    options=_options,
    create=_create,
    deletes="all its commits are gone; clones elsewhere stay",
)


def add(parser: Parser) -> None:
    actions = parser.add_subparsers(dest="task", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")

    create = action("create", "make a repository; the answer has the URL to clone")
    _options(create)
    output_options(create)
    listing = action("list", "list those that you may read")
    listing.add_argument("--search", default="", metavar="TEXT", help="only what matches")
    listing.add_argument("--sort", default="", metavar="FIELD", help="name, created or pushed")
    listing.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (50)")
    listing.add_argument("--all", action="store_true", help="everything, page by page")
    output_options(listing)
    for name, words in (("get", "show one"), ("clone-help", "show how to clone one with git")):
        one = action(name, words)
        one.add_argument("name", metavar="NAME|ID")
        output_options(one)
    delete = action("delete", "delete one with all its commits")
    delete.add_argument("name", metavar="NAME|ID")
    delete.add_argument("-y", "--yes", action="store_true", help="do not ask")
    output_options(delete)
    secret = action("secret", "print a Secret that lets an Argo CD engine read your repositories")
    secret.add_argument("-n", "--namespace", default="argocd", help="where the engine looks (argocd)")
    secret.add_argument(
        "--service-account",
        default="argo-engine",
        metavar="NAME",
        help="whose key it is; made when there is none",
    )
    context_option(secret)
    helper = action("credential", "answer git, which asks for a credential (see clone-help)")
    helper.add_argument("operation", metavar="OPERATION", help="get; what else git says is of no concern")


def run(asked: argparse.Namespace) -> None:
    if asked.task == "credential":
        _credential(asked.operation)
        return
    context = contexts.active(asked.context)
    api = Api(context)
    match asked.task:
        case "create":
            resources.create(REPOSITORY, api, asked)
        case "list":
            asked.name = ""
            resources.get(REPOSITORY, api, asked)
        case "get":
            show(resources.find(REPOSITORY, api, asked.name), asked.output, REPOSITORY.columns)
        case "delete":
            resources.delete(REPOSITORY, api, asked)
        case "secret":
            _secret(api, context, asked)
        case _:
            _clone_help(api, context, asked)


def _clone_help(api: Api, context: Context, asked: argparse.Namespace) -> None:
    url = str(resources.find(REPOSITORY, api, asked.name)["url"])
    place = contexts.origin(url)
    commands = (
        f"git config --global credential.{place}.helper '!argosy git credential'",
        *((f"git config --global http.{place}/.sslCAInfo {context.ca}",) if context.ca else ()),
        f"git clone {url}",
    )
    if asked.output != "table":
        show({"url": url, "commands": list(commands)}, asked.output, ())
        return
    sys.stdout.write("".join(f"{line}\n" for line in commands))


def _secret(api: Api, context: Context, asked: argparse.Namespace) -> None:
    """For `argosy git secret | kubectl apply -f -`: a template of credentials for everything below this platform's `/git/`."""
    accounts, _ = api.pages("/api/service-accounts", most=None, search=asked.service_account)
    owner = next((one for one in accounts if one["name"] == asked.service_account), None)
    if owner is None:
        body = {"name": asked.service_account, "role": "user", "teams": []}
        owner = api.post("/api/service-accounts", body)
    scopes = ["repositories:read"]
    made = api.post(
        "/api/api-keys", {"name": "argo-engine", "scopes": scopes, "service_account": owner["id"]}
    )
    manifest = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "argosy-git",
            "namespace": asked.namespace,
            "labels": {"argocd.argoproj.io/secret-type": "repo-creds"},
        },
        "stringData": {
            "type": "git",
            "url": f"{context.url.rstrip('/')}/git/",
            "username": _USER,
            "password": made["key"],
        },
    }
    sys.stdout.write(json.dumps(manifest, indent=2) + "\n")


def _credential(operation: str) -> None:
    """Silence is an answer, too: then git asks elsewhere."""
    if operation != "get":
        return
    wanted = dict(pair for pair in (line.rstrip("\n").partition("=")[::2] for line in sys.stdin) if pair[0])
    place = (wanted.get("protocol", ""), wanted.get("host", "").lower())
    for context in _known():
        parts = urlsplit(context.url)
        if context.key and (parts.scheme, parts.netloc.lower()) == place:
            sys.stdout.write(f"username={_USER}\npassword={context.key}\n")
            return


def _known() -> Iterable[Context]:
    """The one that counts first."""
    try:
        yield contexts.active()
    except Failure:
        pass  # nobody is signed in by default; one of the others may be the one
    yield from contexts.load().known.values()
