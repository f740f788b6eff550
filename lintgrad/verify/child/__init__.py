"""The verifier's side that has torch: a fork server, instruments, oracles.

It needs torch and the standard library alone and imports nothing of lintgrad but `lintgrad.verify.protocol`
and its own modules, so that any interpreter with torch can run it.

Where a module `lintgrad.verify.child.confine` exists, each run calls its `confine(folder, seconds, memory)`
before any code of the user, in the process made for the run: `folder` is the run's own temporary folder,
which is its working folder already and the one place it may write to; the call returns the names of the
layers that hold now.
"""
