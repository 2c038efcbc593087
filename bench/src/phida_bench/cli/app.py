"""The commands of ``phida-bench``. Optional dependencies are imported when a command runs."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from phida._cli import console
from phida._cli.console import errors_as_messages
from phida._cli.options import Debug, Version

if TYPE_CHECKING:
    from phida_bench.datasets import Entry
    from phida_bench.methods import Method

#: Console for results. Progress and messages go to ``notes``, so that results can be piped.
results = Console()
notes = Console(stderr=True, soft_wrap=True)

app = typer.Typer(
    name="phida-bench",
    help="Run the paper's benchmark and report its results.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of data sets, as npz files; or one npz file of yours, with rows X and classes y.",
        envvar="PHIDA_DATA",
        exists=True,
    ),
]
Plugin = Annotated[
    list[Path] | None, typer.Option(help="Python file that defines METHODS; can be repeated.", dir_okay=False)
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of parallel processes.")]


@app.callback()
def root(version: Version = False, debug: Debug = False) -> None:
    """Run the paper's benchmark and report its results."""
    console.debug = debug
    _require("the benchmark", "pandas", "scipy", "psutil")


def _require(what: str, *packages: str) -> None:
    """End the command if packages are missing, with the extra that installs them."""
    if missing := [name for name in packages if find_spec(name) is None]:
        notes.print(f"phida: {what} needs {', '.join(missing)}: pip install ./bench", style="red")
        raise typer.Exit(1)


@app.command("list")
def list_(
    data: Data = None,
    about: Annotated[str | None, typer.Option(help="Data set to describe: origin, terms, citation.")] = None,
) -> None:
    """List data sets, methods and settings, and which data sets are available.

    Example: phida-bench list --about letter
    """
    from phida_bench.datasets import add_own

    with errors_as_messages():
        add_own(data)
        if about is None:
            _list_all(data)
        else:
            _list_one(about, data)


data_app = typer.Typer(
    help="Data sets of the benchmark.", no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
)
app.add_typer(data_app, name="data")


@data_app.callback()
def data_root() -> None:
    """Data sets of the benchmark."""


@data_app.command("get")
def get(
    names: Annotated[
        list[str] | None, typer.Argument(help="Data sets (default: all of the paper).", metavar="[NAME]...")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the npz files (default: the cache of phida-bench).", file_okay=False)
    ] = None,
    mirror: Annotated[str, typer.Option(help="Address with copies of the sources' files, asked in their place.")] = "",
) -> None:
    """Fetch data sets from their sources, convert and verify them.

    An interrupted download continues. A data set that cannot be fetched does not stop the others.

    Example: phida-bench data get iris seeds dermatology --out data/
    """
    from phida_bench.datasets import DatasetError, entries, entry, fetching
    from phida_bench.datasets.sources import cache

    with errors_as_messages():
        failed = 0
        folder = out or cache()
        for wanted in [entry(name) for name in names] if names else list(entries().values()):
            with _download(wanted.name) as progress:
                try:
                    found = fetching.get(wanted, folder, progress, mirror)
                except DatasetError as error:
                    failed += 1
                    text = str(error).removeprefix(wanted.name).lstrip()
                    notes.print(f"{wanted.name}: {text}", style="red", markup=False, highlight=False)
                    continue
            notes.print(
                f"{wanted.name}: {len(found.y):,} rows in {folder / (wanted.name + '.npz')}; {wanted.terms}",
                markup=False,
                highlight=False,
            )
        if failed:
            notes.print(f"{failed} not fetched", style="red")
            raise typer.Exit(1)


