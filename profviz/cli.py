"""The command line: parses arguments, calls the headless commands, turns errors into exit codes. Never imports Qt."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from profviz import __version__
from profviz.engine.display import has_display
from profviz.model.errors import UserError
from profviz.model.run import RunRequest

EXIT_CODES = "Exit codes: 0 done, 1 a condition fell short (a variant failed, a trace is empty, something is missing), 2 could not (what, why and what to do on stderr), 130 interrupted."  # noqa: E501
VERSION = f"profviz {__version__}"
DEFAULTS = RunRequest(script="")
SCRIPT_SUFFIX = ".py"


def main(argv: Sequence[str]) -> int:
    """Runs a headless command and gives its exit code; usage errors end in 2 as well."""
    args = command_parser().parse_args(argv)
    print_anything(as_json=args.json)
    return guarded(lambda: int(args.command(args)), as_json=args.json)


def print_anything(*, as_json: bool) -> None:
    """File names may hold bytes that are no text: they are printed as JSON escapes them. JSON is always UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if as_json else None, errors="backslashreplace")


def guarded(command: Callable[[], int], *, as_json: bool = False) -> int:
    """Calls a command; its errors become exit code 2 and text on stderr (and an object on stdout)."""
    try:
        return flushed(command())
    except UserError as error:
        print(f"profviz: {error}", file=sys.stderr)
        if as_json:
            print_error_json(error)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from profviz.engine.job import bug_report

        print("profviz: Something went wrong inside profviz. This is a bug: please report it.\n", file=sys.stderr)
        print(bug_report(error), file=sys.stderr)
    return 2


def print_error_json(error: UserError) -> None:
    from profviz.cli_json import error_json

    print(json.dumps(error_json(error), indent=2, ensure_ascii=False))


def flushed(code: int) -> int:
    sys.stdout.flush()
    return code


def command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="profviz",
        description="See what torch.compile did to a PyTorch model, and why.",
        epilog=f"`profviz [FILE ...]` opens the window. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS.values():
        add(commands)
    return parser


Subparsers = argparse._SubParsersAction  # the type has no public name


