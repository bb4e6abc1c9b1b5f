"""One module per verb that is not get, create or delete: each offers `EXAMPLES`, `add(parser)` and `run(asked)`."""
