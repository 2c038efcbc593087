"""The paper's benchmark: dataset → protocol → method → record → metric → statistic → report.

Each step knows only the one before it. A method never sees a true label, except the count of classes where it is told
one by definition; metrics read records, and tables read metrics, so that neither needs a run to be repeated.
"""

from phida_bench.released import ReleasedPHIDA

__all__ = ["ReleasedPHIDA"]
