"""The diagnosis, where the time went and the verdict; must not know other views."""
