"""The clusters that applications go to: who they are (`registry`), and what is in them (`live`)."""
