import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OperationId } from '#shared/api/catalogue.ts'
import type { RequestPreview } from '#shared/contract.ts'
import type { AccountId } from '#shared/core/account.ts'
import type { Upload } from '#shared/core/chat/upload.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { isRecord } from '#shared/core/schemas.ts'
import { counted, numberWords, percentWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button, CopyButton, useForAWhile } from '../parts/button.tsx'
import { FoldSummary } from '../parts/fold.tsx'
import { ScrollRegion } from '../parts/page-bar.tsx'
import { useRested, useRun } from '../run.ts'
import { appState } from '../window-state.ts'
import type { collect } from './operation-state.ts'

type Plain = Readonly<Record<string, unknown>>

/** Maximum number of table rows drawn; the raw JSON has more. */
const rowsDrawn = 200
/** Maximum length of the raw JSON, drawn or copied; a realm's history would freeze the window. */
const rawLimit = 100_000

/** Parameters sent in both spellings, since servers know one or the other and ignore its twin. */
const ownTwins: ReadonlySet<string> = new Set([
  'client_gravatar',
  'client_ext_avatar',
  'pygments_language',
  'syntax_language',
])

/** The response as a table, names and values, or text. */
export function ResultView({ reply }: { readonly reply: unknown }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [reply])
  const all = isRecord(reply) ? reply['ignored_parameters_unsupported'] : undefined
  const ignored = Array.isArray(all) ? all.map(String).filter((name) => !ownTwins.has(name)) : []
  const raw = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null, null, 2)
  const start = raw.slice(0, rawLimit)
  const rest = raw.length - start.length
  return (
    <section ref={box} class="result" aria-label="Result">
      <div class="result-head">
        <h3>Done</h3>
        <CopyButton text={start} label={rest > 0 ? 'Copy the beginning' : 'Copy result'} />
      </div>
      {ignored.length > 0 && (
        <p class="operation-note">The server ignored: {ignored.join(', ')}.</p>
      )}
      <Shown value={isRecord(reply) ? withoutEnvelope(reply) : reply} name="Result" depth={0} />
      {typeof reply !== 'string' && (
        <details class="request">
          <FoldSummary>Raw JSON</FoldSummary>
          <ScrollRegion class="scrolled" label="Raw JSON">
            <pre>
              {start}
              {rest > 0 && `\n… and ${counted(rest, 'more character')}`}
            </pre>
          </ScrollRegion>
        </details>
      )}
    </section>
  )
}

/** Removes what every response of the chat service has and nobody needs. */
function withoutEnvelope(reply: Plain): Plain {
  const { result: _result, msg, ignored_parameters_unsupported: _ignored, ...rest } = reply
  return msg === undefined || msg === '' ? rest : { msg, ...rest }
}

function Shown(props: { readonly value: unknown; readonly name: string; readonly depth: number }) {
  const { value, name, depth } = props
  if (typeof value === 'string' && value.includes('\n'))
    return <pre class="result-text">{value}</pre>
  if (Array.isArray(value) && value.some(isRecord))
    return <Table rows={value.filter(isRecord)} name={name} />
  if (isRecord(value) && depth < 3) return <Pairs value={value} depth={depth} />
  return <p class="result-text">{cellText(value)}</p>
}

function Pairs({ value, depth }: { readonly value: Plain; readonly depth: number }) {
  const entries = Object.entries(value)
  if (entries.length === 0) return <p class="field-help">The response is otherwise empty.</p>
  const simple = entries.filter(([, one]) => !isNested(one))
  return (
    <>
      {simple.length > 0 && (
        <dl class="result-pairs">
          {simple.map(([name, one]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{cellText(one)}</dd>
            </div>
          ))}
        </dl>
      )}
      {entries
        .filter(([, one]) => isNested(one))
        .map(([name, one]) => (
          <div key={name} class="result-part">
            <h4 class="group-label">{name}</h4>
            <Shown value={one} name={name} depth={depth + 1} />
          </div>
        ))}
    </>
  )
}

