"""The directive ``command-reference``: every command of ``phida`` and ``phida-bench``, from its own help."""

import re

import typer
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

from phida._cli.app import app as library
from phida_bench.cli.app import app as benchmark


def commands(command, path):
    """Yield (name, command, context) of all commands, depth first; groups only if they run something themselves."""
    context = command.context_class(command, info_name=" ".join(path))
    inner = command.list_commands(context) if hasattr(command, "list_commands") else None
    if inner is None or len(path) == 1:
        yield " ".join(path), command, context
    for name in inner or ():
        yield from commands(command.get_command(context, name), (*path, name))


def plain(text):
    """Escape a help text for reStructuredText: file names and options become code."""
    text = re.sub(r"\s+", " ", re.sub(r"\[/?[a-z ]+\]", "", text or "")).strip()
    text = re.sub(r"([\\*`|_])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"``\1``", text)


def described(name, command, context):
    """Return lines of reStructuredText: heading, usage, description, arguments and options."""
    usage = re.sub(r"\s+", " ", command.get_usage(context).removeprefix("Usage:")).strip()
    yield from (name, "-" * len(name), "", ".. code-block:: text", "", f"   {usage}", "")
    for paragraph in (command.help or "").split("\n\n"):
        if paragraph.startswith("Example:"):
            yield from (
                "Example:",
                "",
                ".. code-block:: text",
                "",
                f"   {paragraph.removeprefix('Example:').strip()}",
                "",
            )
        else:
            yield from (plain(paragraph), "")
    records = [
        (parameter.param_type_name, *record)
        for parameter in command.params
        if (record := parameter.get_help_record(context)) is not None
    ]
    for kind in ("argument", "option"):
        for _, what, text in (record for record in records if record[0] == kind):
            yield from (f"``{what}``", f"   {plain(text) or kind}", "")


class CommandReference(SphinxDirective):
    """Sections for all commands."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes that replace the directive."""
        roots = ((app.info.name, typer.main.get_command(app)) for app in (library, benchmark))
        lines = [line for name, root in roots for found in commands(root, (name,)) for line in described(*found)]
        return nested_parse_to_nodes(self.state, "\n".join(lines), allow_section_headings=True)


def setup(app):
    """Register the directive with Sphinx."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}
