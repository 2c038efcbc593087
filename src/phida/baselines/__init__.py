"""Systems that PHIDA is compared with, each an estimator by itself."""

from phida.baselines._memory import DoesNotFit
from phida.baselines.automato import AuToMATo
from phida.baselines.g_ceals import GCEALS
from phida.baselines.sr_pcm_hdp import SRPCMHDP
from phida.baselines.tabledc import TableDC
from phida.baselines.tbm_p import TopoBARTMAP
from phida.baselines.torque import TorqueClustering

__all__ = ["GCEALS", "SRPCMHDP", "AuToMATo", "DoesNotFit", "TableDC", "TopoBARTMAP", "TorqueClustering"]
