"""Programs with a privacy proof: their tree, the checker, the interpreter and the auditor."""
