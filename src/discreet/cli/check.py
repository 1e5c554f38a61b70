"""`discreet check`: the programs of a file, proved private or not."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from discreet.cli import common
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from types import ModuleType

    from discreet.language.decorator import PrivateProgram
    from discreet.programs.reports import Report

_MODULE = "_discreet_checked"
# what these say are names of the code; the message of another error may quote records
_SPEAKING = (DiscreetError, ImportError, NameError, AttributeError, TypeError)


@click.command()
@click.argument("files", nargs=-1, required=True, type=common.FILE)
@click.option("--explain", is_flag=True, help="Print the derivations of what is proved.")
@common.output_options
def command(files: tuple[str, ...], explain: bool, as_json: bool, quiet: bool) -> int:
    """Prove the programs of Python files private, or say where and why not; that needs no data.

    A file is executed as by import: keep what runs a program under if __name__ == "__main__".
    Exit status: 0 all programs are proved, 1 one is not, 2 a file cannot be imported (the others
    are checked all the same).

    \b
    discreet check programs.py
    discreet check programs.py --explain
    """
    from discreet.programs.proving import solver_module

    solver_module()
    found: dict[str, list[Report]] = {}
    problems: dict[str, InputError] = {}
    for file in files:
        try:
            found[file] = [program.check() for program in _programs(file)]
        except InputError as error:
            problems[file] = error
    if problems and not found:
        raise next(iter(problems.values()))
    reports = [report for some in found.values() for report in some]
    if as_json:
        failed = [{"file": file, "error": str(error)} for file, error in problems.items()]
        common.print_json([*(report.document() for report in reports), *failed])
    elif not quiet:
        _print(found, explain)
    for problem in problems.values():
        click.echo(f"Error: {problem}", err=True)
    return 2 if problems else int(not all(reports))


def _print(found: dict[str, list[Report]], explain: bool) -> None:
    from discreet.language.showing import Explanation, diagnose

    console = common.console()
    for file, report in ((file, report) for file, some in found.items() for report in some):
        if len(found) > 1 and report is found[file][0]:
            console.print(f"{file}:", soft_wrap=True)
        shown = Explanation(report).__rich__() if explain else diagnose(report)
        console.print(shown, soft_wrap=True)
        if explain or not report:
            console.print()
    reports = [report for some in found.values() for report in some]
    verdicts = Counter(report.verdict for report in reports)
    programs = "program" if len(reports) == 1 else "programs"
    others = [f"{verdicts[v]} {v.lower()}" for v in ("REFUTED", "UNKNOWN") if verdicts[v]]
    rest = f" ({', '.join(others)})" if others else ""
    console.print(f"Proved private: {verdicts['PROVED']} of {len(reports)} {programs}{rest}.")


def _programs(file: str) -> list[PrivateProgram]:
    """The programs written in a file, in order."""
    from discreet.language.decorator import collected

    path = Path(file).resolve()
    if path.suffix != ".py" or not path.is_file():
        reason = "is not a Python file" if path.exists() else "does not exist"
        raise InputError(f"{file} {reason}: check needs files such as programs.py", "files")
    with collected() as made:
        _import(file, path)
    found = [one for one in made if Path(one.program.source.file).resolve() == path]
    if not found:
        raise InputError(
            f"{file} has no programs: functions with @private of discreet.language", "files"
        )
    return sorted(found, key=lambda one: one.program.source.first_line)


def _import(file: str, path: Path) -> None:
    """Import the file; what it prints goes to standard error."""
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        with _importing(module, path), contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(_failure(error, file, path), "files") from None


@contextlib.contextmanager
def _importing(module: ModuleType, path: Path) -> Iterator[None]:
    """As if the file were run in its folder; nothing stays behind."""
    folders, compiled = sys.path.copy(), sys.dont_write_bytecode
    sys.path.insert(0, str(path.parent))
    sys.modules[_MODULE], sys.dont_write_bytecode = module, True
    try:
        yield
    finally:
        sys.path[:], sys.dont_write_bytecode = folders, compiled
        del sys.modules[_MODULE]


def _failure(error: BaseException, file: str, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and not lines:
        line = "" if error.lineno is None else f", line {error.lineno}"
        return f"{file}{line} is not Python: {error.msg}"
    if isinstance(error, ValueError) and not lines:  # as Python 3.11.3 and older say of zero bytes
        return f"{file} is not Python: {error}"
    what = f"{type(error).__name__} is raised"
    if isinstance(error, SyntaxError):  # of a file that it imports
        what = f"{error.filename}, line {error.lineno} is not Python: {error.msg}"
    elif isinstance(error, _SPEAKING):
        what = str(error)
    return f"{file}{f', line {lines[-1]}' if lines else ''} cannot be imported: {what}"
