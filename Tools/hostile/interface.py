"""The server's API description (/openapi.json): the operations, and the schemas of responses."""

import io
import json
import re
import zipfile

import jsonschema

# Statuses that any request can get before it reaches an endpoint.
EVERYWHERE = {400, 404, 405, 408, 413, 414, 415, 431, 501, 505}


class Operation:
    """One method on one path."""

    def __init__(self, method, path, description):
        self.method, self.path = method.upper(), path
        self.parameters = description.get("parameters", [])
        self.bodies = description.get("requestBody", {}).get("content", {})
        self.responses = description["responses"]

    def __str__(self):
        return f"{self.method} {self.path}"


class Interface:
    """The description, and checks of responses against it."""

    def __init__(self, text):
        self.document = json.loads(text)
        self.operations = [
            Operation(method, path, description)
            for path, methods in sorted(self.document["paths"].items())
            for method, description in sorted(methods.items())
            if method in ("get", "post", "put", "patch", "delete")
        ]
        for operation in self.operations:
            operation.parameters = [self.resolved(parameter) for parameter in operation.parameters]
        self.validators = {}

    def resolved(self, value):
        """Returns the target of a reference."""
        while isinstance(value, dict) and "$ref" in value:
            target = self.document
            for name in value["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            value = target
        return value

    def problem(self, operation, method, answer):
        """Returns the problem with a response, or None. `operation` is None if the request reached no endpoint."""
        if answer.status == 500:
            return "500"
        if answer.status >= 400:
            return self.error_problem(operation, method, answer)
        if operation is None:
            return None
        response = self.resolved(operation.responses.get(str(answer.status)))
        if response is None:
            return f"{answer.status} is not documented"
        if method == "HEAD":
            return "HEAD was answered with a body" if answer.body else None
        content = response.get("content")
        if not content:
            return f"{answer.status} has a body and should have none" if answer.body else None
        media = answer.media_type
        if media not in content and not any(fits(media, one) for one in content):
            return f"{answer.status} came as {media or 'nothing'}, not as {' or '.join(content)}"
        return self.content_problem(media, content.get(media, {}).get("schema"), answer.body)

    def error_problem(self, operation, method, answer):
        if operation and str(answer.status) not in operation.responses and answer.status not in EVERYWHERE:
            return f"{answer.status} is not documented"
        if (
            answer.status in (429, 503)
            and operation
            and "retry-after" not in answer.headers
            and operation.path
            not in (
                "/health",
                "/readyz",
            )
        ):
            return f"{answer.status} without Retry-After"
        if method == "HEAD":
            return "HEAD was answered with a body" if answer.body else None
        if answer.media_type != "application/json":
            return f"{answer.status} came as {answer.media_type or 'nothing'}"
        response = self.resolved(operation.responses.get(str(answer.status))) if operation else None
        schema = response["content"]["application/json"]["schema"] if response and "content" in response else ERROR
        problem = self.content_problem("application/json", schema, answer.body)
        if problem is None and schema is ERROR and json.loads(answer.body)["status_code"] != answer.status:
            return "status_code is another than the status"
        return problem

    def content_problem(self, media, schema, body):
        if media == "application/json":
            try:
                value = json.loads(body, parse_constant=refuse)
            except ValueError as error:
                return f"the JSON can't be read: {error}"
            key = json.dumps(schema, sort_keys=True)
            if key not in self.validators:
                whole = {**(schema or {}), "components": self.document.get("components", {})}
                self.validators[key] = jsonschema.Draft202012Validator(whole)
            error = next(self.validators[key].iter_errors(value), None)
            return f"at {'.'.join(map(str, error.path)) or 'the top'}: {error.message[:200]}" if error else None
        if media.endswith("spreadsheetml.sheet"):
            try:
                zipfile.ZipFile(io.BytesIO(body)).testzip()
            except (zipfile.BadZipFile, OSError) as error:
                return f"the spreadsheet can't be opened: {error}"
        if media.startswith("text/"):
            try:
                body.decode()
            except UnicodeDecodeError as error:
                return f"the text is not UTF-8: {error}"
        return None


ERROR = {
    "type": "object",
    "required": ["detail", "error_code", "status_code"],
    "properties": {
        "detail": {"type": "string", "minLength": 1},
        "error_code": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"},
        "status_code": {"type": "integer"},
    },
}


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def fits(media, pattern):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), media or "") is not None
