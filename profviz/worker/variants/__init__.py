"""The ways to run a workload: one file a variant, listed in `registry`."""
