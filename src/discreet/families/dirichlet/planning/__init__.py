"""What a plan for counts of categories goes through."""
