"""The room that speaks HTTP to providers, so that no other room knows a vendor or a socket."""
