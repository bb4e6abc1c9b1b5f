"""Whether the cluster has what Git says, and if not, why.

`targets` prepares what was rendered, `matching` pairs it with what is live, `comparing` judges each pair: by a cheap look first
(`containment`), and by a dry run of the server where that is not enough. `tracking` is whose an object is, `rules` what to overlook.
"""
