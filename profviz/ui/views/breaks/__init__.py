"""Where the graph broke, which frames were skipped and what was compiled again; must not know other views."""
