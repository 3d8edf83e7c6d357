"""Checks that the alerts in deploy/alerts.yaml fire when they should, and that they and deploy/grafana.json use
metrics that the server has."""

import json
import re
import subprocess
import tempfile
import time
import unittest
import urllib.request

from running import DEPLOY, TOP, server

# Metrics created by Prometheus.
ITS_OWN = {"up"}


class MonitoringTests(unittest.TestCase):
    def test_the_rules_are_well_formed_and_raise_what_they_should(self):
        for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]):
            done = subprocess.run(["promtool", *command], cwd=DEPLOY, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_is_tested(self):
        names = re.findall(r"alert: (\w+)", (DEPLOY / "alerts.yaml").read_text())
        tests = (DEPLOY / "alerts_test.yaml").read_text()
        self.assertGreater(len(names), 5)
        for name in names:
            self.assertIn(f'alertname="{name}"', tests)

    def test_every_figure_that_is_asked_for_is_one_of_the_server(self):
        asked = set(re.findall(r"\b(?:serialscan|process)_\w+", (DEPLOY / "alerts.yaml").read_text()))
        for panel in json.loads((DEPLOY / "grafana.json").read_text())["panels"]:
            for target in panel.get("targets", []):
                asked |= set(re.findall(r"\b(?:serialscan|process)_\w+", target["expr"]))
        with tempfile.TemporaryDirectory() as folder, server(folder, "--workers", "1") as (port, _, _):
            picture = TOP / "testdata/pictures/etched_clean_1.jpg"
            command = ["curl", "-sf", "-F", f"image=@{picture}", f"http://127.0.0.1:{port}/process-serial"]
            subprocess.run(command, check=True, capture_output=True)
            told = self.figures(port)
        self.assertGreater(len(asked), 10)
        self.assertEqual(asked - told - ITS_OWN, set())

    @staticmethod
    def figures(port):
        """Returns the names of all metrics, after a first photo has been read."""
        end = time.monotonic() + 20
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                told = set(re.findall(r"^(\w+)", answer.read().decode(), re.MULTILINE))
            if "serialscan_readings_total" in told or time.monotonic() > end:
                return told
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
