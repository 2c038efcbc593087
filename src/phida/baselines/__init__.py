"""The systems that PHIDA is compared with, as scikit-learn estimators."""

from phida.baselines.ddvfa import DDVFA
from phida.baselines.gng import GNG
from phida.baselines.soinn_plus import SOINNPlus

__all__ = ["DDVFA", "GNG", "SOINNPlus"]
