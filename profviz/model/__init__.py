"""Plain data that every other room shares; it knows no file format, no Qt and no torch."""
