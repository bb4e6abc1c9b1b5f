"""Calls between parts in different processes: typed proxies over HTTP, and the ASGI side that answers them.

The form is plain: POST /svc/<service>/<operation>, the request Struct as JSON, the context in headers, the
identity as a signed token. Streams answer JSON lines.
"""
