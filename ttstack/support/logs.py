"""Log channels, `ttstack.passes` and others, by Python's `logging`: silent by default.

`TTSTACK_LOG` or `-v` writes them to standard error; a program that uses ttstack can add its own handlers.
"""

import logging
import sys
import warnings
from collections.abc import Mapping

from ttstack.diagnostics import TTStackWarning
from ttstack.escape import printable
from ttstack.support.environment import LOG
from ttstack.support.suggestion import did_you_mean

CHANNELS: Mapping[str, str] = {
    "config": "the configuration file and the options in it",
    "plugins": "plug-ins that are loaded",
    "read": "the model that is read: kind, size, limits, parameters, seconds",
    "patterns": "files of patterns, and which of their patterns applied",
    "passes": "each pass: seconds, rewrites that it applied and declined",
    "folding": "values that are computed at compile time",
    "placement": "each function that is placed: ops, layouts in L1, predicted time, proven bound",
}
"""The content of each channel."""

ALL = "all"
_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG}
_ROOT = logging.getLogger("ttstack")
_ROOT.addHandler(logging.NullHandler())


class _StderrHandler(logging.Handler):
    """Writes to the current standard error, so that progress bars can make room for it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write `channel: message`."""
        channel = record.name.removeprefix("ttstack.")
        sys.stderr.write(printable(f"{channel}: {record.getMessage()}") + "\n")


_HANDLER = _StderrHandler()


def channel(name: str) -> logging.Logger:
    """Return the logger of a channel."""
    if name not in CHANNELS:
        raise ValueError(name)
    return _ROOT.getChild(name)


def write_logs(levels: Mapping[str, int]) -> None:
    """Write channels to standard error, each from a level on."""
    if _HANDLER not in _ROOT.handlers:
        _ROOT.addHandler(_HANDLER)
    for name, level in levels.items():
        channel(name).setLevel(level)


def stop_logs() -> None:
    """Write only the channels of the environment."""
    _ROOT.removeHandler(_HANDLER)
    for name in CHANNELS:
        channel(name).setLevel(logging.NOTSET)
    write_logs_of_environment()


def write_logs_of_environment() -> None:
    """Write the channels that `TTSTACK_LOG` names; warn of unknown names."""
    if (text := LOG.value) is None:
        return
    levels: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, level = part.partition("=")
        if name not in (*CHANNELS, ALL) or (level or "info") not in _LEVELS:
            hint = (
                did_you_mean(name, (*CHANNELS, ALL)) or f"channels: {', '.join(CHANNELS)}, {ALL}; levels: info, debug"
            )
            warnings.warn(f"{LOG.name} has '{part}', which is not a log channel; {hint}", TTStackWarning, stacklevel=2)
            continue
        levels |= dict.fromkeys(CHANNELS if name == ALL else (name,), _LEVELS[level or "info"])
    write_logs(levels)


write_logs_of_environment()
