"""Anthropic's Messages: what is asked, and what its answers come to."""
