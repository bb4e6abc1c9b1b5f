"""The generators of an ApplicationSet: each turns what it is told into sets of parameters. `dispatch` chooses among them."""
