"""The command `asymp`, also as `python -m asymp`."""

import sys


def main() -> None:
    """Load the command and run it; Ctrl-C while its modules are being loaded is one sentence, too."""
    try:
        from asymp.reports.cli.main import main as command
    except KeyboardInterrupt:
        print("asymp: interrupted before anything was begun", file=sys.stderr)
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
