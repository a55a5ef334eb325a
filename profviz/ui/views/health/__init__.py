"""What the readers had to say about every file; must not know other views."""