def _list_all(data: Path | None) -> None:
    from phida_bench.datasets import entries, find
    from phida_bench.methods import methods
    from phida_bench.protocol import ALL_SETTINGS

    rows: list[Sequence[str]] = []
    for entry in (e for e in entries(None).values() if e.collection != "shapes"):
        source = find(entry, data)
        place = "folder" if source and source.endswith(".npz") else source or ("data get" if entry.urls else "no")
        rows.append((entry.name, f"{entry.samples:,}", str(entry.features), str(entry.classes), place))
    _print_table(
        "Data sets",
        {"name": "left", "rows": "right", "features": "right", "classes": "right", "available": "left"},
        rows,
    )
    rows = []
    for method in methods().values():
        settings = "all" if method.settings == ALL_SETTINGS else ", ".join(method.settings)
        rows.append((method.name, method.group, settings, method.missing() or method.summary))
    _print_table("Methods", dict.fromkeys(("name", "group", "settings", "description"), "left"), rows)
    results.print(
        "Settings of the paper's data sets and yours\n stationary: shuffled rows, one stage\n"
        " nonstationary: one stage per class\nSettings of the shapes\n shuffled: shuffled rows\n"
        " grouped: one group after the other"
    )


def _list_one(name: str, data: Path | None) -> None:
    from phida_bench.datasets import advice, entry, find

    found = entry(name)
    results.print(f"{found.title}: {found.samples:,} rows, {found.features} features, {found.classes} classes")
    for word, text in (("origin", found.origin), ("terms", found.terms), ("citation", found.citation)):
        results.print(f"{word}: {text}", markup=False, highlight=False)
    results.print(f"available: {find(found, data) or 'no; ' + advice(found)}", markup=False)


def _print_table(title: str, columns: dict[str, Any], rows: Sequence[Sequence[str]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    results.print(f"[bold]{title}[/bold]")
    table = Table(box=None)
    for column, justify in columns.items():
        table.add_column(column, justify=justify)
    for row in rows:
        table.add_row(*map(escape, row))
    results.print(table)
    results.print()


@app.command()
def run(
    out: Annotated[Path, typer.Option(help="Folder for the records.", file_okay=False)] = Path("results"),
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods or groups of methods, separated by commas, or all (default: PHIDA and those of the plugins)."
        ),
    ] = None,
    datasets: Annotated[
        str | None,
        typer.Option(
            help="Data sets or collections (paper, shapes, substitutes), separated by commas, or all "
            "(default: your file, or paper)."
        ),
    ] = None,
    settings: Annotated[
        str, typer.Option(help="Settings: stationary, nonstationary, both, shuffled, grouped or all.")
    ] = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds per method, data set and setting.")] = 30,
    jobs: Jobs = 1,
    data: Data = None,
    plugin: Plugin = None,
    timeout: Annotated[float | None, typer.Option(min=0, help="Time limit per trial, in seconds.")] = None,
    memory: Annotated[float | None, typer.Option(min=0, help="Memory limit per trial, in GiB.")] = None,
    retry: Annotated[bool, typer.Option(help="Rerun failed trials.")] = False,
    adaptive: Annotated[bool, typer.Option(help="Use 10 seeds if a trial takes over 5 s, 3 if over 60 s.")] = False,
) -> None:
    """Run all trials that have no record yet.

    Example: phida-bench run --methods PHIDA --datasets iris,seeds --settings both --seeds 30 --jobs 2 --out results/

    Example: phida-bench run --data my.npz --plugin my_method.py --out results/
    """
    from phida_bench import methods as benchmark_methods
    from phida_bench import plan, records, runner
    from phida_bench.datasets import add_own, entry
    from phida_bench.worker import Surroundings

    with errors_as_messages():
        added = [name for path in plugin or () for name in benchmark_methods.add(path)]
        chosen = _available(_methods(methods or ",".join(["PHIDA", *added])))
        own = add_own(data)
        digests = _at_hand(_datasets(datasets or own or "paper"), data)
        at_hand = [entry(name) for name in digests]
        planned = list(plan.jobs(chosen, at_hand, _settings(settings), seeds, out))
        if not planned:
            raise ValueError(
                "nothing to run: no chosen method has these settings and an available data set; see phida-bench list."
            )
        todo = runner.missing(planned, out, digests, retry=retry)
        if not todo:
            notes.print("nothing to do: every trial has a record")
            return
        records.add_command(_command(), out)
        limit = None if memory is None else int(memory * 2**30)
        surroundings = Surroundings(out, data, tuple(plugin or ()), limit)
        failures: dict[str, int] = {}
        weights = {entry.name: entry.samples for entry in at_hand}
        with _progress(sum(weights[job.trial.dataset] for job in todo)) as advance:

            def settled(trial: Any, status: str, reason: str) -> None:
                advance(weights[trial.dataset], f"{trial.dataset} {trial.method}")
                if status not in ("ok", "skipped"):
                    line = f"{trial.method} on {trial.dataset}, {trial.setting}: {status} ({reason})"
                    if not reason.startswith("as with seed"):
                        notes.print(line, markup=False, highlight=False)
                    failures[status] = failures.get(status, 0) + 1

            runner.run(todo, surroundings, jobs, runner.Limits(timeout, adaptive), settled)
        counts = ", ".join(f"{count} {status}" for status, count in failures.items()) or "none failed"
        trials = "1 trial" if len(todo) == 1 else f"{len(todo):,} trials"
        notes.print(f"{trials} finished ({counts}); the records are in {out}")


