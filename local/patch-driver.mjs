/**
 * Patches the Postgres driver, postgres.js 3.4.9, in node_modules. It runs after every install and before every
 * `npm start` and `npm test`, in plain Node. Admin refuses to start on a driver without the patch.
 *
 * The driver was written for a server that stays. When a connection is lost it
 * - writes to the closed socket, which ends the process (https://github.com/porsager/postgres/issues/1066, /1154, /1208);
 * - keeps what was in flight, so that the pool has one usable connection less;
 * - sends the rest of an open transaction through the next connection, where every statement commits by itself;
 * - ends a cursor as if all rows had been read.
 * And it waits for an answer forever. `answer_timeout` (seconds) limits the wait: for a connection of the pool and for
 * the answer together, or for the next rows.
 *
 * Invariant: a file is patched as a whole or not at all, and patching it again changes nothing.
 */
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const patchedVersion = '3.4.9';
const driver = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', 'postgres');

/** Each text occurs once in its file. */
const changes = {
  'src/connection.js': [
    {
      why: 'A lost connection is forgotten: nothing is left to be written, and whatever was in flight has failed.',
      from: `
    socket.removeAllListeners()
    socket = null

    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    closedTime = performance.now()
    hadError && options.shared.retries++
    delay = (typeof backoff === 'function' ? backoff(options.shared.retries) : backoff) * 1000
`,
      to: `
    socket.removeAllListeners()
    socket = null
    chunk = nextWriteTimer = null
    rows = 0
    result = new Result()
    stopWaiting()

    closedTime = performance.now()
    hadError && options.shared.retries++
    delay = (typeof backoff === 'function' ? backoff(options.shared.retries) : backoff) * 1000
    if (initial && !initial.cancelled) {
      query = results = errorResponse = null
      return reconnect()
    }

    (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    query = results = errorResponse = initial = null
`,
    },
    {
      why: 'Nothing is written to a socket that is closed.',
      from: `
  function nextWrite(fn) {
`,
      to: `
  function nextWrite(fn) {
    if (!socket)
      return chunk = nextWriteTimer = null

`,
    },
    {
      why: 'The first query of a connection may have given up while the connection was being made.',
      from: `initial && !initial.reserve && execute(initial)`,
      to: `initial && !initial.reserve && (initial.cancelled ? onopen(connection) : execute(initial))`,
    },
    {
      why: 'The types are read for the driver itself: where that fails, nobody else handles the rejection.',
      from: `return fetchArrayTypes()
`,
      to: `return fetchArrayTypes().catch(err => (errored(err), socket && socket.destroy()))
`,
    },
    {
      why: 'A cursor goes on only on its own connection, and the time that its reader takes is not the server’s.',
      from: `
    try {
      const x = await Promise.resolve(query.cursorFn(result))
      rows = 0
      x === CLOSE
        ? write(Close(query.portal))
        : (result = new Result(), write(Execute('', query.cursorRows)))
    } catch (err) {
`,
      to: `
    const suspended = query
    stopWaiting()
    try {
      const x = await Promise.resolve(query.cursorFn(result))
      if (query !== suspended)
        return
      rows = 0
      waitForAnswer()
      x === CLOSE
        ? write(Close(query.portal))
        : (result = new Result(), write(Execute('', query.cursorRows)))
    } catch (err) {
      if (query !== suspended)
        return suspended.reject(err)
`,
    },
    {
      why: 'A server that owes an answer and says nothing is given up, with the connection.',
      from: `
  function connectTimedOut() {
`,
      to: `
  function waitForAnswer(since = performance.now()) {
    stopWaiting()
    if (options.answer_timeout)
      answerTimer = setTimeout(unanswered, Math.max(0, since + options.answer_timeout * 1000 - performance.now()))
  }

  function stopWaiting() {
    clearTimeout(answerTimer)
    answerTimer = null
  }

  function unanswered() {
    error(Errors.connection('ANSWER_TIMEOUT', options, socket))
    socket && socket.destroy()
  }

  function connectTimedOut() {
`,
    },
    {
      why: 'The wait begins with a statement …',
      from: `
        : (query = q, query.active = true)

      build(q)
`,
      to: `
        : (query = q, query.active = true, waitForAnswer(q.asked))
      clearTimeout(q.waiting)

      build(q)
`,
    },
    {
      why: '… begins again with every piece of its answer …',
      from: `
  function data(x) {
`,
      to: `
  function data(x) {
    answerTimer && waitForAnswer()
`,
    },
    {
      why: '… and ends with the answer,',
      from: `
    result = new Result()
    connectTimer.cancel()
`,
      to: `
    result = new Result()
    connectTimer.cancel()
    stopWaiting()
`,
    },
    {
      why: 'where no other statement waits on the same connection.',
      from: `
    if (query)
      return // Consider opening if able and sent.length < 50
`,
      to: `
    if (query)
      return waitForAnswer(query.asked)
`,
    },
    {
      why: 'A BEGIN reserves its connection even where the connection takes no further statement (max_pipeline 0).',
      from: `
      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
      to: `
      const hasRoom = write(toBuffer(q))
      q.options.onexecute && q.options.onexecute(connection)
      return hasRoom
        && !q.describeFirst
        && !q.cursorFn
        && !q.options.onexecute
        && sent.length < max_pipeline
`,
    },
    {
      why: 'A query that has failed waits for nothing.',
      from: `
  function queryError(query, err) {
`,
      to: `
  function queryError(query, err) {
    clearTimeout(query.waiting)
`,
    },
    {
      why: 'The timer of all that.',
      from: `
    , nextWriteTimer = null
`,
      to: `
    , nextWriteTimer = null
    , answerTimer = null
`,
    },
  ],
  'src/index.js': [
    {
      why: 'The rest of a transaction whose connection is lost is refused.',
      from: `
        new Promise((_, reject) => connection.onclose = reject)
`,
      to: `
        new Promise((_, reject) => connection.onclose = error => {
          lost = error
          while (queries.length)
            queries.shift().reject(error)
          reject(error)
        })
`,
    },
    {
      why: 'By this it knows.',
      from: `
      , connection
      , prepare = null
`,
      to: `
      , connection
      , lost = null
      , prepare = null
`,
    },
    {
      why: 'Also its rollback.',
      from: `
        q.catch(e => uncaughtError || (uncaughtError = e))
        c.queue === full
`,
      to: `
        q.catch(e => uncaughtError || (uncaughtError = e))
        if (lost)
          return q.reject(lost)
        c.queue === full
`,
    },
    {
      why: 'The wait for a connection of the pool, free or made, counts as well.',
      from: `
      return query.reject(Errors.connection('CONNECTION_ENDED', options, options))

    if (open.length)
`,
      to: `
      return query.reject(Errors.connection('CONNECTION_ENDED', options, options))

    if (options.answer_timeout) {
      query.asked = performance.now()
      query.waiting = setTimeout(() => {
        queries.remove(query)
        query.cancelled = true
        query.reject(Errors.connection('ANSWER_TIMEOUT', options))
      }, options.answer_timeout * 1000)
    }

    if (open.length)
`,
    },
    {
      why: 'The option.',
      from: `
    connect_timeout : 30,
`,
      to: `
    connect_timeout : 30,
    answer_timeout  : null,
`,
    },
  ],
  'src/query.js': [
    {
      why: 'A cursor that has failed between two batches says so with the next one.',
      from: `
    let prev
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
`,
      to: `
    let prev
      , failed = null
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          if (failed)
            return Promise.reject(failed)

`,
    },
    {
      why: 'What it says then.',
      from: `
            this.reject = x => (this.active = false, reject(x))
          })
`,
      to: `
            this.reject = x => (this.active = false, failed = x, reject(x))
          })
`,
    },
  ],
};

export function patchDriver() {
  const { version } = JSON.parse(readFileSync(join(driver, 'package.json'), 'utf8'));
  if (version !== patchedVersion) throw new Error(`local/patch-driver.mjs is for postgres ${patchedVersion}, not ${version}`);
  for (const [name, list] of Object.entries(changes)) {
    const path = join(driver, name);
    const text = readFileSync(path, 'utf8');
    const patched = list.reduce((before, change) => apply(before, { ...change, name }), text);
    if (patched === text) continue;
    // Renamed into its place: a program that starts at this moment reads the old file or the new one.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, patched);
    renameSync(temporary, path);
  }
}

function apply(text, { name, from, to }) {
  if (text.split(to).length === 2) return text;
  if (text.split(from).length !== 2) throw new Error(`postgres/${name} does not have, once:\n${from}`);
  return text.replace(from, () => to);
}

const isRunByItself = realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url));
if (isRunByItself && existsSync(driver)) patchDriver();
