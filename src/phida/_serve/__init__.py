"""A live page of a stream during learning.

Modules follow the data: ``learning`` runs through the stream in a thread; ``painting`` takes a ``Moment`` of the model
a few times a second and turns it into a ``snapshot``; ``feed`` holds the newest snapshot and a thinned ``trail`` of
earlier ones; ``app`` sends them to browsers through ``access``.
"""
