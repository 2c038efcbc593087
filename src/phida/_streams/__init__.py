"""Rows from files, pipes and topics in batches, and labelled rows to them.

``opening`` chooses the reader: of text (``lines``, then ``csv_rows`` or ``ndjson_rows``), of typed files
(``arrow_rows``, ``matrix_rows``) or of messages. Each reads the features that ``columns`` selects, and yields a
``Batch``. ``output`` writes batches with labels, and ``checkpoint`` has the position between both. ``phida._pipeline``
learns the batches.
"""
