"""The explorer: a local web page that shows what privacy costs, before any of it is spent."""
