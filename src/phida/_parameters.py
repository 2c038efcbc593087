"""The parameters of PHIDA+. Each is declared once, for scikit-learn, river, Spark, the command line and their pages."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from typing import Any, TypeVar

from phida.errors import ParameterError

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Declaration:
    """Valid values of a parameter, and its descriptions."""

    name: str
    default: Any
    type: type
    """Type of the values other than None: int, float, str or bool."""
    summary: str
    """One line, for the command line and Spark."""
    text: str
    """The description in docstrings."""
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    off: Any = None
    """Value of the native learner for None; None: the parameter cannot be None. A choice is stored as its position."""
    option: bool = True
    """Whether it is an option of the command line."""

    def check(self, value: Any, owner: str | None = None) -> None:
        """Raise an error if the value is not valid. ``owner``: class that the message names."""
        if not self.accepts(value):
            name = self.name if owner is None else f"The {self.name!r} parameter of {owner}"
            raise ParameterError(f"{name} must be {self.allowed}, not {value!r}.")

    def accepts(self, value: Any) -> bool:
        """Return whether the value is valid."""
        if value is None:
            return self.off is not None
        if self.type is bool:
            return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if isinstance(value, bool) or not isinstance(value, Integral if self.type is int else Real):
            return False
        return self.least <= float(value) <= self.most

    def plain(self, value: Any) -> Any:
        """Return a valid value as a built-in type."""
        return None if value is None else self.type(value)

    def native(self, value: Any) -> Any:
        """Return a valid value as the native learner has it."""
        return self.off if value is None else self.choices.index(value) if self.choices else value

    def of_native(self, value: Any) -> Any:
        """Return the value of a native learner as a parameter."""
        return None if value == self.off else self.choices[value] if self.choices else value

    @property
    def allowed(self) -> str:
        """The valid values, in words."""
        none = "None or " if self.off is not None else ""
        if self.type is bool:
            return "True or False"
        if self.choices:
            named = [*map(repr, self.choices), *(["None"] if none else [])]
            return f"{', '.join(named[:-1])} or {named[-1]}"
        if self.type is int:
            return f"{none}an integer from {self.least} to {self.most}"
        return f"{none}a number, {self.least} or more"

    @property
    def kind(self) -> str:
        """The type as docstrings name it."""
        named = "{" + ", ".join(f'"{choice}"' for choice in self.choices) + "}" if self.choices else self.type.__name__
        return f"{named} or None" if self.off is not None else named

    @property
    def camel_name(self) -> str:
        """The name in Spark's style."""
        first, *others = self.name.split("_")
        return first + "".join(word.capitalize() for word in others)


def _declared(default: Any, type: type, summary: str, text: str, **words: Any) -> Any:
    return field(default=default, metadata={"type": type, "summary": summary, "text": text, **words})


@dataclass(kw_only=True, eq=False, repr=False)
class PlusParameters:
    """The parameters of PHIDA+."""

    max_nodes: int = _declared(
        2048,
        int,
        "Maximum number of nodes",
        "Maximum number of nodes, from 8 to 65,536. More nodes show finer detail and take more time and memory.",
        least=8,
        most=2**16,
    )
    half_life: float | None = _declared(
        None,
        float,
        "Number of rows after which a row's weight is halved",
        "Number of rows after which the weight of a row is halved, so that the model follows a changing stream. "
        "Clusters without rows for many half-lives are forgotten. None: all rows keep their weight.",
        least=1,
        most=1e300,
        off=0.0,
    )
    scale: str | None = _declared(
        "auto",
        str,
        "Scaling of features",
        'Scaling of the features. ``"auto"`` divides by a power of the standard deviation, from 0 for features of '
        'similar scale to 1 for features of very different scale. ``"standard"`` divides by the standard deviation. '
        "None takes values as they are.",
        choices=("auto", "standard"),
        off=2,
    )
    keep_examples: int = _declared(
        3,
        int,
        "Number of rows that each cluster keeps",
        "Number of rows that each cluster keeps to be shown, up to 100; see ``examples_``. 0 keeps none, which makes "
        "the model a third smaller.",
        least=0,
        most=100,
        option=False,
    )


@dataclass(kw_only=True, eq=False, repr=False)
class MissingParameters:
    """The parameter of scikit-learn estimators that fill missing values."""

    missing: str = _declared(
        "error",
        str,
        "Treatment of missing values",
        'Treatment of NaN. ``"median"`` and ``"mean"`` fill it with that of the earlier rows, in ``predict`` with that '
        "of all rows learned. A model of the command line has its ``--impute``.",
        choices=("error", "median", "mean"),
    )


@dataclass(kw_only=True, eq=False, repr=False)
class LabelParameters:
    """The parameter of every scikit-learn estimator."""

    compute_labels: bool = _declared(
        True, bool, "Whether labels are computed", "Whether ``fit`` and ``partial_fit`` set ``labels_``."
    )


@cache
def declared(kind: Any) -> Mapping[str, Declaration]:
    """Return the parameters that a class declares or inherits, by name."""
    if not hasattr(kind, "__dataclass_fields__"):
        return {}
    return {f.name: Declaration(f.name, f.default, **f.metadata) for f in fields(kind) if f.metadata}


def documented(kind: C) -> C:
    """Describe the declared parameters of a class in its docstring, before the other sections.

    ``{name}`` stands for a text of ``_SHARED``.
    """
    summary, *sections = re.split(r"(?m)^(?=    \w+\n    -+$)", kind.__doc__ or "", maxsplit=1)
    own = "".join(description(one, one.name) for one in declared(kind).values())
    text = summary + textwrap.indent(f"Parameters\n----------\n{own}\n", "    ") + "".join(sections)
    for name, part in getattr(kind, "_SHARED", {}).items():
        text = text.replace(f"{{{name}}}", part.strip())
    kind.__doc__ = text
    return kind


def description(one: Declaration, name: str) -> str:
    """Return the entry of a parameter in a docstring."""
    default = f'"{one.default}"' if isinstance(one.default, str) else one.default
    text = "\n".join(textwrap.wrap(one.text, 108))
    return f"{name} : {one.kind}, default={default}\n{textwrap.indent(text, '    ')}\n"


#: The parameters of PHIDA+ by name.
PLUS = declared(PlusParameters)
