"""Runs flagged code on real torch and says whether the fault is there.

Two sides talk in lines of JSON (`lintgrad.verify.protocol`). The parent's side never imports torch;
`lintgrad.verify.child` needs nothing but torch and the standard library and runs in the interpreter
that has the user's torch. This file imports nothing, since both sides come through it.
"""
