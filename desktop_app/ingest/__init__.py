"""Files to rows to drafts: nothing of the operator's sheet is lost or changed on the way."""
