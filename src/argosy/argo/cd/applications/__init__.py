"""Applications, from what a person writes into one to the status that tells how it is.

`controller` takes each in turn; `refreshing` says whether there is anything to look at, `validating` whether it may be at all, `comparison` what
is different, `reporting` what the status is, `automatic` whether to sync by oneself, `operating` runs what was asked, `deleting` takes leave.
"""
