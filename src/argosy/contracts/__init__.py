"""Every type that crosses a process: one module per service, with its Structs and the Protocol others may call. No logic."""
