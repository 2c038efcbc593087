"""Rows from files and pipes, a batch at a time, and a learner that goes through them.

Reads as the data flow: ``lines`` or a columnar file, then ``columns`` (which of them are features), then a ``Batch`` of
rows from one of the readers, then ``learning`` it, then ``output`` and ``checkpoint``.
"""
