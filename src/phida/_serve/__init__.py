"""A live page of a stream that is being learned.

Reads as the data flow: ``learning`` goes through the stream in a thread; ``painting`` takes a ``Moment`` of the model a
few times a second and makes a ``snapshot`` of it; ``feed`` keeps the newest and a thinned ``trail`` of earlier ones;
``app`` hands them to browsers behind ``access``.
"""
