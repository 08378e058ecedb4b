"""What a program becomes: one target a file, over nothing but `Program`."""
