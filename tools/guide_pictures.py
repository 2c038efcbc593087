"""Runs the pages of the user guide and keeps the pictures that they save: tools/guide_pictures.py FOLDER."""

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path


def pictures_of(text):
    """Return the pictures that a page shows."""
    return re.findall(r"!\[[^\]]*\]\(([\w-]+\.png)\)", text)


def main(folder):
    """Draw the pictures of all pages in a folder."""
    folder = Path(folder).resolve()
    os.environ["MPLBACKEND"] = "agg"
    for page in sorted(folder.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if not pictures_of(text):
            continue
        with tempfile.TemporaryDirectory() as made:
            os.chdir(made)
            names = {"__name__": page.stem}
            for code in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(code, str(page), "exec"), names)
            for picture in pictures_of(text):
                shutil.copy(picture, folder / picture)
                print(folder / picture)
            os.chdir(folder)


if __name__ == "__main__":
    main(sys.argv[1])
