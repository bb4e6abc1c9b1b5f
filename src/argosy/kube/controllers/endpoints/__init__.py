"""Which pods stand behind a Service: EndpointSlices and, for older clients, Endpoints.

`addresses` finds them, `slicing` spreads them over slices (both pure); `controller` writes what changed. `mirroring` copies Endpoints that
people made by hand into slices.
"""
