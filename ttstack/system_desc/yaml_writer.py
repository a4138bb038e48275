"""Values as YAML that people read: a line for each field, lists of plain values in brackets."""

from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    def represent_list(self, data: Any) -> yaml.SequenceNode:
        """Represent lists in brackets, unless they have mappings."""
        flow = not any(isinstance(value, dict) for value in data)
        return self.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flow)


_Dumper.add_representer(list, _Dumper.represent_list)


def to_yaml(values: Any) -> str:
    """Return the text of plain values, in the order that they have."""
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, default_flow_style=False, width=160, allow_unicode=True)
