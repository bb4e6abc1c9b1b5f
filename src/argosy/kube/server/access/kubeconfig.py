"""The text of a kubeconfig with everything inside it, as kubectl, helm and every client library read it."""

from __future__ import annotations

import base64
import json

from argosy.kube.server.access.certificates import KeyPair


def kubeconfig(*, cluster: str, url: str, authority: bytes, client: KeyPair) -> str:
    name, user = json.dumps(cluster), json.dumps(f"{cluster}-admin")
    return f"""\
apiVersion: v1
kind: Config
clusters:
- name: {name}
  cluster:
    certificate-authority-data: {_data(authority)}
    server: {json.dumps(url)}
users:
- name: {user}
  user:
    client-certificate-data: {_data(client.certificate_pem())}
    client-key-data: {_data(client.key_pem())}
contexts:
- name: {name}
  context:
    cluster: {name}
    user: {user}
current-context: {name}
preferences: {{}}
"""


def _data(pem: bytes) -> str:
    return base64.b64encode(pem).decode()
