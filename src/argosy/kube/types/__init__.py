"""What is known of the built-in kinds; see `table`."""

from argosy.kube.types.table import Field, Kind, Resource, Subresource, Table, Type, pinned

__all__ = ["Field", "Kind", "Resource", "Subresource", "Table", "Type", "pinned"]
