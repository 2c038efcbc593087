"""Configuration of the manual: `make docs`."""

import re
import sys
import warnings
from pathlib import Path

import phida
from phida_bench import report

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

project = "phida"
author = "the phida developers"
copyright = "the phida developers"
version = release = phida.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "command_reference",
]
exclude_patterns = ["_ext", "how_it_works/*.py"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # types in docstrings are plain words

# Markdown as code hosts render it. Headings are link targets.
myst_enable_extensions = ["dollarmath", "attrs_block", "attrs_inline"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc writes types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False
numpydoc_validation_checks = {"GL08", "PR01", "PR02", "PR03", "SS01"}
numpydoc_validation_exclude = {
    # The names of record fields are their documentation.
    r"\.(Nodes|Graph|Persistence|Hierarchy|AssignmentView|Moments|Lineage|Event|History)$",
    r"\.(CutClarity|DensityClarity|Explanation|DensityExplanation|RowExplanation|Side|Death|Difference|Pull)$",
    r"\.(Examples|Example|Cluster|ClusterList|LargestVariance|Summary|TellingFeature)$",
    r"\.(Profile|Projection|NodePositions|LineageBands|PersistenceDiagram|Dendrogram|Change|Candidate)$",
    r"\.(Entry|Dataset|Method|Task|System|Metric|Comparison)$",
    # They are documented, but not found if the default is None.
    r"\.(published|space|memory|margin|shared|scale|merge_prominence|merge_chance|interval|n_components|vigilance)$",
    r"\.(feature_names|clarity|joined|kept)$",
    # Their argument is a fitted model, or is described at another method of the same name.
    r"\.of$",
    r"\.DensityExplanation\.sentences$",
}

html_theme = "pydata_sphinx_theme"
html_title = f"phida {version}"
html_static_path = ["_static"]
html_css_files = ["phida.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "phida"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "why": [], "how_it_works": []}  # pages without subpages

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
warnings.filterwarnings("ignore", category=DeprecationWarning)  # from the tools


def escape_names(app, what, name, obj, options, lines):
    """Escape names that end in an underscore in array shapes, which are not links."""
    for i, line in enumerate(lines):
        if ">>>" not in line and "`" not in line:
            lines[i] = re.sub(r"\b(\w+)_(?=[,)])", r"\1\\_", line)


def write_benchmark_report(app):
    """Build the pages below benchmark/ from the kept results."""
    report.write_kept(ROOT / "bench" / "results", HERE / "benchmark")


def setup(app):
    """Register the hooks with Sphinx."""
    app.connect("builder-inited", write_benchmark_report)
    app.connect("autodoc-process-docstring", escape_names, priority=900)  # after numpydoc
