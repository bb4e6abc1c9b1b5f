"""The web spine: REST routes as data over contracts, bound to Starlette, and the OpenAPI document derived from them."""
