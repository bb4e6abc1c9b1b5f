"""ApplicationSets: many Applications out of one template and what generators find.

`generating` says which are wanted (pure), `rollout` in which order they change (pure), `controller` makes it so.
"""
