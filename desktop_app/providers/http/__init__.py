"""Everything that touches httpx, kept small so that the promises about keys are easy to check."""
