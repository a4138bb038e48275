"""Workarounds for ops in their training form."""

_EVAL = "call model.eval() before the model is compiled, or train it with ttstack.compile_step"

OF_MODULES = _EVAL
DROPOUT = f"{_EVAL}; if its code calls F.dropout, pass training=self.training, because the default is True"
ATTENTION = f"{_EVAL}; if its code passes dropout_p, pass 0.0 unless self.training"
STATISTICS = f"{_EVAL}; a norm that keeps no running statistics needs track_running_stats=True, and some training"
