"""The three pages of the window: start, run, results."""
