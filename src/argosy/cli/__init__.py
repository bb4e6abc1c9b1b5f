"""The command line. It talks HTTP like any other client, starts `argosy.host` for the verbs that own the machine,
and imports nothing else of the platform: `argosy --help` must be there before a person notices waiting.

`main` picks the verb, `catalogue` lists them, `parsers` builds their options, `verbs` and `nouns` have one module each;
`contexts` remembers where to talk to, `api` talks, `output` prints, `failures` says how a command ends.
"""
