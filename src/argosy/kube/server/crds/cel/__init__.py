"""Rules in CEL, the expression language of `x-kubernetes-validations`.

`judging` reads them when a CRD is written, `rules` holds objects to them. Between the two: `rule` (one rule, compiled), `environment`
(the library that compiles and runs expressions), `types` (how a schema's values look in one), `tree` and `reading` (what an
expression speaks of), `cost` (how long it may take), and `functions` with what Kubernetes adds to the language.
"""
