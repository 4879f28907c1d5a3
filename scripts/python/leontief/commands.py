"""What leontief does, as functions."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from .environment import Environment
from .program import binary, environ, fail, flags, run

#: An environment, its JSON as a dictionary, or the path of its file.
Given = Union[Environment, Mapping[str, Any], str, "os.PathLike[str]"]
Policies = Union[str, Sequence[str]]


def allocate(env: Given, policy: Policies, **options: Any) -> Any:
    """Divides one environment by a rule, and returns the allocation of docs/model.md as a
    dictionary. Of several rules it is a list, with ``{"policy": …, "error": …}`` for one
    that refuses the environment. Options are flags of ``leontief allocate``.

    An environment that is refused is an :class:`Error` with status 2."""
    call = ["allocate", "-"] + flags({"policy": policy, "format": "json", **options})
    return json.loads(run(call, json.dumps(_data(env), allow_nan=False)))


def allocate_many(envs: Iterable[Given], policy: Policies, *, workers: Optional[int] = None, **options: Any) -> Iterator[Any]:
    """Divides environments on all cores: yields, in their order, what :func:`allocate`
    returns, and ``{"error": …}`` for one that is refused. One process is used, and envs
    may be endless: a few hundred are read ahead."""
    call = [binary(), "allocate", "--stream"] + flags({"policy": policy, "workers": workers, **options})
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environ()) as program:
        feeder = _Feeder(envs, program)
        feeder.start()
        try:
            for line in program.stdout or ():
                yield json.loads(line)
            status = program.wait()
        finally:  # also where the caller wants no more
            program.kill()
            program.wait()
            feeder.join()
        if feeder.error is not None:
            raise feeder.error
        if status != 0:
            errors.seek(0)
            fail(errors.read().decode("utf-8", "replace"), status, call)


class _Feeder(threading.Thread):
    """Writes environments to a program, a line each."""

    def __init__(self, envs: Iterable[Given], program: "subprocess.Popen[bytes]") -> None:
        super().__init__(daemon=True)
        self.envs = envs
        self.program = program
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        to = self.program.stdin
        assert to is not None
        try:
            for env in self.envs:
                line = json.dumps(_data(env), allow_nan=False).encode("utf-8") + b"\n"
                try:
                    to.write(line)
                except OSError:
                    break  # the program has ended, and its status says why
        except BaseException as e:  # of the iterable, or what is no environment
            self.error = e
        with contextlib.suppress(OSError):
            to.close()


def simulate(out: "Union[str, os.PathLike[str]]", *, cluster: Given, policies: Policies, **options: Any) -> pathlib.Path:
    """Replays a workload on a cluster (an environment without users) under rules, as
    ``leontief simulate`` does; returns the folder *out*, which :func:`results` reads.
    Options are its flags: ``workload="fitted"``, ``jobs=100``, ``model="whole"``,
    ``slot="1h"``, ``seed=2``, …"""
    with _named(cluster) as path:
        run(["simulate"] + flags({"progress": "none", **options, "cluster": path, "policies": policies, "out": os.fspath(out)}))
    return pathlib.Path(out)


def sweep(spec: "Union[str, os.PathLike[str], Mapping[str, Any]]", out: "Union[str, os.PathLike[str], None]" = None, **options: Any) -> pathlib.Path:
    """Runs every scenario of a spec (its file, the name of one that is shipped, or its
    content as a dictionary, with paths from the current folder), as ``leontief sweep`` does; returns the folder, which
    :func:`results` reads: *out*, by default results/NAME. Scenarios that are there are not
    run again. Options are its flags: ``set={"bandwidth": 3}``, ``instances=10``, …"""
    with _named(spec) as path:
        said = run(["sweep", path] + flags({"progress": "none", **options, "out": out}))
    return pathlib.Path(out if out is not None else said.rpartition("Results in ")[2].rpartition(": ")[0])


def _data(env: Given) -> Any:
    """The JSON of an environment."""
    if isinstance(env, Environment):
        return env.data
    if isinstance(env, (str, os.PathLike)):
        with open(env, encoding="utf-8-sig") as f:
            return json.load(f)
    return env


@contextlib.contextmanager
def _named(given: Given) -> Iterator[str]:
    """The path of a file that holds what was given."""
    if isinstance(given, (str, os.PathLike)):
        yield os.fspath(given)
        return
    # In this folder, from which the paths in a spec are then understood.
    handle, path = tempfile.mkstemp(prefix=".leontief-", suffix=".json", dir=os.curdir)
    try:
        with open(handle, "w", encoding="utf-8") as f:
            json.dump(_data(given), f, allow_nan=False)
        yield path
    finally:
        os.remove(path)
