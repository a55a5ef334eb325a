"""What kinds of tracks there are; a kind is a module here and a line in `registry`."""
