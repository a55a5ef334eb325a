"""`profviz doctor`: what is missing to show a window or to compile, and the command that brings it."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from profviz.cli_json import SCHEMA
from profviz.cli_run import DONE, FELL_SHORT
from profviz.cli_text import pad, width
from profviz.engine.environment import MISSING, Check, check_all
from profviz.model.record import to_json

WORDS = {"ok": "ok", "warn": "note", "missing": "MISSING"}


def doctor_command(args: Namespace) -> int:
    """Exit code 1 when something is missing."""
    checks = check_all(interpreter=args.python)
    if args.json:
        made = {"schema": SCHEMA, "kind": "doctor", "checks": [to_json(check) for check in checks]}
        json.dump(made, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print("\n".join(doctor_lines(checks)))
    return FELL_SHORT if any(check.status == MISSING for check in checks) else DONE


def doctor_lines(checks: list[Check]) -> list[str]:
    gap = max(width(check.title) for check in checks) + 2
    lines = []
    for check in checks:
        lines.append(f"  {pad(WORDS[check.status], 9)}{pad(check.title, gap)}{check.text}")
        if check.fix:
            lines.append(f"  {' ' * (9 + gap)}→ {check.fix}")
    return lines
