"""All that is known of the selection; must not know other views."""
