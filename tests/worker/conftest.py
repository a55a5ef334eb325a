"""The worker's fixtures."""

from driven_worker import script, start_worker  # noqa: F401
