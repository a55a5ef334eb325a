"""What was compiled again and why, and the guards that decide it; must not know other views."""
