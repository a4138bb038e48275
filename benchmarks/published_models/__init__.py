"""Whole models, predicted beside what others measured: `python -m benchmarks.published_models CSV [NAME ...]`."""
