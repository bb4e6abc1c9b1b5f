"""The composition root: it knows every service, starts the processes and hands each what it needs. It alone imports everything."""
