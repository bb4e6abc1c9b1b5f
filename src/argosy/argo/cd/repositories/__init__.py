"""Where manifests come from: Git repositories, chart repositories and registries, and what is rendered of them.

`credentials` knows how to sign in where, `git` and `charts` fetch, `versions` chooses among tags, `renderer` puts it together and
remembers; the rendering itself happens in the workers of `manifests`.
"""
