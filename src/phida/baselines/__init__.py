"""The systems that PHIDA is compared with, as scikit-learn estimators."""

from phida.baselines._memory import DoesNotFit
from phida.baselines.automato import AuToMATo
from phida.baselines.cae import CAE
from phida.baselines.caea import CAEA
from phida.baselines.ddvfa import DDVFA
from phida.baselines.g_ceals import GCEALS
from phida.baselines.gng import GNG
from phida.baselines.idat import IDAT
from phida.baselines.soinn_plus import SOINNPlus
from phida.baselines.sr_pcm_hdp import SRPCMHDP
from phida.baselines.tabledc import TableDC
from phida.baselines.tbm_p import TopoBARTMAP
from phida.baselines.torque import TorqueClustering

__all__ = [
    "CAE",
    "CAEA",
    "DDVFA",
    "GCEALS",
    "GNG",
    "IDAT",
    "SRPCMHDP",
    "AuToMATo",
    "DoesNotFit",
    "SOINNPlus",
    "TableDC",
    "TopoBARTMAP",
    "TorqueClustering",
]
