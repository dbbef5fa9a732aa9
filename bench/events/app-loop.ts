import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeat } from '../../src/main/base/beat.ts'
import type { Clock, Desktop } from '../../src/main/base/ports.ts'
import { RealmLink } from '../../src/main/chat/realm-session.ts'
import { createClient } from '../../src/main/http/client.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { createBudget } from '../../src/main/http/rate-limit.ts'
import { createWaker } from '../../src/main/http/wait.ts'
import { withPlaceFor } from '../../src/main/state/documents.ts'
import { recordHistory } from '../../src/main/state/history-record.ts'
import { LiveState } from '../../src/main/state/store.ts'
import { openHistory } from '../../src/main/storage/history-database.ts'
import { createJournal } from '../../src/main/storage/journal.ts'
import type { ChatAccount } from '../../src/shared/core/account.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Realm } from '../../src/shared/core/chat/realm.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import { emptyState } from '../../src/shared/core/state.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import type { Clockwork } from './clockwork.ts'

const accountId = 'chat'

interface Heard {
  readonly onPatch: (patch: Patch) => void
  readonly onNotice: (notice: Notice) => void
  readonly onRequest?: (request: HttpRequest) => void
  readonly onReply?: (reply: HttpReply, request: HttpRequest) => void
}

interface AppLoop {
  readonly realm: () => Realm
  stop(): Promise<void>
}

/**
 * The app's own path from the socket to the desktop, assembled as `App` and `connections.ts` do:
 * transport, client, event queue, reading, state, attention, patch, tray, notified state and
 * history (in SQLite). Two limits would hold back what is measured here and are lifted: the budget
 * of 150 requests a minute has no window, and pop-ups, at most three in 10 s, go by a clock that
 * advances by 4 s with each answer (`clockwork`).
 */
export async function followAsApp(
  base: string,
  heard: Heard,
  clock: Clock & Partial<Clockwork>,
): Promise<AppLoop> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-'))
  const onBug = (where: string, error: unknown): void => {
    throw new Error(`a bug in ${where}`, { cause: error })
  }
  const history = openHistory({
    file: join(folder, 'history.db'),
    now: clock.now,
    onTrouble: ({ text }) => onBug(text ?? 'disk', null),
  })
  const record = recordHistory({ stored: history, clock })
  const account = accountAt(base)
  const live = new LiveState({
    onDraftsChanged: () => undefined,
    initial: {
      state: withPlaceFor({ ...emptyState, accounts: [account] }, accountId, null),
      memory: emptyMemory,
      runs: new Map(),
    },
    desktop: desktopThat(heard),
    journal: createJournal({ write: async () => undefined }),
    record,
    clock,
    beat: createBeat((error) => onBug('beat', error)),
    onMissedTime: () => onBug('clock', null),
    onBug,
  })
  const http = createHttpTransport()
  const client = createClient({
    account,
    key: 'key',
    transport: async (request, signal) => {
      heard.onRequest?.(request)
      const reply = await http(request, signal)
      clock.moveOn?.()
      heard.onReply?.(reply, request)
      return reply
    },
    budget: createBudget({ limit: 150, windowMs: 0 }),
    clock,
    userAgent: 'Belfry/0.0.0',
  })
  const abort = new AbortController()
  const link = new RealmLink({
    accountId,
    client,
    get: live.get,
    update: live.update,
    trouble: live.trouble,
    persist: () => live.persist('outbox'),
    onRead: () => undefined,
    serverOffsetMs: () => 0,
    onFailure: (failure) => onBug('network', failure),
    onBug: (error) => onBug('chat', error),
    clock,
    waker: createWaker(),
    signal: abort.signal,
  })
  return {
    realm() {
      const realm = live.get().realms.get(accountId)
      if (realm === undefined) throw new Error('no realm')
      return realm
    },
    async stop() {
      abort.abort()
      await link.done
      live.stop()
      await history.settled()
      history.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function accountAt(baseUrl: string): ChatAccount {
  return {
    id: accountId,
    kind: 'chat',
    label: 'Chat',
    baseUrl,
    email: 'polonius@chat.example.org',
    images: false,
    key: 'present',
    protection: 'os',
    insecure: true,
    demo: false,
  }
}

/** A computer on which nothing takes time. */
function desktopThat({ onPatch, onNotice }: Heard): Desktop {
  return {
    showTray: () => undefined,
    pushPatch: onPatch,
    notify: onNotice,
    replace: () => undefined,
    withdraw: () => undefined,
    systemQuiet: () => false,
    screenLocked: () => false,
    onBattery: () => false,
    onSystemQuiet: () => undefined,
    notifiedBy: async () => ({ by: 'a bench', capabilities: [] }),
    showWindow: () => undefined,
    setZoom: () => undefined,
    takeKeys: async () => null,
    startsAtLogin: async () => false,
    setStartsAtLogin: async () => undefined,
    hideWindow: () => undefined,
    openLink: async () => undefined,
    copyText: () => undefined,
    ask: async () => true,
    chooseFile: async () => null,
    chooseFiles: async () => [],
    readChosenFile: async () => null,
    saveFile: async () => false,
    facts: async () => {
      throw new Error('a bench asks for none')
    },
    logs: async () => '',
    quit: () => undefined,
  }
}

/** The messages that a patch adds. */
export function* messagesIn(patch: Patch): Generator<{ id: number; text: string }> {
  for (const edit of patch) {
    const [root, , map] = edit.path
    if (root !== 'realms' || map !== 'messages' || !('set' in edit)) continue
    // What a patch sets at `realms/<id>/messages` are messages.
    for (const [, message] of edit.set) yield message as { id: number; text: string }
  }
}
