"""One file a tab; tabs do not know each other."""
