"""The command line as `python -m crossbow`, for when the command itself is not on the path."""

from crossbow.cli import app

if __name__ == "__main__":
    app()
