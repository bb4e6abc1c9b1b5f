"""The three ways to change a part of an object, as the API server understands them and answers when they do not fit.

Each makes a new object out of the old one and the patch; decoding, defaulting and ownership come after. Server-side
apply is the fourth way and stands in `ownership`.
"""

from argosy.kube.server.patches.json_patch import json_patch, unknown_fields
from argosy.kube.server.patches.merge_patch import merge_patch
from argosy.kube.server.patches.strategic import strategic_merge

__all__ = ["json_patch", "merge_patch", "strategic_merge", "unknown_fields"]