@app.command()
def tune(
    method: Annotated[str, typer.Option(help="Methods, separated by commas, or all that the paper tuned.")] = "all",
    dataset: Annotated[
        str | None, typer.Option(help="Data sets, separated by commas, or all (default: your file, or all).")
    ] = None,
    settings: Annotated[str, typer.Option(help="Settings: stationary, nonstationary or both.")] = "both",
    trials: Annotated[int, typer.Option(min=1, help="Number of parameter sets to try.")] = 40,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds per parameter set, from 100 up.")] = 3,
    minutes: Annotated[
        float, typer.Option(min=0, help="Time limit per method, data set and setting, in minutes.")
    ] = 10,
    out: Annotated[Path, typer.Option(help="Folder for the records.", file_okay=False)] = Path("results"),
    jobs: Jobs = 1,
    data: Data = None,
    plugin: Plugin = None,
    again: Annotated[bool, typer.Option(help="Repeat tuning that has been done before.")] = False,
) -> None:
    """Tune parameters by Bayesian optimisation of ARI, for later runs.

    Example: phida-bench tune --method GNG --dataset iris --trials 40 --out results/
    """
    _require("tuning", "optuna")
    from phida_bench import methods as benchmark_methods
    from phida_bench import plan, records, tuning
    from phida_bench.datasets import add_own, entry
    from phida_bench.worker import Surroundings

    with errors_as_messages():
        for path in plugin or ():
            benchmark_methods.add(path)
        chosen = [m for m in _available(_methods(method)) if m.space is not None]
        if not chosen:
            tunable = ", ".join(m.name for m in benchmark_methods.methods().values() if m.space)
            raise typer.BadParameter(f"{method} has no parameters to tune; choose from: {tunable}.")
        own = add_own(data)
        at_hand = [entry(name) for name in _at_hand(_datasets(dataset or own or "all"), data)]
        cells = [
            tuning.Cell(m.name, e.name, setting)
            for e in sorted(at_hand, key=lambda e: e.samples * e.features)
            for setting in _settings(settings)
            for m in chosen
            if setting in m.settings and (again or not plan.is_tuned(out, m.name, e.name, setting))
        ]
        if not cells:
            notes.print("nothing to do: everything was tuned before; add --again to repeat it")
            return
        records.add_command(_command(), out)
        budget = tuning.Budget(trials, seeds, 60 * minutes)
        with _progress(len(cells)) as advance:

            def settled(cell: Any, news: str) -> None:
                advance(1, f"{cell.dataset} {cell.method}")
                line = f"{cell.method} on {cell.dataset}, {cell.setting}: {news}"
                notes.print(line, markup=False, highlight=False)

            tuning.run(cells, Surroundings(out, data, tuple(plugin or ())), jobs, budget, settled)
        notes.print(f"tuned: {len(cells)}; the parameters are in {out / 'tuned'}")


