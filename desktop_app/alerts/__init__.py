"""Ways out of the window to a person who is not looking at it."""
