"""``python -m phida`` is the ``phida`` command."""

from phida._cli import main

if __name__ == "__main__":
    main()
