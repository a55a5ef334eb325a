"""Overlaid histograms of the sides' step times and of the slices of one name; must not know other views."""
