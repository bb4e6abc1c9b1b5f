"""The vocabulary every other package may use. Nothing here knows what a pipeline, a user or an application is."""
