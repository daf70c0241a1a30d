"""``python -m singletable``: the command line, where the command itself is not on the PATH."""

from singletable.cli import main

if __name__ == "__main__":
    main()
