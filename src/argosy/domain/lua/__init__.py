"""Lua that users bring, for health and actions: run inside a fence, on plain data, with plain data as the result.

`run` is all there is for others; `argosy.domain.health` and `argosy.argo.cd.actions` call it. `runtime.py` holds the runtimes, `sandbox.lua` is
the fence and says what a script may use, `repair.py` undoes what Lua cannot tell apart.
"""

from argosy.domain.lua.repair import repaired
from argosy.domain.lua.runtime import MOST_STEPS, LuaError, run

__all__ = ["MOST_STEPS", "LuaError", "repaired", "run"]
