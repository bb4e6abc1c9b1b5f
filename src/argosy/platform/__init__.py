"""The control plane: one folder is one service is one database schema. No service imports another."""
