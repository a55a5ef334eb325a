"""Measured step times and profiled steps; must not know other views."""
