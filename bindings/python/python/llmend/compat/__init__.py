"""Other libraries' functions, over this engine."""
