"""One sync of an application: from pairs of desired and live objects to a cluster that has what Git says.

`planning` makes tasks of the pairs, `ordering` puts them in turn, `deciding` says what the next step is: pure functions. `running` and
`applying` do it. A sync goes on in steps, each begun anew from what is recorded and what is live, so that whoever is killed in
between repeats nothing: `operation.advance` is one step.
"""
