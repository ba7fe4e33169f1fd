"""A local API with real pictures and real trouble, so that the app can be tried without account."""
