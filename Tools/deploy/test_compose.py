"""Checks that the program accepts the settings in deploy/compose.yaml. Starts no container."""

import os
import subprocess
import unittest

import yaml
from running import DEPLOY, PROGRAM


class ComposeTests(unittest.TestCase):
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    own = {name: service for name, service in services.items() if service["image"].startswith("serialscan")}

    def test_there_are_two_servers_and_workers(self):
        commands = sorted(service["command"][0] for service in self.own.values())
        self.assertEqual(commands, ["serve", "serve", "work"])

    def test_each_command_is_one_of_the_program(self):
        for service in self.own.values():
            subprocess.run([PROGRAM, *service["command"], "--help"], check=True, capture_output=True)

    def test_each_variable_is_a_setting_and_its_value_is_taken(self):
        for name, service in self.own.items():
            variables = {key: self.filled(value) for key, value in service["environment"].items()}
            outside = {key: value for key, value in os.environ.items() if not key.startswith("SERIALSCAN_")}
            printed = subprocess.run(
                [PROGRAM, "config", "--changed"],
                env={**outside, **variables},
                check=True,
                capture_output=True,
                text=True,
            )
            for key in variables:
                if key.startswith("SERIALSCAN_"):
                    self.assertIn(f"# {key}\n", printed.stdout, name)
                else:
                    self.assertEqual(key, "PGPASSWORD")

    @staticmethod
    def filled(value):
        """Substitutes variables as Compose does with `.env`."""
        return value.replace("${POSTGRES_PASSWORD:?}", "secret").replace("${NAME:-localhost}", "localhost")

    def test_every_service_that_is_named_is_there(self):
        for service in self.services.values():
            self.assertLessEqual(set(service.get("depends_on", [])), set(self.services))
        for word in self.services["proxy"]["command"]:
            if word.endswith(":8000"):
                self.assertIn(word.removesuffix(":8000"), self.services)


if __name__ == "__main__":
    unittest.main()
