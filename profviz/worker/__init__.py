"""Runs a user's script under torch in a process of its own; knows nothing of Qt, formats or the engine."""
