# What is measured (cases.py), how the table looks (__main__.py, report.py), and the same cases for pytest-benchmark
# (test_speed.py). Does not depend on how the parser works.
"""The project's own measurements: `python -m benchmarks`."""
