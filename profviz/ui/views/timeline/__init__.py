"""Timelines of all sides on one time axis: pure layout, thin painting; it fetches nothing."""
