"""Tables of one side as numpy columns; each module makes one, and `registry` lists them."""
