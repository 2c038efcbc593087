"""The compared systems: an oracle for each, written slowly from its specification, and comparisons with it."""
