"""The mutation run wants mutmut, which no test needs: nobody collects its modules."""

collect_ignore_glob = ["*.py"]
