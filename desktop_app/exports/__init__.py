"""Files out: results that are verified before they count, and sheets that open everywhere."""
