"""The checks, one for each rule that has one."""
