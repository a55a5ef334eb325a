"""The kernel table of each side and their comparison by name; must not know other views."""
