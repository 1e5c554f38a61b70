"""From counts to what may be published, and how it is written down."""