def add_run(commands: Subparsers[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("run", help="run a script eager and compiled, save a session", epilog=EXIT_CODES)
    parser.set_defaults(command=run_command)
    parser.add_argument("script", help="a Python file with `model` and `inputs`, or get_model() and get_inputs()")
    add_workload(parser)
    add_measuring(parser)
    parser.add_argument("-o", "--output", default="", metavar="F.profviz", help="where to save the session")
    add_json(parser)


def add_workload(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("workload")
    group.add_argument("--model", default="", metavar="NAME", help="the model's name in the script")
    group.add_argument("--inputs", default="", metavar="NAME|SHAPES", help="a name, or shapes: 64x1024,64:int64")
    mode = group.add_mutually_exclusive_group()
    mode.add_argument("--train", dest="train", action="store_true", default=None, help="a step trains")
    mode.add_argument("--infer", dest="train", action="store_false", help="a step only computes the outputs")
    group.add_argument("--device", default=DEFAULTS.device, metavar="auto|cpu|cuda", help="default: %(default)s")
    add_python(group)


def add_measuring(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("measuring")
    variants = ",".join(DEFAULTS.variants)
    group.add_argument("--variants", default=variants, metavar="A,B", help="ways to run it; default: %(default)s")
    text = "an option of a variant, such as default.dynamic=no or default.fullgraph=true; may be given again"
    group.add_argument("--option", type=option, action="append", default=[], metavar="V.NAME=VALUE", help=text)
    add_count(group, "--steps", DEFAULTS.steps, "timed steps of each variant")
    add_count(group, "--rounds", DEFAULTS.rounds, "alternating rounds of them")
    add_count(group, "--profile-steps", DEFAULTS.profile_steps, "profiled steps")
    group.add_argument("--keep-cache", action="store_true", help="use torch's own compile cache, not a fresh one")
    group.add_argument("--with-stack", action="store_true", help="record Python stacks while profiling")
    group.add_argument("--threads", type=positive, default=0, metavar="N", help="CPU threads torch may use")
    limit_s = DEFAULTS.stage_limit_s
    text = f"end a stage that takes longer; 0: never; default: {limit_s:.0f}"
    group.add_argument("--stage-limit", type=seconds, default=limit_s, metavar="S", help=text)


def add_count(group: argparse._ActionsContainer, name: str, default: int, text: str) -> None:
    group.add_argument(name, type=positive, default=default, metavar="N", help=f"{text}; default: %(default)s")


def add_info(commands: Subparsers[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("info", help="what is in traces, compile logs and sessions", epilog=EXIT_CODES)
    parser.set_defaults(command=info_command)
    parser.add_argument("files", nargs="+", metavar="FILE")
    text = "write every text of the compile log (graphs, code, guards, ...) to files in this new folder"
    parser.add_argument("--artifacts", default="", metavar="DIR", help=text)
    add_json(parser)


def add_compare(commands: Subparsers[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare", help="two traces or sessions, or two variants of one session", epilog=EXIT_CODES
    )
    parser.set_defaults(command=compare_command)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--variants", default="", metavar="A,B", help="which two of one session")
    add_json(parser)


def add_export(commands: Subparsers[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "export", help="a trace or a part of it as Chrome trace JSON, CSV or Parquet", epilog=EXIT_CODES
    )
    parser.set_defaults(command=export_command)
    parser.add_argument("file", metavar="FILE", help="a trace, or a session with one (see --variant)")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="its suffix tells the format")
    parser.add_argument("--format", default="", metavar="ID", help="chrome, csv or parquet, whatever the suffix")
    parser.add_argument("--variant", default="", metavar="NAME", help="which trace of a session")
    group = parser.add_argument_group("selection", "all that is given must hold; without any the whole is exported")
    group.add_argument("--from-ns", type=int, metavar="N", help="what reaches beyond this time after the start")
    group.add_argument("--to-ns", type=int, metavar="N", help="what begins before this time after the start")
    lane = "lanes with this in their title, process or thread, or PID/TID; may be given again"
    group.add_argument("--lane", action="append", default=[], metavar="TEXT", help=lane)
    group.add_argument("--name", default="", metavar="TEXT", help="events with this in their name, in whatever case")
    add_json(parser)


def add_doctor(commands: Subparsers[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor", help="what is missing to show a window or to compile, and what brings it", epilog=EXIT_CODES
    )
    parser.set_defaults(command=doctor_command)
    add_python(parser)
    add_json(parser)


COMMANDS = {
    "run": add_run,
    "info": add_info,
    "compare": add_compare,
    "export": add_export,
    "doctor": add_doctor,
}


def add_python(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--python", default="", metavar="PATH", help="the interpreter (or its environment) with torch")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON (schema profviz/1) to stdout")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def option(text: str) -> tuple[str, str, str | bool]:
    """A variant's id, the option's name and its value; what the option allows is known to the worker alone."""
    place, equals, value = text.partition("=")
    variant, dot, name = place.rpartition(".")
    if not (equals and dot and variant and name and value):
        raise argparse.ArgumentTypeError(f"{text} is not of the form VARIANT.NAME=VALUE")
    return variant, name, {"true": True, "false": False}.get(value, value)


def seconds(text: str) -> float:
    number = float(text)
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return number


# What a command needs is imported when it is called: --help must not wait for numpy.


def run_command(args: argparse.Namespace) -> int:
    from profviz.cli_run import run_command as command

    return command(args)


def info_command(args: argparse.Namespace) -> int:
    from profviz.cli_files import info_command as command

    return command(args)


def compare_command(args: argparse.Namespace) -> int:
    from profviz.cli_files import compare_command as command

    return command(args)


def export_command(args: argparse.Namespace) -> int:
    from profviz.cli_export import export_command as command

    return command(args)


def doctor_command(args: argparse.Namespace) -> int:
    from profviz.cli_doctor import doctor_command as command

    return command(args)


def without_display(files: Sequence[str], *, python: str) -> int:
    """What `profviz FILE ...` does where no window can be shown: runs a script, or tells what is in the files."""
    if not files:
        raise UserError(
            "There is no display to show a window on.",
            why="Neither DISPLAY nor WAYLAND_DISPLAY is set.",
            hint="Use `profviz run SCRIPT`, `info` or `compare`; `profviz doctor` says what a window needs.",
        )
    scripts = [path for path in files if Path(path).suffix == SCRIPT_SUFFIX]
    if scripts and len(files) > 1:
        raise UserError("Name one script, or files to look at.", hint="Without a display one thing is done at a time.")
    print("No display: working without a window.", file=sys.stderr)
    if scripts:
        return main(["run", *(["--python", python] if python else []), "--", scripts[0]])
    return main(["compare" if len(files) == 2 else "info", "--", *files])


def window_possible() -> bool:
    """Whether a display is there to put a window on."""
    return has_display()
