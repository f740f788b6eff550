"""The rules' checks: one module a rule, each a function from a run to findings."""
