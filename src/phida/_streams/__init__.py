"""Rows from files and pipes in batches, and a learner that processes them.

Modules follow the data: ``lines`` or a columnar file, then ``columns`` (which are features), then a ``Batch`` of rows
from a reader, then ``learning``, then ``output`` and ``checkpoint``.
"""
