"""Device descriptions: the data of a system for the compiler, the cost model and the runtime.

`load("wormhole")` gives a `SystemDesc`; its `chips` are `ChipDesc`. All figures stand in the presets,
each with its source, and none in code.
"""

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.load import load, loads, names, presets
from ttstack.system_desc.serialize import digest, dump, from_dict, to_dict
from ttstack.system_desc.system import HostDesc, LinkDesc, SystemDesc

__all__ = [
    "ChipDesc",
    "HostDesc",
    "LinkDesc",
    "SystemDesc",
    "digest",
    "dump",
    "from_dict",
    "load",
    "loads",
    "names",
    "presets",
    "to_dict",
]
