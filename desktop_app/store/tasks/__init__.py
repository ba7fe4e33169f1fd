"""What happens to tasks, one operation a file; each runs inside one transaction of the writer."""
