"""The program leontief: where it is, whether it speaks our protocol, and how it is run."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence

#: The protocol of rules and streams that this package speaks.
PROTOCOL = 1

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "leontief.exe" if os.name == "nt" else "leontief"


class Error(Exception):
    """leontief could not do what was asked for.

    ``str(error)`` is its message; ``status`` is its exit status: 2 where what was given
    can not be used, 1 where that is not to blame, 70 for a fault of leontief, 130 for an
    interrupt, None if it was not run; ``command`` is the command line.
    """

    def __init__(self, message: str, status: Optional[int] = None, command: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.command = list(command)


def binary() -> str:
    """The path of the program: what $LEONTIEF names; else that in the package, which a
    wheel brings; else that of the clone that the package is in; else that in PATH. It has
    been asked which protocol it speaks."""
    named = os.environ.get("LEONTIEF")
    if named:
        path = shutil.which(named)
        if path is None:
            raise Error("LEONTIEF=%s: there is no such program" % named)
        return _checked(path, _stamp(path))
    clone = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))
    places = [os.path.join(_HERE, "bin", _NAME)]
    if os.path.exists(os.path.join(clone, "experiments", "cli")):
        places.append(os.path.join(clone, _NAME))
    for place in places:
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return _checked(place, _stamp(place))
    path = shutil.which("leontief")
    if path is None:
        raise Error("the program leontief is not there: build it in a clone (make build), or name it in the "
                    "environment variable LEONTIEF, or put it into PATH")
    return _checked(path, _stamp(path))


def command() -> NoReturn:
    """The command leontief of a wheel: the program in the package, in the place of Python."""
    path = os.path.join(_HERE, "bin", _NAME)
    if os.name == "nt":  # there a process can not become another program
        try:
            sys.exit(subprocess.call([path] + sys.argv[1:]))
        except KeyboardInterrupt:  # it has had the interrupt too
            sys.exit(130)
    os.execv(path, [path] + sys.argv[1:])


def _stamp(path: str) -> int:
    return os.stat(path).st_mtime_ns


@functools.lru_cache(maxsize=8)
def _checked(path: str, _stamp: int) -> str:
    """path, once the program there has said that it speaks our protocol."""
    try:
        asked = subprocess.run([path, "version", "--format", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Error("%s can not be run: %s" % (path, e)) from None
    try:
        said = json.loads(asked.stdout)
        spoken, version = said["leontief"], said["version"]
    except (ValueError, KeyError, TypeError):
        raise Error("%s does not say which protocol it speaks: it is another program, or a version of leontief "
                    "without one. Build it again (make build)" % path) from None
    if spoken != PROTOCOL:
        raise Error("%s is leontief %s and speaks protocol %s, and this package %d: take both of one version"
                    % (path, version, spoken, PROTOCOL))
    return path


def flags(options: Mapping[str, Any]) -> List[str]:
    """Keyword arguments as flags: ``jobs=5`` is ``--jobs 5``, ``verify=True`` is
    ``--verify``, ``policies=["a", "b"]`` is ``--policies a,b``, and what is None or False
    is left out."""
    out = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            out.append(flag)
        elif isinstance(value, Mapping):
            out.extend("%s=%s=%s" % (flag, k, v) for k, v in value.items())
        elif isinstance(value, (list, tuple)):
            out.append(flag + "=" + ",".join(map(str, value)))
        elif value is not None and value is not False:
            out.append("%s=%s" % (flag, value))
    return out


def environ() -> Dict[str, str]:
    """The variables that leontief is run with: rules in Python, which it starts, find this
    package, wherever they are started."""
    paths = [os.path.dirname(_HERE)] + [p for p in [os.environ.get("PYTHONPATH")] if p]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run(arguments: Sequence[str], text: Optional[str] = None) -> str:
    """Runs leontief and returns its standard output. What it says on standard error
    without an error goes to ours. An interrupt is leontief's to end with; a second one
    ends it at once."""
    command = [binary()] + list(arguments)
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ())
    given = None if text is None else text.encode("utf-8")
    try:
        out, errors = program.communicate(given)
    except KeyboardInterrupt:
        try:
            program.wait()
        finally:
            program.kill()
        raise
    except BaseException:
        program.kill()
        raise
    said = errors.decode("utf-8", "replace")
    if program.returncode != 0:
        fail(said, program.returncode, command)
    sys.stderr.write(said)
    return out.decode("utf-8")


def fail(said: str, status: int, command: Sequence[str]) -> NoReturn:
    """Raises the error that a program ended with."""
    message = said.strip()
    if message.startswith("leontief: "):
        message = message[len("leontief: "):]
    raise Error(message or "leontief ended with status %d" % status, status, command)
