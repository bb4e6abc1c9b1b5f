"""Objects as rows of a Table, which is what `kubectl get` prints; see `table`."""

from argosy.kube.server.tables.table import check_include, table

__all__ = ["check_include", "table"]
