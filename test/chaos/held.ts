import { existsSync, readFileSync } from 'node:fs'

/** A row of the fault table, and every place that proves it. */
export interface Row {
  readonly fault: string
  readonly what: string
  /** `matrix`, or `file: words of a test title`. */
  readonly by: readonly string[]
}

/** The whole table: rows outside the matrix are proven elsewhere, by the tests named here. */
export const rows: readonly Row[] = [
  { fault: 'F1', what: '500, 502, 503, 504', by: ['matrix'] },
  {
    fault: 'F2',
    what: '429 with Retry-After',
    by: [
      'matrix',
      'test/main/http/retry-delay.test.ts: is the requested Retry-After and a little more',
      'test/main/http/client.test.ts: from a project: %s',
    ],
  },
  {
    fault: 'F3',
    what: '429 without Retry-After',
    by: ['matrix', 'test/main/http/retry-delay.test.ts: is never close to zero'],
  },
  {
    fault: 'F4',
    what: 'key refused',
    by: ['matrix', 'test/app/app.test.ts: whose key is revoked is marked so, and reported once'],
  },
  { fault: 'F5', what: 'names not resolved', by: ['matrix'] },
  { fault: 'F6', what: 'connection refused', by: ['matrix'] },
  { fault: 'F7', what: 'reset or end in the middle', by: ['matrix'] },
  {
    fault: 'F8',
    what: 'cut body that looks complete',
    by: [
      'matrix',
      'test/fuzz/answers-over-http.long.test.ts: cut at any byte is never part of a board',
    ],
  },
  {
    fault: 'F9',
    what: 'half-open TCP',
    by: [
      'matrix',
      'test/main/chat/event-queue.test.ts: ignores one silent poll, and takes two for a dead connection',
    ],
  },
  {
    fault: 'F10',
    what: 'slow-loris',
    by: ['matrix', 'test/main/http/http-transport.test.ts: ends %s that drip byte by byte'],
  },
  {
    fault: 'F11',
    what: 'broken JSON',
    by: ['matrix', 'test/main/http/client.test.ts: never changes a prototype'],
  },
  {
    fault: 'F12',
    what: 'enormous body, bomb, stacked encodings',
    by: [
      'matrix',
      'test/main/http/http-transport.test.ts: larger than allowed is rejected, announced or not',
    ],
  },
  {
    fault: 'F13',
    what: 'deep nesting',
    by: [
      'matrix',
      'test/main/desktop/window/command-handler.test.ts: may not be nested more deeply than any command needs',
    ],
  },
  {
    fault: 'F14',
    what: 'captive portal',
    by: [
      'matrix',
      'test/main/http/http-transport.test.ts: does not follow a %i, and sends the key nowhere else',
    ],
  },
  {
    fault: 'F15',
    what: 'wrong but valid JSON',
    by: [
      'matrix',
      'test/app/app.test.ts: with one unreadable check shows the others and isn’t green',
    ],
  },
  {
    fault: 'F16',
    what: 'TLS',
    by: [
      'test/main/http/http-transport.test.ts: refuses a certificate from an unknown authority',
      'test/main/http/http-transport.test.ts: reports a server that does not use it',
    ],
  },
  {
    fault: 'F17',
    what: 'wall clock jumps',
    by: ['matrix', 'test/app/clocks.test.ts: that is set back doesn’t make old data fresh'],
  },
  {
    fault: 'F18',
    what: 'sleep and wake',
    by: [
      'matrix',
      'test/app/clocks.test.ts: reads all accounts within a second of a wake-up, however often the system reports it',
      'test/app/clocks.test.ts: sums up the night in one notification that leads to the list',
    ],
  },
  { fault: 'F19', what: 'queue lost, server restarts', by: ['matrix'] },
  {
    fault: 'F20',
    what: 'events twice, out of order, unknown',
    by: [
      'matrix',
      'test/shared/core/chat/chat-apply.test.ts: is the same after the same event twice, in whatever order',
    ],
  },
  {
    fault: 'F21',
    what: 'kill -9 in the middle of a write',
    by: [
      'test/kill/run.ts: intact',
      'test/main/storage/atomic-file.test.ts: is cleaned of what a killed process left, and of nothing else',
    ],
  },
  {
    fault: 'F22',
    what: 'disk full or read-only',
    by: [
      'matrix',
      'test/app/app.test.ts: text stays in the composer if it can’t be saved to disk',
      'test/main/storage/atomic-file.test.ts: that the disk refuses leaves the old one in place, and the write fails',
    ],
  },
  {
    fault: 'F23',
    what: 'settings damaged or newer',
    by: [
      'test/main/storage/saved-files.test.ts: survive damage to a file, and the user is told (%s)',
      'test/main/storage/saved-files.test.ts: is left alone, and this version keeps its own file beside it (%s)',
    ],
  },
  {
    fault: 'F24',
    what: 'key blob damaged',
    by: [
      'test/main/storage/vault.test.ts: loses only its unreadable accounts, and is copied first',
    ],
  },
  {
    fault: 'F25',
    what: 'no keyring',
    by: [
      'test/main/storage/vault.test.ts: keeps keys for this session only',
      'test/main/storage/vault.test.ts: is used with consent only, and what is there is marked',
    ],
  },
  {
    fault: 'F26',
    what: 'keyring locked',
    by: ['test/main/storage/vault.test.ts: is locked, and keeps the blob'],
  },
  {
    fault: 'F27',
    what: 'keyring or app name changed',
    by: [
      'test/main/storage/vault.test.ts: and is now %s is named, and the blob is kept',
      'test/main/storage/vault.test.ts: because the app was renamed is also reported',
    ],
  },
  {
    fault: 'F28',
    what: 'keyring wants to encrypt anew',
    by: ['test/main/storage/vault.test.ts: re-encrypts when the system has a newer key'],
  },
  {
    fault: 'F29',
    what: 'notification daemon absent, slow, restarted',
    by: [
      'test/main/desktop/notifications/dbus-notifier.test.ts: waits for a daemon that starts later, unless it is withdrawn first',
      'test/main/desktop/notifications/dbus-notifier.test.ts: is given up if the daemon never answers',
      'test/main/desktop/notifications/dbus-notifier.test.ts: reaches a restarted daemon, whose ids begin again',
    ],
  },
  {
    fault: 'F30',
    what: 'no tray, or its host restarts',
    by: [
      'test/main/desktop/notifications/dbus-notifier.test.ts: is present from the moment it appears until it goes',
    ],
  },
  {
    fault: 'F31',
    what: 'two instances',
    by: [
      'test/e2e/start.app.test.ts: shows the window of the first and exits, whatever its arguments',
    ],
  },
  {
    fault: 'F32',
    what: 'proxy of the system',
    by: [
      'test/main/http/http-transport.test.ts: gets the request instead of the server',
      'test/main/desktop/system/proxy.test.ts: %j is %s',
    ],
  },
  { fault: 'F33', what: 'broken IPv6', by: ['matrix'] },
  {
    fault: 'F34',
    what: 'renderer crashed or hung',
    by: [
      'test/e2e/crash.app.test.ts: is back, with a way to its place and its text',
      'test/e2e/crash.app.test.ts: that crashes again and again shows a plain page',
      'test/main/desktop/window/watchdog.test.ts: finds a page that hangs within two and a half seconds, once',
    ],
  },
  {
    fault: 'F35',
    what: 'bug in main',
    by: [
      'matrix',
      'test/e2e/crash.app.test.ts: that nobody caught is reported without its message, and the app carries on',
      'test/app/isolation.test.ts: is restarted, and the others are read as if nothing had happened',
    ],
  },
  {
    fault: 'F36',
    what: 'SIGTERM, logout',
    by: ['test/e2e/crash.app.test.ts: keeps what was typed and leaves no event queue behind'],
  },
  {
    fault: 'F37',
    what: 'no file handles left',
    by: [
      'test/app/few-handles.test.ts: an app that runs out of file handles says so, keeps its files, and recovers with the first free one',
    ],
  },
  {
    fault: 'F38',
    what: 'request budget',
    by: [
      'test/main/http/rate-limit.test.ts: never lets more than 60 through in any 60 seconds, and makes none wait for ever',
    ],
  },
  {
    fault: 'F39',
    what: 'renamed or deleted while one types',
    by: [
      'matrix',
      'test/app/app.test.ts: text that is unsent follows its topic when that is resolved',
    ],
  },
  {
    fault: 'F40',
    what: 'two servers fail, one recovers',
    by: [
      'matrix',
      'test/app/isolation.test.ts: doesn’t affect the checks if it is a chat, and recovers',
    ],
  },
  {
    fault: 'F41',
    what: '401 of a proxy, 404 of an ingress',
    by: [
      'matrix',
      'test/app/failed-reads.test.ts: a 401 of a proxy',
      'test/main/http/client.test.ts: 401 of a proxy',
      'test/main/chat/event-queue.test.ts: keeps its queue when a proxy answers 401',
    ],
  },
  {
    fault: 'F42',
    what: 'list empty, partial or from a cache',
    by: [
      'matrix',
      'test/app/doubted-lists.test.ts: from a cache makes the icon doubtful, never good',
      'test/app/doubted-lists.test.ts: brings no recovery while in doubt, and an outage within 10 s',
    ],
  },
  { fault: 'F43', what: 'two checks of one name', by: ['matrix'] },
  {
    fault: 'F44',
    what: 'bursts and gaps past every cap',
    by: [
      'matrix',
      'test/app/bursts.test.ts: each of 10,000 events in one response is decided (seed %i)',
      'test/app/bursts.test.ts: each personal message in a gap of $gap is decided',
    ],
  },
  {
    fault: 'F45',
    what: 'busy channel',
    by: [
      'test/app/busy-channel.test.ts: a direct message is notified within 5 s in $seconds s of 20 messages a second (clicks: $isClicking)',
      'test/app/busy-channel.test.ts: without the reserve for the event poll, it takes much longer',
      'test/app/busy-channel.test.ts: “live” isn’t shown while catching up waits for the request budget',
    ],
  },
  {
    fault: 'F46',
    what: 'slow disk',
    by: [
      'test/main/storage/slow-disk.long.test.ts: never blocks main: history, settings and drafts are written by other threads',
      'test/main/storage/slow-disk.long.test.ts: would block main if it waited for a sync itself (control)',
    ],
  },
  {
    fault: 'F47',
    what: 'account or computer cut off for long',
    by: [
      'test/app/blindness.test.ts: for ten minutes is reported once, and the notification is withdrawn when it can be read again',
      'test/app/blindness.test.ts: is one event for all accounts, and none remains when it is back',
      'test/app/blindness.test.ts: doesn’t count the time it slept',
    ],
  },
  {
    fault: 'F48',
    what: 'down and up between two reads',
    by: [
      'test/app/daily-jobs.test.ts: each outage of a daily job between two reads %i s apart is reported once',
      'test/app/missed-flips.test.ts: while the app was not running is reported after the start',
    ],
  },
  {
    fault: 'F49',
    what: 'kill -9 at the server’s side of a request',
    by: ['test/kill/service.ts: Where a request is when the app is killed'],
  },
  {
    fault: 'F50',
    what: 'an event queue that brings nothing, or counts anew',
    by: [
      'test/app/untold-messages.test.ts: of which no event comes, only heartbeats, is told within eight minutes',
      'test/main/chat/event-queue.test.ts: is registered again if the ids of its events begin anew',
    ],
  },
]

/** The places that the row names but that don't exist: without them it isn't proven. */
export function missingOf(row: Row, inMatrix: ReadonlySet<string>): string[] {
  return row.by.filter((place) => {
    if (place === 'matrix') return !inMatrix.has(row.fault)
    const [file = '', ...words] = place.split(': ')
    const path = new URL(`../../${file}`, import.meta.url)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(words.join(': '))
  })
}
