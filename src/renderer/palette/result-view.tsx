import { useEffect, useRef } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Scrolled } from './scrolled.tsx'

type Plain = Readonly<Record<string, unknown>>

/** Rows of a table that are drawn; the raw form has all. */
const rowsDrawn = 200
/** Characters of the raw form; a realm's history would freeze the window. */
const rawDrawn = 200_000

/** The answer, as plainly as its form allows: a table, names and values, or text. */
/**
 * What the program adds by itself in both spellings, since servers differ in which they know: that one
 * is ignored says nothing of what the user sent.
 */
const ownTwins: ReadonlySet<string> = new Set([
  'client_gravatar',
  'client_ext_avatar',
  'pygments_language',
  'syntax_language',
])

export function ResultView({ reply }: { readonly reply: unknown }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [reply])
  const all = isPlain(reply) ? reply['ignored_parameters_unsupported'] : undefined
  const ignored = Array.isArray(all) ? all.map(String).filter((name) => !ownTwins.has(name)) : []
  const raw = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null, null, 2)
  return (
    <section ref={box} class="result" aria-label="Result">
      <div class="result-head">
        <h3>Done</h3>
        <CopyButton text={raw.slice(0, 100_000)} label="Copy result" />
      </div>
      {ignored.length > 0 && (
        <p class="operation-note">The server ignored: {ignored.join(', ')}.</p>
      )}
      <Shown value={isPlain(reply) ? withoutEnvelope(reply) : reply} name="Result" depth={0} />
      {typeof reply !== 'string' && (
        <details class="request">
          <summary>Raw JSON</summary>
          <Scrolled name="Raw JSON">
            {raw.length > rawDrawn ? `${raw.slice(0, rawDrawn)}\n…` : raw}
          </Scrolled>
        </details>
      )}
    </section>
  )
}

/** What every answer of the chat service has and says nothing. */
function withoutEnvelope(reply: Plain): Plain {
  const { result: _result, msg, ignored_parameters_unsupported: _ignored, ...rest } = reply
  return msg === undefined || msg === '' ? rest : { msg, ...rest }
}

interface Props {
  readonly value: unknown
  readonly name: string
  readonly depth: number
}

function Shown({ value, name, depth }: Props) {
  if (typeof value === 'string' && value.includes('\n'))
    return <pre class="result-text">{value}</pre>
  if (Array.isArray(value) && value.some(isPlain))
    return <Table rows={value.filter(isPlain)} name={name} />
  if (isPlain(value) && depth < 3) return <Pairs value={value} depth={depth} />
  return <p class="result-text">{cellText(value)}</p>
}

function Pairs({ value, depth }: { readonly value: Plain; readonly depth: number }) {
  const entries = Object.entries(value)
  if (entries.length === 0) return <p class="field-help">The answer has nothing more to say.</p>
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
            <h4>{name}</h4>
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, by keyboard too.
    <section class="result-table" tabIndex={0} aria-label={`${name}, ${rows.length}`}>
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
            // The rows of an answer are drawn once and never move.
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
        <p class="field-help">and {rows.length - drawn.length} more in the raw JSON</p>
      )}
    </section>
  )
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Has a form of its own below the simple values. */
function isNested(value: unknown): boolean {
  if (isPlain(value)) return Object.keys(value).length > 0
  return (
    (Array.isArray(value) && value.some(isPlain)) ||
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
