"""The compiler's graphs, forward and backward side by side; must not know other views."""
