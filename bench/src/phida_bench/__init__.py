"""The paper's benchmark: dataset → protocol → method → record → metric → statistic → report.

Each step uses only the previous one. A method never sees a true label; some are given the number of classes by
definition. Metrics read records, and tables read metrics: neither needs a new run.
"""

from phida_bench.released import ReleasedPHIDA

__all__ = ["ReleasedPHIDA"]
