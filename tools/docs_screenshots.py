"""Take pictures of the built manual for inspection: tools/docs_screenshots.py CHROMIUM SITE FOLDER [page ...].

Each page is taken light and dark, wide and at phone width; pages wider than the phone are reported.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PAGES = (
    "index",
    "why",
    "guide/stream",
    "guide/csv",
    "how_it_works",
    "api/generated/phida.PHIDA",
    "commands",
)
SIZES = {"wide": (1280, 900), "phone": (390, 844)}


def main(chromium, site, folder, *pages):
    """Take all pictures."""
    site, folder = Path(site).resolve(), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for size, (width, height) in SIZES.items():
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
                tab = context.new_page()
                for page in pages or PAGES:
                    tab.goto(f"file://{site}/{page}.html")
                    tab.wait_for_timeout(300)
                    tab.screenshot(path=folder / f"{page.replace('/', '-')}_{scheme}_{size}.png", full_page=True)
                    wider = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                    if wider > 0:
                        print(f"{page} is {wider} px wider than the {size} screen")
                context.close()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
