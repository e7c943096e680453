/* SPDX-License-Identifier: MIT */
// sdk.mjs GENERATION MODE TRANSPORT TRACE BIG: the official client of a generation (1 or 2) in a mode (legacy, auto, modern)
// asks a server over pipes (TRANSPORT is the program) or HTTP (an address) and checks what it gets.
import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020.js';

const [generation, mode, transport, trace, big] = process.argv.slice(2);
const isHttp = transport.startsWith('http');

async function makeClient() {
	if (generation === '1') {
		const {Client} = await import('@modelcontextprotocol/sdk/client/index.js');
		const {StdioClientTransport} = await import('@modelcontextprotocol/sdk/client/stdio.js');
		const {StreamableHTTPClientTransport} = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
		const client = new Client({name: 'test', version: '1'});
		await client.connect(isHttp ? new StreamableHTTPClientTransport(new URL(transport))
			: new StdioClientTransport({command: transport, args: ['mcp']}));
		return client;
	}
	const {Client, StreamableHTTPClientTransport} = await import('@modelcontextprotocol/client');
	const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio');
	const negotiation = mode === 'modern' ? {pin: '2026-07-28'} : mode;
	const client = new Client({name: 'test', version: '1'}, {versionNegotiation: {mode: negotiation}});
	await client.connect(isHttp ? new StreamableHTTPClientTransport(new URL(transport))
		: new StdioClientTransport({command: transport, args: ['mcp']}));
	return client;
}

const client = await makeClient();
const {tools} = await client.listTools();
const names = tools.map((tool) => tool.name);
for (const name of ['open_trace', 'findings', 'analyze', 'sql', 'skill', 'diff', 'describe', 'plan_capture'])
	assert(names.includes(name), name);
assert(tools.every((tool) => tool.annotations.destructiveHint === false));

// A validator of another author than ours, besides that of the client.
const ajv = new Ajv({strict: false});
const conforms = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
async function call(name, args, options) {
	const reply = await client.callTool(...(generation === '1' ? [{name, arguments: args}, undefined, options]
		: [{name, arguments: args}, options]));
	if (!reply.isError) {
		assert(conforms.get(name)(reply.structuredContent), JSON.stringify(conforms.get(name).errors));
		assert.deepEqual(JSON.parse(reply.content[0].text), reply.structuredContent);
	}
	return reply;
}

const told = [];
const opened = await call('open_trace', {path: big}, {onprogress: (p) => told.push(p.progress), timeout: 60000});
assert(!opened.isError, JSON.stringify(opened));
assert(told.length > 0 && told.every((n, i) => i === 0 || n > told[i - 1]), `progress ${told}`);
const {trace: handle} = (await call('open_trace', {path: trace})).structuredContent;
for (const [tool, args] of [['findings', {trace: handle}], ['analyze', {verb: 'kernels', trace: handle, limit: 3}],
	['sql', {trace: handle, query: 'SELECT count(*) AS n FROM kernels'}], ['describe', {name: 'kernels'}],
	['plan_capture', {trace: handle, program: 'python train.py'}]])
	assert.equal((await call(tool, args)).isError, false, tool);
const wrong = await call('analyze', {verb: 'kernelz', trace: handle});
assert(wrong.isError && wrong.content[0].text.includes('did you mean'));
await assert.rejects(call('no_such_tool', {}));

// A call that is cancelled: the server goes on to answer.
const stop = new AbortController();
const endless = call('sql', {trace: handle, seconds: 30,
	query: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c'}, {signal: stop.signal});
setTimeout(() => stop.abort('enough'), 300);
await assert.rejects(endless);
const began = Date.now();
assert.equal((await call('describe', {name: 'overlap'})).isError, false);
assert((await call('findings', {trace: handle})).isError === false);
assert(Date.now() - began < 20000, `after a cancellation: ${Date.now() - began} ms`);

const {resources} = await client.listResources();
assert(resources.some((r) => r.uri === 'warplens://verb/kernels'));
const page = await client.readResource({uri: 'warplens://verb/kernels'});
assert(page.contents[0].text.startsWith('# kernels'));
await assert.rejects(client.readResource({uri: 'warplens://verb/none'}));
assert((await client.listResourceTemplates()).resourceTemplates.length > 0);
const {prompts} = await client.listPrompts();
assert.deepEqual(prompts.map((p) => p.name), ['diagnose', 'compare', 'explain_step']);
const prompt = await client.getPrompt({name: 'diagnose', arguments: {trace: 'x.sqlite'}});
assert(prompt.messages[0].content.text.includes('x.sqlite'));
const done = await client.complete({ref: {type: 'ref/resource', uri: 'warplens://verb/{name}'},
	argument: {name: 'name', value: 'ker'}});
assert.deepEqual(done.completion.values, ['kernels']);
assert(client.getInstructions().includes('open_trace'));
await client.close();
console.log(`client ${generation} ${mode} ${isHttp ? 'http' : 'stdio'}: ${told.length} reports of progress`);
