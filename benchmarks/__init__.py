"""Benchmarks: a module for each row of the budgets, each one command with JSON results (see `README.md`)."""
