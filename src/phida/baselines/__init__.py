"""Systems that PHIDA is compared with, each an estimator by itself."""

from phida.baselines._memory import DoesNotFit
from phida.baselines.torque import TorqueClustering

__all__ = ["DoesNotFit", "TorqueClustering"]
