"""What a fitted model answers: labels and distances, other cuts, explanations, the clarity of cuts, profiles."""

from phida.answers.clarity import CutClarity
from phida.answers.explanation import Death, Explanation, Shared, Side
from phida.answers.predictor import Cut
from phida.answers.profile import Profile

__all__ = ["Cut", "CutClarity", "Death", "Explanation", "Profile", "Shared", "Side"]
