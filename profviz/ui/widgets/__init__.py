"""Painted widgets that know no profiler: they are given columns and colours."""
