import { checkName } from '#shared/core/checks/check.ts'
import { scheduleWords } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { CheckRow } from '#shared/core/views/board-row.ts'
import { QuietMark } from '../attention/quiet-mark.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { now } from '../window-state.ts'
import { hasJustChanged } from './changed-checks.ts'
import { lastPingWords, rowShape, rowTitle, rowWords, tagWords } from './row-words.ts'

interface Props {
  readonly row: CheckRow
  /** The server's clock minus ours. */
  readonly offsetMs: number
}

/** A check on the board: one line, or two when it is in trouble. */
export function CheckLine({ row, offsetMs }: Props) {
  const { check, stale, tags, project, accountId, silence } = row
  const serverNow = now.value + offsetMs
  const name = checkName(check)
  const trouble = isTrouble(check)
  const classes = [
    'check-line',
    trouble ? 'check-line-trouble' : '',
    `is-${stale ? 'stale' : check.status}`,
    silence === null ? '' : 'is-quiet',
    hasJustChanged(accountId, check) ? 'row-flash' : '',
  ]
  return (
    <div
      class={classes.filter((one) => one !== '').join(' ')}
      title={rowTitle(check, name, serverNow)}
    >
      <StatusShape shape={rowShape(check, stale)} />
      <div class="check-main">
        <span class="check-name" dir="auto">
          {name}
        </span>
        {!trouble && <Tags tags={tags} project={project} />}
        {!trouble && silence !== null && <QuietMark silence={silence} />}
      </div>
      <span class="check-status">{rowWords(check, stale, serverNow)}</span>
      <span class="check-facts">
        {trouble && silence !== null && <QuietMark silence={silence} />}
        {trouble && <Tags tags={tags} project={project} />}
        <span class="check-last">{lastPingWords(check, serverNow)}</span>
        <span class="check-schedule">{scheduleWords(check.schedule)}</span>
      </span>
    </div>
  )
}

function Tags({
  tags,
  project,
}: {
  readonly tags: readonly string[]
  readonly project: string | null
}) {
  if (tags.length === 0 && project === null) return null
  return (
    <span class="check-tags">
      {project !== null && <bdi class="check-project">{project}</bdi>}
      {tagWords(tags)}
    </span>
  )
}
