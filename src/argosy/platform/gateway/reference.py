"""GET /api/reference: the OpenAPI document as a page to read, made on the server so that it needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

Json = dict[str, Any]

STYLE = """
:root{color-scheme:light dark;--ink:light-dark(#16212b,#dfe7ec);--dim:light-dark(#5a6b78,#8fa1ad);--line:light-dark(#dde4e8,#26343d);
--bg:light-dark(#fff,#0f171d);--card:light-dark(#f6f8f9,#141f27);--accent:light-dark(#0b7285,#4cc3d6)}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.55 system-ui,sans-serif}
main{max-width:960px;margin:0 auto;padding:40px 24px}h1{font-size:24px;margin:0 0 8px}h2{font-size:16px;margin:40px 0 8px;text-transform:capitalize}
p{margin:0 0 16px;color:var(--dim);max-width:70ch}nav{display:flex;flex-wrap:wrap;gap:8px 16px;margin:16px 0}a{color:var(--accent)}
details{border:1px solid var(--line);border-radius:6px;margin:8px 0;background:var(--card)}summary{cursor:pointer;padding:8px 16px;display:flex;gap:16px;align-items:baseline}
summary:focus-visible{outline:2px solid var(--accent)}code{font:13px/1.5 ui-monospace,monospace}.m{min-width:56px;font-weight:600;color:var(--accent)}
.s{color:var(--dim);margin-left:auto;text-align:right}.b{padding:0 16px 16px}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:4px 16px 4px 0;border-top:1px solid var(--line);vertical-align:top}th{color:var(--dim);font-weight:500}
h3{font-size:13px;margin:16px 0 4px}pre{overflow:auto;padding:16px;border:1px solid var(--line);border-radius:6px}
"""


def page(document: Json) -> str:
    tags: dict[str, list[tuple[str, str, Json]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tags.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    links = "".join(f'<a href="#{_anchor(tag)}">{escape(tag)}</a>' for tag in tags)
    schemas = document["components"]["schemas"]
    sections = "".join(
        f'<h2 id="{_anchor(tag)}">{escape(tag)}</h2>'
        + "".join(_operation(*one, schemas) for one in operations)
        for tag, operations in tags.items()
    )
    url = escape(document["servers"][0]["url"])
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Argosy API</title><style>{STYLE}</style></head><body><main><h1>Argosy API</h1>"
        f"<p>{escape(document['info']['description'])} Machine-readable: "
        '<a href="/api/openapi.json">openapi.json</a>.</p>'
        f"<pre><code>curl -H 'Authorization: API_KEY' {url}/api/user</code></pre>"
        f'<nav aria-label="Sections">{links}</nav>{sections}</main></body></html>'
    )


def _anchor(tag: str) -> str:
    return tag.lower().replace(" ", "-")


def _operation(method: str, path: str, operation: Json, schemas: Json) -> str:
    rights = ", ".join(filter(None, (operation["x-needs"].replace("_", " "), operation.get("x-scope", ""))))
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><code class="m">{method}</code>'
        f'<code>{escape(path)}</code><span class="s">{escape(operation["summary"])}</span></summary>'
        f'<div class="b"><p>Needs: {escape(rights)}</p>{"".join(_tables(operation, schemas))}</div></details>'
    )


def _tables(operation: Json, schemas: Json) -> Iterator[str]:
    if operation["parameters"]:
        rows = [
            (one["name"], _type(one["schema"]), one["in"] + (", required" if one["required"] else ""))
            for one in operation["parameters"]
        ]
        yield _table("Parameters", rows)
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield _table("Body", _fields(content["schema"], schemas))
    for media, content in operation["responses"]["200"]["content"].items():
        fields = _fields(content["schema"], schemas)
        yield _table(f"Answer ({media})", fields) if fields else f"<h3>Answer</h3><p>{escape(media)}</p>"


def _fields(schema: Json, schemas: Json) -> list[tuple[str, str, str]]:
    schema = schemas.get(_name(schema), schema)
    required = schema.get("required", [])
    return [
        (name, _type(value), "required" if name in required else "")
        for name, value in schema.get("properties", {}).items()
    ]


def _table(title: str, rows: list[tuple[str, str, str]]) -> str:
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(kind)}</td><td>{escape(note)}</td></tr>"
        for name, kind, note in rows
    )
    return f"<h3>{escape(title)}</h3><table><tr><th>Name</th><th>Type</th><th></th></tr>{cells}</table>"


def _name(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _type(schema: Json) -> str:
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(repr(one) for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "anything")
