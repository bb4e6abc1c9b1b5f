"""Who owns which field (`metadata.managedFields`), and server-side apply, which goes by it.

The API calls `own_update` after every other write and `apply` for an apply patch; both are pure but for the object that
they write into. `fieldset` is the data, `shapes` what the schema says of it, `settle` the rule.
"""

from argosy.kube.server.ownership.apply import apply
from argosy.kube.server.ownership.reset import reset_fields
from argosy.kube.server.ownership.settle import Convert, Reset
from argosy.kube.server.ownership.update import admit_managed_fields, keep_times, own_update

__all__ = ["Convert", "Reset", "admit_managed_fields", "apply", "keep_times", "own_update", "reset_fields"]
