"""The window. It never imports torch and never runs a user's code."""
