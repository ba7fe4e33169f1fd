"""Every rule that rooms share, on the standard library alone, so that none is needed to test it."""
