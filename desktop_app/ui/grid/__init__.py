"""The virtual table: a million rows cost what a screenful costs."""
