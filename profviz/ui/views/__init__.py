"""One folder a view: a pure layout, a thin widget, a spec."""
