"""`python -m asymp` is the command `asymp`."""

from asymp.reports.cli.main import main

main()
