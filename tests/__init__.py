"""The tests mirror the package: tests/<room>/test_<module>.py."""
