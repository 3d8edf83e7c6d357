"""Checks that /openapi.json is valid, and that a client generated from it scans a photo without changes."""

import importlib
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import uuid
from pathlib import Path

from openapi_spec_validator import validate

ROOT = Path(__file__).resolve().parents[2]
PHOTO = ROOT / "testdata" / "pictures" / "etched_clean_1.jpg"
SERIAL = "G0NKP62BLGMZ"
# Maximum number of model files: more means that schemas lack names.
MOST_MODELS = 120


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = Path(cls.folder.name)
        port = free_port()
        cls.address = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(
            [
                os.environ["PROGRAM"],
                "serve",
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--data",
                str(folder / "data"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{cls.address}/openapi.json", timeout=10) as answer:
                    cls.text = answer.read()
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise AssertionError("the server does not start") from None
                time.sleep(0.1)
        cls.description = json.loads(cls.text)
        (folder / "openapi.json").write_bytes(cls.text)
        (folder / "config.yaml").write_text("post_hooks: []\n")
        generated = subprocess.run(
            [
                "openapi-python-client",
                "generate",
                "--path",
                folder / "openapi.json",
                "--output-path",
                folder / "generated",
                "--meta",
                "none",
                "--config",
                folder / "config.yaml",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        cls.output = generated.stdout + generated.stderr
        cls.generated = folder / "generated"
        sys.path.insert(0, str(folder))

    def operation(self, name):
        """Returns the generated module of an operation."""
        topics = [
            operation["tags"][0]
            for methods in self.description["paths"].values()
            for operation in methods.values()
            if operation["operationId"] == name
        ]
        file = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
        return importlib.import_module(f"generated.api.{topics[0]}.{file}")

    def test_description_is_valid(self):
        validate(self.description)

    def test_every_operation_is_generated(self):
        for methods in self.description["paths"].values():
            for operation in methods.values():
                # openapi-python-client 0.29.1 omits an import if a body can have one of two media types.
                if len(operation.get("requestBody", {}).get("content", {})) < 2:
                    self.assertTrue(hasattr(self.operation(operation["operationId"]), "sync_detailed"))
        self.assertNotIn("will not be generated", self.output)

    def test_models_are_few(self):
        models = [file.name for file in (self.generated / "models").glob("*.py") if file.name != "__init__.py"]
        self.assertLessEqual(len(models), MOST_MODELS, models)

    def test_generated_client_scans_a_photo(self):
        client = importlib.import_module("generated").Client(base_url=self.address)
        models = importlib.import_module("generated.models")
        file = importlib.import_module("generated.types").File
        form = models.PhotoForm(
            image=file(payload=io.BytesIO(PHOTO.read_bytes()), file_name="photo.jpg", mime_type="image/jpeg")
        )
        sent = self.operation("SendAPhoto").sync(client=client, body=form, idempotency_key=str(uuid.uuid4()))
        self.assertIsInstance(sent, models.Scan)
        result = self.operation("AskForAResult").sync(sent.job_id, client=client.with_timeout(90), wait=60.0)
        self.assertIsInstance(result, models.Result)
        self.assertEqual(result.status, models.JobStatus.COMPLETED)
        self.assertEqual(result.results.top_result.serial, SERIAL)
        jobs = self.operation("ListJobs").sync(client=client, limit=1, status=models.JobStatus.COMPLETED)
        self.assertEqual([job.serial for job in jobs.items], [SERIAL])

    def test_generated_client_knows_errors(self):
        client = importlib.import_module("generated").Client(base_url=self.address)
        models = importlib.import_module("generated.models")
        error = self.operation("AskForAResult").sync(uuid.uuid4(), client=client)
        self.assertIsInstance(error, models.Error)
        self.assertEqual(error.error_code, models.ErrorCode.JOB_NOT_FOUND)


if __name__ == "__main__":
    unittest.main()
