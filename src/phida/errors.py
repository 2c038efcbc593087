"""Exceptions of the package. Each is also the built-in exception that code without phida would expect.

An argument of the wrong type raises ``TypeError``, and a model without rows scikit-learn's ``NotFittedError``.
"""

__all__ = ["InputError", "ParameterError", "PhidaError", "StateFileError"]


class PhidaError(Exception):
    """Base class of the exceptions that phida raises on purpose."""


class InputError(PhidaError, ValueError):
    """Rows or models that cannot be used: text, missing or infinite values, other features, models that do not fit."""


class ParameterError(PhidaError, ValueError):
    """A parameter or an option that is out of its range, or was changed after learning began."""


class StateFileError(PhidaError, ValueError):
    """A file or a pickle that is not a phida model, is damaged, or cannot be read by this version."""
