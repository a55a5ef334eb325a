"""One file a diagnosis; each answers one question of the user from what was measured, or says why it can't."""
