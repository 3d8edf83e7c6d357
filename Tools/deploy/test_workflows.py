"""Checks that the workflows in .github/workflows only run existing Makefile targets and scripts."""

import os
import re
import unittest

import yaml
from running import TOP


class WorkflowTests(unittest.TestCase):
    def test_each_step_runs_a_target_or_a_script_that_is_there(self):
        targets = set(re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
        ran = []
        for file in (TOP / ".github/workflows").glob("*.yml"):
            for job in yaml.safe_load(file.read_text())["jobs"].values():
                ran += [step["run"].split() for step in job["steps"] if "run" in step]
        for words in ran:
            if words[0] == "make":
                self.assertIn(words[1], targets)
            elif "/" in words[0]:
                self.assertTrue(os.access(TOP / words[0], os.X_OK), words[0])
        self.assertIn([".ci/run"], ran)


if __name__ == "__main__":
    unittest.main()
