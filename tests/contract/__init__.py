"""One suite that every adapter passes, against a real server on a real socket."""
