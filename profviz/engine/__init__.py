"""Processes, jobs and cancellation: drives workers and turns files into results, without Qt and without torch."""
