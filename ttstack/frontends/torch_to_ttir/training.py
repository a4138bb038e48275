"""What to do about ops in the form that they have in training alone."""

_EVAL = "call model.eval() before the model is compiled, or train it with ttstack.compile_step"

OF_MODULES = _EVAL
DROPOUT = f"{_EVAL}; where its code calls F.dropout itself, pass training=self.training, as that is True by default"
ATTENTION = f"{_EVAL}; where its code passes dropout_p itself, pass 0.0 unless self.training"
STATISTICS = f"{_EVAL}; a norm that keeps no running statistics needs track_running_stats=True, and some training"
