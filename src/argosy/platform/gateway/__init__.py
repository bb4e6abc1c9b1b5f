"""The public edge: the one port that browsers, the CLI and existing clients speak to. Holds no data.

A request passes `app` (order of checks) → `origin`, `limits` → `credentials` (who is it; a token per service) →
`forward` (the route's operation) or one of the few hand-written answers (`sessions`, `compatible`, `system`, `static`).
"""
