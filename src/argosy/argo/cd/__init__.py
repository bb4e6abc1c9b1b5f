"""Applications, their projects and sets: what Git says is compared with what a cluster has, and brought there."""
