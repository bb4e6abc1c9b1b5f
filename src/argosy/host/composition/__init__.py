"""Services put together in one process: each with its database, clients, consumers and place on a listener.

`process.run_process` is the whole life of such a process; `hosting` is one service in it; `clients` is how one
service reaches another; `listeners` is uvicorn in our loop.
"""
