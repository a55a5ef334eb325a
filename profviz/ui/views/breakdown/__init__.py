"""Wall time shared out into parts, step by step and side by side; must not know other views."""
