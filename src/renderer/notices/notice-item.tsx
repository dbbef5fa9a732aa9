import { useId, useState } from 'preact/hooks'
import type { Notice, NoticeKind } from '#shared/core/attention/notice.ts'
import { accountById } from '#shared/core/state.ts'
import { OutcomeMark } from '../attention/outcome-mark.tsx'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { appState, go } from '../window-state.ts'

const shapes: Readonly<Partial<Record<NoticeKind, Shape>>> = {
  down: 'down',
  recovered: 'up',
  late: 'grace',
  missed: 'up',
  trouble: 'unknown',
}

const marks: Readonly<Partial<Record<NoticeKind, string>>> = {
  mention: '@',
  direct: '@',
  alertWord: '#',
  message: '#',
  digest: '≡',
}

/** Lines of one that stands for many, before "and 12 more". */
const linesAtFirst = 6

/** One notice: a click opens what it is about, "Why?" says how it was decided. */
export function NoticeItem({ notice }: { readonly notice: Notice }) {
  const [why, setWhy] = useState(false)
  const id = useId()
  const { kind, outcome, lines, reasons } = notice
  return (
    <li class={`notice-item notice-${outcome}${kind === 'digest' ? ' notice-digest' : ''}`}>
      <NoticeButton notice={notice} titleId={`${id}-title`} />
      {lines.length > 0 && <Lines notice={notice} />}
      <div class="notice-foot">
        <OutcomeMark outcome={outcome} />
        <button
          type="button"
          class="link notice-why"
          aria-expanded={why}
          aria-controls={id}
          aria-describedby={`${id}-title`}
          onClick={() => setWhy(!why)}
        >
          Why?
        </button>
      </div>
      <ol class="notice-reasons" id={id} aria-label="Reasons" hidden={!why}>
        {why &&
          reasons.map(({ by, text }, i) => (
            <li key={`${by}${i}`} dir="auto">
              {text}
            </li>
          ))}
        {why && reasons.length === 0 && <li>Its reasons were not kept.</li>}
      </ol>
    </li>
  )
}

function NoticeButton(props: { readonly notice: Notice; readonly titleId: string }) {
  const { notice, titleId } = props
  const { kind, title, body, at, target, accountId } = notice
  const shape = shapes[kind]
  const account = accountById(appState.value, accountId)
  return (
    <button type="button" class="notice" onClick={() => go(target)}>
      {shape === undefined ? (
        <span class="notice-mark" aria-hidden="true">
          {marks[kind]}
        </span>
      ) : (
        <StatusShape shape={shape} />
      )}
      <span class="notice-title" id={titleId} dir="auto">
        {title}
      </span>
      <span class="notice-at">
        <TimeAgo at={at} />
      </span>
      <span class="notice-body" dir="auto">
        {body || account?.label}
      </span>
    </button>
  )
}

/** What a folded notice or a digest stands for, each a click from its check or message. */
function Lines({ notice: { lines, kind } }: { readonly notice: Notice }) {
  const [all, setAll] = useState(kind === 'digest' && lines.length <= 2 * linesAtFirst)
  const drawn = all ? lines : lines.slice(0, linesAtFirst)
  const rest = lines.length - drawn.length
  return (
    <ul class="notice-lines" aria-label="What it stands for">
      {drawn.map(({ text, at, target }, i) => (
        <li key={i}>
          <button type="button" class="notice-line" onClick={() => go(target)}>
            <span class="notice-line-text" dir="auto">
              {text}
            </span>
            <span class="notice-at">
              <TimeAgo at={at} />
            </span>
          </button>
        </li>
      ))}
      {rest > 0 && (
        <li>
          <button type="button" class="link notice-more" onClick={() => setAll(true)}>
            and {rest} more
          </button>
        </li>
      )}
    </ul>
  )
}
