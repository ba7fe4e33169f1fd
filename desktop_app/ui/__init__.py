"""The window: it shows what services say and asks services for everything else."""
