"""How to sign in to a repository: what labelled Secrets say, the most exact one first."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from argosy.kit.git.addresses import parse
from argosy.kit.git.failing import GitFailed
from argosy.kit.git.remotes import Login, Remote
from argosy.kube.objects import Object, labels_of, name_of

LABEL = "argocd.argoproj.io/secret-type"
REPOSITORY, TEMPLATE = "repository", "repo-creds"
Form = Literal["git", "helm", "oci"]
_UNSUPPORTED = ("githubApp", "gcpServiceAccountKey", "useAzureWorkloadIdentity")
_SHORT_SSH = re.compile(r"(?:[^@/:]+@)?([^/:@]+):(?!//)(.+)")


@dataclass(frozen=True, slots=True)
class Repository:
    """What one Secret says. `project`: only applications of it may use this."""

    url: str
    secret: str = ""
    form: Form = "git"
    name: str = ""
    project: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    bearer_token: str = field(default="", repr=False)
    ssh_key: str = field(default="", repr=False)
    certificate: str = ""
    certificate_key: str = field(default="", repr=False)
    insecure: bool = False
    proxy: str = field(default="", repr=False)
    no_proxy: str = ""
    is_registry: bool = False
    """A chart repository that is an OCI registry."""
    plain_http: bool = False
    """The registry speaks no TLS."""
    unsupported: str = ""

    @property
    def signs_in(self) -> bool:
        return bool(self.username or self.password or self.ssh_key or self.bearer_token or self.certificate)

    @classmethod
    def of(cls, secret: Object) -> Repository:
        """Raises ValueError for what is no text."""
        data = {key: _text(value) for key, value in (secret.get("data") or {}).items()}
        form: Form = "helm" if data.get("type") == "helm" else "oci" if data.get("type") == "oci" else "git"
        apps = [
            key for key, value in data.items() if key.startswith(_UNSUPPORTED) and value not in {"", "false"}
        ]
        return cls(
            url=data.get("url", "").strip(),
            secret=name_of(secret),
            form=form,
            name=data.get("name", ""),
            project=data.get("project", ""),
            username=data.get("username", ""),
            password=data.get("password", ""),
            bearer_token=data.get("bearerToken", ""),
            ssh_key=data.get("sshPrivateKey", ""),
            certificate=data.get("tlsClientCertData", ""),
            certificate_key=data.get("tlsClientCertKey", ""),
            insecure="true" in {data.get("insecure"), data.get("insecureIgnoreHostKey")},
            proxy=data.get("proxy", ""),
            no_proxy=data.get("noProxy", ""),
            is_registry=data.get("enableOCI") == "true" or form == "oci",
            plain_http=data.get("insecureOCIForceHttp") == "true",
            unsupported=f"{apps[0]} of the Secret {name_of(secret)} is not supported yet" if apps else "",
        )


def _text(value: str | None) -> str:
    return base64.b64decode(value or "", validate=True).decode()


class Credentials:
    """Follows the Secrets and the two ConfigMaps with known hosts and certificates."""

    def __init__(self) -> None:
        self._repositories: dict[str, Repository] = {}
        self._templates: dict[str, Repository] = {}
        self.known_hosts = ""
        self.certificates: dict[str, str] = {}
        """Of servers, by their name."""
        self.problems: dict[str, str] = {}

    def __iter__(self) -> Iterator[Repository]:
        return iter(self._repositories.values())

    def changed(self, before: Object | None, after: Object | None) -> bool:
        """Whether anything is other than before."""
        secret = name_of(after if after is not None else before or {})
        was = (self._repositories.pop(secret, None), self._templates.pop(secret, None))
        self.problems.pop(secret, None)
        if after is not None:
            self._add(secret, after)
        return was != (self._repositories.get(secret), self._templates.get(secret))

    def _add(self, secret: str, said: Object) -> None:
        try:
            found = Repository.of(said)
        except ValueError as error:
            self.problems[secret] = f"the Secret {secret} describes no repository: {error}"
            return
        kind = labels_of(said).get(LABEL)
        (self._templates if kind == TEMPLATE else self._repositories)[secret] = found

    def configured(self, name: str, data: dict[str, str]) -> None:
        if name == "argocd-ssh-known-hosts-cm":
            self.known_hosts = data.get("ssh_known_hosts", "")
        else:
            self.certificates = data

    def find(self, url: str, project: str) -> Repository:
        """The Secret of this very repository, else the template with the longest beginning, else nothing but the address."""
        wanted = normalised(url)
        exact = [one for one in self._repositories.values() if normalised(one.url) == wanted]
        mine = [one for one in exact if one.project == project] or [one for one in exact if not one.project]
        found = mine[0] if mine else Repository(url)
        if found.signs_in or found.unsupported:
            return found
        beginnings = [one for one in self._templates.values() if wanted.startswith(normalised(one.url))]
        if not beginnings:
            return found
        template = max(beginnings, key=lambda one: len(normalised(one.url)))
        return replace(
            template,
            url=url,
            form=found.form,
            name=found.name,
            project=found.project,
            insecure=found.insecure or template.insecure,
            proxy=found.proxy or template.proxy,
            no_proxy=found.no_proxy or template.no_proxy,
            is_registry=found.is_registry or template.is_registry,
            plain_http=found.plain_http or template.plain_http,
        )

    def named(self, name: str) -> Repository | None:
        """Charts name their dependencies' repositories like this: `@name`."""
        return next((one for one in self._repositories.values() if one.name == name), None)

    def remote(self, repository: Repository) -> Remote:
        """Raises `GitFailed` for an address that is none, or not to be gone to."""
        if repository.unsupported:
            raise GitFailed(repository.unsupported, code="git.credentials", cure="use a token or an SSH key")
        address = parse(repository.url)
        login = None
        if repository.password or repository.username:
            login = Login(repository.username or "x-access-token", repository.password)
        elif repository.bearer_token:
            login = Login("x-token-auth", repository.bearer_token)
        return Remote(
            address,
            login=login,
            ssh_key=repository.ssh_key,
            known_hosts=self.known_hosts,
            authority=self.certificates.get(address.host, ""),
            certificate=repository.certificate,
            certificate_key=repository.certificate_key,
            insecure=repository.insecure,
            proxy=repository.proxy,
            no_proxy=repository.no_proxy,
        )


def normalised(url: str) -> str:
    """By which two ways to write one address are the same: without user, `.git` and capital letters."""
    text = url.strip().removesuffix("/").removesuffix(".git").lower()
    if (short := _SHORT_SSH.fullmatch(text)) is not None and "://" not in text:
        text = f"ssh://{short.group(1)}/{short.group(2).lstrip('/')}"
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text
    place, slash, path = rest.partition("/")
    return f"{scheme.replace('git+', '')}://{place.rpartition('@')[2]}{slash}{path}"


def shown(url: str) -> str:
    """Without who signs in, and without what a query may hold."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.partition("?")[0]
    place, slash, path = rest.partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
