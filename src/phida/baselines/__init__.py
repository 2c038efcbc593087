"""The systems that PHIDA is compared with, as scikit-learn estimators."""

from phida.baselines.gng import GNG

__all__ = ["GNG"]
