"""Keeps every task and attempt on this machine's disk; the only room that knows SQL."""
