"""The paper's benchmark: dataset → protocol → method → record → metric → statistic → report.

Each step knows only the one before it. A method never sees a true label; some are given the number of classes by
definition. Metrics read records, and tables read metrics, so that neither needs a run to be repeated.
"""

from phida_bench.released import ReleasedPHIDA

__all__ = ["ReleasedPHIDA"]
