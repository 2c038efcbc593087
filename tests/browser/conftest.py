"""Fixtures for a real browser; ``make test-browser`` names it. Without one, these tests are not collected."""

import os
from contextlib import ExitStack

import pytest
from serve_data import Serving

BROWSER = os.environ.get("PHIDA_BROWSER")
collect_ignore_glob = [] if BROWSER else ["test_*.py"]


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def errors():
    """Errors in the browser's console; a test that expects some clears the list."""
    return []


@pytest.fixture
def start():
    """Return a function that starts a server, which runs until the pages are closed."""
    with ExitStack() as stack:
        yield lambda *words, **options: stack.enter_context(Serving(*words, **options))


@pytest.fixture
def open_page(browser, errors, start):
    """Return a function that opens an address; at the end of the test the console must be empty."""
    contexts = []

    def opened(address, **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
