"""One file a wire language; found by entry point, so that a new one needs no change elsewhere."""
