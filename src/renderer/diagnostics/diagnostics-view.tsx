import { useEffect, useState } from 'preact/hooks'
import type { Account } from '#shared/core/account.ts'
import type { Diagnostics, Exchange } from '#shared/core/diagnosis.ts'
import { exactTime } from '#shared/core/time.ts'
import { type Finding, findings } from '#shared/core/views/findings.ts'
import { counted, dateWords, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { PageBar, ScrollRegion, usePageFocus } from '../parts/page-bar.tsx'
import { useBusy } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'

/** How often the page refreshes itself. */
const askEveryMs = 5_000

/** What Belfry knows about itself and this computer, for when something doesn't work. */
export function DiagnosticsView() {
  const [found, setFound] = useState<Diagnostics | null>(null)
  const [busy, during] = useBusy()
  const page = usePageFocus<HTMLDivElement>()
  const ask = async (thorough: boolean): Promise<boolean> => {
    const result = await call.diagnose({ thorough })
    if (result.ok)
      setFound((before) => ({ ...result.value, disk: result.value.disk ?? before?.disk ?? null }))
    else toastFailure(result.failure)
    return result.ok
  }
  useEffect(() => {
    void ask(false)
    const timer = setInterval(() => void ask(false), askEveryMs)
    return () => clearInterval(timer)
  }, [])
  const check = async () => {
    if (!(await during(ask(true)))) return
    toast('Everything was checked. Accounts are being updated now.')
  }
  const save = async () => {
    const result = await during(call.saveDiagnostics({}))
    if (!result.ok) toastFailure(result.failure)
    else if (result.value) toast('The report was saved. It holds no keys, messages or names.')
  }
  const list =
    found === null
      ? []
      : findings(appState.value, found, now.value).toSorted(
          (one, other) => worstFirst.indexOf(one.state) - worstFirst.indexOf(other.state),
        )
  return (
    <section class="page" aria-label="Diagnostics">
      <PageBar title="Diagnostics" />
      <div class="page-scroll diagnostics" ref={page} tabIndex={-1}>
        <div class="button-row">
          <Button kind="primary" busy={busy} onClick={() => void check()}>
            Check this computer
          </Button>
          <Button busy={busy} onClick={() => void save()}>
            Save a report
          </Button>
        </div>
        {found !== null && (
          <>
            <p role="status">{summary(list)}</p>
            <ul class="findings" aria-label="What was found">
              {list.map((finding) => (
                <FindingLine key={finding.name} finding={finding} />
              ))}
            </ul>
            {appState.value.accounts.map((account) => (
              <Requests
                key={account.id}
                account={account}
                exchanges={found.exchanges.get(account.id) ?? []}
              />
            ))}
            <h2 class="group-label">Versions</h2>
            <dl class="versions">
              {found.facts.versions.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </div>
    </section>
  )
}

function summary(list: readonly Finding[]): string {
  const count = (wanted: Finding['state']) => list.filter(({ state }) => state === wanted).length
  const [failed, warnings] = [count('failed'), count('warning')]
  const parts = [
    ...(failed > 0 ? [`${counted(failed, 'thing')} not working`] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return parts.join(', ') || 'Everything works.'
}

const worstFirst: readonly Finding['state'][] = ['failed', 'warning', 'ok']
const stateWords = { ok: 'Works', warning: 'Warning', failed: 'Fails' } as const
const stateSigns = { ok: '✓', warning: '!', failed: '✕' } as const

function FindingLine({ finding }: { readonly finding: Finding }) {
  const { name, state, says, todo } = finding
  return (
    <li class={`finding finding-${state}`}>
      <span class="finding-sign" aria-hidden="true">
        {stateSigns[state]}
      </span>
      <div>
        <p>
          <strong dir="auto">{name}</strong>
          <span class="visually-hidden"> {stateWords[state]}:</span> {says}
        </p>
        {todo !== '' && <p class="field-help">{todo}</p>}
      </div>
    </li>
  )
}

function Requests(props: { readonly account: Account; readonly exchanges: readonly Exchange[] }) {
  const { account, exchanges } = props
  return (
    <section aria-label={`Requests of ${account.label}`}>
      <h2 class="group-label" dir="auto">
        {account.label}
      </h2>
      {exchanges.length === 0 ? (
        <p class="field-help">No request yet.</p>
      ) : (
        <ScrollRegion class="requests" label={`Latest requests, ${account.label}`}>
          <table>
            <thead>
              <tr>
                {['Time', 'Request', 'Response', 'ms', 'Bytes', 'Left'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {exchanges.map((exchange) => (
                <Request key={`${exchange.at} ${exchange.path}`} exchange={exchange} />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </section>
  )
}

function Request({ exchange }: { readonly exchange: Exchange }) {
  const { at, method, path, outcome, ms, bytes, left } = exchange
  const failed = typeof outcome === 'string' || outcome >= 400
  return (
    <tr>
      <td title={exactTime(at)}>{dateWords(at, { timeStyle: 'medium' })}</td>
      <td class="raw">
        {method} {path}
      </td>
      <td class={failed ? 'request-failed' : ''}>{outcome}</td>
      <td>{numberWords(Math.round(ms))}</td>
      <td>{numberWords(bytes)}</td>
      <td>{left === null ? '' : numberWords(left)}</td>
    </tr>
  )
}
