"""Columns in, columns out: nesting rows and rasters. Numpy only; knows no format, no Qt."""
