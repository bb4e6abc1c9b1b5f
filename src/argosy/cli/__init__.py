"""The command line. It talks HTTP like any other client, starts `argosy.host` for the verbs that own the machine,
and imports nothing else of the platform: `argosy --help` must be there before a person notices waiting.

`main` picks the verb, `verbs` maps verbs to modules, `nouns/` has one module per thing, `contexts` remembers where to
talk to, `api` talks, `output` prints.
"""
