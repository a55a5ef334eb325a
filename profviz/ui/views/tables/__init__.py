"""Tables of what a trace holds; must not know other views."""
