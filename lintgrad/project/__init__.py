"""Runs over many files: which they are, and how the work is spread over processes."""
