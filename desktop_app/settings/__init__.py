"""What belongs to this machine and its operator: folders, choices, keys, logs, sleep."""
