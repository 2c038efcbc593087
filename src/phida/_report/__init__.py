"""HTML report on a model and some data: ``phida report``. Needs ``phida[plot]``."""

from phida._report.contents import Contents, contents
from phida._report.data import DataSummary
from phida._report.page import html

__all__ = ["Contents", "DataSummary", "contents", "html"]
