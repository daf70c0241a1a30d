// Real clients of Replicache against the server of the proof: one schedule for each seed.
//
// node driver.mjs COMPONENTS PYTHON FOLDER FIRST LAST
//
// Five clients, two of them tabs of one user, edit at random while a proxy drops, delays and
// doubles their requests, while some of them are offline, and while the server is killed. Then all
// go online, and each must come to show what is in the table. One line of JSON tells each schedule.

import {spawn} from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {isDeepStrictEqual} from 'node:util';
import {setTimeout as sleep} from 'node:timers/promises';

const [components, python, folder, first, last] = process.argv.slice(2);
const module = join(components, 'node_modules/replicache/out/replicache.js');
const {Replicache} = await import(pathToFileURL(module));

const USERS = ['u1', 'u1', 'u2', 'u3', 'u4'];
const STEPS = 60;
const TENANT = 'acme';
const PATIENCE_MS = 100_000;

const mutators = {
  write: (tx, {note_id, text}) => tx.set(`Note/${note_id}`, {tenant_id: TENANT, note_id, text}),
  refused: (tx, args) => mutators.write(tx, args),
  erase: (tx, note_id) => tx.del(`Note/${note_id}`),
  add: (tx, {name, amount}) => change(tx, 'Counter', name, 'total', amount),
  async move(tx, {source, target, amount}) {
    await change(tx, 'Account', source, 'balance', -amount);
    await change(tx, 'Account', target, 'balance', amount);
  },
};

async function change(tx, type, name, field, by) {
  const row = (await tx.get(`${type}/${name}`)) ?? {tenant_id: TENANT, name, [field]: 0};
  await tx.set(`${type}/${name}`, {...row, [field]: row[field] + by});
}

// Numbers from a seed, so that a schedule that fails can be run again.
function chance(seed) {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {below: n => Math.floor(next() * n), is: p => next() < p};
}

class Server {
  constructor(file, port) {
    this.command = ['-m', 'tests.sync.proof.server', file, String(port)];
    this.url = `http://127.0.0.1:${port}`;
  }

  start() {
    this.process = spawn(python, this.command, {stdio: ['pipe', 'ignore', 'inherit']});
    this.ended = new Promise(resolve => this.process.once('exit', resolve));
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async ready() {
    for (;;) {
      const answer = await fetch(`${this.url}/table`).catch(() => null);
      if (answer?.ok) return;
      if (this.process.exitCode !== null) throw new Error('the server did not start');
      await sleep(20);
    }
  }
}

// Stands between clients and server; a client is known by the first part of its path.
class Proxy {
  constructor(target, random, tally) {
    Object.assign(this, {target, random, tally, offline: new Set(), faults: true, late: new Set()});
    this.server = http.createServer((request, response) => this.handle(request, response));
  }

  async handle(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const [, client, path] = request.url.split('/');
    const send = () => this.forward(path.split('?')[0], request, Buffer.concat(parts));
    const lost = kind => (this.tally[kind]++, response.destroy());
    if (this.offline.has(Number(client))) return response.destroy();
    const fate = this.faults ? this.random.below(100) : 100;
    if (fate < 8) return lost('dropped');
    if (fate < 25) await sleep(this.random.below(80), this.tally.delayed++);
    if (fate >= 25 && fate < 45) this.again(send, this.random.below(200));
    const answer = await send();
    if (answer === null) return response.destroy();
    if (fate >= 45 && fate < 55) return lost('unanswered');
    response.writeHead(answer.status, {'content-type': 'application/json'}).end(answer.body);
  }

  // The same request once more, at the same time or later than others that were made after it.
  again(send, after) {
    this.tally.doubled++;
    const second = sleep(after).then(send);
    this.late.add(second);
    second.finally(() => this.late.delete(second));
  }

  // Resolves as soon as a push is on its way to the server.
  pushed() {
    return new Promise(resolve => (this.onPush = resolve));
  }

  async forward(path, request, body) {
    if (path === 'push') this.onPush?.();
    const headers = {authorization: request.headers.authorization};
    const options = {method: 'POST', headers, body};
    try {
      const answer = await fetch(`${this.target}/${path}`, options);
      if (answer.status >= 400) this.tally.refused++;
      return {status: answer.status, body: await answer.text()};
    } catch {
      this.tally.cut++; // the server is killed
      return null;
    }
  }
}

class Client {
  constructor(number, seed, proxy, tally) {
    const url = `${proxy}/${number}`;
    this.tally = tally;
    this.replicache = new Replicache({
      name: `${seed}-${USERS[number]}`,
      auth: USERS[number],
      kvStore: 'mem',
      pushURL: `${url}/push`,
      pullURL: `${url}/pull`,
      pushDelay: 5,
      pullInterval: 60,
      requestOptions: {minDelayMs: 5, maxDelayMs: 150},
      logSinks: [{log: () => {}}],
      mutators,
    });
    this.replicache.onClientStateNotFound = () => tally.forgotten++;
    this.replicache.onUpdateNeeded = () => tally.forgotten++;
    this.replicache.subscribe(tx => tx.scan({prefix: 'Account/'}).values().toArray(), accounts => {
      tally.shown++;
      if (accounts.reduce((sum, {balance}) => sum + balance, 0) !== 0) tally.torn++;
    });
  }

  async rows() {
    return Object.fromEntries(await this.replicache.query(tx => tx.scan().entries().toArray()));
  }

