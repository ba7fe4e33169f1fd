"""One user action a file, on ports alone: window and verbs both call these."""
