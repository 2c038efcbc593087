"""Systems that PHIDA is compared with, each an estimator by itself."""

from phida.baselines._memory import DoesNotFit
from phida.baselines.automato import AuToMATo
from phida.baselines.torque import TorqueClustering

__all__ = ["AuToMATo", "DoesNotFit", "TorqueClustering"]
