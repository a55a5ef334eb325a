"""Bytes and columns in, columns out: scanning, order, nesting, rows, level of detail. Numpy only; knows no Qt.

In C, with a twin in Python beside each function; the scanner's stands in `formats.chrome`, which knows its format.
"""
