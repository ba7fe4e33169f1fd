"""The rules every room shares, in the standard library alone, so that they can be tested without any of them."""