@app.command()
def report(
    folder: Annotated[Path | None, typer.Argument(help="Folder or archive of records.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.", file_okay=False)] = Path("report"),
    archive: Annotated[
        Path | None, typer.Option(help="Archive of all records to write (.tar.xz); the report states its digest.")
    ] = None,
    plugin: Plugin = None,
    published: Annotated[bool, typer.Option(help="Report only the published tables, without records.")] = False,
    jobs: Jobs = 1,
    data: Data = None,
) -> None:
    """Write a report: tables, ranks, tests, diagrams and a comparison with the paper.

    Example: phida-bench report results/ --out report/
    """
    _require("the report", "matplotlib", "scikit_posthocs", "jinja2")
    from phida_bench import methods as benchmark_methods
    from phida_bench import records
    from phida_bench import report as reports
    from phida_bench.datasets import add_own

    with errors_as_messages():
        for path in plugin or ():
            benchmark_methods.add(path)
        add_own(data)
        if published == (folder is not None):
            raise typer.BadParameter("pass either a folder of records or --published.")
        if folder is None:
            page = reports.write_published(out)
        else:
            if not folder.exists():
                raise typer.BadParameter(f"{folder} does not exist; create it with: phida-bench run --out {folder}")
            with tempfile.TemporaryDirectory() as unpacked:
                if folder.is_file():
                    records.unpack(folder, Path(unpacked))
                    folder = Path(unpacked)
                page = reports.write(folder, out, data, jobs, notes.print, archive)
        typer.echo(page)


def _methods(names: str) -> list[Method]:
    from phida_bench.methods import method, methods

    known = list(methods().values())
    if names == "all":
        return known
    chosen: list[Method] = []
    for name in _split(names):
        chosen += [m for m in known if m.group == name] or [method(name)]
    return list(dict.fromkeys(chosen))


def _available(methods: Sequence[Method]) -> list[Method]:
    available = []
    for method in methods:
        if lack := method.missing():
            notes.print(f"{method.name} is skipped: it {lack}", markup=False)
        else:
            available.append(method)
    return available


def _datasets(names: str) -> list[Entry]:
    from phida_bench.datasets import COLLECTIONS, entries, entry

    if names == "all":
        return list(entries(None).values())
    chosen: list[Entry] = []
    for name in _split(names):
        chosen += entries(name).values() if name in COLLECTIONS else [entry(name)]
    return list(dict.fromkeys(chosen))


def _at_hand(wanted: Sequence[Entry], data: Path | None) -> dict[str, str]:
    """Load the available data sets and return names and digests: a bad file is reported before the first trial."""
    from phida_bench.datasets import find, load

    at_hand = {}
    for entry in wanted:
        if find(entry, data) is None and len(wanted) > 1:
            notes.print(f"{entry.name} is skipped: it is not available", markup=False)
        else:
            at_hand[entry.name] = load(entry, data).digest
    return at_hand


def _command() -> str:
    """Return the command line."""
    return shlex.join(["phida-bench", *sys.argv[1:]])


def _settings(name: str) -> tuple[Any, ...]:
    from phida_bench.protocol import ALL_SETTINGS, SETTINGS

    if name in ("all", "both"):
        return ALL_SETTINGS if name == "all" else SETTINGS
    if name not in ALL_SETTINGS:
        raise typer.BadParameter(f"unknown setting {name!r}; choose {', '.join(ALL_SETTINGS)}, both or all.")
    return (name,)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Show a progress bar with the remaining time. A trial counts as many units as its data set has rows."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=notes, disable=not notes.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda amount, what: bar.update(task, advance=amount, description=what)


@contextmanager
def _download(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar of bytes."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=notes, disable=not notes.is_terminal, transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
