"""Messages between engine and worker; the same bytes go over a local pipe or an ssh connection."""
