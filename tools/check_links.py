"""Check every internal link of a built site: tools/check_links.py FOLDER. No network is used."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

#: Elements with links, and the attribute of the link.
POINTERS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}


class Page(HTMLParser):
    """Links and link targets of a page."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Record the links and ids of an element."""
        attributes = dict(attrs)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if target := attributes.get(POINTERS.get(tag, "")):
            self.targets.append(target)


def broken(folder):
    """Return sentences about broken links."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        for target in sorted(set(page.targets)):
            address, anchor = urldefrag(target)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            aim = (path.parent / unquote(urlsplit(address).path)).resolve() if address else path
            aim = aim / "index.html" if aim.is_dir() else aim
            if not aim.exists():
                yield f"{path.relative_to(folder)}: no file for {target}"
            elif anchor and aim in pages and unquote(anchor) not in pages[aim].anchors:
                yield f"{path.relative_to(folder)}: no place for {target}"


def main(folder):
    """Print broken links; fail if there are any."""
    folder = Path(folder).resolve()
    sentences = list(broken(folder))
    print("\n".join(sentences) or f"all links of {len(list(folder.rglob('*.html')))} pages lead somewhere")
    return bool(sentences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
