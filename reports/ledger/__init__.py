"""The claims of the ledger, one file each; a file's name is the claim's id with underscores."""
