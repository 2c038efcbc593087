"""The systems that PHIDA is compared with, as scikit-learn estimators."""

from phida_bench.systems._memory import DoesNotFit
from phida_bench.systems.automato import AuToMATo
from phida_bench.systems.cae import CAE
from phida_bench.systems.caea import CAEA
from phida_bench.systems.ddvfa import DDVFA
from phida_bench.systems.g_ceals import GCEALS
from phida_bench.systems.gng import GNG
from phida_bench.systems.idat import IDAT
from phida_bench.systems.soinn_plus import SOINNPlus
from phida_bench.systems.sr_pcm_hdp import SRPCMHDP
from phida_bench.systems.tabledc import TableDC
from phida_bench.systems.tbm_p import TopoBARTMAP
from phida_bench.systems.torque import TorqueClustering

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
