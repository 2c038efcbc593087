"""Exceptions of the package. Each is also the built-in exception that code without phida would expect."""

__all__ = ["InputError", "ParameterError", "PhidaError", "StateFileError"]


class PhidaError(Exception):
    """Base class of the exceptions that phida raises on purpose."""


class InputError(PhidaError, ValueError):
    """Rows that cannot be learned or labelled: text, missing or infinite values, another number of features."""


class ParameterError(PhidaError, ValueError):
    """A parameter that is out of its range, or was changed after learning began."""


class StateFileError(PhidaError, ValueError):
    """A file that is not a phida model, is damaged, or cannot be read by this version."""
