"""Memory and launch queues over time; must not know other views."""
