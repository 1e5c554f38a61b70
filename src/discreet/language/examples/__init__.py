"""Programs that are proved private."""
