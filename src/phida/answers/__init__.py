"""What a fitted model answers: labels and distances, other cuts, explanations, the clarity of cuts, profiles."""

from typing import TYPE_CHECKING, Any

from phida.answers.clarity import CutClarity, DensityClarity
from phida.answers.explanation import Death, DensityExplanation, Explanation, Side
from phida.answers.profile import Profile

if TYPE_CHECKING:
    from phida.answers.predictor import Cut

__all__ = [
    "Cut",
    "CutClarity",
    "Death",
    "DensityClarity",
    "DensityExplanation",
    "Explanation",
    "Profile",
    "Side",
]


def __getattr__(name: str) -> Any:
    """``Cut`` is looked up when it is used: it needs scikit-learn, which takes a second to import."""
    if name != "Cut":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from phida.answers.predictor import Cut

    return Cut
