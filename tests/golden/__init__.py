"""Documents that were written once and have to be read for ever: see `documents`."""
