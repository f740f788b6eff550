"""The lowered program: what a file does, without its layout."""
