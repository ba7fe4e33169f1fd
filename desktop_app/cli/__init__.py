"""The headless verbs, on the same services as the window: the proof that the border holds."""
