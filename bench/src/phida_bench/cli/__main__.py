"""``python -m phida_bench.cli`` is the ``phida-bench`` command."""

from phida_bench.cli import main

if __name__ == "__main__":
    main()
