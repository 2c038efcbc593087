"""HTML report on a model and some data: ``phida report``. Needs ``phida[plot]``."""

from phida.report.contents import Contents, contents
from phida.report.data import DataSummary
from phida.report.page import html

__all__ = ["Contents", "DataSummary", "contents", "html"]
