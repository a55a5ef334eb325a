"""What the user reads of an error, whatever raised it."""

from __future__ import annotations

import pytest

from profviz.worker.failures import WorkerError, failure_of, trimmed_traceback

SCRIPT = "/somewhere/script.py"


def raised(text: str) -> BaseException:
    try:
        exec(compile(text, SCRIPT, "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


CASES = {
    "raises": ("def f():\n    raise KeyError('lost')\nf()", "KeyError: 'lost'", "Raised at script.py:2.", ""),
    "silent": ("raise ValueError", "ValueError: no message", "script.py:1", ""),
    "interrupt": ("raise KeyboardInterrupt", "interrupted", "KeyboardInterrupt", ""),
    "exit": ("raise SystemExit(3)", "sys.exit(3)", "leaves no model", "__main__"),
    "asks": ("raise EOFError('EOF when reading a line')", "keyboard", "script.py:1", "__main__"),
    "missing module": ("import no_such_module_x", "No module named 'no_such_module_x'", "does not have", "interpreter"),
    "syntax": ("def f(:", "not valid Python", "Line 1 of script.py", ""),
    "memory": ("raise MemoryError", "Out of memory", "", "smaller"),
    "allocator": ("raise RuntimeError('DefaultCPUAllocator: no')", "Out of memory", "DefaultCPU", "smaller"),
}


UNSPEAKABLE = """
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")
raise Mute
"""


def test_an_error_that_can_not_say_its_message_is_still_the_users_own() -> None:
    failure = failure_of(raised(UNSPEAKABLE), script=SCRIPT, stage="loading")
    assert failure.what.startswith("Mute: <its message can't be shown: RuntimeError")
    assert failure.why == "Raised at script.py:5."
    assert "script.py" in failure.traceback


def test_an_exit_code_that_can_not_be_shown_is_named_by_its_type() -> None:
    text = "class Code:\n    def __repr__(self):\n        raise ValueError\nraise SystemExit(Code())"
    assert "sys.exit(<Code>)" in failure_of(raised(text), script=SCRIPT, stage="loading").what


def test_an_exit_in_a_step_is_not_told_as_one_while_loading() -> None:
    failure = failure_of(raised("raise SystemExit(0)"), script=SCRIPT, stage="eager_timing")
    assert "sys.exit(0)" in failure.what
    assert "loaded" not in failure.why + failure.hint


def test_a_file_that_is_no_text_has_no_line_to_name() -> None:
    failure = failure_of(SyntaxError("source code string cannot contain null bytes"), script=SCRIPT, stage="loading")
    assert failure.why == "It is script.py as a whole."


@pytest.mark.parametrize("case", CASES)
def test_what_why_and_hint(case: str) -> None:
    text, what, why, hint = CASES[case]
    failure = failure_of(raised(text), script=SCRIPT, stage="loading", variant="v")
    assert what in failure.what
    assert why in failure.why
    assert hint in failure.hint
    assert (failure.stage, failure.variant) == ("loading", "v")


def test_only_the_users_frames_stay() -> None:
    text = trimmed_traceback(raised("def f():\n    int('x')\nf()"), script=SCRIPT)
    assert text.startswith("Traceback (of your own code)")
    assert text.count('File "') == 2
    assert "test_failures" not in text


def test_without_frames_of_the_user_all_stay() -> None:
    with pytest.raises(ValueError) as raised_here:
        int("x")
    assert "test_failures" in trimmed_traceback(raised_here.value, script=SCRIPT)


def test_our_own_errors_need_no_traceback() -> None:
    failure = failure_of(WorkerError("a", why="b", hint="c"), script=SCRIPT, stage="s")
    assert (failure.what, failure.why, failure.hint, failure.traceback) == ("a", "b", "c", "")


def test_a_cause_is_found_behind_what_torch_wraps_around_it() -> None:
    text = """
class InvalidCxxCompiler(RuntimeError): pass
class InductorError(RuntimeError): pass
try:
    raise InvalidCxxCompiler("none of g++")
except RuntimeError as error:
    raise InductorError("wrapped") from error
"""
    assert "C++ compiler" in failure_of(raised(text), script=SCRIPT, stage="compiling").what
