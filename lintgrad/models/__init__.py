"""Models of libraries: what the functions of torch and its like do to the machine.

`lintgrad.models.library.TorchLibrary` answers the machine; the other modules are its parts: tables
(`optable`, `tensor_ops`, `layers`) and transfer functions by subject.
"""
