"""Sums over the ranges that are marked on the timelines; must not know other views."""
