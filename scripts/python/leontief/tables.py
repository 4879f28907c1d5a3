"""Result tables and ledgers: pandas where it is there, else lists of records."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
from typing import Any, Callable, Dict, List, Optional, Union

from .program import run, flags

Records = List[Dict[str, Any]]

# The columns whose type is always the same (docs/reference/results.md).
_TEXT = frozenset(("experiment", "item", "policy", "user", "metric", "unit", "workload", "job_id"))
_DOUBLE = frozenset(("value", "time_s", "weight", "cpu", "mem", "gpu", "standalone_us", "jct_factor", "bandwidth_mhz"))


def results(folder: "Union[str, os.PathLike[str]]", table: Optional[str] = None, *, frame: Optional[bool] = None, **options: Any) -> Any:
    """A result table, a row a value: a pandas.DataFrame where pandas is there, else a list
    of dictionaries (*frame* asks for the one or the other). *table* is its name without
    .parquet, needed where the folder has several; of a simulation ``"completions"`` has a
    row a job and rule. Options are flags of ``leontief export``: ``where="n=10..50"``, …

    What is absent is None, in a column of doubles of a DataFrame NaN, and in one of
    integers or truth values pandas.NA. A column of a parameter has the first of these types
    that all of its values have: truth value, integer, double, text."""
    call = ["export", os.fspath(folder), "--csv"] + flags({"table": table, "raw": table != "completions", **options})
    lines = list(csv.reader(io.StringIO(run(call), newline="")))
    names, rows = lines[0], lines[1:]
    columns = {name: _typed(name, [row[i] for row in rows]) for i, name in enumerate(names)}
    return _table(columns, len(rows), frame)


def ledger(folder: "Union[str, os.PathLike[str]]", *, frame: Optional[bool] = None, **options: Any) -> Any:
    """The ledger of a reproduction, an entry a row: published, ours, low, high, verdict,
    why, … as :func:`results` returns it. Options are flags of ``leontief ledger``:
    ``item=["table3"]``, ``verdict="differs"``."""
    entries: Records = json.loads(run(["ledger", os.fspath(folder)] + flags({"format": "json", "verdict": "all", **options})))["entries"] or []
    names = list(dict.fromkeys(name for entry in entries for name in entry))
    return _table({name: [entry.get(name) for entry in entries] for name in names}, len(entries), frame)


def _typed(name: str, texts: List[str]) -> List[Any]:
    """The values of a column of CSV, where an empty text is an absent value."""
    kinds: List[Callable[[str], Any]] = [_truth, int, float]
    if name in _TEXT:
        kinds = []
    elif name in _DOUBLE:
        kinds = [float]
    for kind in kinds:
        try:
            return [None if text == "" else kind(text) for text in texts]
        except ValueError:
            pass
    return [None if text == "" else text for text in texts]


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _table(columns: Dict[str, List[Any]], n: int, frame: Optional[bool]) -> Any:
    pandas: Any = None
    if frame is not False:
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            if frame:
                raise
    if pandas is None:
        return [{name: values[i] for name, values in columns.items()} for i in range(n)]
    return pandas.DataFrame({name: pandas.Series(values, dtype=_dtype(name, values)) for name, values in columns.items()})


def _dtype(name: str, values: List[Any]) -> str:
    """The type of a column in pandas."""
    kinds = {type(v) for v in values} - {type(None)}
    absent = None in values
    if kinds == {bool}:
        return "boolean" if absent else "bool"
    if kinds == {int}:
        return "Int64" if absent else "int64"
    if name in _DOUBLE or kinds and kinds <= {int, float}:
        return "float64"
    return "object"
