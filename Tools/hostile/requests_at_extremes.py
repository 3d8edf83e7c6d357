"""Requests generated from the API description: valid ones, ones with a field at its extremes, and mixtures."""

import base64
import json
import random
import uuid
from urllib.parse import quote

import make
import values

# Names of response fields that contain values for parameters with a different name.
SAME = {
    "name": ["csv_path", "summary_path", "debug_image_path"],
    "serial_id": ["id"],
    "id": ["serial_id"],
    "cursor": ["next_cursor"],
}
# These take minutes of work, so valid requests are sent only occasionally.
COSTLY = {"/evaluate", "/params/sweep"}
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


class Requests:
    """The possible requests, with values from the responses so far."""

    def __init__(self, interface, photos):
        self.interface, self.photos = interface, photos
        self.known = {}

    def learn(self, answer):
        """Collects ids and names from a response for later requests."""

        def walk(value, name):
            if isinstance(value, dict):
                for key, inner in value.items():
                    walk(inner, key)
            elif isinstance(value, list):
                for inner in value[:3]:
                    walk(inner, name)
            elif isinstance(value, (str, int)) and (
                name.endswith("id") or name.endswith("_path") or name.endswith("cursor")
            ):
                kept = self.known.setdefault(name, [])
                kept.append(value.rsplit("/", 1)[-1] if isinstance(value, str) else value)
                del kept[:-5]

        if answer.status < 300 and answer.json is not None:
            walk(answer.json, "")

    def values_known(self, name):
        for other in [name, *SAME.get(name, [])]:
            if self.known.get(other):
                return {name: self.known[other]}
        return {name: [str(uuid.UUID(int=7))]} if name.endswith("id") else {}

    def valid(self, operation, **changes):
        """Returns a valid request, except for the parameters and fields in `changes`."""
        query, headers, path = [], [], operation.path
        for parameter in operation.parameters:
            name, schema = parameter["name"], self.interface.resolved(parameter.get("schema", {}))
            if name in changes:
                value = changes[name]
            elif parameter.get("required") or random.random() < 0.3:
                value = quote(text(values.valid(name, schema, self.values_known(name))), safe="")
            else:
                continue
            if parameter["in"] == "path":
                path = path.replace("{" + name + "}", value)
            elif parameter["in"] == "query":
                query.append(f"{name}={value}")
            elif parameter["in"] == "header" and value.isprintable():
                headers.append(f"{name}: {value[:8000]}")
        query += changes.get("+query", [])
        kind, body = self.body(operation, changes)
        method = changes.get("+method", operation.method)
        if operation.path in COSTLY and method in ("GET", "POST") and not changes and random.random() < 0.95:
            query.append("dir=none")
            body = body and body.replace(b'"small"', b'"none"')
        target = path + ("?" + "&".join(query) if query else "")
        return whole(method, target, headers + changes.get("+headers", []), changes.get("+type", kind), body)

    def body(self, operation, changes):
        """Returns the body's media type and bytes."""
        if "+body" in changes:
            return next(iter(operation.bodies), "application/json"), changes["+body"]
        media = sorted(operation.bodies)
        if not media:
            return None, b""
        kind = media[0] if len(media) == 1 or random.random() < 0.7 else random.choice(media)
        schema = self.interface.resolved(operation.bodies[kind].get("schema", {}))
        fields = {}
        for name, inner in schema.get("properties", {}).items():
            inner = self.interface.resolved(inner)
            if name in changes:
                fields[name] = changes[name]
            elif name in schema.get("required", []) or random.random() < 0.3:
                fields[name] = json.dumps(self.value(name, inner))
        if kind == "application/json":
            parts = [f"{json.dumps(name)}:{value}" for name, value in fields.items()] + changes.get("+fields", [])
            return kind, ("{" + ",".join(parts) + "}").encode("utf-8", "surrogatepass")
        return "multipart/form-data; boundary=b", self.form_body(fields)

    def value(self, name, schema):
        if name == "image":
            return base64.b64encode(random.choice(self.photos)).decode()
        if name == "dir":
            return "small"
        return values.valid(name, schema, self.values_known(name))

    def form_body(self, fields):
        body = b""
        for name, value in fields.items():
            content = value.strip('"').encode("utf-8", "surrogatepass")
            if name == "image":
                content = random.choice(self.photos) if random.random() < 0.1 else b"\xff\xd8\xff\xd9"
            body += b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), content)
        return body + b"--b--\r\n"

    def form(self, body):
        """Returns a multipart body for an operation that accepts one."""
        operation = random.choice([one for one in self.interface.operations if "multipart/form-data" in one.bodies])
        return operation, self.valid(operation, **{"+body": body, "+type": "multipart/form-data; boundary=b"})

    def fields(self, operation):
        """Returns every parameter and field of an operation, with the values to try."""
        for parameter in operation.parameters:
            schema = self.interface.resolved(parameter.get("schema", {}))
            yield (
                parameter["name"],
                [value for value in values.query_values(schema) if parameter["in"] != "path" or "#" not in value],
            )
        for kind, content in operation.bodies.items():
            if kind == "application/json":
                schema = self.interface.resolved(content.get("schema", {}))
                for name, inner in schema.get("properties", {}).items():
                    tried = values.json_values(self.interface.resolved(inner))
                    yield name, tried + (odd_pictures() if name == "image" else [])

    def systematic(self):
        """Returns requests for each value of each field, with the others valid, in random order."""
        plan = [(operation, {}) for operation in self.interface.operations for _ in range(20)]
        for operation in self.interface.operations:
            for name, tried in self.fields(operation):
                plan += [(operation, {name: value}) for value in tried]
            plan += [(operation, {"+body": body}) for body in values.WHOLE_BODIES]
            plan += [(operation, {"+type": kind}) for kind in values.MEDIA_TYPES]
            plan += [(operation, {"+method": method}) for method in METHODS]
            for parameter in operation.parameters:
                if parameter["in"] == "query":
                    for first, second in (("1", "2"), ("", "x"), ("%00", "1"), ("true", "false")):
                        name = parameter["name"]
                        plan.append((operation, {"+query": [f"{name}={first}", f"{name}={second}"]}))
                        plan.append(
                            (
                                operation,
                                {"+query": [f"{name}[]={first}", f"{name}%00={second}", name, "=", f"{name}=="]},
                            )
                        )
        random.shuffle(plan)
        for operation, changes in plan:
            yield self.request(operation, changes)

    def mixed(self):
        """Returns a request with several extreme fields, occasionally with a repeated or unknown one."""
        operation = random.choice(self.interface.operations)
        changes = {}
        places = list(self.fields(operation))
        for name, tried in random.sample(places, random.randint(0, min(3, len(places)))):
            changes[name] = random.choice(tried)
        if random.random() < 0.1:
            changes["+query"] = [
                f"{random.choice(['x', '', '%00', 'limit'])}={random.choice(values.query_values({}))}"
            ] * random.randint(1, 40)
        if random.random() < 0.1:
            changes["+fields"] = [
                f'"{random.choice(["serial", "x", "", "dir"])}":{random.choice(values.json_values({}))}'
            ]
        if random.random() < 0.05:
            changes["+method"] = random.choice(METHODS)
        return self.request(operation, changes)

    def request(self, operation, changes):
        method = changes.get("+method", operation.method)
        request = self.valid(operation, **changes)
        # With another method, or a changed path, it may reach another operation or none.
        leaves = any(parameter["in"] == "path" and parameter["name"] in changes for parameter in operation.parameters)
        if leaves or method not in (operation.method, "HEAD") or (method == "HEAD" and operation.method != "GET"):
            return None, method, request
        return operation, method, request


def odd_pictures():
    """Returns JSON strings with base64 of pictures of one pixel, of sixty million, with too long a side, and
    truncated; and with invalid base64."""
    pictures = [
        make.png(1, 1, 1, 0, make.zeros(2)),
        make.png(10_000, 6_000, 1, 0, make.zeros(6_000 * 1_251)),
        make.png(100_000, 1, 1, 0, make.zeros(12_501)),
        make.png(64, 64, 8, 0, make.zeros(65 * 32)),
    ]
    encoded = [base64.b64encode(picture).decode() for picture in pictures]
    return [
        json.dumps(one)
        for one in encoded + [encoded[0][:-3], "data:image/png;base64," + encoded[0], "====", "A" * 65_537]
    ]


def text(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def whole(method, target, headers, kind, body):
    """Returns the bytes of a request with the correct length."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    lines += [f"Content-Length: {len(body)}", "X-Whole: 1"]
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body