function Table({ rows, name }: { readonly rows: readonly Plain[]; readonly name: string }) {
  const drawn = rows.slice(0, rowsDrawn)
  const columns = [...new Set(drawn.flatMap(Object.keys))]
  return (
    <ScrollRegion class="result-table" label={`${name}, ${rows.length}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row, at) => (
            // The index will do as a key: the rows of a response never move.
            <tr key={at}>
              {columns.map((column) => (
                <td key={column} dir="auto" title={cellText(row[column])}>
                  {cellText(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > drawn.length && (
        <p class="field-help">and {numberWords(rows.length - drawn.length)} more</p>
      )}
    </ScrollRegion>
  )
}

/** Whether to show it on its own below the simple values. */
function isNested(value: unknown): boolean {
  if (isRecord(value)) return Object.keys(value).length > 0
  return (
    (Array.isArray(value) && value.some(isRecord)) ||
    (typeof value === 'string' && value.includes('\n'))
  )
}

function cellText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object')
    return Array.isArray(value) && !value.some((one) => typeof one === 'object')
      ? value.map(String).join(', ') || '–'
      : JSON.stringify(value)
  return String(value)
}

type Collected = ReturnType<typeof collect>

interface Request {
  readonly accountId: string
  readonly operation: string
}

/** How long typing pauses before the request is updated. */
const restMs = 150

/** The request that would be sent, without the key; follows the form while it is unfolded. */
export function RequestView(props: { request: Request; collected: Collected }) {
  const { request, collected } = props
  const [open, setOpen] = useState(false)
  const { accountId, operation } = request
  const params = useRested(collected.ok ? JSON.stringify(collected.params) : null, restMs)
  const { value, failure } = useRun(
    open && collected.ok && params !== null ? `${accountId} ${operation} ${params}` : null,
    () => call.previewRequest({ ...request, params: collected.ok ? collected.params : {} }),
    requestText,
  )
  const shown = failure === null ? value : failureSentence(failure)
  return (
    <details class="request" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <FoldSummary>Request</FoldSummary>
      {!collected.ok && <p class="field-help">Fill in the required fields to see it.</p>}
      {collected.ok && shown !== null && (
        <ScrollRegion class="scrolled" label="Request without the key">
          <pre>{shown}</pre>
        </ScrollRegion>
      )}
    </details>
  )
}

function requestText({ method, url, headers, body }: RequestPreview): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url}`, ...lines, ...(body === null || body === '' ? [] : ['', body])].join(
    '\n',
  )
}

interface CopyProps {
  readonly request: Request
  readonly collect: () => Collected
  /** Called with the errors by field, so that the form can point at them. */
  readonly onWrong: (errors: Readonly<Record<string, string>>) => void
}

/** Copies the request as a shell command that takes the key from `$KEY`, for the user to set. */
export function CopyAsCurl({ request, collect: read, onWrong }: CopyProps) {
  const [isCopied, setCopied] = useForAWhile<true>(2_000)
  const [problem, setProblem] = useState<string | null>(null)
  const copy = async () => {
    setProblem(null)
    const collected = read()
    if (!collected.ok) {
      onWrong(collected.errors)
      return
    }
    const preview = await call.previewRequest({ ...request, params: collected.params })
    if (!preview.ok) {
      if (preview.failure.kind === 'invalid')
        onWrong({ [preview.failure.field.split('.')[0] ?? '']: preview.failure.message })
      else setProblem(failureSentence(preview.failure))
      return
    }
    const copied = await call.copyText({ text: preview.value.curl })
    if (copied.ok) setCopied(true)
    else setProblem(failureSentence(copied.failure))
  }
  return (
    <Button
      kind="quiet"
      icon={isCopied ? 'done' : 'copy'}
      title="Copies a shell command that takes the key from $KEY."
      onClick={() => void copy()}
    >
      {problem ?? (isCopied ? 'Copied' : 'Copy as curl')}
    </Button>
  )
}

interface UploadFormProps {
  readonly id: OperationId
  readonly accountId: AccountId
  readonly by: 'multipart' | 'tus'
  /** Why the account can't do this now; null when it can. */
  readonly blocked: string | null
  /** The choice of the account, if there is one. */
  readonly children: ComponentChildren
}

/** A preview doesn't read the file, so any name will do. */
const anyFile = { ok: true, params: { file: 'FILE' } } as const

/** Replaces the fields if an operation sends a file: choose it, and watch or cancel the upload. */
export function UploadForm({ id, accountId, by, blocked, children }: UploadFormProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.querySelector('button')?.focus(), [])
  useEffect(() => setProblem(null), [accountId])
  const upload = appState.value.uploads.findLast(
    (one) => one.accountId === accountId && one.conversation === null,
  )
  const request = { accountId, operation: id }
  const choose = async () => {
    setProblem(null)
    const chosen = await call.chooseFile({})
    if (!chosen.ok) setProblem(failureSentence(chosen.failure))
    if (!chosen.ok || chosen.value === null) return
    const started = await call.startUpload({
      accountId,
      fileId: chosen.value.fileId,
      place: null,
      by,
    })
    if (!started.ok) setProblem(failureSentence(started.failure))
  }
  const cancel = (stopped: string) => {
    box.current?.querySelector<HTMLElement>('.button-primary')?.focus()
    void call.cancelUpload({ id: stopped }).then((result) => {
      if (!result.ok) setProblem(failureSentence(result.failure))
    })
  }
  return (
    <div ref={box} class="operation-scroll">
      {children}
      {blocked !== null && <p class="operation-note">{blocked}</p>}
      <div class="button-row">
        <Button
          kind="primary"
          disabled={blocked !== null}
          busy={upload?.state === 'sending'}
          onClick={() => void choose()}
        >
          Choose a file…
        </Button>
        <CopyAsCurl request={request} collect={() => anyFile} onWrong={() => undefined} />
      </div>
      {problem !== null && (
        <p class="operation-failed" role="alert">
          {problem}
        </p>
      )}
      <RequestView request={request} collected={anyFile} />
      {upload !== undefined && <Progress key={upload.id} upload={upload} onCancel={cancel} />}
    </div>
  )
}

function Progress({ upload, onCancel }: { upload: Upload; onCancel: (id: string) => void }) {
  const { id, name, sent, total, state, url, failure } = upload
  const percent = total === 0 ? 100 : Math.floor((100 * sent) / total)
  return (
    <section class="result" aria-label="Upload">
      <p dir="auto" class="result-text">
        {name}
      </p>
      {state === 'sending' && (
        <div class="row upload-progress">
          <progress max={100} value={percent} aria-label={`Upload of ${name}`} />
          <span>{percentWords(percent)}</span>
          <Button kind="quiet" onClick={() => onCancel(id)}>
            Cancel
          </Button>
        </div>
      )}
      <p role="status">{wordsOf(upload)}</p>
      {state === 'done' && url !== null && <CopyButton text={url} label={`Copy ${url}`} />}
      {failure !== null && <p class="operation-failed">{failureSentence(failure)}</p>}
    </section>
  )
}

function wordsOf({ state, name }: Upload): string {
  switch (state) {
    case 'sending':
    case 'waiting':
      return ''
    case 'done':
      return 'Uploaded.'
    case 'failed':
      return 'Not uploaded.'
    case 'cancelled':
      return `The upload of ${name} was cancelled.`
  }
}
