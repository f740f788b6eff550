"""Underconstrained runs: one function of a file is run though much of what it needs is missing.

What is missing gets a *stand-in*: a real module, optimizer or scheduler where its kind is known, else a value
that becomes what its first use asks for. A statement that fails all the same is skipped, and the run says so.
"""
