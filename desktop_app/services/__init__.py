"""One user action a file, on ports alone: window and verbs call the same, which proves the border holds."""
