import { useEffect, useRef, useState } from 'preact/hooks'
import { readPings } from '#shared/api/monitoring/read-history.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { reportKey } from '#shared/core/outages/discuss.ts'
import { updateDue } from '#shared/core/outages/incident.ts'
import { reportText, updateText } from '#shared/core/outages/outage-report.ts'
import { call } from '../bridge.ts'
import { run, useRun } from '../run.ts'
import { appState, now } from '../window-state.ts'

/** The report that is being written. */
export interface ReportText {
  /** Null while it is being prepared. */
  readonly text: string | null
  readonly edit: (text: string) => void
  /** What was typed is thrown away for a new one; null where nothing was typed. */
  readonly anew: (() => void) | null
  /** It was sent: nothing is kept. */
  readonly done: () => void
}

/** The longest that a keystroke may be in this window only. */
const saveDelayMs = 200

/** Texts that main has not confirmed yet: the page may be left and opened again before it does. */
const unconfirmed = new Map<string, string>()

async function keep(ids: { accountId: string; checkId: string }, text: string): Promise<void> {
  const key = reportKey(ids.accountId, ids.checkId)
  const result = await call.saveReport({ ...ids, text })
  if (result.ok && unconfirmed.get(key) === text) unconfirmed.delete(key)
}

/** A prepared report, or what was typed of it before: closing the page loses nothing. */
export function useReport(account: MonitoringAccount, check: Check, limit: number): ReportText {
  const key = reportKey(account.id, check.id)
  const [typed, setTyped] = useState<string | null>(() => {
    const text = unconfirmed.get(key) ?? appState.peek().drafts.get(key) ?? ''
    return text === '' ? null : text
  })
  const prepared = usePrepared(account, check, limit)
  const waiting = useRef<{ text: string; timer: ReturnType<typeof setTimeout> } | null>(null)
  const save = (text: string) => void keep({ accountId: account.id, checkId: check.id }, text)
  const stop = () => {
    if (waiting.current !== null) clearTimeout(waiting.current.timer)
    const left = waiting.current?.text ?? null
    waiting.current = null
    return left
  }
  const saveWaiting = () => {
    const left = stop()
    if (left !== null) save(left)
  }
  useEffect(() => saveWaiting, [])
  return {
    text: typed ?? prepared,
    edit(text) {
      setTyped(text)
      unconfirmed.set(key, text)
      // Not anew with each keystroke: whoever types without a pause would be saved at the end only.
      const timer = waiting.current?.timer ?? setTimeout(() => saveWaiting(), saveDelayMs)
      waiting.current = { text, timer }
    },
    anew:
      typed === null
        ? null
        : () => {
            stop()
            setTyped(null)
            unconfirmed.set(key, '')
            save('')
          },
    done() {
      stop()
      unconfirmed.delete(key)
    },
  }
}

/** Made once, when all that it needs was read: it must not change under the reader's eyes. */
function usePrepared(account: MonitoringAccount, check: Check, limit: number): string | null {
  const [text, setText] = useState<string | null>(null)
  const reads = account.keyKind !== 'readOnly' && check.writable
  const pings = useRun(
    reads ? 'pings' : null,
    () => run(account.id, 'listPings', { uuid: check.id }),
    (reply) => readPings(reply).items,
  )
  const withBody = (pings.value ?? []).filter(({ hasBody, n }) => hasBody && n !== null)
  const n = (withBody.find(({ kind }) => kind === 'fail') ?? withBody[0])?.n ?? null
  const body = useRun(
    reads && n !== null ? `body ${n}` : null,
    () => run(account.id, 'getPingBody', { uuid: check.id, n: n ?? 0 }),
    (reply) => reply,
  )
  const ready =
    (!reads || pings.value !== null || pings.failure !== null) &&
    (n === null || body.value !== null || body.failure !== null)
  useEffect(() => {
    if (!ready || text !== null) return
    const state = appState.peek()
    const serverNow = now.peek() + (state.boards.get(account.id)?.serverOffsetMs ?? 0)
    const incident = updateDue(state, account.id, check, now.peek())
    setText(
      incident === null
        ? reportText({
            check,
            project: account.label,
            // Without the uuid, which is a secret: the service finds the check by its key as well.
            webUrl: `${account.baseUrl.replace(/\/+$/, '')}/cloaked/${check.id}/`,
            serverNow,
            pings: pings.value ?? [],
            output: body.value,
            limit,
          })
        : updateText(check, incident.since, serverNow),
    )
  }, [ready])
  return text
}
