"""Readers and writers of files: Chrome traces, compile logs, sessions. They run nothing a file contains."""
