// Shows the API documentation from /openapi.json. Only in English, like that file.
const make = (tag, attributes = {}, ...children) => {
	const node = Object.assign(document.createElement(tag), attributes);
	node.append(...children);
	return node;
};
// Creates text in which backticks mark code.
const prose = (text) =>
	make(
		"span",
		{},
		...(text || "").split("`").map((part, index) => index % 2 ? make("code", { textContent: part }) : part),
	);
let api;
const resolve = (value) =>
	value && value.$ref ? value.$ref.slice(2).split("/").reduce((node, key) => node[key], api) : value;

// Returns an example value for a schema.
function example(schema, depth = 0) {
	schema = resolve(schema);
	if (!schema || depth > 8) return null;
	if (schema["x-error-codes"]) return schema["x-error-codes"][0];
	if ("const" in schema) return schema.const;
	if (schema.enum) return schema.enum[0];
	if (schema.anyOf) return example(schema.anyOf[0], depth);
	const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
	if (type === "object") {
		return Object.fromEntries(
			Object.entries(schema.properties || {}).map(([key, value]) => [key, example(value, depth + 1)]),
		);
	}
	if (type === "array") return [example(schema.items, depth + 1)];
	if (type === "integer") return schema.minimum ?? 1;
	if (type === "number") return 0.98;
	if (type === "boolean") return true;
	return {
		"date-time": "2026-01-31T12:00:00Z",
		uuid: "3f2b8c1e-0d4a-4c59-9e57-1b2a6f0c7d10",
		date: "2026-01-31",
	}[schema.format] || "text";
}

const rows = (heads, lines) =>
	make(
		"table",
		{},
		make("tr", {}, ...heads.map((head) => make("th", { textContent: head }))),
		...lines.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))),
	);

function typeOf(schema) {
	if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
	schema = resolve(schema);
	if (schema.enum) return schema.enum.join(" | ");
	const range = [schema.minimum, schema.maximum].some((bound) => bound !== undefined)
		? ` ${schema.minimum ?? ""}…${schema.maximum ?? ""}`
		: "";
	return (schema.format || [].concat(schema.type).join(" | ")) + range;
}

function operation(path, method, op) {
	const body = make("div", {}, make("p", {}, prose(op.description)));
	if (op.parameters) {
		body.append(
			make("h3", { textContent: "Parameters" }),
			rows(
				["name", "in", "type", ""],
				op.parameters.map((
					item,
				) => [
					make("code", { textContent: item.name + (item.required ? " *" : "") }),
					item.in,
					typeOf(item.schema),
					prose(item.description),
				]),
			),
		);
	}
	for (const [type, content] of Object.entries(op.requestBody?.content || {})) {
		const schema = resolve(content.schema);
		body.append(make("h3", { textContent: `Body: ${type}` }));
		if (!schema.properties) {
			body.append(make("p", {}, prose(schema.description || typeOf(schema))));
			continue;
		}
		body.append(
			rows(
				["name", "type", ""],
				Object.entries(schema.properties).map(([name, value]) => [
					make("code", { textContent: name + (schema.required?.includes(name) ? " *" : "") }),
					typeOf(value),
					prose(value.description),
				]),
			),
		);
	}
	body.append(make("h3", { textContent: "Responses" }));
	const errors = [];
	for (const [status, answer] of Object.entries(op.responses)) {
		if (answer["x-error-codes"]) {
			errors.push([make("code", { textContent: status }), prose(answer.description)]);
			continue;
		}
		body.append(
			make(
				"p",
				{},
				make("code", { textContent: status }),
				` ${answer.description}${answer.content ? ` (${Object.keys(answer.content).join(", ")})` : ""}`,
			),
		);
		const json = answer.content?.["application/json"];
		if (json) body.append(make("pre", { textContent: JSON.stringify(example(json.schema), null, 2) }));
	}
	if (errors.length) body.append(rows(["error", ""], errors));
	return make(
		"details",
		{ id: `${method}${path}` },
		make(
			"summary",
			{},
			make("span", { className: `method ${method}`, textContent: method.toUpperCase() }),
			make("code", { textContent: path }),
			make("span", { className: "text", textContent: op.summary }),
		),
		body,
	);
}

const main = document.getElementById("main");

function show(description) {
	api = description;
	document.getElementById("about").append(prose(api.info.description));
	main.replaceChildren();
	for (const tag of api.tags) {
		main.append(make("h2", { textContent: tag.name }), make("p", { textContent: tag.description }));
		for (const [path, methods] of Object.entries(api.paths)) {
			for (const [method, op] of Object.entries(methods)) {
				if (op.tags.includes(tag.name)) main.append(operation(path, method, op));
			}
		}
	}
}

// Only a failed request is the server's fault.
fetch("openapi.json").then((response) => response.ok ? response.json() : Promise.reject(response)).then(show, () => {
	main.textContent = "The API description can't be loaded. Is the server running?";
}).catch((error) => {
	main.textContent =
		"This page can't show the API description because of an error in the page. Open openapi.json instead.";
	throw error;
});
