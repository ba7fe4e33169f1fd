"""Every question the window asks, each opened without stopping the loop that runs the engine."""
