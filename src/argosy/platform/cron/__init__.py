"""Durable schedules: `contracts/cron.py` says what they promise, `scheduler` fires them, `domain.cron` knows when."""
