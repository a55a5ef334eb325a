"""Where compile time went, stage by stage on real time, and when it pays back; must not know other views."""
