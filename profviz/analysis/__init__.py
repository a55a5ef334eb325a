"""Pure functions from model values to model values: linking, occupancy, kinds, comparing, diagnosing."""