  async edit(random, expected) {
    const {mutate} = this.replicache;
    const note_id = `n${random.below(12)}`;
    const pick = random.below(10);
    this.tally.edits++;
    if (pick < 3) return mutate.write({note_id, text: `t${random.below(1000)}`});
    if (pick < 4) return mutate.erase(note_id);
    if (pick < 5) return mutate.refused({note_id: `x${random.below(3)}`, text: 'no'});
    if (pick < 7) {
      const [source, target] = random.is(0.5) ? ['a', 'b'] : ['b', 'c'];
      return mutate.move({source, target, amount: 1 + random.below(9)});
    }
    const [name, amount] = [`k${random.below(3)}`, 1 + random.below(99)];
    expected[`Counter/${name}`] = (expected[`Counter/${name}`] ?? 0) + amount;
    return mutate.add({name, amount});
  }
}

async function schedule(seed) {
  const random = chance(seed);
  const tally = {
    seed, edits: 0, plain: 0, offline: 0, kills: 0, cut: 0, refused: 0,
    dropped: 0, unanswered: 0, doubled: 0, delayed: 0, shown: 0, torn: 0, forgotten: 0,
  };
  const server = new Server(join(folder, `${seed}.db`), await freePort());
  server.start();
  await server.ready();
  // Of its own: how often it is asked depends on the clients' timing, and the edits must not.
  const proxy = new Proxy(server.url, chance(~seed), tally);
  await new Promise(resolve => proxy.server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${proxy.server.address().port}`;
  const clients = USERS.map((_, number) => new Client(number, seed, url, tally));
  const expected = {};
  try {
    await turmoil(random, clients, server, proxy, tally, expected);
    proxy.faults = false;
    proxy.offline.clear();
    await Promise.all(proxy.late);
    await converge(clients, server, expected, tally);
    clients.push(new Client(0, seed, url, tally)); // a tab that goes on from what others had
    await converge(clients, server, expected, tally);
  } finally {
    for (const {replicache} of clients) await replicache.close();
    proxy.server.closeAllConnections();
    await new Promise(resolve => proxy.server.close(resolve));
    await server.kill();
  }
  return tally;
}

async function turmoil(random, clients, server, proxy, tally, expected) {
  const killed = 10 + random.below(STEPS - 20);
  let restarted = Promise.resolve();
  for (let step = 0; step < STEPS; step++) {
    const number = random.below(clients.length);
    if (step === killed) {
      tally.kills++;
      restarted = restart(server, Promise.race([proxy.pushed(), sleep(300)]), random.below(15));
    } else if (random.is(0.1)) {
      if (!proxy.offline.delete(number)) (tally.offline++, proxy.offline.add(number));
    } else if (random.is(0.06)) {
      tally.plain++;
      const text = random.is(0.7) ? `p${step}` : '';
      const query = `note=n${random.below(12)}&text=${text}`;
      await fetch(`${server.url}/write?${query}`, {method: 'POST'}).catch(() => {});
    } else {
      await clients[number].edit(random, expected);
    }
    await sleep(random.below(40));
  }
  await restarted;
}

// Kills the server in the midst of a push, as a rule.
async function restart(server, begin, afterMs) {
  await begin;
  await sleep(afterMs);
  await server.kill();
  server.start();
  await server.ready();
}

// Nothing is pending, and every client shows the table.
async function converge(clients, server, expected, tally) {
  const started = Date.now();
  for (;;) {
    for (const {replicache} of clients) {
      replicache.push({now: true}).catch(() => {});
      replicache.pull({now: true}).catch(() => {});
    }
    await sleep(30);
    const {rows, skipped, torn} = await (await fetch(`${server.url}/table`)).json();
    const open = [];
    for (const [number, client] of clients.entries()) {
      const pending = await client.replicache.experimentalPendingMutations();
      if (pending.length) open.push(`client ${number} has ${pending.length} mutations pending`);
      else if (!isDeepStrictEqual(await client.rows(), rows)) open.push(`client ${number} differs`);
    }
    if (!open.length) {
      Object.assign(tally, {rows: Object.keys(rows).length, skipped, gaveUp: torn});
      return check(rows, expected);
    }
    if (Date.now() - started > PATIENCE_MS) {
      const shown = await Promise.all(clients.map(client => client.rows()));
      throw new Error(`${open.join(', ')}: ${JSON.stringify({rows, shown})}`);
    }
  }
}

// What was asked for was done once: sums tell what was lost or done twice.
function check(rows, expected) {
  const counted = Object.entries(rows).filter(([key]) => key.startsWith('Counter/'));
  const totals = Object.fromEntries(counted.map(([key, {total}]) => [key, total]));
  if (!isDeepStrictEqual(sorted(totals), sorted(expected)))
    throw new Error(`counted ${JSON.stringify(totals)}, expected ${JSON.stringify(expected)}`);
  const refused = Object.keys(rows).filter(key => key.startsWith('Note/x'));
  if (refused.length) throw new Error(`what was refused is there: ${refused}`);
}

const sorted = object => Object.entries(object).sort();

async function freePort() {
  const probe = net.createServer();
  await new Promise(resolve => probe.listen(0, '127.0.0.1', resolve));
  const {port} = probe.address();
  await new Promise(resolve => probe.close(resolve));
  return port;
}

for (let seed = Number(first); seed <= Number(last); seed++) {
  const started = Date.now();
  const tally = await schedule(seed).catch(error => ({seed, error: String(error.stack ?? error)}));
  console.log(JSON.stringify({...tally, ms: Date.now() - started}));
}
process.exit(0);
