"""Models: what is believed before the data, and after."""
