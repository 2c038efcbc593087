"""``python -m phida.cli`` is the ``phida`` command."""

from phida.cli import main

if __name__ == "__main__":
    main()
