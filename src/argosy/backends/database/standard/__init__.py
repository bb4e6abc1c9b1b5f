"""The tables and functions that every service's schema has. `migrations` applies them before the service's own."""
