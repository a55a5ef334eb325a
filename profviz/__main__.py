"""Entry point: headless commands go to the command line, files to the window, or headless where no display is."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import profviz.cli as cli
from profviz.model.errors import UserError


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code; `argv` without the program's name."""
    open_missing_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in cli.COMMANDS:
        return cli.main(arguments)
    args = window_parser().parse_args(arguments)
    if not cli.window_possible() and not args.screenshot:
        return cli.guarded(lambda: cli.without_display(args.files, python=args.python))
    return cli.guarded(lambda: show_window(args))


def open_missing_streams() -> None:
    """Daemons and window-only starts have no standard streams: what is opened next would be taken for one."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with contextlib.suppress(OSError):
                os.fstat(number)
                continue
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  # until the process ends


def window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="profviz",
        usage="profviz [options] [FILE ...]\n       profviz {run,info,compare,export,doctor} ...",
        description="See what torch.compile did to a PyTorch model, and why. This opens the window; "
        "`profviz run --help` and the like tell of the commands that need none.",
        epilog=cli.EXIT_CODES,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="scripts, traces, compile logs or sessions")
    parser.add_argument("--version", action="version", version=cli.VERSION)
    cli.add_python(parser)
    parser.add_argument("--theme", choices=("dark", "light"), default="", help="for this start only")
    parser.add_argument("--size", default="", metavar="WxH", help="the window's size, as 1600x1000")
    parser.add_argument("--screenshot", default="", metavar="PNG", help="save a picture of the window, then end")
    return parser


def show_window(args: argparse.Namespace) -> int:
    try:
        from profviz.ui import app
    except ImportError as error:
        raise UserError(
            "The window cannot be shown.",
            why=str(error),
            hint="`profviz doctor` says what is missing; `profviz run`, `info` and `compare` need no window.",
        ) from None
    return app.main(args.files, python=args.python, screenshot=args.screenshot, size=args.size, theme=args.theme)


if __name__ == "__main__":
    sys.exit(main())
