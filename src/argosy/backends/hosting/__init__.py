"""The port between a service and the process that hosts it: what a service declares, and what it is given.

`platform/<service>/service.py` declares a `Service`; `host` builds `Resources` and runs what `build` answers.
"""

from argosy.backends.hosting.recording import Change, Recorder
from argosy.backends.hosting.service import Resources, Running, Service

__all__ = ["Change", "Recorder", "Resources", "Running", "Service"]
